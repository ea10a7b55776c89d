"""Paths to places of a shape: "model.layers.17.mlp" → a module's row, "lm_head.weight" → the row that holds it and the tensor itself."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from .canonical import Shape, Tensor


class Place(NamedTuple):
    row: int  # of the module, or of the one that holds the tensor
    tensor: Optional[Tensor]  # None = the module itself
    position: Tuple[int, ...]  # sorts places in pre-order: child indices, a module's own tensors (negative) before its children


class PlacedAlias(NamedTuple):
    path: str
    target: str
    at: Place
    shares: Optional[Place]  # None when another pipeline stage holds the target


def place_aliases(shape: Shape) -> List[PlacedAlias]:
    """All aliases in pre-order. Raises KeyError for a path that leads nowhere. Names hold no dot: torch refuses those."""
    names: Dict[int, Tuple[Dict[str, int], Dict[str, int]]] = {}
    placed = []
    for path, target in shape.aliases:
        at = _locate(shape, path, names)
        try:
            shares: Optional[Place] = _locate(shape, target, names)
        except KeyError:
            shares = None
        placed.append(PlacedAlias(path, target, at, shares))
    return sorted(placed, key=lambda alias: alias.at.position)


def _locate(shape: Shape, path: str, names: Dict[int, Tuple[Dict[str, int], Dict[str, int]]]) -> Place:
    """`names` are those of the rows that were met before: positions of children and of tensors."""
    row, tensor, position = shape.root, None, []  # type: int, Optional[Tensor], List[int]
    for name in path.split("."):
        module = shape.modules[row]
        if row not in names:
            names[row] = ({child: i for i, (child, _) in enumerate(module.children)}, {t.name: i for i, t in enumerate(module.tensors)})
        children, tensors = names[row]
        if tensor is None and name in children:
            position.append(children[name])
            row = module.children[children[name]][1]
        elif tensor is None and name in tensors:
            position.append(tensors[name] - len(tensors))
            tensor = module.tensors[tensors[name]]
        else:
            raise KeyError("the alias path %r leads nowhere: %s has no %r" % (path, module.class_name, name))
    return Place(row, tensor, tuple(position))
