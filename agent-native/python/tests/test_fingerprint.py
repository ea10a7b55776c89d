"""fingerprint(): changes with the structure of a model, and with nothing that training or serving does."""
import gc
import weakref
from collections import OrderedDict

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
from torch import nn

from lamella.canonical import shape_id
from lamella.fingerprint import fingerprint
from lamella.reader import snapshot


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up = nn.Linear(size, 2 * size)
        self.norm = nn.BatchNorm1d(2 * size)
        self.down = nn.Linear(2 * size, size, bias=False)
        self.register_buffer("mask", torch.ones(size))
        self.register_buffer("cache", None)

    def forward(self, x):
        return self.down(self.norm(self.up(x))) * self.mask


@pytest.fixture
def model():
    return nn.Sequential(Block(4), Block(4), nn.Linear(4, 2))


def train(model):
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
    model(torch.randn(8, 4)).sum().backward()
    optimiser.step()


SAME = {
    "a forward": lambda model: model(torch.randn(8, 4)),
    "a training step": train,
    "gradients cleared": lambda model: (train(model), model.zero_grad(set_to_none=True)),
    "requires_grad": lambda model: model.requires_grad_(False),
    "evaluation": lambda model: model.eval(),
    "values": lambda model: nn.init.zeros_(model[0].up.weight),
    "loaded values": lambda model: model.load_state_dict({name: torch.zeros_like(tensor) for name, tensor in model.state_dict().items()}),
    "hooks": lambda model: model.register_forward_hook(lambda *_: None),
    "a plain attribute": lambda model: setattr(model[0], "step", 7),
}


@pytest.mark.parametrize("event", SAME)
def test_what_leaves_it_as_it_is(model, event):
    before = fingerprint(model)
    SAME[event](model)
    assert fingerprint(model) == before


def move(module, name, kind, new_kind):
    getattr(module, new_kind)[name] = getattr(module, kind).pop(name)


def rename(entries, name, new_name):
    entries[new_name] = entries.pop(name)


CHANGED = {
    "a module added": lambda model: model[0].add_module("act", nn.ReLU()),
    "a module removed": lambda model: delattr(model[0], "norm"),
    "a module replaced by one of another class": lambda model: setattr(model[0], "norm", nn.Identity()),
    "a module renamed": lambda model: rename(model[0]._modules, "down", "out"),
    "modules in another order": lambda model: rename(model[0]._modules, "up", "up"),
    "a module of another class in place": lambda model: setattr(model[0].up, "__class__", type("Lora", (nn.Linear,), {})),
    "a parameter of other dims": lambda model: setattr(model[2], "weight", nn.Parameter(torch.zeros(5, 4))),
    "a parameter of other dims in place": lambda model: setattr(model[2].weight, "data", torch.zeros(5, 4)),
    "a parameter turned around in place": lambda model: setattr(model[2].weight, "data", model[2].weight.data.t()),
    "parameters of another dtype in place": lambda model: model[2].half(),
    "a parameter removed": lambda model: setattr(model[2], "bias", None),
    "a parameter renamed": lambda model: rename(model[2]._parameters, "bias", "shift"),
    "a parameter that is a buffer now": lambda model: move(model[2], "bias", "_parameters", "_buffers"),
    "a buffer that is a parameter now": lambda model: move(model[0], "mask", "_buffers", "_parameters"),
    "a buffer filled": lambda model: setattr(model[0], "cache", torch.zeros(1)),
    "a parameter tied": lambda model: setattr(model[1].up, "weight", model[0].up.weight),
    "packed words": lambda model: model[2].register_buffer("qweight", torch.zeros(1, 2, dtype=torch.int32)),
}


@pytest.mark.parametrize("event", CHANGED)
def test_what_changes_it_and_the_structure(model, event):
    before, structure = fingerprint(model), shape_id(snapshot(model).shape)
    CHANGED[event](model)
    assert fingerprint(model) != before
    assert shape_id(snapshot(model).shape) != structure


def test_a_tensor_replaced_by_an_equal_one_changes_it_but_not_the_structure(model):
    before, structure = fingerprint(model), shape_id(snapshot(model).shape)
    model[2].weight = nn.Parameter(model[2].weight.detach().clone())
    assert fingerprint(model) != before
    assert shape_id(snapshot(model).shape) == structure


def test_a_freed_parameter_is_not_taken_for_the_other_one_at_its_address(model):
    linear, met = model[2], set()
    for columns in range(2, 1_000):
        met.add((id(linear.weight), fingerprint(model)))
        del linear.weight
        linear.weight = nn.Parameter(torch.zeros(2, columns))
    addresses = {address for address, _ in met}
    assert len(addresses) < len(met) == 998, "some address was used again, and every size has its fingerprint"


def test_a_lazy_parameter_that_gets_its_size():
    model = nn.LazyLinear(3)
    before = fingerprint(model)
    model(torch.zeros(1, 5))
    assert fingerprint(model) != before


def test_every_part_of_a_large_model_counts():
    model = nn.ModuleList([nn.ParameterList([torch.zeros(1) for _ in range(100)]) for _ in range(300)])
    met = {fingerprint(model)}
    for at in (0, 150, 299):
        model[at][50] = nn.Parameter(torch.zeros(2))
        met.add(fingerprint(model))
    assert len(met) == 4


def test_a_circle_ends_and_depth_costs_nothing():
    model = deepest = nn.Sequential()
    for _ in range(10_000):
        deepest.add_module("0", nn.Sequential())
        deepest = deepest[0]
    before = fingerprint(model)
    deepest.add_module("back", model)
    closed = fingerprint(model)
    deepest.add_module("act", nn.ReLU())
    assert len({before, closed, fingerprint(model)}) == 3


def forbidden(*_args, **_kwargs):
    raise AssertionError("code of the model ran")


class LoudName(str):
    __getattribute__ = __len__ = __iter__ = __str__ = __repr__ = __eq__ = forbidden
    __hash__ = str.__hash__


class LoudTensor(torch.Tensor):
    shape = dtype = property(forbidden)
    __torch_function__ = classmethod(forbidden)
    __torch_dispatch__ = classmethod(forbidden)
    __getattribute__ = forbidden


class LoudType(type):
    __getattribute__ = __instancecheck__ = __hash__ = __eq__ = forbidden


def test_no_code_of_the_model_runs(model):
    loud = dict.fromkeys("__getattribute__ __getattr__ __len__ __iter__ __eq__ __hash__ forward named_modules".split(), forbidden)
    model[2]._parameters[LoudName("loud")] = nn.Parameter(torch.zeros(2, 2))
    next(reversed(model[2]._parameters.values())).__class__ = LoudTensor
    LoudName.__hash__ = forbidden
    before = fingerprint(model)
    linear = model[2]
    object.__setattr__(linear, "__class__", LoudType("Linear", (nn.Linear,), loud))
    assert fingerprint(model) != before


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_what_holds_no_tensor_is_no_obstacle(model):
    before = fingerprint(model)
    model[0]._buffers["nested"] = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])  # has no shape
    model[0]._parameters["text"] = "no tensor"
    model[0]._modules["number"] = 7
    model[0]._modules[3] = nn.ReLU()
    model[1].__dict__.pop("_buffers")
    hostile = fingerprint(model)
    assert hostile != before
    model[2].weight = nn.Parameter(torch.zeros(2, 5))
    assert fingerprint(model) != hostile


def test_what_torch_kept_in_an_ordered_dict(model):
    for module in model.modules():
        for kind in ("_parameters", "_buffers", "_modules"):
            module.__dict__[kind] = OrderedDict(module.__dict__[kind])
    before = fingerprint(model)
    model(torch.randn(8, 4))
    assert fingerprint(model) == before
    rename(model[0]._modules, "down", "out")
    assert fingerprint(model) != before


def test_no_model_is_kept_alive():
    model = Block(3)
    gone = weakref.ref(model)
    fingerprint(model)
    del model
    gc.collect()
    assert gone() is None
