"""Memory that a process keeps."""

from __future__ import annotations

from unittest import mock

from askos.columns.memory import keep_freed_memory


def test_a_process_without_glibc_goes_on_without_it() -> None:
    keep = keep_freed_memory.__wrapped__
    with mock.patch("ctypes.CDLL", side_effect=OSError):
        assert keep() is False
    with mock.patch("ctypes.CDLL", return_value=object()):
        assert keep() is False


def test_what_cannot_be_changed_is_told() -> None:
    for answer in (0, 1):
        library = mock.Mock(mallopt=mock.Mock(return_value=answer))
        with mock.patch("ctypes.CDLL", return_value=library):
            assert keep_freed_memory.__wrapped__() is bool(answer)
