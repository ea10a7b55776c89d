"""What weight loaders say of the tensors they load, and what the sizes of a whole tensor are by that."""
from functools import partial

import pytest

from lamella.layout import Held
from lamella.lift import lift
from lamella.loaders import UNTOLD, Division, division


def sharded_weight_loader(shard_axis):
    def loader(param, loaded):
        return shard_axis, param, loaded

    return loader


def composed_weight_loader(loader, fn):
    def composed_loader(param, loaded):
        return loader(param, loaded), fn

    return composed_loader


def mamba_v2_sharded_weight_loader(shard_spec, tp_size, tp_rank):
    def loader(param, loaded):
        return shard_spec, tp_size, tp_rank

    return loader


class MiniMaxText01RMSNormTP:
    @staticmethod
    def weight_loader(param, loaded, shard_world_size=None, shard_rank=None):
        return param, loaded, shard_world_size, shard_rank


class Sinks:
    tp_rank = 0

    def weight_loader(self, param, loaded):
        return param, loaded, self.tp_rank


class Whole:
    def weight_loader(self, param, loaded):
        return param, loaded


# Mamba2 with 32 heads of 64, one group of 128 states.
INNER, STATES, HEADS = 2048, 128, 32
ROWS = 2 * INNER + 2 * STATES + HEADS  # 4,384


def spec_of(ranks):
    """Of its projection: gate, x, B, C, dt; B and C are counted once for each rank."""
    group = (ranks * STATES, (ranks - 1) * STATES, True)
    return [(INNER, 0, False), (INNER, 0, False), group, group, (HEADS, 0, False)]


@pytest.mark.parametrize("ranks, held", [(2, 2320), (4, 1288), (8, 772), (16, 514)])
def test_a_group_that_every_rank_has_counts_once_in_a_fused_projection(ranks, held):
    loader = mamba_v2_sharded_weight_loader(spec_of(ranks), ranks, 0)
    layer = {"input_size": 1024, "input_size_per_partition": 1024, "output_size": held * ranks, "output_size_per_partition": held}
    for name in ("weight_loader", "_weight_loader"):  # the second is where vLLM's own parameters keep it
        hints = {name: loader, "_output_dim": 0, "_input_dim": 1}
        assert lift(layer, "weight", (held, 1024), hints, ranks) == ((ROWS, 1024), Held((0,), (), ranks), "")
    assert lift(layer, "weight_scale", (held, 1), {"weight_loader": loader}, ranks) == ((ROWS, 1), Held((0,), (), ranks), "")
    assert lift(layer, "weight_scale", (1,), {"weight_loader": loader}, ranks) == ((1,), Held(), "")


def test_groups_that_are_dealt_out_are_sharded_and_on_no_second_rank():
    loader = mamba_v2_sharded_weight_loader([(INNER, 0, False), (1024, 0, False), (1024, 0, False)], 4, 0)
    layer = {"input_size": 4, "input_size_per_partition": 4, "output_size": 4096, "output_size_per_partition": 1024}
    assert lift(layer, "weight", (1024, 1, 4), {"weight_loader": loader}, 4) == ((4096, 1, 4), Held((0,)), "")


NO_PARTS = [("text", 2), ([], 2), ([(4, "0")], 2), ([[4, 0]], 2), ([(4, 0), 4], 2), ([(4, 4)], 2), ([(4, 0)], 0), ([(4, 0)], True)]


@pytest.mark.parametrize("spec, ranks", NO_PARTS)
def test_a_list_of_parts_that_is_not_one_says_nothing_of_sizes(spec, ranks):
    assert division(mamba_v2_sharded_weight_loader(spec, ranks, 0), 2) == Division(UNTOLD)


def test_a_loader_that_asks_another_one_splits_as_that_does():
    loader = composed_weight_loader(sharded_weight_loader(0), len)
    assert lift({}, "A", (8,), {"weight_loader": loader}, 4) == ((32,), Held((0,)), "")
    for _ in range(8):  # a chain that is longer than any there is says nothing, and is left
        loader = composed_weight_loader(loader, len)
    assert division(loader, 1) is None


def test_a_loader_may_split_over_fewer_ranks_than_there_are():
    """MiniMax-M2: 8 key heads of 128 on 16 ranks."""
    loader = partial(MiniMaxText01RMSNormTP.weight_loader, shard_world_size=8, shard_rank=0)
    assert lift({}, "weight", (128,), {"weight_loader": loader}, 16) == ((1024,), Held((0,), (), 2), "")
    assert lift({}, "weight", (128,), {"weight_loader": loader}, 8) == ((1024,), Held((0,)), "")


def test_one_row_a_rank_of_a_loader_that_may_repeat_rows_is_said():
    def row_parallel_weight_loader(param, loaded):
        return param, loaded

    found = lift({}, "weight", (1, 128), {"weight_loader": row_parallel_weight_loader}, 16)
    assert (found.dims, found.held) == ((16, 128), Held((0,)))
    assert found.note == "one of dimension 0 on each of 16 ranks: counted once for each, though nothing says that no two hold the same"
    assert lift({}, "weight", (2, 128), {"weight_loader": row_parallel_weight_loader}, 16) == ((32, 128), Held((0,)), "")


def test_a_loader_that_asks_for_its_rank_and_says_no_dimension_leaves_a_note():
    loader = Sinks().weight_loader
    found = lift({}, "table", (8, 32), {"weight_loader": loader}, 4)
    assert found == ((8, 32), Held(), "its loader takes the part of a rank and does not say which: shown as one rank holds it")
    assert lift({}, "table", (8, 32), {"weight_loader": Whole().weight_loader}, 4) == ((8, 32), Held(), "")
    assert lift({}, "table", (8, 32), {"weight_loader": loader}, 1) == ((8, 32), Held(), "")


def test_the_tensor_may_name_the_dimension_its_loader_does_not():
    """openPangu's sinks: [sinks, key heads, head size], of 4 key heads."""
    hints = {"weight_loader": Sinks().weight_loader, "output_dim": 1}
    attention = {"total_num_kv_heads": 4}
    assert lift(dict(attention, num_kv_heads=2), "param_sink_key", (16, 2, 64), hints, 2) == ((16, 4, 64), Held((1,)), "")
    assert lift(dict(attention, num_kv_heads=1), "param_sink_key", (16, 1, 64), hints, 8) == ((16, 4, 64), Held((1,), (), 2), "")


@pytest.mark.parametrize(
    "name, dims, whole, along",
    [("ws", (8, 1024, 512), (8, 2048, 512), 1), ("w2s", (8, 512, 512), None, None), ("w2s", (8, 640, 512), (8, 640, 1024), 2)],
)
def test_experts_of_a_module_that_keeps_the_width_of_a_rank(name, dims, whole, along):
    """MiniCPM: 8 experts of 1,024, two ranks. A square matrix does not say which of its dimensions that is."""
    owner = {"num_total_experts": 8, "intermediate_size": 512, "hidden_size": 640 if 640 in dims else 512}
    found = lift(owner, name, dims, {"weight_loader": Sinks().weight_loader}, 2)
    assert (found.dims, found.held) == ((whole, Held((along,))) if whole else (dims, Held()))
    assert bool(found.note) == (whole is None)


def test_two_functions_of_one_code_say_what_their_own_variables_say():
    assert [division(sharded_weight_loader(axis), 3).axis for axis in (0, 2, 1)] == [0, 2, 1]


def test_a_cell_that_is_empty_says_nothing():
    def outer():
        def loader(param, loaded):
            return shard_axis, param, loaded

        found = division(loader, 2)
        shard_axis = 0
        return found, shard_axis

    assert outer() == (None, 0)


class Module:
    def __init__(self, **values):
        self.__dict__.update(values)


@pytest.mark.parametrize("ranks", [2, 4, 8])
@pytest.mark.parametrize("true", [1, 8])
def test_buffers_of_a_mixer_have_the_rows_of_its_projection_and_its_convolution(ranks, true):
    groups = true if true % ranks == 0 else ranks  # vLLM's mixer counts one for each rank
    conv, whole = INNER + 2 * groups * STATES, INNER + 2 * true * STATES
    norm = Module(n_groups=true)
    mixer = dict(conv_dim=conv, n_groups=groups, ssm_state_size=STATES, intermediate_size=INNER, num_heads=HEADS, _modules={"norm": norm})
    held = Held((0,), (), ranks if true % ranks else 1)
    assert lift(mixer, "conv_weights", (conv // ranks, 4), {}, ranks) == ((whole, 4), held, "")
    around = {"_modules": {"mamba": Module(**mixer)}}
    vector = (1, (conv + INNER + HEADS) // ranks)
    assert lift(around, "mup_vector", vector, {}, ranks) == ((1, whole + INNER + HEADS), held._replace(sharded=(1,)), "")
    assert lift(around, "other", (7, 5), {}, ranks) == ((7, 5), Held(), "")


def test_heads_that_a_module_counts_for_a_rank_are_all_heads_of_the_model():
    """Moondream3: tau_wq is [heads, 3 · hidden size]."""
    attention = {"num_heads": 32, "num_heads_per_partition": 8}
    assert lift(attention, "tau_wq", (8, 6144), {}, 4) == ((32, 6144), Held((0,)), "")


def test_a_part_that_every_rank_has_counts_once():
    """Kimi Linear: q, k, v, one value for each head, and a gate of one head that is not split."""
    whole = 3 * 512 + 16 + 32
    for ranks in (1, 2, 4):
        held = (3 * 512 + 16) // ranks + 32
        sizes = [512, 512, 512, 16, 32 * ranks]
        layer = dict(output_sizes=sizes, replicated_shard_id=4, output_size=sum(sizes), output_size_per_partition=held)
        layer.update(input_size=256, input_size_per_partition=256)
        found = lift(layer, "weight", (held, 256), {"_output_dim": 0, "_input_dim": 1}, ranks)
        assert (found.dims, found.note) == ((whole, 256), "")
        assert found.held == (Held((0,), (), ranks) if ranks > 1 else Held())


class Method:
    def __init__(self, group):
        self.quant_config = Module(group_size=group)


def grouped(whole, ranks, group, **more):
    return dict(input_size=whole, input_size_per_partition=whole // ranks, output_size=512, output_size_per_partition=512, quant_method=Method(group), **more)


@pytest.mark.parametrize("hints", [{"_input_dim": 0, "_output_dim": 1}, {}])
@pytest.mark.parametrize(
    "whole, ranks, rows, groups", [(384, 2, 1, 3), (384, 4, 0, 3), (1152, 2, 4, 9), (1152, 8, 1, 9), (320, 2, 1, 2), (1024, 8, 1, 8), (1024, 4, 2, 8)]
)
def test_groups_that_do_not_end_where_ranks_do_are_counted_in_the_whole(whole, ranks, rows, groups, hints):
    """GPTQ: each rank has inputs // 128 rows of scales, and one rank alone would have all inputs // 128."""
    layer = grouped(whole, ranks, 128)
    padded = ((0, rows * ranks),) if rows * ranks > groups else ()
    assert lift(layer, "scales", (rows, 512), hints, ranks) == ((groups, 512), Held((0,), padded), "")
    assert lift(layer, "qzeros", (rows, 64), hints, ranks) == ((groups, 64), Held((0,), padded), "")


def test_groups_rounded_up_stay_rounded_up_and_what_every_rank_has_stays_whole():
    assert lift(grouped(384, 2, 128), "weight_scale", (512, 2), {"_input_dim": 1}, 2) == ((512, 3), Held((1,), ((1, 4),)), "")
    assert lift(grouped(1024, 4, 128), "scales", (8, 512), {}, 4) == ((8, 512), Held(), "")  # activation order
    assert lift(grouped(1024, 4, -1), "scales", (1, 512), {}, 4) == ((1, 512), Held(), "")  # one for each output


def test_experts_whose_groups_vllm_halves_have_the_groups_of_the_model():
    """MoeWNA16: 768 inputs in groups of 128; a rank of four has 192, in groups of 64, each of the model's stored twice."""
    config = Module(intermediate_size=768, num_local_experts=8, num_logical_experts=8, moe_parallel_config=Module(tp_size=4))
    owner = dict(moe_config=config, hidden_size=512, intermediate_size_per_partition=192, group_size=64, group_size_div_factor=2)
    owner.update(_parameters={"w13_qweight": None})
    assert lift(owner, "w2_scales", (8, 512, 3), {}, 4) == ((8, 512, 6), Held((2,), ((2, 12),)), "")
    assert lift(owner, "w13_scales", (8, 384, 8), {}, 4) == ((8, 1536, 4), Held((1,), ((2, 8),)), "")


def test_a_matrix_that_inputs_are_turned_with_is_no_side_of_a_layer():
    layer = {"input_size": 3072, "input_size_per_partition": 768, "output_size": 512, "output_size_per_partition": 512}
    assert lift(layer, "forward_hadamard_matrix", (32, 32), {}, 4) == ((32, 32), Held(), "")
