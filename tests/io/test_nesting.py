"""How deep XML is nested: what is seen at once agrees with going through tag after tag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import StreamError
from askos.io import nesting
from askos.io.limits import Limits

PARTS = st.sampled_from(
    [
        *("<a>", "</a>", "<a/>", '<a b="c">', '<a b="/">', "<a b='c'>", '<a b="/>">', '<a b=">">'),
        *('<a b="', "<a b='", '">', "'>", '"', "'", "<", ">", "/>", "?>", "</", "text", "it's"),
        *("<?x?>", "<?x '?>", "<?x >", "<?x", "<!-- <a> -->", "<!--", "-->", "<![CDATA[", "]]>"),
    ]
)


def exact(text: bytes, depth: int) -> bool:
    try:
        nesting._check_tags(text, "data.rdf", Limits(depth=depth))
    except StreamError:
        return False
    return True


@given(st.lists(PARTS, max_size=12).map("".join), st.integers(0, 3))
def test_what_is_seen_to_be_shallow_is_shallow(text: str, depth: int) -> None:
    if nesting._is_shallow(text.encode(), depth):
        assert exact(text.encode(), depth)


@pytest.mark.parametrize(
    "text",
    [
        "<a b='> </c '><a>",
        '<a b="x" c=\'"\' d="> <a>',
        "<!-- > </a --><a>",
        "<?x > </a ?><a>",
        "<?> </a ?><a>",
        "<a><",
        "><a><",
    ],
)
def test_what_looks_shallow_is_looked_at_again(text: str) -> None:
    assert not nesting._is_shallow(text.encode(), 0)


def test_plain_documents_need_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"<?xml version='1.0'?>\n" + b'<a b="/c"><d/>it\'s</a>\n' * 50_000
    monkeypatch.setattr(nesting, "_check_tags", None)
    assert nesting.check_xml(text, "data.rdf", Limits(depth=1)) == text


def test_large_documents_that_are_too_deep_are_refused() -> None:
    text = b'<a b="/c"><d/>it\'s</a>\n' * 50_000 + b"<a><d>"
    with pytest.raises(StreamError, match="line 50001: nested more than 1 deep"):
        nesting.check_xml(text, "data.rdf", Limits(depth=1))
