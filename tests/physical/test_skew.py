"""Hot keys are told, by a sample that is fair."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from askos.columns import Batch
from askos.physical.skew import HotKey, Keys, keys_of
from tests.build import X, Y
from tests.columns.batches import CODER


def rows(names: list[str]) -> Batch:
    ids, texts = CODER.encode(pa.array([f"<{name}>" for name in names]))
    times = np.arange(len(names))
    return Batch({X: ids, Y: ids}, times, times + 1, texts)


def sorted_by_key(names: list[str]) -> Batch:
    found = rows(names)
    return found.take(np.argsort(found.column(X), kind="stable"))


@pytest.mark.parametrize("share", [0.6, 0.9])
@pytest.mark.parametrize("made", [rows, sorted_by_key])
def test_a_key_with_most_of_the_elements_is_found(share: float, made: object) -> None:
    names = ["hot"] * int(20_000 * share) + [f"n{i}" for i in range(int(20_000 * (1 - share)))]
    Random(1).shuffle(names)
    assert callable(made)
    found = keys_of([made(names[:12_000]), made(names[12_000:])], (X,)).hot
    assert found is not None
    assert found.key == "?x = <hot>"
    assert abs(found.share - share) < 0.05
    assert found.elements == len(names)


def test_many_keys_are_not_hot_and_neither_are_few_elements() -> None:
    assert keys_of([rows([f"n{i % 9}" for i in range(20_000)])], (X,)) == Keys(9)
    assert keys_of([rows(["hot"] * 9_000)], (X,)) == Keys()
    assert keys_of([], (X,)) == Keys()


def test_of_few_different_keys_none_is_hot() -> None:
    states = ["full"] * 17_000 + ["partial", "standby", "forced"] * 1_000
    assert keys_of([rows(states)], (X,)) == Keys(4)
    assert keys_of([rows(["only"] * 20_000)], (X,)) == Keys(1)


def test_what_has_no_key_is_left_out() -> None:
    hot = rows(["hot"] * 20_000)
    assert keys_of([hot], ()) == Keys()
    assert keys_of([hot.project([Y])], (X,)) == Keys()


def test_a_hot_key_reads_well() -> None:
    assert str(HotKey("?t = <T1>", 0.83, 52_000)) == "?t = <T1> has 83% of 52,000 elements"
