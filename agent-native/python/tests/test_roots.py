"""The models of a process, found among everything that lives in it. Models stand on the meta device: large, so that others of this process do not hide them."""
import gc
import subprocess
import sys
import threading
import types
import weakref

import pytest
from repository import PACKAGE

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
from torch import nn

from lamella.roots import ROOTS_MAX, addresses_below, find_roots, roots


def large(size=1 << 20, **names):
    with torch.device("meta"):
        return nn.Linear(size, size, bias=False, **names)


def why(found, class_name):
    return {skipped.why: skipped.count for skipped in found.skipped if skipped.class_name == class_name}


@pytest.fixture(autouse=True)
def nothing_left_over():
    gc.collect()


def is_root(module):
    return any(found is module for found in roots())


def test_a_model_is_one_and_its_parts_are_none():
    model = nn.Sequential(large(), nn.Sequential(large()))
    found = roots()
    assert [module for module in found if module is model] == [model]
    assert not {id(module) for module in model.modules() if module is not model} & set(map(id, found))


class Wrapper(nn.Module):
    def __init__(self, name, inner):
        super().__init__()
        self.add_module(name, inner)


def compiled(inner):
    return torch.compile(inner, backend="eager")


WRAPPERS = {
    "DataParallel": nn.DataParallel,
    "torch.compile": compiled,
    "an adapter's layer": lambda inner: Wrapper("base_layer", inner),
    "two of them": lambda inner: Wrapper("module", compiled(inner)),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_what_is_wrapped_is_part_of_its_wrapper(wrapper):
    inner = nn.Sequential(large())
    outer = WRAPPERS[wrapper](inner)
    assert is_root(outer) and not is_root(inner)


def test_distributed_wrappers():
    program = """
import os, sys
import torch
from torch import nn
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from lamella.roots import find_roots
dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
models = [nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(9, 9))), FSDP(nn.Sequential(nn.Linear(7, 7)), device_id=torch.device("cpu"))]
print([type(model).__name__ for model in find_roots().models])
dist.destroy_process_group()
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=str(PACKAGE), stdout=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert done.stdout.split("\n")[0] == "['DistributedDataParallel', 'FullyShardedDataParallel']"


def test_a_plain_attribute_makes_no_part():
    class Runner:  # no module, as vLLM's
        pass

    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.own = large(2 << 20)
            self.listed = [nn.Sequential(large())]
            self.__dict__["aside"] = nn.Sequential(large())

    runner, holder = Runner(), Holder()
    runner.model = nn.Sequential(large())
    found = roots()
    for module in (runner.model, holder, holder.listed[0], holder.aside):
        assert sum(other is module for other in found) == 1


def test_losses_metrics_and_modules_under_construction_are_no_models():
    class Metric(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.zeros(1 << 20))

    class Begun(nn.Module):
        def __init__(self):
            raise KeyError

    begun = Begun.__new__(Begun)
    metric, loss = Metric(), nn.CrossEntropyLoss(weight=torch.ones(3))
    found = find_roots()
    assert not {id(metric), id(loss), id(begun)} & set(map(id, found.models))
    assert why(found, Metric.__qualname__) == {"it holds no parameter": 1} and why(found, "CrossEntropyLoss") == {"it holds no parameter": 1}
    assert why(found, Begun.__qualname__) == {}


def test_packed_weights_are_enough():
    class QuantLinear(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("qweight", torch.zeros(1 << 12, 1 << 12, dtype=torch.int32, device="meta"))

    model = nn.Sequential(QuantLinear())
    assert is_root(model)


def test_a_second_holder_of_the_same_parameters_is_no_second_model():
    model = nn.Sequential(large(), nn.ReLU(), large())
    layers = nn.ModuleList([model[0], model[2]])
    traced = torch.fx.symbolic_trace(model)
    head = nn.Sequential(model[2], large(1 << 10))  # has something of its own
    found = find_roots()
    assert [any(one is module for one in found.models) for module in (model, layers, traced, head)] == [True, False, False, True]
    assert why(found, "ModuleList") == {"all its parameters are those of Sequential": 1}


def test_the_largest_are_read_and_the_rest_is_named():
    class Small(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(size, device="meta"))

    models = [nn.Sequential(large((2 << 20) + size)) for size in range(ROOTS_MAX)]
    rest = [Small(1_000), Small(3_000)]
    found = find_roots()
    assert list(map(id, found.models)) == list(map(id, reversed(models)))
    (skipped,) = [one for one in found.skipped if one.class_name == Small.__qualname__]
    assert skipped[1:] == (2, 12_000, "only the 8 largest models are read")
    assert list(found.skipped) == sorted(found.skipped, key=lambda one: -one.parameter_bytes)
    del rest


def test_a_tied_parameter_counts_once_and_an_emptied_one_by_what_it_had():
    tied = nn.Sequential(large(), large(), large())
    tied[1].weight = tied[2].weight = tied[0].weight
    emptied = nn.Sequential(nn.Linear(1, 1))
    emptied[0].weight = nn.Parameter(torch.zeros(0))
    emptied[0].weight.ds_numel = 2 << 40  # as DeepSpeed ZeRO-3 leaves it
    twice = nn.Sequential(large(), large(1 << 19))
    found = [id(module) for module in roots()]
    assert found.index(id(emptied)) < found.index(id(twice)) < found.index(id(tied))


def test_a_circle_has_one_root():
    model = nn.Sequential(nn.Sequential(large()))
    model[0].add_module("back", model)
    found = roots()
    assert sum(one is model or one is model[0] for one in found) == 1
    below = nn.Sequential(model)
    assert is_root(below) and not is_root(model) and not is_root(model[0])


def test_depth_and_number_cost_no_more_than_their_size():
    deep = large()
    for _ in range(10_000):
        deep = nn.Sequential(deep)
    wide = nn.ModuleList([nn.ModuleList([nn.Module() for _ in range(1_000)]) for _ in range(50)])
    wide.add_module("last", large())
    found = roots()
    assert any(one is deep for one in found) and any(one is wide for one in found)
    assert len(addresses_below([wide, wide])) == 50 * 1_001 + 2


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
def test_a_script_module_is_named():
    scripted = torch.jit.script(nn.Sequential(nn.Linear(3, 3)))
    assert why(find_roots(), "RecursiveScriptModule") == {"its modules cannot be read: a ScriptModule keeps them in C++": 2}
    del scripted


def test_frozen_models_are_found_by_search_or_when_they_are_known():
    model = nn.Sequential(nn.Sequential(large()))
    gc.freeze()  # as vLLM does once it is warm
    try:
        assert model not in find_roots(frozen=False).models
        assert model in find_roots().models
        assert model in find_roots([model], frozen=False).models
    finally:
        gc.unfreeze()


def test_a_frozen_model_is_found_wherever_it_is_held():
    class Holder:
        in_a_class = nn.Sequential(large())

    def function():
        enclosed = nn.Sequential(large())
        yield lambda: enclosed

    suspended = function()
    closure = next(suspended)
    sys.modules["a_module"] = types.ModuleType("a_module")
    sys.modules["a_module"].variable = nn.Sequential(large())
    gc.freeze()
    try:
        found = set(map(id, roots()))
        assert {id(Holder.in_a_class), id(closure()), id(sys.modules["a_module"].variable)} <= found
    finally:
        gc.unfreeze()
        del sys.modules["a_module"]


def test_without_an_interpreter_lock_nothing_is_listed(monkeypatch):
    model = nn.Sequential(large())
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    monkeypatch.setattr(gc, "get_objects", forbidden)
    assert is_root(model)
    assert [one for one in find_roots([model], frozen=False).models] == [model]


def test_looks_disturb_no_thread():
    model, looks = nn.Sequential(large()), []

    def look():
        for _ in range(20):
            looks.append(is_root(model))

    thread, made = threading.Thread(target=look), set()
    thread.start()
    while thread.is_alive():
        made.add(len(tuple(x for x in range(300))))  # a SystemError while anybody else refers to that tuple
    assert made == {300} and looks == [True] * 20


def forbidden(*_args, **_kwargs):
    raise AssertionError("code of the model ran")


class LoudType(type):
    __getattribute__ = __instancecheck__ = __subclasscheck__ = __hash__ = __eq__ = forbidden


def test_no_code_of_a_model_or_of_anything_else_runs():
    class Proxy:
        __class__ = property(forbidden)
        __getattribute__ = __hash__ = __eq__ = forbidden

    methods = dict.fromkeys("__getattribute__ __getattr__ __len__ __iter__ __bool__ __eq__ __hash__ forward".split(), forbidden)
    properties = dict.fromkeys("_modules _parameters _buffers __dict__ __class__".split(), property(forbidden))
    proxies = [Proxy() for _ in range(3)]
    model = nn.Sequential(large())
    object.__setattr__(model, "__class__", LoudType("Loud", (nn.Sequential,), {**methods, **properties}))
    found = roots()
    assert any(one is model for one in found)
    gc.freeze()
    try:
        found = roots()
    finally:
        gc.unfreeze()
    assert any(one is model for one in found)
    del proxies


def test_no_model_is_kept_alive():
    model = nn.Sequential(large())
    gone = weakref.ref(model)
    find_roots([model])
    del model
    gc.collect()
    assert gone() is None
