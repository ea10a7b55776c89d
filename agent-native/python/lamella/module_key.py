"""What the tensors of a module come to depends on little: their names, sizes and dtypes, and what the module and they say of themselves. That is its key:
modules of equal keys hold equal tensors, so these are worked out once.

Invariant: whatever working out ordinary tensors reads is in the key. All tensors are read at once, in loops of C, for the interpreter lock is held meanwhile.
A module is asked only for what it can answer: those with attributes of the same names are asked for the same.
"""
from itertools import accumulate, chain, count, islice, repeat
from operator import add, attrgetter, itemgetter
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from .lift import MODULE_HINTS, holds_all
from .loaders import division, loader_of
from .module_tree import Holder
from .raw_object import are_all, dictionary_slot, is_below
from .tensor_kinds import MARKS, reader_of
from .torch_slots import storage_of, tensor_base

# By the classes of these scales are told from weights.
_QUANT_HINTS = ("quant_method", "quantization_scheme")
_PLAIN = frozenset(map(id, (int, str, bool)))

# Of a tensor: whether its class is a plain one and whether it has no marks, the addresses of its dtype and layout, its sizes; None where it does not show them.
_Facts = Tuple[bool, Optional[bool], int, int, Optional[Tuple[int, ...]]]

# Of modules with attributes of these names: what asks one of them for those that matter, and the names of these.
_Form = Tuple[FrozenSet[str], Callable[[Dict[str, Any]], Tuple[Any, ...]], Tuple[str, ...]]

_address = attrgetter("_cdata")


def _each(read: Callable[[Any], Any], values: Iterable[Any]) -> List[Any]:
    """None for what cannot be read."""
    values = list(values)
    try:
        return list(map(read, values))
    except Exception:  # of one of them: no tensor, no storage to show, no sizes, each with its own exception
        return [_tried(read, value) for value in values]


def _tried(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except Exception:
        return None


def _first_of(keys: Iterable[Any]) -> List[Optional[int]]:
    """The place of the first key that is equal, for each; None for a key without a hash: a symbolic size has none, and that of a name may be code."""
    keys = list(keys)
    first: Dict[Any, int] = {}
    try:
        return list(map(first.setdefault, keys, count()))
    except Exception:
        places = zip(keys, count())
        return _each(lambda entry: first.setdefault(*entry), places)


class ModuleKeys:
    """Of all holders of one read, while every instance is alive. `firsts` says for each of them the place of the first one with the same key; None where a key
    cannot be made."""

    def __init__(self, torch: Any, class_names: Sequence[str], holders: Sequence[Holder], tp_size: int) -> None:
        numbers, owners, parameters, buffers = zip(*holders) if holders else ((), (), (), ())
        self.numbers: Sequence[int] = numbers
        self._owners: Sequence[Dict[str, Any]] = owners
        self._class_names = list(map(class_names.__getitem__, numbers))
        self._values = list(chain.from_iterable(map(dict.values, chain.from_iterable(zip(parameters, buffers)))))  # mostly tensors and None
        self._counts = list(map(add, map(len, parameters), map(len, buffers)))
        self._ends = list(accumulate(self._counts))
        self._hints_of = dictionary_slot(torch.Tensor)
        self._facts, self.storages = self._tensors(torch)
        self.firsts = self._keyed(parameters, buffers, tp_size == 1)

    def tensors(self, place: int) -> List[Any]:
        """Of the holder at this place."""
        return [value for value in self._values[self._span(place)] if value is not None]

    def is_ordinary(self, place: int) -> bool:
        """Classes and attributes of its tensors hide nothing that is not in its key."""
        return all(facts is None or (facts[0] and facts[1]) for facts in self._facts[self._span(place)])

    def _span(self, place: int) -> slice:
        return slice(self._ends[place] - self._counts[place], self._ends[place])

    def _tensors(self, torch: Any) -> Tuple[List[Optional[_Facts]], List[int]]:
        """Facts of each value, None for no tensor; and the addresses of the storages of all tensors, 0 for one that has none to show."""
        tensors = [value for value in self._values if value is not None]
        base, kinds = tensor_base(torch), list(map(type, tensors))
        classes = list(map(id, kinds))
        plain = {address for address, kind in dict(zip(classes, kinds)).items() if is_below(kind, torch.Tensor) and reader_of(kind) is None}
        storages = [address or 0 for address in _each(_address, _each(storage_of(torch), tensors))]
        facts = zip(
            map(plain.__contains__, classes),
            _each(MARKS.isdisjoint, _each(self._hints_of, tensors)),
            map(id, _each(base.dtype.__get__, tensors)),
            map(id, _each(base.layout.__get__, tensors)) if 0 in storages else repeat(0),  # what has a storage is strided
            _each(base.shape.__get__, tensors),
        )
        return [None if value is None else next(facts) for value in self._values], storages

    def _keyed(self, parameters: Sequence[Dict[Any, Any]], buffers: Sequence[Dict[Any, Any]], alone: bool) -> List[Optional[int]]:
        names = list(map(tuple, parameters)), list(map(tuple, buffers))
        if not are_all(chain.from_iterable(chain.from_iterable(names)), str):  # a name of a class of its own may answer for its hash
            return [None] * len(parameters)
        facts, answers = _first_of(self._facts), self._answers()
        parts: List[List[Any]] = [answers, *names, list(map(tuple, map(islice, repeat(iter(facts)), self._counts)))]
        silent = {place for place in set(answers) if place is not None and alone and holds_all(self._owners[place])}
        if not silent.issuperset(answers):
            parts.append([() if answer in silent else _tried(self._told, place) for place, answer in enumerate(answers)])
        firsts = _first_of(zip(*parts))
        if None in set(facts) or None in set(answers) or None in parts[-1]:
            return [None if None in key or None in key[3] else first for first, key in zip(firsts, zip(*parts))]
        return firsts

    def _answers(self) -> List[Optional[int]]:
        """What modules say of themselves: for each the place of the first that says the same. A module is asked only for what it can answer: one with
        attributes of the same names as the last one of its class is asked for the same."""
        last: Dict[str, _Form] = {}
        forms: Dict[FrozenSet[str], _Form] = {}
        said: List[Tuple[Any, ...]] = []
        asked: List[Optional[Tuple[str, ...]]] = []
        for owner, class_name in zip(self._owners, self._class_names):
            try:
                form = last.get(class_name)
                if form is None or owner.keys() != form[0]:
                    names = frozenset(owner)
                    form = last[class_name] = forms.get(names) or forms.setdefault(names, _form(names))
                said.append(form[1](owner))
                asked.append(form[2])
            except Exception:  # of code that the keys of its dictionary run
                said.append(())
                asked.append(None)
        if not are_all(chain.from_iterable(said), int):  # what is no number says no size
            said = [tuple([value if type(value) is int else 0 for value in sizes]) for sizes in said]
        parts: List[Iterable[Any]] = [asked, said]
        for name in _QUANT_HINTS:
            if any(name in names for names in forms):
                parts.append(map(id, map(type, map(dict.get, self._owners, repeat(name)))))
        answers = _first_of(zip(*parts))
        return [answer if form is not None else None for form, answer in zip(asked, answers)] if None in set(asked) else answers

    def _told(self, place: int) -> Tuple[Any, ...]:
        """What tensors say of their dimensions, which matters where their module holds a part."""
        owner, span = self._owners[place], self._span(place)
        if "conv_dim" in owner:  # a mixer of Mamba, which is told by modules below it as well
            raise LookupError
        sizes = owner.get("output_sizes")
        told: List[Any] = [size for size in sizes if type(size) is int] if type(sizes) in (list, tuple) else []
        for tensor, facts in zip(self._values[span], self._facts[span]):
            if facts is not None:
                hints = self._hints_of(tensor)
                told.append(division(loader_of(hints), len(facts[4] or ())))
                told += [hint for hint in hints.items() if id(type(hint[1])) in _PLAIN]
        return tuple(told)


def _form(names: FrozenSet[str]) -> _Form:
    asked = tuple(name for name in MODULE_HINTS if name in names)
    return names, itemgetter(*asked, asked[0]) if asked else _nothing, asked  # of one name alone it would give no tuple


def _nothing(owner: Dict[str, Any]) -> Tuple[Any, ...]:
    return ()
