"""How a process holds a model: parallel sizes, and per tensor what differs from its logical sizes. docs/shape-format.md specifies the text.

Invariant: a fact is written for a pattern of paths (every index "*") when it is true of all tensors of the model that the pattern stands for, else for each
path by itself; so 64 layers are one line and one layout has one text.
"""
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Tuple

from .canonical import escape, sha256_hex

# A name that containers give by position.
INDEX = re.compile(r"(?:0|[1-9][0-9]{0,14})\Z")


class Sizes(NamedTuple):
    """Parallel sizes of the deployment and this process's place in it; 1 and 0 where nothing is known."""

    tp_size: int = 1
    pp_size: int = 1
    ep_size: int = 1
    dp_size: int = 1
    tp_rank: int = 0
    pp_rank: int = 0


class Held(NamedTuple):
    """How one tensor is held: the dimensions it is split along, (dimension, stored size over all ranks) where that is larger than the logical size, and how
    many ranks hold the same heads."""

    sharded: Tuple[int, ...] = ()
    padded: Tuple[Tuple[int, int], ...] = ()
    replicas: int = 1


WHOLE = Held()


class Layout(NamedTuple):
    sizes: Sizes = Sizes()
    sharded: Tuple[Tuple[str, int], ...] = ()  # (path or pattern, dimension)
    padded: Tuple[Tuple[str, int, int], ...] = ()  # (path or pattern, dimension, size over all ranks)
    replicated: Tuple[Tuple[str, int], ...] = ()  # (path or pattern, ranks)
    aliases: Tuple[Tuple[str, str], ...] = ()  # what only buffers share: (path, target path)


def path_pattern(path: str) -> str:
    return ".".join("*" if INDEX.match(step) else step for step in path.split("."))


def _by_path(facts: Iterable[Tuple[Any, ...]]) -> Tuple[Any, ...]:
    return tuple(sorted(facts, key=lambda fact: (fact[0].encode("utf-8"),) + tuple(fact[1:])))


def make_layout(sizes: Sizes, held: List[Tuple[str, Held]], aliases: Iterable[Tuple[str, str]] = ()) -> Layout:
    """`held` names every tensor of the model, in any order."""
    by_pattern: Dict[str, List[Tuple[str, Held]]] = {}
    for path, how in held:
        by_pattern.setdefault(path_pattern(path), []).append((path, how))
    sharded, padded, replicated = [], [], []
    for pattern, tensors in by_pattern.items():
        first = tensors[0][1]
        equal = all(how is first or how == first for _, how in tensors)
        for path, how in [(pattern, first)] if equal else tensors:
            sharded.extend((path, dim) for dim in how.sharded)
            padded.extend((path, dim, size) for dim, size in how.padded)
            if how.replicas > 1:
                replicated.append((path, how.replicas))
    return Layout(sizes, _by_path(sharded), _by_path(padded), _by_path(replicated), _by_path(aliases))


def layout_text(layout: Layout) -> str:
    sizes = layout.sizes
    lines = ["lamella-layout\t1", "\t".join(map(str, ("sizes", sizes.tp_size, sizes.pp_size, sizes.ep_size, sizes.dp_size)))]
    lines.extend("s\t%s\t%d" % (escape(path), dim) for path, dim in layout.sharded)
    lines.extend("p\t%s\t%d\t%d" % (escape(path), dim, size) for path, dim, size in layout.padded)
    lines.extend("r\t%s\t%d" % (escape(path), ranks) for path, ranks in layout.replicated)
    lines.extend("a\t%s\t%s" % (escape(path), escape(target)) for path, target in layout.aliases)
    return "\n".join(lines) + "\n"


def layout_id(layout: Layout) -> str:
    return sha256_hex(layout_text(layout))
