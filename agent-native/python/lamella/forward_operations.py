"""The text of one Python function as operations in order, and which can come before which. An operation is one statement or the header of a branch or loop."""
import ast
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from .forward_expressions import NOTHING, CallSite, Definition, Expressions, Sources, dotted

OPERATIONS_MAX = 2_000  # of one function; the longest of 57,000 functions in transformers, vLLM and torch has 375
START = -1  # the operation before the first: it defines the parameters


class Operation(NamedTuple):
    line: int  # 1 = the first line of the text
    op: str
    calls: Tuple[CallSite, ...]
    reads: Tuple[str, ...]
    definitions: Tuple[Definition, ...]
    context: Tuple[Tuple[str, int], ...]  # (branch, line) from outside in
    value: Sources  # of a return: what is returned


class Operations(NamedTuple):
    name: str
    parameters: Tuple[str, ...]  # without the first when it is the object itself
    decorators: Tuple[str, ...]
    operations: Tuple[Operation, ...]
    before: Tuple[FrozenSet[int], ...]  # of each operation: those that can come directly before it, or START
    limits: Tuple[Tuple[int, str], ...]  # (line, what is not followed there)


def _stored(function: Any) -> Set[str]:
    """Names the function itself binds."""
    found: Set[str] = set()
    open_ = list(function.body)
    while open_:
        node = open_.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.Lambda):
            continue
        elif type(node).__name__ in ("MatchAs", "MatchStar") and node.name:
            found.add(node.name)
        open_.extend(ast.iter_child_nodes(node))
    return found


class _Blocks:
    """Statements in order, and which of them can come before which. Blocks nest at most 100 deep (Python refuses more), so following them may recurse; chains of
    elif nest without end and are followed in a loop."""

    def __init__(self, own: str, local: Set[str]) -> None:
        self.own, self.local = own, local
        self.operations: List[Operation] = []
        self.before: List[FrozenSet[int]] = []
        self.loops: List[Tuple[Set[int], Set[int]]] = []  # (from break, from continue)
        self.limits: Dict[Tuple[int, str], None] = {}

    def add(self, node: Any, op: str, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...], fill: Callable[[Expressions], Optional[Sources]]) -> FrozenSet[int]:
        seen = Expressions(self.own, self.local, self.limits)
        value = fill(seen) or NOTHING
        self.operations.append(Operation(node.lineno, op, tuple(seen.calls), tuple(seen.reads), tuple(seen.definitions), context, value))
        self.before.append(last)
        return frozenset([len(self.operations) - 1])

    def block(self, statements: List[Any], last: FrozenSet[int], context: Tuple[Tuple[str, int], ...] = ()) -> FrozenSet[int]:
        for node in statements:
            if len(self.operations) >= OPERATIONS_MAX:
                self.limits[(node.lineno, "more than %d operations: those from here on are left out" % OPERATIONS_MAX)] = None
                return last
            last = self._statement(node, last, context)
        return last

    def _statement(self, node: Any, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...]) -> FrozenSet[int]:
        if isinstance(node, ast.If):
            return self._branches(node, last, context)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(node, last, context)
        if isinstance(node, (ast.With, ast.AsyncWith)):

            def enter(seen: Expressions) -> None:
                for item in node.items:
                    sources = seen.value(item.context_expr)
                    if item.optional_vars is not None:
                        seen.store(item.optional_vars, sources)

            return self.block(node.body, self.add(node, "with", last, context, enter), context + (("with", node.lineno),))
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node, last, context)
        if type(node).__name__ == "Match":
            header = self.add(node, "match", last, context, lambda seen: seen.value(node.subject))
            ends = header
            for case in node.cases:
                ends |= self.block(case.body, header, context + (("case", case.pattern.lineno),))
            return ends
        if isinstance(node, (ast.Break, ast.Continue)):
            if self.loops:
                self.loops[-1][isinstance(node, ast.Continue)].update(last)
            return frozenset()
        if isinstance(node, (ast.Pass, ast.Global, ast.Nonlocal)) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return last
        return self._simple(node, last, context)

    def _simple(self, node: Any, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...]) -> FrozenSet[int]:
        if isinstance(node, ast.Return):
            self.add(node, "return", last, context, lambda seen: seen.value(node.value) if node.value is not None else None)
            return frozenset()
        if isinstance(node, ast.Raise):
            self.add(node, "raise", last, context, lambda seen: [seen.value(one) for one in (node.exc, node.cause) if one is not None] and None)
            return frozenset()
        if isinstance(node, ast.Assign):
            return self.add(node, "assignment", last, context, lambda seen: seen.assign(node.targets, node.value))
        if isinstance(node, ast.AnnAssign):
            if node.value is None:
                return last
            return self.add(node, "assignment", last, context, lambda seen: seen.store(node.target, seen.value(node.value)))
        if isinstance(node, ast.AugAssign):

            def augment(seen: Expressions) -> None:
                loaded = ast.copy_location(_as_load(node.target), node.target)
                seen.store(node.target, seen.value(loaded) | seen.value(node.value))

            return self.add(node, "assignment", last, context, augment)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.limits[(node.lineno, "the body of %s runs elsewhere and is not followed" % node.name)] = None

            def define(seen: Expressions) -> None:
                seen.definitions.append(Definition(node.name, seen.closed_over(node), True))

            return self.add(node, "definition", last, context, define)
        if isinstance(node, ast.Expr):
            if isinstance(node.value, (ast.Yield, ast.YieldFrom, ast.Await)):
                self.limits[(node.lineno, "what waits or yields is not followed further")] = None
            return self.add(node, "call" if isinstance(node.value, ast.Call) else "statement", last, context, lambda seen: seen.value(node.value) and None)
        return self.add(node, type(node).__name__.lower(), last, context, lambda seen: _each(seen, node))

    def _branches(self, node: Any, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...]) -> FrozenSet[int]:
        ends: FrozenSet[int] = frozenset()
        while True:
            last = self.add(node, "if", last, context, lambda seen, test=node.test: seen.value(test) and None)
            ends |= self.block(node.body, last, context + (("if", node.lineno),))
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                context += (("else", node.lineno),)
                node = node.orelse[0]
            else:
                return ends | self.block(node.orelse, last, context + (("else", node.lineno),))

    def _loop(self, node: Any, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...]) -> FrozenSet[int]:
        kind = "while" if isinstance(node, ast.While) else "for"

        def head(seen: Expressions) -> None:
            if kind == "while":
                seen.value(node.test)
            else:
                seen.store(node.target, seen.value(node.iter))

        header = self.add(node, kind, last, context, head)
        self.loops.append((set(), set()))
        end = self.block(node.body, header, context + ((kind, node.lineno),))
        broken, continued = self.loops.pop()
        (at,) = header
        self.before[at] |= end | continued
        return self.block(node.orelse, header, context + (("else", node.lineno),)) | broken

    def _try(self, node: Any, last: FrozenSet[int], context: Tuple[Tuple[str, int], ...]) -> FrozenSet[int]:
        first = len(self.operations)
        ends = self.block(node.body, last, context + (("try", node.lineno),))
        anywhere = last | frozenset(range(first, len(self.operations)))  # an exception can come from any of them
        ends = self.block(node.orelse, ends, context + (("else", node.lineno),))
        for handler in node.handlers:
            caught = anywhere
            if handler.name:

                def bind(seen: Expressions, name: str = handler.name) -> None:
                    seen.definitions.append(Definition(name, NOTHING, True))

                caught = self.add(handler, "except", anywhere, context, bind)
            ends |= self.block(handler.body, caught, context + (("except", handler.lineno),))
        return self.block(node.finalbody, ends | anywhere, context + (("finally", node.lineno),)) if node.finalbody else ends


def _as_load(target: Any) -> Any:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    return target  # of an attribute or an element its parts are loads already


def _each(seen: Expressions, node: Any) -> None:
    """Statements of the other kinds (assert, del, import): what they read, and what an import binds."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            seen.value(child)
        elif isinstance(child, ast.alias):
            seen.local.add((child.asname or child.name).partition(".")[0])


def _parameters(arguments: Any) -> Iterator[str]:
    for group in (getattr(arguments, "posonlyargs", []), arguments.args, [arguments.vararg], arguments.kwonlyargs, [arguments.kwarg]):
        for argument in group:
            if argument is not None:
                yield argument.arg


def operations_of(text: str, method: bool = True) -> Operations:
    """`text` holds one function definition. Raises SyntaxError when it does not."""
    tree = ast.parse(text) if text[:1] not in (" ", "\t") else ast.increment_lineno(ast.parse("if True:\n" + text), -1)  # a string in it begins further left
    body = tree.body[0].body if isinstance(tree.body[0], ast.If) else tree.body
    found = [node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not found:
        raise SyntaxError("no function definition in it")
    function = found[0]
    parameters = list(_parameters(function.args))
    own = parameters.pop(0) if method and parameters and function.args.vararg is not parameters[0] else ""
    blocks = _Blocks(own, _stored(function) | set(parameters))
    blocks.block(function.body, frozenset([START]))
    if own and own in _stored(function):
        blocks.limits[(function.lineno, "%s is bound anew: attributes are followed as those of the first one" % own)] = None
    decorators = tuple(dotted(one.func if isinstance(one, ast.Call) else one, own) or "a computed decorator" for one in function.decorator_list)
    return Operations(function.name, tuple(parameters), decorators, tuple(blocks.operations), tuple(blocks.before), tuple(blocks.limits))
