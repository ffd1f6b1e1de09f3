"""The logical operators, one to a module."""

from askos.algebra.operators.access import Access, EmptyGraph, GraphAccess, StreamAccess
from askos.algebra.operators.aggregateclause import AggregateClauses, Clause
from askos.algebra.operators.antijoin import AntiJoin
from askos.algebra.operators.ask import Ask
from askos.algebra.operators.binding import Binding
from askos.algebra.operators.construct import Construct, Template
from askos.algebra.operators.copynumber import CopyNumber
from askos.algebra.operators.describe import Describe
from askos.algebra.operators.distinct import Distinct, Reduced
from askos.algebra.operators.extend import Extend
from askos.algebra.operators.filter import Filter
from askos.algebra.operators.group import Group
from askos.algebra.operators.join import Join
from askos.algebra.operators.leftjoin import LeftJoin
from askos.algebra.operators.markjoin import MarkJoin
from askos.algebra.operators.minus import Minus
from askos.algebra.operators.order import OrderBy, SortKey
from askos.algebra.operators.path import Path
from askos.algebra.operators.pattern import Pattern
from askos.algebra.operators.project import Project
from askos.algebra.operators.semijoin import SemiJoin
from askos.algebra.operators.slice import Slice
from askos.algebra.operators.static import Static
from askos.algebra.operators.union import Union
from askos.algebra.operators.values import UNIT, Values

__all__ = [
    "UNIT",
    "Access",
    "AggregateClauses",
    "AntiJoin",
    "Ask",
    "Binding",
    "Clause",
    "Construct",
    "CopyNumber",
    "Describe",
    "Distinct",
    "EmptyGraph",
    "Extend",
    "Filter",
    "GraphAccess",
    "Group",
    "Join",
    "LeftJoin",
    "MarkJoin",
    "Minus",
    "OrderBy",
    "Path",
    "Pattern",
    "Project",
    "Reduced",
    "SemiJoin",
    "Slice",
    "SortKey",
    "Static",
    "StreamAccess",
    "Template",
    "Union",
    "Values",
]
