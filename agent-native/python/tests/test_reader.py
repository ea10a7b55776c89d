"""snapshot() on real PyTorch modules: exact trees, exact sharing, and nothing of the model runs."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements of this suite")
from torch import nn

from lamella.canonical import Tensor
from lamella.reader import snapshot
from lamella.totals import totals
from lamella.tree_text import tree_text


class TiedLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(100, 8)
        self.layers = nn.ModuleList(nn.Linear(8, 8, bias=False) for _ in range(64))
        self.lm_head = nn.Linear(8, 100, bias=False)
        self.lm_head.weight = self.embed_tokens.weight


def test_equal_layers_are_one_row_and_tied_weights_count_once():
    shape = snapshot(TiedLM()).shape
    assert sorted(module.class_name for module in shape.modules) == ["Embedding", "Linear", "Linear", "ModuleList", "TiedLM"]
    assert all(row < number for number, module in enumerate(shape.modules) for _, row in module.children)
    assert shape.aliases == (("lm_head.weight", "embed_tokens.weight"),)
    counted = totals(shape)
    assert counted.parameters == 100 * 8 + 64 * 8 * 8 and counted.weight_bytes == 4 * counted.parameters and counted.modules == 68
    assert tree_text(shape, "tied").splitlines() == [
        "tied  TiedLM  4,896 parameters · 19.6 kB · 68 modules · float32",
        "  embed_tokens  Embedding  800 · float32",
        "  layers  ModuleList  4,096 · float32",
        "    layers.0 … layers.63  Linear ×64  64 each · float32",
        "  lm_head  Linear  800 · float32 · shares embed_tokens.weight",
    ]


def test_different_tensor_objects_on_one_storage_are_tied_and_slices_of_it_are_not():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            both = torch.zeros(4, 3)
            self.a = nn.Parameter(both)
            self.b = nn.Parameter(both.view(4, 3))
            self.top = nn.Parameter(both[:2])
            self.bottom = nn.Parameter(both[2:])
            self.turned = nn.Parameter(both.t())
            self.empty_1 = nn.Parameter(torch.zeros(0))
            self.empty_2 = nn.Parameter(torch.zeros(0))

    assert snapshot(Net()).shape.aliases == (("b", "a"),)


def test_a_module_at_three_paths_is_one_alias_each_for_the_topmost():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            block = nn.Sequential(nn.Linear(5, 5), nn.ReLU())
            self.a, self.b = block, block
            self.inner = nn.ModuleDict({"again": block, "bare": block[1]})

    shape = snapshot(Net()).shape
    assert shape.aliases == (("b", "a"), ("inner.again", "a"))  # a.1, the ReLU, holds no tensor: inner.bare is no alias
    assert totals(shape)[:3] == (30, 120, 12)


def test_buffers_scalars_and_none_as_registered():
    shape = snapshot(nn.BatchNorm1d(6)).shape
    assert shape.modules[0].tensors == (
        Tensor("weight", "p", "float32", (6,)),
        Tensor("bias", "p", "float32", (6,)),
        Tensor("running_mean", "b", "float32", (6,)),
        Tensor("running_var", "b", "float32", (6,)),
        Tensor("num_batches_tracked", "b", "int64", ()),
    )
    assert totals(shape)[:3] == (12, 48, 1)
    assert [t.name for t in snapshot(nn.Linear(4, 3, bias=False)).shape.modules[0].tensors] == ["weight"]


def test_the_meta_device_needs_no_memory_and_keeps_ties():
    with torch.device("meta"):
        model = nn.Linear(1 << 20, 1 << 20, bias=False, dtype=torch.float8_e4m3fn)
        pair = nn.ModuleList([nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)])
    assert totals(snapshot(model).shape)[:2] == (1 << 40, 1 << 40)
    assert snapshot(pair).shape.aliases == ()
    pair[1].weight = pair[0].weight
    assert snapshot(pair).shape.aliases == (("1.weight", "0.weight"),)


def test_a_lazy_module_shows_what_torch_shows():
    taken = snapshot(nn.LazyLinear(3))
    assert [(t.name, t.dims) for t in taken.shape.modules[0].tensors] == [("weight", (0,)), ("bias", (0,))]


def forbidden(*_args, **_kwargs):
    raise AssertionError("code of the model ran")


class LoudType(type):
    __getattribute__ = forbidden
    __instancecheck__ = forbidden


class LoudTensor(torch.Tensor):
    shape = dtype = property(forbidden)
    __torch_function__ = classmethod(forbidden)
    __torch_dispatch__ = classmethod(forbidden)
    __getattribute__ = forbidden
    untyped_storage = stride = storage_offset = forbidden


def test_no_code_of_the_model_runs():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)
            self.fc.register_parameter("loud", nn.Parameter(torch.zeros(2, 2)))

    model = Net()
    expected = snapshot(model).shape
    methods = "__getattribute__ __getattr__ __len__ __bool__ __iter__ __repr__ __eq__ __hash__ forward named_modules children state_dict".split()
    properties = "_modules _parameters _buffers __dict__ __class__".split()
    loud = {**dict.fromkeys(methods, forbidden), **dict.fromkeys(properties, property(forbidden)), "__qualname__": type(model).__qualname__}
    model.fc._parameters["loud"].__class__ = LoudTensor
    object.__setattr__(model, "__class__", LoudType("Net", (Net,), loud))
    with pytest.raises(AssertionError, match="code of the model ran"):
        len(model)
    taken = snapshot(model).shape
    assert taken == expected


def test_a_proxy_is_not_a_module_even_when_it_says_so():
    class Proxy:
        __class__ = nn.Linear

    with pytest.raises(TypeError, match="not .*Proxy"):
        snapshot(Proxy())


def test_a_cycle_is_left_out_by_name_and_nothing_else_is_lost():
    loop = nn.Sequential(nn.Linear(2, 2))
    loop[0].back = loop
    loop.after = nn.Linear(2, 3)
    taken = snapshot(loop)
    assert taken.notes == (("0.back", "is the root itself: a module tree has no cycles, so it is left out here"),)
    assert totals(taken.shape).parameters == 2 * 2 + 2 + 2 * 3 + 3 and totals(taken.shape).modules == 3


def test_two_thousand_levels_need_no_recursion():
    model = nn.Linear(2, 2)
    for _ in range(2000):
        model = nn.Sequential(model)
    assert totals(snapshot(model).shape)[:3] == (6, 24, 2001)


def test_what_cannot_be_read_is_said():
    scripted = torch.jit.script(nn.Linear(2, 2))
    notes = snapshot(nn.ModuleList([scripted])).notes
    assert notes and all(path == "0" and "cannot be read" in note for path, note in notes)


class QuantLinear(nn.Module):
    def __init__(self, bits, hints, in_features=64, out_features=32):
        super().__init__()
        self.register_buffer("qweight", torch.zeros(in_features * bits // 32, out_features, dtype=torch.int32))
        self.register_buffer("qzeros", torch.zeros(2, out_features * bits // 32, dtype=torch.int32))
        self.register_buffer("scales", torch.zeros(2, out_features, dtype=torch.float16))
        self.register_buffer("g_idx", torch.zeros(in_features, dtype=torch.int32))
        self.__dict__.update(hints)


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("hints", [{"bits": None}, {"in_features": 64, "out_features": 32}], ids=["width", "sizes"])
def test_packed_weights_count_logical_elements(bits, hints):
    hints = {"bits": bits} if "bits" in hints else hints
    taken = snapshot(QuantLinear(bits, hints))
    tensors = {t.name: t for t in taken.shape.modules[0].tensors}
    assert (tensors["qweight"].role, tensors["qweight"].packed_bits, tensors["qweight"].logical_numel) == ("p", bits, 64 * 32)
    assert [tensors[name].role for name in ("qzeros", "scales", "g_idx")] == ["q", "q", "q"]
    assert totals(taken.shape)[:2] == (2048, 2048 * bits // 8 + 2 * bits * 4 + 2 * 32 * 2 + 64 * 4)


def test_packed_words_without_a_hint_are_shown_as_words_and_said():
    taken = snapshot(QuantLinear(4, {}))
    assert taken.shape.modules[0].tensors[0][4:] == (0, 0)
    assert taken.notes == (("qweight", "packed in int32 words of unknown width"),)
    assert snapshot(QuantLinear(4, {}), config_bits=4).shape.modules[0].tensors[0][4:] == (4, 2048)


class Fp8LinearMethod:
    pass


class UnquantizedLinearMethod:
    pass


def scaled(method):
    layer = nn.Module()
    layer.weight, layer.weight_scale = nn.Parameter(torch.zeros(4, 4, dtype=torch.bfloat16)), nn.Parameter(torch.zeros(4, dtype=torch.bfloat16))
    layer.quant_method = method()
    return layer


def held(**sizes):
    layer = nn.Module()
    layer.weight = nn.Parameter(torch.zeros(64, 16))
    layer.__dict__.update(sizes)
    return layer


def test_what_one_module_says_of_itself_is_never_taken_for_another():
    for order in (1, -1):
        model = nn.Sequential(*[scaled(method) for method in (Fp8LinearMethod, UnquantizedLinearMethod)[::order]])
        roles = [[t.role for t in m.tensors] for m in snapshot(model).shape.modules if m.tensors]
        assert roles == [["p", "q"], ["p", "p"]][::order]
        model = nn.Sequential(*[held(), held(input_size=64, input_size_per_partition=16)][::order])
        assert [m.tensors[0].dims for m in snapshot(model).shape.modules if m.tensors] == [(64, 16), (64, 64)][::order]

    def experts(count):
        layer = nn.Module()
        layer.w13_weight = nn.Parameter(torch.zeros(2, 4, 4))
        layer.num_experts, layer.num_local_experts = count, 2
        return layer

    model = nn.Sequential(experts(4), experts(8))
    assert [m.tensors[0].dims for m in snapshot(model).shape.modules if m.tensors] == [(4, 4, 4), (8, 4, 4)]


def test_a_sparse_tensor_is_never_taken_for_a_dense_one():
    for order in (1, -1):
        model = nn.Sequential(nn.Linear(4, 3, bias=False), nn.Linear(4, 3, bias=False))
        sparse = model[::order][0]
        sparse.weight = nn.Parameter(sparse.weight.detach().to_sparse())
        assert snapshot(model).notes == (("%d.weight" % (order == -1), "sparse_coo: its bytes are counted as if it were dense"),)


def test_names_of_classes_of_their_own_are_asked_nothing():
    class Name(str):
        def __hash__(self):
            if hushed:
                raise AssertionError("code of a name ran")
            return str.__hash__(self)

        def __eq__(self, other):
            return str.__eq__(self, other)

    hushed = []
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1]._parameters = {Name(name): value for name, value in model[1]._parameters.items()}
    hushed.append(True)
    taken = snapshot(model)
    assert taken.notes == () and [tensor.name for tensor in taken.shape.modules[0].tensors] == ["weight", "bias"] and len(taken.shape.modules) == 2


def test_a_parameter_is_never_left_out_for_its_name():
    model = nn.Linear(8, 8)
    model.expert_mask = nn.Parameter(torch.zeros(8, 8))
    assert totals(snapshot(model).shape).parameters == 8 * 8 + 8 + 8 * 8


def test_a_weight_that_shares_the_memory_of_a_buffer_counts_all_the_same():
    weight = nn.Parameter(torch.zeros(3))
    model = nn.Module()
    model.c, model.d = nn.Module(), nn.Module()
    model.c.register_buffer("b", weight.detach())
    model.d.p = weight
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 3 and taken.shape.aliases == ()
    model = nn.Module()
    model.c, model.d = nn.Module(), nn.Module()
    model.c.p = weight
    model.d.register_buffer("b", weight.detach())
    taken = snapshot(model)
    assert totals(taken.shape).parameters == 3 and taken.layout.aliases == (("d.b", "c.p"),)


def test_a_mesh_adds_to_what_a_framework_says():
    from lamella.layout import Sizes
    from lamella.reader import _with_mesh

    assert _with_mesh(Sizes(tp_size=2), {"dp": 4}) == Sizes(tp_size=2, dp_size=4)
    assert _with_mesh(Sizes(dp_size=8), {"tp": 4}) == Sizes(tp_size=4, dp_size=2)
    assert _with_mesh(Sizes(dp_size=8), {"dp_replicate": 2, "dp_shard": 4}) == Sizes(dp_size=8)
    assert _with_mesh(Sizes(dp_size=8), {}) == Sizes(dp_size=8)
