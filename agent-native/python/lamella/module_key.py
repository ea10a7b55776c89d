"""What the tensors of a module come to depends on little: their names, sizes and dtypes, and what the module and they say of themselves. That is its key:
modules of equal keys hold equal tensors, so these are worked out once.

Invariant: whatever working out ordinary tensors reads is in the key. All tensors are read at once, in loops of C, for the interpreter lock is held meanwhile;
a loop in Python takes three times as long. A module is asked only for what it can answer: those with attributes of the same names are asked for the same.
"""
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .lift import MODULE_HINTS, holds_all, shard_axis
from .module_tree import Holder, ModuleTree
from .raw_object import dictionary_slot, is_below
from .tensor_kinds import MARKS, reader_of
from .torch_slots import storage_of, tensor_base

# By these scales are told from weights.
_QUANT_HINTS = ("quant_method", "quantization_scheme")
_PLAIN = frozenset((int, str, bool))
_address = attrgetter("_cdata")

# What a module says of itself: a number, the same for the same, and whether it does not matter what its tensors say of their dimensions.
_Answer = Tuple[int, bool]


class _Form(NamedTuple):
    """Of modules with attributes of the same names."""

    asked: Tuple[str, ...]
    ask: Optional[Callable[[Dict[str, Any]], Tuple[Any, ...]]]
    answers: Dict[Tuple[int, ...], _Answer]
    only: Optional[_Answer]  # where nothing is asked


# Of a tensor: whether its class is a plain one and whether it has no marks, the addresses of its dtype and layout, its sizes; None where it does not show them.
_Facts = Tuple[bool, Optional[bool], int, int, Optional[Tuple[int, ...]]]


def _each(read: Callable[[Any], Any], values: List[Any]) -> List[Any]:
    """None for what cannot be read."""
    try:
        return list(map(read, values))
    except Exception:  # of one of them: no tensor, no storage to show, no sizes, each with its own exception
        return [_tried(read, value) for value in values]


def _tried(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except Exception:
        return None


class ModuleKeys:
    """Of all holders of one read, while every instance is alive."""

    def __init__(self, torch: Any, tree: ModuleTree, tp_size: int) -> None:
        self._holders, self._values, self._alone = tree.holders, tree.values, tp_size == 1
        self._forms: Dict[Tuple[Any, ...], _Form] = {}
        self._answers: Dict[Tuple[Any, ...], int] = {}
        tensors = [value for value in tree.values if value is not None]
        base, kinds = tensor_base(torch), list(map(type, tensors))
        plain = {address for address, kind in dict(zip(map(id, kinds), kinds)).items() if is_below(kind, torch.Tensor) and reader_of(kind) is None}
        self._hints_of = dictionary_slot(torch.Tensor)
        facts = zip(
            map(plain.__contains__, map(id, kinds)),
            _each(MARKS.isdisjoint, _each(self._hints_of, tensors)),
            map(id, _each(base.dtype.__get__, tensors)),
            map(id, _each(base.layout.__get__, tensors)),
            _each(base.shape.__get__, tensors),
        )
        self._facts: List[Optional[_Facts]] = [None if value is None else next(facts) for value in tree.values]
        self.storages = [address or 0 for address in _each(_address, _each(storage_of(torch), tensors))]  # addresses; 0 where there is none to show

    def __iter__(self) -> Iterator[Optional[int]]:
        """A number for each holder in turn, the same for the same key; None where a key cannot be made."""
        names = chain.from_iterable(chain.from_iterable(map(itemgetter(2, 3), self._holders)))
        if set(map(id, map(type, names))) - {id(str)}:  # a class of its own may answer for its hash
            yield from repeat(None, len(self._holders))
            return
        numbers: Dict[Tuple[Any, ...], int] = {}
        forms, facts, form_of, answer_of = self._forms, self._facts, self._form, self._answer
        for _, owner, parameters, buffers, span in self._holders:
            try:
                attributes = tuple(owner)
                form = forms.get(attributes) or form_of(owner, attributes)
                answer, silent = form.only or answer_of(owner, form)
                key = (answer, tuple(parameters), tuple(buffers), *facts[span])
                if not silent:
                    key += tuple(map(self._told_by, self._values[span], facts[span]))
                number: Optional[int] = numbers.setdefault(key, len(numbers))
            except Exception:  # a symbolic size has no hash; keys of dictionaries run code
                number = None
            yield number

    def tensors(self, holder: Holder) -> List[Any]:
        return [value for value in self._values[holder[4]] if value is not None]

    def is_ordinary(self, holder: Holder) -> bool:
        """Classes and attributes of its tensors hide nothing that is not in its key."""
        return all(facts is None or (facts[0] and facts[1]) for facts in self._facts[holder[4]])

    def _form(self, owner: Dict[str, Any], attributes: Tuple[Any, ...]) -> _Form:
        asked = tuple(name for name in _QUANT_HINTS + MODULE_HINTS if name in owner)
        ask = itemgetter(*asked, asked[0]) if asked else None  # of one name alone it would give no tuple
        form = self._forms[attributes] = _Form(asked, ask, {}, None if asked else self._new_answer(owner, asked, ()))
        return form

    def _answer(self, owner: Dict[str, Any], form: _Form) -> _Answer:
        # What is no number counts by its class, below zero: no size is.
        said = tuple([value if type(value) is int else -id(type(value)) for value in form.ask(owner)])
        answer = form.answers.get(said)
        if answer is None:
            answer = form.answers[said] = self._new_answer(owner, form.asked, said)
        return answer

    def _new_answer(self, owner: Dict[str, Any], asked: Tuple[str, ...], said: Tuple[int, ...]) -> _Answer:
        return self._answers.setdefault((asked, said), len(self._answers)), self._alone and holds_all(owner)

    def _told_by(self, tensor: Any, facts: Optional[_Facts]) -> Optional[Tuple[Any, ...]]:
        """What a tensor says of its dimensions, which matters where its module holds a part."""
        if facts is None:
            return None
        hints = self._hints_of(tensor)
        return (shard_axis(hints.get("weight_loader"), len(facts[4])), *[hint for hint in hints.items() if type(hint[1]) in _PLAIN])
