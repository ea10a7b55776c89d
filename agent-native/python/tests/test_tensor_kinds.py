"""logical_of() on tensors that are not what they look like: real DTensors, FSDP and fake tensors of PyTorch; stand-ins with the attributes of the others."""
import gc
from contextlib import contextmanager

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements of this suite")
from torch import nn

from lamella import tensor_kinds
from lamella.layout import Held
from lamella.tensor_kinds import PLAIN, Kind, flat_parameters, logical_of, mesh_of


def of(tensor, **more):
    """As the reader asks: with what the slots of the tensor say, and nothing dispatched."""
    base = torch._C.TensorBase
    with torch._C.DisableTorchFunctionSubclass():
        dtype, dims = str(base.dtype.__get__(tensor)).replace("torch.", "", 1), tuple(base.shape.__get__(tensor))
        return logical_of(tensor, dtype, dims, tensor.__dict__, **more)


@contextmanager
def ranks(count, rank=0):
    """A process group that has no other processes: it shards, it does not communicate."""
    dist = pytest.importorskip("torch.distributed")
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg", reason="this PyTorch has no process group without processes")
    dist.init_process_group("fake", store=fake.FakeStore(), rank=rank, world_size=count)
    try:
        yield
    finally:
        dist.destroy_process_group()


def test_ordinary_tensors_are_plain():
    class Named(nn.Parameter):
        pass

    tagged = nn.Parameter(torch.zeros(2, 3))
    tagged._is_hf_initialized = True
    tagged.weight_loader, tagged.output_dim = print, 0
    serial = nn.Parameter(torch.zeros(4, 4))
    serial.tensor_model_parallel, serial.partition_dim, serial.partition_stride = False, -1, 1  # Megatron marks every parameter
    for tensor in (torch.zeros(2), nn.Parameter(torch.zeros(2, 3)), Named(torch.zeros(3)), torch.zeros((), device="meta"), tagged, serial):
        assert of(tensor, tp_size=8) is PLAIN and mesh_of(tensor) == {}


# DTensor


def test_distributed_tensors_name_the_dimensions_they_are_split_along():
    with ranks(8):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Replicate, Shard, distribute_tensor

        mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("dp", "tp"))
        cases = (
            ((16, 8), [Replicate(), Shard(0)], (0,)),
            ((16, 8), [Replicate(), Shard(1)], (1,)),
            ((16, 8), [Shard(0), Shard(1)], (0, 1)),
            ((16, 8), [Replicate(), Replicate()], ()),
            ((10, 8), [Replicate(), Shard(0)], (0,)),  # 10 rows over 4 ranks: 3, 3, 3, 1
        )
        for dims, placements, sharded in cases:
            tensor = nn.Parameter(distribute_tensor(torch.zeros(dims), mesh, placements))
            assert of(tensor) == Kind("float32", dims, Held(sharded), whole=True)
            assert mesh_of(tensor) == {"dp": 2, "tp": 4}


def test_fsdp2_over_tensor_parallelism_is_read_as_one():
    with ranks(8):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

        mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("fsdp", "tp"))
        model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))
        plain = {name: tuple(tensor.shape) for name, tensor in model.named_parameters()}
        parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "1": RowwiseParallel()})
        fully_shard(model, mesh=mesh["fsdp"])
        found = {name: of(tensor) for name, tensor in model.named_parameters()}
        assert {name: kind.dims for name, kind in found.items()} == plain
        # Rows of a column-parallel weight are split twice: a _StridedShard and a Shard of dimension 0.
        assert {name: kind.held.sharded for name, kind in found.items()} == {"0.weight": (0,), "0.bias": (0,), "1.weight": (0, 1), "1.bias": (0,)}
        assert mesh_of(model[0].weight) == {"fsdp": 2, "tp": 4}


def test_a_mesh_without_names_is_numbered():
    with ranks(4):
        from torch.distributed.fsdp import fully_shard

        layer = nn.Linear(8, 8)
        fully_shard(layer)
        assert mesh_of(layer.weight) == {"0": 4}


def test_meshes_of_older_releases():
    """Until 2.9 the mesh itself was a tensor of ranks, and its names had no underscore; placements were dataclasses."""
    grid = torch.zeros(2, 4, dtype=torch.int)
    assert tensor_kinds._mesh_sizes({"mesh": grid}) == tensor_kinds._mesh_sizes({"_mesh": grid}) == (2, 4)
    assert tensor_kinds._mesh_sizes({}) == ()

    class Mesh:
        def __init__(self):
            self.mesh, self.mesh_dim_names = grid, ("dp", "tp")

    class Shard:
        def __init__(self, dim):
            self.dim = dim

    class Spec:
        def __init__(self):
            self.mesh, self.placements = Mesh(), (Shard(-1), Shard(0))

    class DTensor(torch.Tensor):
        __slots__ = ["_local_tensor", "_spec"]

    tensor = torch.zeros(6, 4).as_subclass(DTensor)
    tensor._spec, tensor._local_tensor = Spec(), torch.zeros(1, 4)
    assert of(tensor) == Kind("float32", (6, 4), Held((0, 1)), whole=True) and mesh_of(tensor) == {"dp": 2, "tp": 4}


# FSDP 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.up = nn.Linear(8, 5)
        self.block = nn.Sequential(nn.Linear(5, 3), nn.ReLU(), nn.Linear(3, 8, bias=False))
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.embed.weight


@pytest.mark.parametrize("use_orig_params", [False, True])
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.filterwarnings("ignore")
def test_flat_parameters_give_back_the_tensors_of_the_model(use_orig_params, rank):
    model = Net()
    expected = {(id(model.get_submodule(path)), name): tuple(tensor.shape) for path, name, tensor in named(model)}
    with ranks(2, rank):
        from torch.distributed.fsdp import FullyShardedDataParallel

        options = {"use_orig_params": use_orig_params, "device_id": torch.device("cpu")}
        block, whole = model.block, model
        model.block = FullyShardedDataParallel(block, **options)
        wrapped = FullyShardedDataParallel(model, **options)
        assert sum(tensor.numel() for tensor in wrapped.parameters()) < sum(map(numel, expected.values()))  # this rank has about half
        found = [flat for module in wrapped.modules() for flat in flat_parameters(module.__dict__)]
        assert all(flat_parameters(module.__dict__) == [] for module in (whole, block, model.up))
    assert {(id(flat.module), flat.name): flat.dims for flat in found} == expected
    assert {flat.dtype for flat in found} == {"float32"}
    tied = [flat for flat in found if flat.dims == (11, 8)]
    assert [flat.module for flat in tied] == [model.embed, model.head] and tied[0].key == tied[1].key
    assert len({flat.key for flat in found}) == len(found) - 1
    once = {flat.key: numel(flat.dims) for flat in found}
    assert sum(once.values()) == 11 * 8 + 8 * 5 + 5 + 5 * 3 + 3 + 3 * 8


def named(model):
    for path, module in model.named_modules():
        for name, tensor in module._parameters.items():
            if tensor is not None:
                yield path, name, tensor


def numel(dims):
    return torch.Size(dims).numel()


@pytest.mark.filterwarnings("ignore")
def test_flat_parameters_have_the_dtype_of_the_model_not_of_the_computation():
    with ranks(2):
        from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision

        policy = MixedPrecision(param_dtype=torch.bfloat16)
        wrapped = FullyShardedDataParallel(nn.Linear(4, 4), mixed_precision=policy, device_id=torch.device("cpu"))
        flat = wrapped._handle.flat_param
        flat.data = flat.data.to(torch.bfloat16)  # as it is within a forward
        assert {flat.dtype for flat in flat_parameters(wrapped.__dict__)} == {"float32"}


def test_a_handle_that_is_none_of_fsdp():
    assert flat_parameters({"_handle": object()}) == flat_parameters({"_handle": None, "_handles": ()}) == []
    assert flat_parameters(nn.Linear(2, 2).__dict__) == []


# DeepSpeed and Megatron


def test_deepspeed_says_the_size_of_what_it_has_given_away():
    tensor = nn.Parameter(torch.zeros(0, dtype=torch.bfloat16))
    tensor.ds_shape, tensor.ds_status = torch.Size((151936, 5120)), "NOT_AVAILABLE"
    assert of(tensor) == Kind("bfloat16", (151936, 5120), whole=True)


def test_megatron_names_the_dimension_and_the_process_how_many_ranks():
    column = nn.Parameter(torch.zeros(12, 8))
    column.tensor_model_parallel, column.partition_dim, column.partition_stride = True, 0, 2
    assert of(column, tp_size=4) == Kind("float32", (48, 8), Held((0,)), whole=True)
    assert of(column) == Kind("float32", (12, 8), whole=True)
    row = nn.Parameter(torch.zeros(12, 8))
    row.tensor_model_parallel, row.partition_dim = True, 1
    assert of(row, tp_size=4) == Kind("float32", (12, 32), Held((1,)), whole=True)
    expert = nn.Parameter(torch.zeros(12, 8))  # split over the expert group, of which only its module knows the size
    expert.tensor_model_parallel, expert.partition_dim, expert.allreduce = True, 0, False
    assert of(expert, tp_size=4) is PLAIN


# bitsandbytes


class QuantState:
    def __init__(self, shape, nested=False):
        blocks = numel(shape) // 64
        self.shape, self.offset, self.state2 = torch.Size(shape), None, None
        self.absmax, self.code = torch.zeros(blocks, dtype=torch.uint8 if nested else torch.float32), torch.zeros(16)
        if nested:
            self.offset, self.state2 = torch.zeros(()), QuantState((64 * 2,))
            self.state2.shape = None


class Params4bit(nn.Parameter):
    pass


class Int8Params(nn.Parameter):
    pass


@pytest.mark.parametrize("storage", [torch.uint8, torch.bfloat16])
def test_four_bit_parameters(storage):
    stored = 384 * 256 * 4 // (8 * storage.itemsize)
    tensor = Params4bit(torch.zeros(stored, 1, dtype=storage), requires_grad=False)
    tensor.quant_state = QuantState((384, 256))
    name = str(storage).replace("torch.", "")
    states = (("absmax", "float32", (1536,)), ("code", "float32", (16,)))
    assert of(tensor) == Kind(name, (stored, 1), bits=4, numel=384 * 256, states=states)
    tensor.quant_state = QuantState((384, 256), nested=True)
    nested = (("nested_absmax", "float32", (2,)), ("nested_code", "float32", (16,)))
    assert of(tensor).states == (("absmax", "uint8", (1536,)), ("code", "float32", (16,)), ("offset", "float32", ())) + nested
    tensor.quant_state = None  # still to be quantised
    assert of(tensor) is PLAIN


def test_eight_bit_parameters_keep_their_scales_through_the_first_forward():
    tensor = Int8Params(torch.zeros(6, 4, dtype=torch.int8), requires_grad=False)
    tensor.CB, tensor.SCB = tensor.data, torch.zeros(6)
    before = of(tensor)
    tensor.CB = tensor.SCB = None
    assert before == of(tensor) == Kind("int8", (6, 4), states=(("SCB", "float32", (6,)),))
    assert of(Int8Params(torch.zeros(6, 4))) is PLAIN


def test_fused_four_bit_parameters_of_vllm():
    q, kv = 64 * 64, 16 * 64
    tensor = nn.Parameter(torch.zeros((q + 2 * kv) // 2, 1, dtype=torch.uint8), requires_grad=False)
    tensor.bnb_quant_state = {0: QuantState((64, 64)), 1: QuantState((16, 64)), 2: QuantState((16, 64))}
    kind = of(tensor)
    assert (kind.bits, kind.numel, kind.dims) == (4, q + 2 * kv, tuple(tensor.shape))
    assert [state[0] for state in kind.states] == ["0.absmax", "0.code", "1.absmax", "1.code", "2.absmax", "2.code"]


# Classes that wrap tensors


class Wrapper(torch.Tensor):
    """Like torchao's, quanto's and Transformer Engine's: sizes of its own, elements in attributes."""

    @staticmethod
    def __new__(cls, shape, dtype, **attributes):
        return torch.Tensor._make_wrapper_subclass(cls, shape, dtype=dtype)

    def __init__(self, shape, dtype, **attributes):
        self.__dict__.update(attributes)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise AssertionError("dispatched " + str(func))


def wrapped(**attributes):
    return Wrapper((128, 256), torch.bfloat16, **attributes)


def stored(dtype, *sizes):
    return torch.zeros(sizes, dtype=dtype)


SCALE, BLOCK_SCALE = stored(torch.float32, 128, 1), stored(torch.bfloat16, 128, 8)
LISTED, BLOCKS_LISTED = ("scale", "float32", (128, 1)), ("scale", "bfloat16", (128, 8))
HALF = "sparse: 16384 of 32768 elements are stored, its bytes are counted as if all were"
ZEROS, ZEROS_LISTED = stored(torch.int8, 128, 8), ("zero_point", "int8", (128, 8))


@pytest.mark.parametrize(
    "tensor, expected",
    [
        (wrapped(qdata=stored(torch.int8, 128, 256), scale=SCALE, block_size=[1, 256]), Kind("int8", (128, 256), states=(LISTED,))),
        (wrapped(qdata=stored(torch.float8_e4m3fn, 128, 256), scale=SCALE), Kind("float8_e4m3fn", (128, 256), states=(LISTED,))),
        (wrapped(qdata=stored(torch.float8_e4m3fn, 256, 128), scale=SCALE), Kind("float8_e4m3fn", (128, 256), states=(LISTED,))),
        # 4 bit in its own classes and layouts: rows of bytes, rows of words, tiles
        (
            wrapped(qdata=stored(torch.uint8, 128, 128), scale=BLOCK_SCALE, zero_point=ZEROS),
            Kind("uint8", (128, 128), bits=4, numel=128 * 256, states=(BLOCKS_LISTED, ZEROS_LISTED)),
        ),
        (wrapped(scale=BLOCK_SCALE, qdata=stored(torch.int32, 128, 32)), Kind("int32", (128, 32), bits=4, numel=128 * 256, states=(BLOCKS_LISTED,))),
        (wrapped(qdata=stored(torch.int32, 16, 2, 32, 4), scale=BLOCK_SCALE), Kind("int32", (16, 2, 32, 4), bits=4, numel=128 * 256, states=(BLOCKS_LISTED,))),
        (wrapped(qdata=stored(torch.int8, 128, 256), scale=BLOCK_SCALE, target_dtype=torch.int3), Kind("int8", (128, 256), states=(BLOCKS_LISTED,))),
        (
            wrapped(quantized_data=stored(torch.uint8, 128 * 128), quantized_scalers=stored(torch.int8, 512), nf4=stored(torch.bfloat16, 16)),
            Kind("uint8", (128 * 128,), bits=4, numel=128 * 256, states=(("quantized_scalers", "int8", (512,)), ("nf4", "bfloat16", (16,)))),
        ),
        # 2:4 sparsity: half of the elements
        (
            wrapped(packed=stored(torch.bfloat16, 128, 128), meta=stored(torch.int16, 128, 16)),
            Kind("bfloat16", (128, 256), states=(("meta", "int16", (128, 16)),), note=HALF),
        ),
        # nothing inside is the data, or it is as it looks
        (wrapped(scale=SCALE), PLAIN),
        (wrapped(elem=stored(torch.bfloat16, 128, 256)), PLAIN),
        (wrapped(), PLAIN),
    ],
    ids="int8 fp8 fp8-turned int4-bytes int4-words int4-tiles int3-in-bytes nf4 sparse scale-alone functional bare".split(),
)
def test_a_tensor_that_wraps_others(tensor, expected):
    assert of(tensor) == expected


def test_wrappers_nest_and_their_odd_widths_come_in_shards():
    shards = Wrapper((128, 256), torch.uint8, int4_shard=stored(torch.uint8, 128, 128), int1_shard=stored(torch.uint8, 128, 32), bit_width=5)
    impl = Wrapper((128, 256), torch.uint8, int_data=shards, scale=BLOCK_SCALE)
    tensor = wrapped(original_weight_tensor=wrapped(tensor_impl=impl))
    inside = "original_weight_tensor.tensor_impl."
    states = ((inside + "int_data.int1_shard", "uint8", (128, 32)), (inside + "scale", "bfloat16", (128, 8)))
    assert of(tensor) == Kind("uint8", (128, 128), bits=5, numel=128 * 256, states=states)


def test_a_distributed_tensor_of_quantised_parts():
    """What QLoRA and FSDP 2 make of torchao's tensors: the sizes of the whole, the words of a part."""

    class DTensor(torch.Tensor):
        __slots__ = ["_local_tensor", "_spec"]

    class Placed:
        def __init__(self, *dims):
            self.placements = tuple(type("Shard", (), {"__init__": lambda one, dim: one.__dict__.update(dim=dim)})(dim) for dim in dims)

    def distributed(local, *dims):
        tensor = torch.zeros(512, 256, dtype=torch.bfloat16, device="meta").as_subclass(DTensor)
        tensor._local_tensor, tensor._spec = local, Placed(*dims)
        return tensor

    held = Held((0,))
    int8 = wrapped(qdata=stored(torch.int8, 128, 256), scale=SCALE)
    assert of(distributed(int8, 0)) == Kind("int8", (512, 256), held, states=(("scale", "float32", (512, 1)),), whole=True)
    int4 = wrapped(qdata=stored(torch.uint8, 128, 128), scale=BLOCK_SCALE)
    assert of(distributed(int4, 0)) == Kind("uint8", (512, 128), held, 4, 512 * 256, (("scale", "bfloat16", (512, 8)),), whole=True)
    nf4 = of(distributed(wrapped(quantized_data=stored(torch.uint8, 128 * 128)), 0))
    assert (nf4.dims, nf4.numel, nf4.bits, nf4.held) == ((512 * 128,), 512 * 256, 4, held) and "as one rank holds them" in nf4.note


# What cannot be known is said


@pytest.mark.filterwarnings("ignore:Sparse")
def test_what_is_not_there_yet_or_not_dense_is_said():
    assert of(nn.UninitializedParameter()).note == "not initialised yet: its sizes are known after the first forward"
    assert of(nn.parameter.UninitializedBuffer()).dims == (0,)
    sparse = torch.eye(4).to_sparse()
    for layout, tensor in (("sparse_coo", sparse), ("sparse_csr", sparse.to_sparse_csr())):
        assert of(nn.Parameter(tensor)) == Kind("float32", (4, 4), note=layout + ": its bytes are counted as if it were dense")


def test_fake_and_functional_tensors_are_what_they_say():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        assert of(nn.Linear(4, 3).weight) is PLAIN
    functional = pytest.importorskip("torch._subclasses.functional_tensor")
    with functional.FunctionalTensorMode():
        made = functional.FunctionalTensor.to_functional(torch.zeros(3, 4))
    assert of(made) is PLAIN


def forbidden(*_args, **_kwargs):
    raise AssertionError("code of the tensor ran")


def test_no_code_of_the_tensor_runs():
    class Loud(Wrapper):
        __getattribute__ = forbidden
        __torch_function__ = classmethod(forbidden)
        __torch_dispatch__ = classmethod(forbidden)
        __hash__ = __eq__ = __len__ = __bool__ = forbidden
        qdata = property(forbidden)

    class LoudType(type(nn.Parameter)):
        __hash__ = __eq__ = __instancecheck__ = __subclasscheck__ = forbidden

    tensor = wrapped(qdata=stored(torch.int8, 128, 256), scale=SCALE, ds_shape=property(forbidden))
    attributes = tensor.__dict__
    expected = of(tensor)
    tensor.__class__ = Loud
    with pytest.raises(AssertionError, match="code of the tensor ran"):
        tensor.shape
    assert logical_of(tensor, "bfloat16", (128, 256), attributes) == expected
    plain = nn.Parameter(torch.zeros(2))
    plain.__class__ = LoudType("Louder", (nn.Parameter,), {})
    assert logical_of(plain, "float32", (2,), {}) is PLAIN


@pytest.mark.parametrize("junk", [None, 7, "8", (1, "2"), [3.0], torch.Size((2, 2)), {0: None}, object()], ids=repr)
def test_attributes_that_are_not_what_their_names_promise(junk):
    tensor = nn.Parameter(torch.zeros(4, 2))
    tensor.tensor_model_parallel, tensor.partition_dim, tensor.bnb_quant_state, tensor.ds_shape = junk, junk, junk, junk
    kind = of(tensor, tp_size=2)
    assert kind is PLAIN or kind.whole or kind.bits == 4
    four = Params4bit(torch.zeros(8, 1, dtype=torch.uint8), requires_grad=False)
    four.quant_state = junk
    assert of(four) is PLAIN or of(four).numel == 16


def test_classes_are_not_kept_alive():
    """Frameworks make classes by the hundred; the reader must not be what holds them."""
    kind = type("Passing", (nn.Parameter,), {})
    tensor = kind(torch.zeros(2))
    assert of(tensor) is PLAIN
    gone = tensor_kinds._readers[id(kind)][0]
    del kind, tensor
    gc.collect()
    assert gone() is None
    later = type("AtTheSameAddress", (nn.Parameter,), {})
    tensor_kinds._readers[id(later)] = (gone, tensor_kinds._eight_bit)
    assert of(later(torch.zeros(2, 2, dtype=torch.int8), requires_grad=False)) is PLAIN
