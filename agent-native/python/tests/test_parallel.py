"""What serving and training frameworks keep of their parallel sizes, by the names of their variables; the frameworks themselves are not needed."""
import sys
from types import ModuleType

import pytest

from lamella.layout import Sizes
from lamella.parallel import Served, process_sizes, served


class Kept:
    """A plain object with attributes, whose properties must not be asked."""

    def __init__(self, **values):
        self.__dict__.update(values)

    size = rank = property(lambda self: 1 / 0)


class VllmConfig(Kept):
    pass


@pytest.fixture
def loaded(monkeypatch):
    for name in [name for name in sys.modules if name.endswith(("parallel_state", "server_args", "runtime_context"))]:
        monkeypatch.delitem(sys.modules, name)

    def load(name, **variables):
        module = ModuleType(name)
        vars(module).update(variables)
        monkeypatch.setitem(sys.modules, name, module)

    return load


def group(size, rank):
    return Kept(world_size=size, rank_in_group=rank)


def test_vllm_and_sglang_keep_one_object_for_each_kind_of_group(loaded):
    loaded("vllm.distributed.parallel_state", _TP=group(4, 3), _PP=group(2, 1), _DP=group(8, 5))
    assert process_sizes() == Sizes(tp_size=4, pp_size=2, ep_size=1, dp_size=8, tp_rank=3, pp_rank=1)


def test_a_module_that_moved_is_found_by_its_variables(loaded):
    loaded("engine.somewhere.parallel_state", _TP=group(2, 0), _PP=None)
    assert process_sizes() == Sizes(tp_size=2)


def test_megatron_keeps_sizes_that_were_set_by_hand(loaded):
    set_by_hand = {"_MPU_TENSOR_MODEL_PARALLEL_WORLD_SIZE": 8, "_MPU_TENSOR_MODEL_PARALLEL_RANK": 7, "_MPU_PIPELINE_MODEL_PARALLEL_WORLD_SIZE": 4}
    groups = {"_TENSOR_MODEL_PARALLEL_GROUP": None, "_PIPELINE_MODEL_PARALLEL_GROUP": None}
    loaded("megatron.core.parallel_state", **groups, **set_by_hand, _MPU_PIPELINE_MODEL_PARALLEL_RANK=2, _MPU_EXPERT_MODEL_PARALLEL_WORLD_SIZE=16)
    assert process_sizes() == Sizes(tp_size=8, pp_size=4, ep_size=16, dp_size=1, tp_rank=7, pp_rank=2)


def test_torch_groups_are_asked_in_c(loaded):
    dist = pytest.importorskip("torch.distributed", reason="PyTorch is not installed")
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    dist.init_process_group("fake", store=fake.FakeStore(), rank=5, world_size=8)
    try:
        assert process_sizes() == Sizes(dp_size=8)
        loaded("megatron.core.parallel_state", _TENSOR_MODEL_PARALLEL_GROUP=dist.new_group([4, 5, 6, 7]), _PIPELINE_MODEL_PARALLEL_GROUP=dist.new_group([1, 5]))
        assert process_sizes() == Sizes(tp_size=4, pp_size=2, tp_rank=1, pp_rank=1)
    finally:
        dist.destroy_process_group()


@pytest.mark.parametrize("odd", [None, 7, "4", Kept(), Kept(world_size="4"), Kept(world_size=0), Kept(world_size=True)])
def test_what_is_no_group_is_one_rank(loaded, odd):
    loaded("vllm.distributed.parallel_state", _TP=odd, _PP=odd)
    assert process_sizes() == Sizes()


@pytest.mark.parametrize("name, said", [("prod", "prod"), (["prod", "alias"], "prod"), ([], ""), (None, "")])
def test_vllm_leaves_its_configuration_on_a_module_below_the_root(loaded, name, said):
    config = VllmConfig(model_config=Kept(served_model_name=name, model="/models/qwen3"))
    assert served([Kept(), Kept(vllm_config=config)]) == Served(said, "/models/qwen3")


def test_sglang_keeps_its_arguments_in_a_variable(loaded):
    arguments = Kept(served_model_name="prod", model_path="Qwen/Qwen3-32B")
    assert served([]) == Served()
    loaded("sglang.srt.runtime_context", _CONTEXT=Kept(_server_args=arguments))
    assert served([]) == Served("prod", "Qwen/Qwen3-32B")
    loaded("sglang.srt.runtime_context", _CONTEXT=None)
    loaded("sglang.srt.server_args", _global_server_args=arguments)
    assert served([]) == Served("prod", "Qwen/Qwen3-32B")
