"""Has a model changed? A number that is cheap enough to ask for at every poll, under the interpreter lock.

It is made of what is registered: addresses and classes of modules and tensors, names, roles, sizes and dtypes. Values, gradients, forwards and training
steps leave it as it is. A structural change changes it; so does a tensor that was replaced by an equal one, so a changed number only says that the
structure must be worked out again. It means nothing outside this process.

Addresses alone would not do: a freed object's is the next one's, and `p.data = …` (which `model.half()` is) changes sizes and dtype under the same
address. So these are read beside it. What remains unseen: a module or tensor with the address, class, names, sizes and dtypes of the one it replaces, two
tensors tied by `a.data = b.data`, quantisation state hung onto a tensor as an attribute. For these the watcher reads every structure anew now and then.
"""
from typing import Any, Callable, Dict, List, NamedTuple

from .raw_object import clean, items
from .torch_slots import loaded_torch, no_dispatch, tensor_base

_FOLD_AT = 8192  # names gathered before they are folded into one number: bounds the memory of a walk over any number of tensors
_BUFFERS, _CHILDREN, _END = ".", "..", "..."  # no name holds a dot


class Slots(NamedTuple):
    """torch's own way to what a module or a tensor holds; whatever a subclass defines in its place gets no word in."""

    module: type
    attributes: Callable[[Any], Dict[str, Any]]  # of a module
    dims: Callable[[Any], Any]
    dtype: Callable[[Any], Any]
    no_dispatch: Callable[[], Any]


def slots() -> Slots:
    torch = loaded_torch()
    tensor, module = tensor_base(torch), torch.nn.Module
    return Slots(module, type.__dict__["__dict__"].__get__(module)["__dict__"].__get__, tensor.shape.__get__, tensor.dtype.__get__, lambda: no_dispatch(torch))


def entries(value: Any) -> Dict[str, Any]:
    """What a module registered, from the OrderedDict that torch keeps it in up to 2.4; nothing where it cannot be read (script modules)."""
    return value if type(value) is dict else {clean(name): entry for name, entry in items(value) or ()}


def _facts(found: Slots, tensor: Any) -> Any:
    try:
        return tuple(size if type(size) is int else -1 for size in found.dims(tensor)), found.dtype(tensor)
    except Exception:  # no tensor, or one that answers for its size in Python, each with its own exception
        return None


def _fold(found: Slots, state: int, names: List[str], tensors: List[Any], children: List[int]) -> int:
    """Everything at once, in loops of C: a loop in Python takes twice as long. Names are joined, so that no subclass of str is asked for its hash."""
    held = [tensor for tensor in tensors if tensor is not None]
    try:
        facts = hash((tuple(map(found.dims, held)), tuple(map(found.dtype, held))))
    except Exception:  # one of them is no plain tensor
        facts = hash(tuple([_facts(found, tensor) for tensor in held]))
    try:
        text = "\0".join(names)
    except TypeError:  # a name that is no text
        text = "\0".join(map(clean, names))
    return hash((state, text, facts, tuple(map(id, tensors)), tuple(map(id, map(type, held))), tuple(children)))


def fingerprint(model: Any) -> int:
    """Of an nn.Module with everything below it. Each module is entered once, so a cycle ends, and depth costs nothing."""
    found = slots()
    attributes = found.attributes
    state = id(model)
    seen, reached = {state}, [model]
    names: List[str] = []
    tensors: List[Any] = []
    children: List[int] = []
    with found.no_dispatch():
        for module in reached:
            try:
                own = attributes(module)
                parameters, buffers, modules = own["_parameters"], own["_buffers"], own["_modules"]
            except (KeyError, TypeError):  # under construction; no module
                parameters = buffers = modules = None
            if not (type(parameters) is type(buffers) is type(modules) is dict):
                parameters, buffers, modules = entries(parameters), entries(buffers), entries(modules)
            if parameters:
                names += parameters
                tensors += parameters.values()
            if buffers:
                names.append(_BUFFERS)
                names += buffers
                tensors += buffers.values()
            if modules:
                names.append(_CHILDREN)
                names += modules
                for child in tuple(modules.values()):
                    address = id(child)
                    children.append(address)
                    if address not in seen:
                        seen.add(address)
                        reached.append(child)
            names.append(_END)
            if len(names) > _FOLD_AT:
                state = _fold(found, state, names, tensors, children)
                names, tensors, children = [], [], []
        return hash((_fold(found, state, names, tensors, children), tuple(map(id, map(type, reached)))))
