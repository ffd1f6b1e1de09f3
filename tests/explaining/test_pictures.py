"""Every plan in every view and format: well-formed, complete, the same every time."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given

from askos.algebra import (
    EmptyGraph,
    Filter,
    Join,
    Operator,
    Pattern,
    StreamAccess,
    Values,
    from_json,
    to_json,
)
from askos.algebra.clock import Clock
from askos.algebra.names import Names
from askos.algebra.placement import own_patterns
from askos.algebra.report import Report
from askos.algebra.serialize import kinds
from askos.explaining import FORMATS, VIEWS, explain
from askos.explaining.layers import layered
from askos.explaining.layout import Gaps, lay_out
from askos.explaining.scene import NOTE, TITLE, Scene, arrange
from askos.explaining.words import cells, escaped, width, wrapped
from askos.terms import Literal, URIRef, Variable
from tests.build import EX, S1, X, Y, Z, call, constant, pattern
from tests.plans import ALL_PREFIXES, PLANS
from tests.strategies import plans

ALL = {
    **PLANS,
    "an empty graph": Pattern(X, EX.p, Y, EmptyGraph()),
    "a variable as its own predicate": Pattern(X, X, X, EmptyGraph()),
    "markup and signs": Filter(
        call("=", X, constant(Literal('</text>&"`#quot;end\n\t\x01\ufffe]) --> b; %% c\\'))),
        Pattern(X, URIRef("http://e/a&b;c"), Variable("v"), EmptyGraph()),
    ),
    "wide characters": pattern(X, "風" * 60, Y),
}
NODE = re.compile(r"^ +(\w+)(\(\[|\[)\"(.*)\"(\]\)|\]):::(\w+)$")
EDGE = re.compile(r"^  (\w+) (-->|-\.->)(\|\"(.*)\"\|)? (\w+)$")
BOX = re.compile(r"^  subgraph (\w+)\[\"(.*)\"\]$")
REST = re.compile(r"^(flowchart (BT|TB)|  end|  (classDef|style) \w+ \S+( \d+)?)$")
CODE = re.compile(r"#\d+;|<br/>")

each_plan = pytest.mark.parametrize("plan", ALL.values(), ids=ALL.keys())
each_view = pytest.mark.parametrize("view", VIEWS)


def picture(plan: Operator, view: str) -> ElementTree.Element:
    return ElementTree.fromstring(explain(plan, ALL_PREFIXES, view=view, format="svg"))


def check_mermaid(text: str) -> None:
    """Every line is one of the four sorts; ids are unique, and edges join declared nodes."""
    lines = text.split("\n")
    nodes = [found for line in lines if (found := NODE.match(line))]
    edges = [found for line in lines if (found := EDGE.match(line))]
    boxes = [found for line in lines if (found := BOX.match(line))]
    others = [line for line in lines if not (NODE.match(line) or EDGE.match(line))]
    assert all(BOX.match(line) or REST.match(line) for line in others)
    names = [found[1] for found in nodes] + [found[1] for found in boxes]
    assert len(set(names)) == len(names)
    assert {name for found in edges for name in (found[1], found[5])} <= {n[1] for n in nodes}
    assert {found[5] for found in nodes} <= set(re.findall(r"classDef (\w+)", text))
    labels = [n[3] for n in nodes] + [e[4] or "" for e in edges] + [b[2] for b in boxes]
    assert not any(set('"<>#;`\\&') & set(CODE.sub("", label)) for label in labels)


def check_json(text: str) -> None:
    document = json.loads(text)
    names = [node["id"] for node in document["nodes"]]
    boxes = {box["id"] for box in document["boxes"]}
    assert len(set(names)) == len(names)
    assert {n for edge in document["edges"] for n in (edge["from"], edge["to"])} <= set(names)
    assert {node["box"] for node in document["nodes"] if "box" in node} <= boxes


def check_svg(text: str) -> None:
    root = ElementTree.fromstring(text)
    allowed = {"svg", "title", "desc", "g", "rect", "path", "polygon", "text"}
    assert {element.tag.split("}")[1] for element in root.iter()} <= allowed
    assert not any("href" in name for element in root.iter() for name in element.attrib)
    assert [element.tag.split("}")[1] for element in root[:3]] == ["title", "desc", "rect"]


def test_every_class_a_plan_can_hold_is_among_the_plans() -> None:
    held = {type(node) for plan in ALL.values() for node in plan.walk()}
    wanted = {
        kind for kind in kinds("askos.algebra.").values() if not issubclass(kind, Report | Clock)
    }
    assert wanted <= held


@each_view
@each_plan
def test_every_plan_draws_in_every_format(plan: Operator, view: str) -> None:
    assert explain(plan, view=view)
    check_mermaid(explain(plan, ALL_PREFIXES, view=view, format="mermaid"))
    check_json(explain(plan, ALL_PREFIXES, view=view, format="json"))
    check_svg(explain(plan, ALL_PREFIXES, view=view, format="svg"))


@given(plans())
def test_random_plans_draw_in_every_view_and_format(plan: Operator) -> None:
    for view in VIEWS:
        check_mermaid(explain(plan, view=view, format="mermaid"))
        check_json(explain(plan, view=view, format="json"))
        check_svg(explain(plan, view=view, format="svg"))


@given(plans())
def test_equal_plans_give_equal_pictures(plan: Operator) -> None:
    again = from_json(to_json(plan))
    for view in VIEWS:
        for name in FORMATS:
            one = explain(plan, view=view, format=name)
            assert one == explain(again, view=view, format=name)


def test_pictures_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.plans import PLANS; from askos.explaining import explain; import hashlib;"
        "print(hashlib.sha256(''.join(explain(p, view=v, format=f) for p in PLANS.values()"
        " for v in ('plan', 'ograph', 'dgraph') for f in ('text', 'json', 'mermaid', 'svg'))"
        ".encode()).hexdigest())"
    )
    seeded = [{**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."} for seed in "12"]
    run = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True)
        for env in seeded
    )
    assert len({done.stdout for done in run}) == 1


@given(plans())
def test_the_plan_view_has_a_node_for_every_operator(plan: Operator) -> None:
    document = json.loads(explain(plan, format="json"))
    lines = [line.strip() for line in explain(plan).splitlines()]
    shown = [f"{node['title']} {node['text']}".strip() for node in document["nodes"]]
    assert shown == [line for line in lines if line != "EXISTS"]
    dotted = [edge for edge in document["edges"] if edge["line"] == "exists"]
    operators = (node for node in plan.walk() if isinstance(node, Operator))
    assert len(dotted) == sum(len(list(own_patterns(node))) for node in operators)


def test_json_names_variables_and_those_always_bound() -> None:
    document = json.loads(explain(PLANS["listing 1.1"], ALL_PREFIXES, format="json"))
    assert document["nodes"][0] == {
        "id": "n1",
        "role": "operator",
        "title": "Project",
        "text": "?x ?y ?z",
        "variables": ["?x", "?y", "?z"],
        "bound": ["?x", "?y"],
    }
    assert document["edges"][0] == {
        "from": "n2",
        "to": "n1",
        "line": "flow",
        "label": "?x ?y (?z)",
    }


def test_mermaid_shapes_tell_sources_windows_and_exists_apart() -> None:
    plan = Filter(call("=", X, 1), pattern(X, "p", Y))
    text = explain(plan, ALL_PREFIXES, format="mermaid")
    assert text.splitlines()[1:5] == [
        '  n1["Filter<br/>?x = 1"]:::operator',
        '  n2["Pattern<br/>?x :p ?y"]:::pattern',
        '  n3["SlidingWindow<br/>ALL"]:::window',
        '  n4(["StreamAccess<br/>:stream1"]):::stream',
    ]
    assert '-.->|"EXISTS ' in explain(PLANS["every expression"], ALL_PREFIXES, format="mermaid")


@each_view
@each_plan
def test_nodes_keep_apart_and_hold_their_text(plan: Operator, view: str) -> None:
    scene = arrange(VIEWS[view](plan, Names(ALL_PREFIXES)))
    for one, other in combinations(scene.figures.values(), 2):
        assert any(
            abs(a - b) >= (s + t) / 2 - 0.2
            for a, b, s, t in zip(one.centre, other.centre, one.size, other.size, strict=True)
        )
    for figure in scene.figures.values():
        lines = [(line, TITLE) for line in figure.title + figure.text]
        lines += [(line, NOTE) for line in figure.notes]
        assert all(width(html.unescape(escaped(t)), size) < figure.size[0] for t, size in lines)
    check_inside(scene)


def check_inside(scene: Scene) -> None:
    """Nodes are on the sheet, and those of a box within it."""
    for figure in scene.figures.values():
        box = scene.frames.get(figure.node.box or "")
        centre, size = (box.centre, box.size) if box else ((s / 2 for s in scene.size), scene.size)
        for at, own, middle, whole in zip(figure.centre, figure.size, centre, size, strict=True):
            assert abs(at - middle) <= (whole - own) / 2 + 0.2


def test_edges_of_a_tree_do_not_cross_and_readers_stand_in_the_middle() -> None:
    edges = [("a", "f"), ("b", "f"), ("c", "g"), ("d", "g"), ("f", "h"), ("g", "h"), ("e", "i")]
    edges += [("h", "i")]
    assert layered("abcdefghi", edges).crossings() == 0
    placed = lay_out(dict.fromkeys("abcdefghi", (40.0, 20.0)), edges, Gaps(10, 10), True)
    x = {name: at[0] for name, at in placed.centres.items()}
    assert x["f"] == pytest.approx((x["a"] + x["b"]) / 2, abs=0.2)
    assert x["h"] == pytest.approx((x["f"] + x["g"]) / 2, abs=0.2)


def test_a_cycle_and_a_loop_are_drawn() -> None:
    layers = layered("abc", [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")])
    assert layers.ranks[0] == ["a"]
    assert layers.routes[2][0] == "c"
    assert layers.routes[2][-1] == "a"


def test_crossings_are_undone_where_they_can_be() -> None:
    assert layered("abxy", [("a", "y"), ("b", "x")]).crossings() == 0


def test_the_picture_names_itself_and_tells_its_content() -> None:
    root = picture(PLANS["listing 1.1"], "plan")
    assert root[0].text == "Plan"
    assert root[1].text is not None
    assert "CountWindow ELEMS 1500" in root[1].text
    texts = {element.text for element in root.iter() if element.tag.endswith("}text")}
    assert {"?x ?y (?z)", "triples", "window", "stream", "(?x) may be unbound"} <= texts


def test_long_text_is_cut_and_kept_in_the_title() -> None:
    long = Filter(call("=", X, constant(Literal("long " * 100))), pattern(X, "p", Y))
    drawn = explain(long, format="svg")
    assert "…</text>" in drawn
    assert "long " * 100 in drawn


@given(plans())
def test_lines_are_never_longer_than_asked(plan: Operator) -> None:
    for line in explain(plan).splitlines():
        made = wrapped(line, 20, 3)
        assert len(made) <= 3
        assert all(0 < cells(part) <= 20 for part in made)


def test_wrapping_keeps_everything_if_there_is_room() -> None:
    text = "A(?n, COUNT(*), G) A(?m, AVG(?p), G)"
    assert wrapped(text, 20, 4) == ["A(?n, COUNT(*), G)", "A(?m, AVG(?p), G)"]
    assert wrapped("<http://e/long/path#name>", 14, 4) == ["<http://e/", "long/path#", "name>"]
    assert wrapped("", 5, 2) == []
    assert wrapped("風風風", 4, 2) == ["風風", "風"]


@pytest.mark.parametrize("character", ["x", "x ", "風", "(", "\u0301", "/"])
def test_a_label_of_any_length_is_cut(character: str) -> None:
    """Also of one word, of brackets that never close, of characters without a width."""
    label = character * 100_000
    made = wrapped(label, 38, 4)
    assert made[-1].endswith("…")
    assert len(made) <= 4
    assert all(cells(line) <= 38 for line in made)


def test_the_whole_of_a_long_label_is_in_a_title() -> None:
    """Of a node, and of what an edge carries."""
    many = tuple(Variable(f"variable{i}") for i in range(1_000))
    text = Literal("風 and more " * 1_000)
    values = Values(many, (tuple(Literal(i) for i in range(1_000)),))
    plan = Filter(call("=", X, constant(text)), Join(pattern(X, "p", Y), values))
    root = ElementTree.fromstring(explain(plan, format="svg"))
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(str(text) in title for title in titles)
    assert any(title == " ".join(f"?{v}" for v in sorted(many)) for title in titles)
    lines = [line.text or "" for line in root.iter("{http://www.w3.org/2000/svg}text")]
    assert max(map(len, lines)) < 60


def test_what_xml_cannot_hold_is_spelt() -> None:
    assert escaped("\x00\ud800\ufffe") == "\\u0000\\uD800\\uFFFE"


def test_sources_are_told_from_each_other() -> None:
    roles = {
        node["title"]: node["role"]
        for plan in (StreamAccess(S1), pattern(X, "p", Z), pattern(X, "p", Z, EmptyGraph()))
        for node in json.loads(explain(plan, format="json"))["nodes"]
    }
    assert roles["StreamAccess"] == "stream"
    assert roles["EmptyGraph"] == "static graph"
