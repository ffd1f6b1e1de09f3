"""Folds: one for each aggregate of a group, step by step.

Each keeps in memory what it needs of the elements that are valid at the cut, and works that out
again from these after a restart, so none of it is state.
"""

from askos.physical.folds.adding import Column
from askos.physical.folds.compile import Adding, adding, compile_fold, compile_folds
from askos.physical.folds.fold import Fold, Step

__all__ = ["Adding", "Column", "Fold", "Step", "adding", "compile_fold", "compile_folds"]
