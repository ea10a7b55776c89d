"""Which tensors of a model share memory: the same view of a storage is an alias of the first, another view that overlaps is said.

Nearly every tensor is alone on its storage, which counting addresses shows; only the others are looked at.
"""
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Tuple

from .canonical import BUFFER, Tensor
from .tensor_kinds import FlatTensor
from .torch_slots import storage_of, tensor_base

class _View(NamedTuple):
    path: str
    value: Any
    is_buffer: bool


class Sharing:
    def __init__(self, torch: Any, storages: List[int]) -> None:
        """`storages` are the addresses of the storages of all tensors of the model, 0 for one that has none to show."""
        self._base, self._storage_of = tensor_base(torch), storage_of(torch)
        distinct = set(storages)
        self.is_any = len(distinct) < len(storages) or 0 in distinct
        self._tensors_on = Counter(storages if self.is_any else ())
        self._views: Dict[int, List[_View]] = {}  # different ones, by address of their storage
        self._objects: Dict[int, str] = {}  # address of a tensor without storage or element → path
        self._flat_keys: Dict[Tuple[int, int], FlatTensor] = {}
        self.weight_aliases: List[Tuple[str, str]] = []  # (path, path of the first)
        self.buffer_aliases: List[Tuple[str, str]] = []
        self.notes: List[Tuple[str, str]] = []

    def add(self, path: str, tensors: Tuple[Tensor, ...], values: List[Any]) -> None:
        """`tensors` are what the `values` that the module of this path holds come to."""
        for tensor, value in zip(tensors, values):
            storage = self._storage(value)
            if not storage or self._tensors_on[storage] > 1:
                view = _View(path + "." + tensor.name if path else tensor.name, value, tensor.role == BUFFER)
                self._share(view, storage if 0 not in tensor.dims else 0)

    def _storage(self, value: Any) -> int:
        try:
            return self._storage_of(value)._cdata
        except Exception:  # sparse, wrapper and functional tensors have no storage to show, each with its own exception
            return 0

    def _share(self, view: _View, storage: int) -> None:
        if storage:
            met = self._views.setdefault(storage, [])
            first = self._first(view, met)
            if first == view.path:
                met.append(view)
        else:  # without a byte there is nothing to share but the object
            value = self._flat_keys.setdefault(view.value.key, view.value) if type(view.value) is FlatTensor else view.value
            first = self._objects.setdefault(id(value), view.path)
        if first != view.path:
            (self.buffer_aliases if view.is_buffer else self.weight_aliases).append((view.path, first))

    def _first(self, view: _View, met: List[_View]) -> str:
        """The path of the view that this one is an alias of; its own when it is none."""
        look = self._look(view.value)
        low, high = _extent(look)
        for other in met:
            if other.is_buffer and not view.is_buffer:
                continue  # a weight that shares a buffer's memory counts all the same
            seen = self._look(other.value)
            if seen == look:
                return other.path
            start, end = _extent(seen)
            if start < high and low < end and seen[3] is look[3]:
                self.notes.append((view.path, "shares storage with %s: elements %d to %d of it" % (other.path, max(low, start) - start, min(high, end) - 1 - start)))
        return view.path

    def _look(self, value: Any) -> Tuple[int, Tuple[int, ...], Tuple[int, ...], Any]:
        base = self._base
        return (base.storage_offset(value), tuple(base.shape.__get__(value)), tuple(base.stride(value)), base.dtype.__get__(value))


def _extent(look: Tuple[Any, ...]) -> Tuple[int, int]:
    """The first element of the storage that a view may touch, and the one behind the last."""
    offset, dims, strides, _ = look
    return offset, offset + 1 + sum((size - 1) * stride for size, stride in zip(dims, strides))
