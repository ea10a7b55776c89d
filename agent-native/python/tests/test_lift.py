"""Local sizes → the whole model's, by what parallel layers say of themselves. Sizes are those of Qwen3-32B: 64 heads, 8 key and value heads of 128."""
import pytest

from lamella.layout import Held
from lamella.lift import expert_ranks, lift

HEADS, KV_HEADS, HEAD, HIDDEN = 64, 8, 128, 5120
QKV = (HEADS + 2 * KV_HEADS) * HEAD  # 10,240


def qkv(tp):
    """vLLM's QKVParallelLinear: from 8 ranks on, each rank holds a key and a value head that others hold as well, and output_size counts them all."""
    kv = max(1, KV_HEADS // tp)
    held = (HEADS // tp + 2 * kv) * HEAD
    own = {"total_num_heads": HEADS, "total_num_kv_heads": KV_HEADS, "head_size": HEAD, "v_head_size": HEAD, "num_kv_head_replicas": max(1, tp // KV_HEADS)}
    return dict(own, input_size=HIDDEN, input_size_per_partition=HIDDEN, output_size=held * tp, output_size_per_partition=held, tp_size=tp), held


def row(tp, inputs=HEADS * HEAD, outputs=HIDDEN):
    return {"input_size": inputs, "input_size_per_partition": inputs // tp, "output_size": outputs, "output_size_per_partition": outputs, "tp_size": tp}


@pytest.mark.parametrize("tp, replicas", [(1, 1), (4, 1), (8, 1), (16, 2), (32, 4)])
def test_fused_q_k_v_is_10240_rows_under_every_tensor_parallel_size(tp, replicas):
    owner, held = qkv(tp)
    found = lift(owner, "weight", (held, HIDDEN), {"_output_dim": 0, "_input_dim": 1})
    assert (found.dims, found.note) == ((QKV, HIDDEN), "")
    assert found.held == (Held((0,), (), replicas) if tp > 1 else Held())


@pytest.mark.parametrize(
    "name, dims, whole, sharded",
    [
        ("weight", (HIDDEN, 2048), (HIDDEN, 8192), (1,)),
        ("weight", (2048, HIDDEN), (8192, HIDDEN), (0,)),  # FP8 kernels take it transposed
        ("bias", (HIDDEN,), (HIDDEN,), ()),
        ("qweight", (256, HIDDEN), (1024, HIDDEN), (0,)),  # 4 bit in int32, input first
        ("scales", (16, HIDDEN), (64, HIDDEN), (0,)),  # groups of 128 inputs
        ("qzeros", (16, 640), (64, 640), (0,)),
        ("g_idx", (2048,), (8192,), (0,)),
        ("weight_packed", (HIDDEN, 256), (HIDDEN, 1024), (1,)),
        ("weight_scale", (HIDDEN, 16), (HIDDEN, 64), (1,)),
        ("weight_scale_inv", (40, 16), (40, 64), (1,)),  # blocks of 128 × 128
        ("weight_scale", (), (), ()),
        ("input_scale", (1,), (1,), ()),
    ],
)
def test_a_row_parallel_projection_is_split_along_its_input(name, dims, whole, sharded):
    found = lift(row(4), name, dims, {})
    assert (found.dims, found.held.sharded, found.note) == (whole, sharded, "")


def test_a_square_layer_is_read_output_first_and_input_first_where_its_kind_is():
    column = {"input_size": 64, "input_size_per_partition": 64, "output_size": 256, "output_size_per_partition": 64}
    assert lift(column, "weight", (64, 64), {}).dims == (256, 64)
    assert lift(column, "qweight", (8, 64), {}).dims == (8, 256)
    narrow = {"input_size": 256, "input_size_per_partition": 64, "output_size": 64, "output_size_per_partition": 64}
    assert lift(narrow, "weight", (64, 64), {}).dims == (64, 256)
    assert lift(narrow, "weight", (64, 64), {"input_dim": 0, "output_dim": 1}).dims == (256, 64)


def test_a_scale_for_each_output_is_not_taken_for_inputs_where_a_rank_has_as_many_of_both():
    square = {"input_size": 512, "input_size_per_partition": 256, "output_size": 256, "output_size_per_partition": 256}
    assert lift(square, "weight_scale", (256, 1), {}) == ((256, 1), Held(), "")
    assert lift(square, "weight_scale", (256,), {}) == ((256,), Held(), "")
    assert lift(square, "g_idx", (256,), {}) == ((512,), Held((0,)), "")


def test_one_group_of_inputs_a_rank_is_split_where_the_tensor_says_so():
    assert lift(row(4, 256, 256), "weight_scale", (256, 1), {"_output_dim": 0, "_input_dim": 1}) == ((256, 4), Held((1,)), "")
    assert lift(row(4, 256, 256), "weight_scale", (256, 1), {"_output_dim": 0}) == ((256, 1), Held(), "")


def test_marlin_tiles_are_split_as_what_they_hold():
    owner = {"input_size": HIDDEN, "input_size_per_partition": HIDDEN, "output_size": 4096, "output_size_per_partition": 1024}
    assert lift(owner, "qweight", (HIDDEN // 16, 2 * 1024), {}) == ((HIDDEN // 16, 2 * 4096), Held((1,)), "")


def test_scales_one_for_each_fused_part_are_not_split():
    gate_up = {"input_size": 8, "input_size_per_partition": 8, "output_size": 64, "output_size_per_partition": 16, "output_partition_sizes": [8, 8]}
    assert lift(gate_up, "weight_scale", (2,), {}).held.sharded == ()


def test_a_padded_vocabulary_shows_its_own_size_and_says_the_padding():
    owner = {"org_vocab_size": 50_257, "num_embeddings": 50_257, "num_embeddings_padded": 50_304, "num_embeddings_per_partition": 12_576, "embedding_dim": 768}
    assert lift(owner, "weight", (12_576, 768), {"output_dim": 0, "input_dim": 1}) == ((50_257, 768), Held((0,), ((0, 50_304),), 1), "")
    whole = dict(owner, num_embeddings_per_partition=50_304)
    assert lift(whole, "weight", (50_304, 768), {}) == ((50_257, 768), Held((), ((0, 50_304),), 1), "")


class Config:
    def __init__(self, **values):
        self.__dict__.update(values)


def experts(local, ranks, redundant=0):
    """vLLM's RoutedExperts of Qwen3-30B-A3B: 128 experts of 768."""
    parallel = Config(tp_size=ranks, ep_size=128 // local)
    config = Config(num_experts=128 + redundant, num_logical_experts=128, num_local_experts=local, intermediate_size=768, moe_parallel_config=parallel)
    own = {"global_num_experts": 128 + redundant, "local_num_experts": local, "hidden_size": 2048, "intermediate_size_per_partition": 768 // ranks}
    return dict(own, moe_config=config, _parameters={"w13_weight": None, "w2_weight": None})


def test_experts_split_along_their_width_under_tensor_parallelism():
    owner = experts(128, 4)
    assert lift(owner, "w13_weight", (128, 384, 2048), {}) == ((128, 1536, 2048), Held((1,)), "")
    assert lift(owner, "w2_weight", (128, 2048, 192), {}) == ((128, 2048, 768), Held((2,)), "")
    assert expert_ranks(owner) == 1


def test_experts_split_among_ranks_under_expert_parallelism():
    owner = experts(32, 1)
    assert lift(owner, "w13_weight", (32, 1536, 2048), {}) == ((128, 1536, 2048), Held((0,)), "")
    assert lift(owner, "w2_weight", (32, 2048, 768), {}) == ((128, 2048, 768), Held((0,)), "")
    assert expert_ranks(owner) == 4


@pytest.mark.parametrize(
    "name, dims, whole, sharded",
    [
        ("w13_qweight", (128, 256, 384), (128, 256, 1536), (2,)),  # 4 bit in int32, input first: [experts, 2048 / 8, 2 · 192]
        ("w2_qweight", (128, 24, 2048), (128, 96, 2048), (1,)),
        ("w2_scales", (128, 6, 2048), (128, 24, 2048), (1,)),  # groups of 32 inputs
        ("w13_weight_packed", (128, 384, 256), (128, 1536, 256), (1,)),
        ("w2_weight_scale", (128, 2048, 6), (128, 2048, 24), (2,)),
        ("w13_input_scale", (128,), (128,), ()),
    ],
)
def test_packed_experts_are_split_as_their_weights_are(name, dims, whole, sharded):
    owner = dict(experts(128, 4), _parameters={"w13_qweight": None})
    found = lift(owner, name, dims, {})
    assert (found.dims, found.held.sharded, found.note) == (whole, sharded, "")


def test_copies_of_busy_experts_are_not_the_models():
    owner = experts(33, 1, redundant=4)
    assert lift(owner, "w13_weight", (33, 1536, 2048), {}).dims == (128, 1536, 2048)


def test_a_loader_that_splits_a_tensor_says_along_which_dimension():
    def sharded_loader(shard_axis):
        def loader(param, loaded):
            return shard_axis, param, loaded

        return loader

    assert lift({}, "A_log", (16,), {"weight_loader": sharded_loader(0)}, tp_size=4) == ((64,), Held((0,)), "")
    assert lift({}, "A_log", (16,), {"weight_loader": sharded_loader(0)}, tp_size=1) == ((16,), Held(), "")
    assert lift({}, "A_log", (16,), {"weight_loader": len}, tp_size=4) == ((16,), Held(), "")


class MambaMixer:
    def __init__(self):
        def A_weight_loader(param, loaded):
            return param, loaded

        self.loader = A_weight_loader


def row_parallel_weight_loader(param, loaded):
    return param, loaded


def test_loaders_and_names_that_are_known_to_split_the_first_dimension():
    assert lift({}, "A", (16, 4), {"weight_loader": MambaMixer().loader}, tp_size=2) == ((32, 4), Held((0,)), "")
    assert lift({}, "weight", (4, 32), {"weight_loader": row_parallel_weight_loader}, tp_size=2) == ((8, 32), Held((0,)), "")
    assert lift({}, "weight", (32,), {"weight_loader": row_parallel_weight_loader}, tp_size=2) == ((32,), Held(), "")
    assert lift({}, "sinks", (8,), {}, tp_size=8) == ((64,), Held((0,)), "")
    assert lift({}, "sinks", (64,), {}, tp_size=1) == ((64,), Held(), "")


def test_a_weight_that_a_kernel_took_away_keeps_the_sizes_of_its_layer():
    owner, _ = qkv(4)
    assert lift(owner, "weight", (0,), {}) == ((QKV, HIDDEN), Held((0,)), "")
    assert lift({}, "weight", (0,), {}) == ((0,), Held(), "")


def test_what_does_not_divide_is_said_and_left_as_held():
    owner = {"input_size": 10, "input_size_per_partition": 4, "output_size": 7, "output_size_per_partition": 7}
    assert lift(owner, "weight", (7, 4), {}).dims == (7, 10)
    found = lift(owner, "scales", (2, 7), {"input_dim": 0})
    assert found.dims == (5, 7) and found.held.sharded == (0,)
    odd = dict(owner, input_size=9)
    assert lift(odd, "scales", (2, 7), {"input_dim": 0}) == ((2, 7), Held(), "split over ranks in a way that its sizes do not tell: 4 of 9 inputs held")
