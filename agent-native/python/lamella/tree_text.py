"""A shape as indented text, folded: one line per node, 64 equal layers on one line. Byte for byte what core/shape/tree-text.ts prints.

    Qwen/Qwen3-32B  Qwen3ForCausalLM  32.8B parameters (32,762,123,264) · 65.5 GB · 967 modules · bfloat16
      model  Qwen3Model  32.0B · bfloat16
        layers  ModuleList  31.2B · bfloat16
          layers.0 … layers.63  Qwen3DecoderLayer ×64  487.6M each · bfloat16

A subtree's count is of the tensors in it, shared ones once; of a folded node, of its first copy.
"""
from bisect import bisect_right
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from .canonical import Shape
from .layout import INDEX
from .locate import PlacedAlias, place_aliases
from .number_text import bytes_text, count_text, exact_text
from .totals import Position, SubtreeTotals, weight_dtypes

_EXACT_BELOW = 100_000  # five digits are read as easily as "5.1K", and say more


class Run(NamedTuple):
    """Consecutive children of one structure, numbered one after the other. Only indices fold: k_proj and v_proj may be equal too, but their names are
    their meaning."""

    first: str
    last: str
    count: int
    row: int
    at: int  # position of the first among the children


class _Node(NamedTuple):
    path: str  # of the first copy
    depth: int
    run: Run
    held: Position  # where the first copy is held, as totals.py counts
    copies: int  # paths this line stands for, folded ancestors included
    shared: List[Dict[int, Any]]  # alias trees, by copy that shares something in it or is shared


def fold_children(children: Tuple[Tuple[str, int], ...]) -> List[Run]:
    runs: List[Run] = []
    for at, (name, row) in enumerate(children):
        run = runs[-1] if runs else None
        if run and run.row == row and INDEX.match(name) and INDEX.match(run.last) and int(name) == int(run.last) + 1:
            runs[-1] = run._replace(last=name, count=run.count + 1)
        else:
            runs.append(Run(name, name, 1, row, at))
    return runs


def attribute_name(path: str) -> str:
    """The attribute a module is held by, with the containers in front while it is an index: "self_attn", "layers.17", "h.0.1"."""
    steps = path.split(".")
    start = len(steps) - 1
    while start > 0 and INDEX.match(steps[start]):
        start -= 1
    return ".".join(steps[start:])


_ALIAS = None  # the key an alias itself stands under; the other keys are positions (locate.py)


def _alias_tree(aliases: List[PlacedAlias]) -> Dict[Any, Any]:
    root: Dict[Any, Any] = {}
    for alias in aliases:
        tree = root
        for step in alias.at.position:
            tree = tree.setdefault(step, {})
        tree[_ALIAS] = alias
    return root


def _shares_text(trees: List[Dict[Any, Any]], copies: int) -> str:
    """"shares model.embed_tokens.weight", "63 of 64 share model.layers.0.self_attn.rotary_emb": what the node itself or its own tensors share."""
    targets: Dict[str, None] = {}
    sharing = 0
    for tree in trees:
        own = [tree.get(_ALIAS)] + [below.get(_ALIAS) for step, below in tree.items() if step is not _ALIAS and step < 0]
        found = [alias.target for alias in own if alias is not None]
        sharing += 1 if found else 0
        targets.update(dict.fromkeys(found))
    if not targets:
        return ""
    names = list(targets)
    if copies == 1:
        return "shares " + ", ".join(names)
    return "%s of %s share %s" % (exact_text(sharing), exact_text(copies), names[0] if len(names) == 1 else exact_text(len(names)) + " others")


def _child_nodes(shape: Shape, totals: SubtreeTotals, parent: _Node) -> List[_Node]:
    """In reverse, as a stack wants them."""
    runs = fold_children(shape.modules[parent.run.row].children)
    nodes = [
        _Node(parent.path + "." + run.first if parent.path else run.first, parent.depth + 1, run, totals.child(parent.held, run.at), parent.copies * run.count, []) for run in runs
    ]
    starts = [run.at for run in runs]
    for tree in parent.shared:
        # Each branch looks for its run: asking every tree once per run would cost aliases × children.
        for at, below in tree.items():
            if at is not _ALIAS and at >= 0:
                nodes[bisect_right(starts, at) - 1].shared.append(below)
    return nodes[::-1]


def _size_text(parameters: int) -> str:
    return exact_text(parameters) if parameters < _EXACT_BELOW else count_text(parameters)


def tree_lines(shape: Shape, model_name: str) -> Iterator[str]:
    totals, dtypes = SubtreeTotals(shape), weight_dtypes(shape)
    whole = totals.of(shape.root, ())
    exact = "" if whole.parameters < _EXACT_BELOW else " (%s)" % exact_text(whole.parameters)
    facts = ["%s parameters%s" % (_size_text(whole.parameters), exact), bytes_text(whole.weight_bytes), "%s modules" % exact_text(whole.modules)]
    sized = ", ".join(dtype for dtype in dtypes[shape.root] if dtype != "unsized")
    if sized:
        facts.append(sized)
    if whole.unsized_tensors:
        facts.append("%s tensors unsized" % exact_text(whole.unsized_tensors))
    yield "  ".join((model_name, shape.modules[shape.root].class_name, " · ".join(facts)))

    stack = _child_nodes(shape, totals, _Node("", 0, Run("", "", 1, shape.root, 0), (), 1, [_alias_tree(place_aliases(shape))]))
    while stack:
        node = stack.pop()
        run = node.run
        parameters = totals.of(run.row, node.held).parameters
        size = "" if parameters == 0 else _size_text(parameters) + (" each" if run.count > 1 else "")
        told = " · ".join(filter(None, (size, ", ".join(dtypes[run.row]), _shares_text(node.shared, node.copies))))
        name = shape.modules[run.row].class_name + (" ×%s" % exact_text(run.count) if run.count > 1 else "")
        label = attribute_name(node.path)
        if run.count > 1:
            label = "%s … %s%s" % (label, label[: len(label) - len(run.first)], run.last)
        yield "  " * node.depth + "  ".join(filter(None, (label, name, told)))
        stack.extend(_child_nodes(shape, totals, node))


def tree_text(shape: Shape, model_name: str) -> str:
    return "\n".join(tree_lines(shape, model_name)) + "\n"
