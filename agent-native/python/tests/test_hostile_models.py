"""Models that nobody would build: each is read to a clear result, nothing crashes and nothing else is lost."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
from torch import nn

from lamella.canonical import shape_id
from lamella.reader import snapshot
from lamella.totals import totals


def test_ten_thousand_levels():
    model = leaf = nn.Module()
    for _ in range(10_000):
        leaf.below = nn.Module()
        leaf = leaf.below
    leaf.weight = nn.Parameter(torch.zeros(3))
    taken = snapshot(model)
    assert (totals(taken.shape).modules, totals(taken.shape).parameters, taken.notes) == (10_001, 3, ())
    while model is not None:  # a chain this long would be freed by recursion
        model = model._modules.pop("below", None)


def another(module):
    """Of the same attributes, for less than it costs to make one."""
    made = object.__new__(type(module))
    made.__dict__.update(module.__dict__)
    return made


def test_two_hundred_thousand_modules():
    shared = nn.Identity()
    model = nn.Module()
    for block in range(200):
        held = nn.Module()
        for i in range(999):
            held._modules[str(i)] = another(shared) if i else shared
        held.weight = nn.Parameter(torch.zeros(2, device="meta"))
        model._modules[str(block)] = held
    taken = snapshot(model)
    assert (totals(taken.shape).modules, totals(taken.shape).parameters) == (1 + 200 * 1000, 400)
    assert len(taken.shape.modules) == 3, "a leaf, a block, the model"


@pytest.mark.parametrize("name", ["a\nb", "tab\there", "lone\ud800surrogate", "%41", "\0"])
def test_names_of_all_kinds_are_read_and_hashed(name):
    model = nn.Module()
    model._modules[name] = nn.Linear(2, 3)
    model._parameters["w" + name] = nn.Parameter(torch.zeros(1))
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 2 * 3 + 3 + 1
    ((shown, _),) = taken.shape.modules[taken.shape.root].children
    assert shown == name.replace("\ud800", "\ufffd")
    assert shape_id(taken.shape) == shape_id(snapshot(model).shape)


def test_names_the_contract_does_not_take_are_made_ones_it_takes_and_said():
    model = nn.Module()
    for name in ("\udc80", "\udc81", "", "a.b", "a_b", 5, 6):
        model._modules[name] = nn.Linear(1, 1)
    model._parameters["w"] = model._buffers["w"] = nn.Parameter(torch.zeros(1))
    taken = snapshot(model)
    root = taken.shape.modules[taken.shape.root]
    assert [name for name, _ in root.children] == ["\ufffd", "\ufffd_2", "_", "a_b", "a_b_2", "<int>", "<int>_2"]
    assert [tensor.name for tensor in root.tensors] == ["w", "w_2"]
    assert dict(taken.notes)["_"] == "its name is empty" and dict(taken.notes)["a_b"] == "its name is 'a.b'"
    assert totals(taken.shape).parameters == 7 * 2 + 1


def test_a_module_under_two_odd_names_is_an_alias_by_the_names_it_goes_by():
    model = nn.Module()
    model._modules["a.b"] = model._modules["c.d"] = nn.Linear(2, 3)
    model._modules["a_b"] = nn.Sequential(nn.Linear(1, 1))
    taken = snapshot(model)
    root = taken.shape.modules[taken.shape.root]
    assert [name for name, _ in root.children] == ["a_b", "c_d", "a_b_2"]
    assert taken.shape.aliases == (("c_d", "a_b"),)
    assert dict(taken.notes) == {"a_b": "its name is 'a.b'", "c_d": "its name is 'c.d'", "a_b_2": "its name is 'a_b'"}
    assert totals(taken.shape).parameters == 2 * 3 + 3 + 2


def test_code_that_a_key_runs_stops_nothing_else():
    class Key(str):
        def __eq__(self, other):
            raise ZeroDivisionError

        __hash__ = str.__hash__

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
    model[0].__dict__[Key("output_size")] = 1
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 2 * 3 + 3
    assert taken.notes == (("0", "Linear cannot be read: ZeroDivisionError"),)
    model[0].__dict__[Key("_buffers")] = model[0].__dict__.pop("_buffers")
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 2 * 3 + 3 and totals(taken.shape).modules == 3
    assert taken.notes == (("0", "Linear cannot be read: ZeroDivisionError"),)


def test_weights_that_are_kept_in_c_are_said():
    quantised = pytest.importorskip("torch.ao.nn.quantized.dynamic")
    taken = snapshot(nn.Sequential(quantised.Linear(4, 4)))
    assert any("are kept in C++ and cannot be read" in sentence for _, sentence in taken.notes)


class Odd(torch.Tensor):
    @property
    def shape(self):
        raise RuntimeError("no shape today")

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("nothing of this runs")


class Sized(torch.Tensor):
    """Answers for its own sizes, wrongly."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (2, 2), dispatch_sizes_strides_policy="sizes")

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("no sizes today")


def test_a_parameter_whose_shape_raises_has_its_shape_all_the_same():
    model = nn.Linear(4, 5)
    model._parameters["odd"] = torch.zeros(3, 2).as_subclass(Odd)
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 4 * 5 + 5 + 3 * 2


def test_a_parameter_that_answers_with_an_error_is_said_and_the_others_are_read():
    model = nn.Linear(4, 5)
    model._parameters["sized"] = Sized()
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 4 * 5 + 5
    ((path, sentence),) = taken.notes
    assert path == "sized" and sentence.startswith("the size of Sized cannot be read: ")


def test_containers_that_are_no_dictionaries_and_children_that_are_no_modules():
    model = nn.Sequential(nn.Linear(2, 2))
    model._modules["text"] = "a module"
    model._parameters["number"] = 7
    model[0].__dict__["_buffers"] = None
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 6
    assert dict(taken.notes) == {"text": "str is not a module", "number": "int is not a tensor", "0": "_buffers of Linear cannot be read"}


def test_a_name_that_is_no_text_is_shown_as_its_class():
    class Name(str):
        def __str__(self):
            raise RuntimeError("code of a name ran")

        __hash__ = str.__hash__

    model = nn.Module()
    model._modules[Name("layer")] = nn.Linear(2, 2)
    model._modules[7] = nn.Linear(2, 2)
    taken = snapshot(model)
    assert [name for name, _ in taken.shape.modules[taken.shape.root].children] == ["layer", "<int>"]


def test_overlapping_views_are_said_and_not_tied():
    both = torch.zeros(4, 3)
    model = nn.Module()
    model.whole, model.top = nn.Parameter(both), nn.Parameter(both[:2])
    taken = snapshot(model)
    assert taken.shape.aliases == () and taken.notes == (("top", "shares storage with whole: elements 0 to 5 of it"),)
    apart = nn.Module()
    apart.top, apart.bottom = nn.Parameter(both[:2]), nn.Parameter(both[2:])
    assert snapshot(apart).notes == ()
