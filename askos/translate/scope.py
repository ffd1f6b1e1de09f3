"""What the grammar cannot say: where variables, blank nodes and aggregates may stand.

SPARQL 1.1, 18.2.1 (variable scope), 19.6 and the notes of 19.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from askos.terms import BNode, Variable
from askos.translate import ast
from askos.translate.syntax.parts import fault, is_variable

Names = frozenset[Variable]


def check_scope(query: ast.Query, nodes: Iterable[ast.Node]) -> None:
    """Refuse what breaks the rules of scope; `nodes` are those of the query."""
    where = query.where or ast.Group()
    _check_labels([node for node in nodes if isinstance(node, ast.Group)])
    _check_patterns(nodes)
    match query.form:
        case ast.Select():
            _check_select(query.form, where, query.modifiers)
        case ast.Construct(template):
            _check_template(query.form, template, where)
    if query.aggregates:
        _check_clauses(query.aggregates, in_scope(where))
    _check_modifiers(query.modifiers)
    if query.values:
        _check_values(query.values)


# ---- which variables are in scope -------------------------------------------------------------


def in_scope(node: ast.Node) -> Names:
    """The variables that a pattern may bind, as far as the rest of the query can see them."""
    match node:
        case ast.Group(members):
            return _union(map(in_scope, members))
        case ast.Block():
            terms = (part.value for part in node.walk() if isinstance(part, ast.Term))
            return frozenset(term for term in terms if isinstance(term, Variable))
        case ast.Optional(group):
            return in_scope(group)
        case ast.Union(groups):
            return _union(map(in_scope, groups))
        case (
            ast.Graph(name, group)
            | ast.Service(name, group)
            | ast.StreamPattern(name, group)
            | ast.WindowPattern(name, group)
        ):
            return in_scope(group) | _names((name,))
        case ast.Bind(_, variable):
            return _names((variable,))
        case ast.Values(variables):
            return _names(variables)
        case ast.SubSelect(select, where):
            own = _names(projection.variable for projection in select.projections)
            values = in_scope(node.values) if node.values else frozenset()
            return own if select.projections else in_scope(where) | values
    return frozenset()


def _union(names: Iterable[Names]) -> Names:
    return frozenset().union(*names)


def _variables(expression: ast.Node) -> Iterator[ast.Term]:
    """The variables of an expression; those of a pattern inside EXISTS are its own."""
    todo = [expression]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Term) and is_variable(node):
            yield node
        if not isinstance(node, ast.Exists):
            todo.extend(reversed(node.parts()))


def _names(terms: Iterable[ast.Term]) -> Names:
    return frozenset(t.value for t in terms if isinstance(t.value, Variable))


# ---- patterns ---------------------------------------------------------------------------------


def _check_patterns(nodes: Iterable[ast.Node]) -> None:
    for node in nodes:
        match node:
            case ast.Term():
                continue
            case ast.Group():
                _check_binds(node)
            case ast.Filter(condition):
                _no_aggregate(condition, "FILTER", "use HAVING, after GROUP BY")
            case ast.Bind(expression):
                _no_aggregate(expression, "BIND", "compute it in a sub-select")
            case ast.Values():
                _check_values(node)
            case ast.SubSelect(select, inner, modifiers):
                _check_select(select, inner, modifiers)
                _check_modifiers(modifiers)
            case ast.PredicateWindow(start, end):
                for condition in (start, end):
                    _no_aggregate(condition, "a window's condition", "")


def _check_binds(group: ast.Group) -> None:
    if not any(isinstance(member, ast.Bind) for member in group.members):
        return
    known: Names = frozenset()
    for member in group.members:
        if isinstance(member, ast.Bind) and member.variable.value in known:
            raise fault(
                f"?{member.variable.value} is bound already",
                member.variable.at,
                "BIND needs a new variable; to compare, use FILTER",
            )
        known |= in_scope(member)


def _check_values(values: ast.Values) -> None:
    seen: set[object] = set()
    for variable in values.variables:
        if variable.value in seen:
            raise fault(f"VALUES names ?{variable.value} twice", variable.at)
        seen.add(variable.value)


def _check_labels(groups: list[ast.Group]) -> None:
    """A blank node belongs to one basic graph pattern: triples with nothing but FILTERs between."""
    homes: dict[BNode, int] = {}
    for number, block in _basic_patterns(groups):
        for node in block.walk():
            if not (isinstance(node, ast.Term) and isinstance(node.value, BNode)):
                continue
            if homes.setdefault(node.value, number) != number:
                raise fault(
                    f"_:{node.value} stands in two groups of triples",
                    node.at,
                    "a blank node is only known inside its own; use a variable",
                )


def _basic_patterns(groups: list[ast.Group]) -> Iterator[tuple[int, ast.Block]]:
    number = 0
    for group in groups:
        number += 1
        for member in group.members:
            if isinstance(member, ast.Block):
                yield number, member
            elif not isinstance(member, ast.Filter):
                number += 1


# ---- aggregates and projections ---------------------------------------------------------------


def _aggregates(node: ast.Node) -> Iterator[ast.Aggregate]:
    """The aggregates of an expression; those of a sub-select inside EXISTS are its own."""
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Aggregate):
            yield part
        if not isinstance(part, ast.Exists):
            todo.extend(part.parts())


def _no_aggregate(expression: ast.Node, where: str, hint: str) -> None:
    for aggregate in _aggregates(expression):
        raise fault(f"{aggregate.name} cannot stand in {where}", aggregate.at, hint)


def _check_modifiers(modifiers: ast.Modifiers) -> None:
    for key in modifiers.group_by:
        _no_aggregate(key, "GROUP BY", "group by what the solutions bind")
    for expression in (*modifiers.having, *(key.expression for key in modifiers.order_by)):
        _check_nesting(expression)


def _check_nesting(expression: ast.Node) -> None:
    for aggregate in _aggregates(expression):
        if aggregate.expression is not None:
            inside = f"{aggregate.name}(..)"
            _no_aggregate(aggregate.expression, inside, "aggregate in a sub-select first")


def _is_grouped(select: ast.Select, modifiers: ast.Modifiers) -> bool:
    parts: list[ast.Node] = [*select.projections, *modifiers.having, *modifiers.order_by]
    return bool(modifiers.group_by) or any(any(_aggregates(part)) for part in parts)


def _check_select(select: ast.Select, where: ast.Group, modifiers: ast.Modifiers) -> None:
    named = any(projection.expression for projection in select.projections)
    known = in_scope(where) if named else frozenset()
    grouped = _is_grouped(select, modifiers)
    if grouped and not select.projections:
        raise fault("SELECT * cannot be grouped", select.at, "name the variables and aggregates")
    visible = _names(_variable_keys(modifiers))
    for projection in select.projections:
        variable = projection.variable
        if projection.expression is None:
            if grouped and variable.value not in visible:
                raise _ungrouped(variable)
            continue
        _check_new(variable, known | visible)
        _check_nesting(projection.expression)
        if grouped:
            _check_grouped(projection.expression, visible)
        visible |= _names((variable,))
        known |= _names((variable,))


def _variable_keys(modifiers: ast.Modifiers) -> Iterator[ast.Term]:
    for key in modifiers.group_by:
        named = key.variable or key.expression
        if isinstance(named, ast.Term):
            yield named


def _check_new(variable: ast.Term, known: Names, who: str = "AS") -> None:
    if variable.value in known:
        hint = f"{who} needs a variable of its own"
        raise fault(f"?{variable.value} is bound already", variable.at, hint)


def _check_grouped(expression: ast.Node, visible: Names) -> None:
    """Outside of aggregates, an expression of a grouped query sees the keys only."""
    todo = [expression]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Aggregate | ast.Exists):
            continue
        if isinstance(node, ast.Term) and is_variable(node) and node.value not in visible:
            raise _ungrouped(node)
        todo.extend(node.parts())


def _ungrouped(variable: ast.Term) -> Exception:
    return fault(
        f"?{variable.value} is not the same in all of a group",
        variable.at,
        f"add it to GROUP BY, or aggregate it, as in SAMPLE(?{variable.value})",
    )


# ---- templates and clauses --------------------------------------------------------------------


def _check_template(
    form: ast.Construct, template: tuple[ast.Triples, ...] | None, where: ast.Group
) -> None:
    if template is None:
        if any(not isinstance(member, ast.Block) for member in where.members):
            raise fault(
                "CONSTRUCT WHERE takes triples only",
                form.at,
                "write the template out: CONSTRUCT { .. } WHERE { .. }",
            )
        template = tuple(t for b in where.members if isinstance(b, ast.Block) for t in b.triples)
    for triples in template:
        for node in triples.walk():
            if isinstance(node, ast.Property) and not isinstance(node.verb, ast.Term):
                raise fault(
                    "a template cannot contain a property path",
                    node.verb.at,
                    "construct one triple with one predicate",
                )


def _check_clauses(clauses: tuple[ast.AggregateClause, ...], known: Names) -> None:
    """C-SPARQL 2010, section 2.2: a new variable each, from variables of WHERE alone."""
    seen = known
    for clause in clauses:
        _check_new(clause.variable, seen, "AGGREGATE")
        _check_nesting(clause.aggregate)
        for used in (*_variables(clause.aggregate), *clause.by):
            if used.value not in known:
                raise fault(
                    f"?{used.value} is not bound in WHERE",
                    used.at,
                    "AGGREGATE uses variables of WHERE; not those of other AGGREGATE clauses",
                )
        for condition in clause.filters:
            _no_aggregate(condition, "FILTER", "name the aggregate's variable")
        seen |= _names((clause.variable,))
