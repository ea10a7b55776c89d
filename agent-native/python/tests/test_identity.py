"""The model key and what it is made of, read without running the configuration's code."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from torch import nn

from lamella.canonical import config_digest, model_key
from lamella.identity import identify, plain_config
from lamella.parallel import Served


class PretrainedConfig:
    def __init__(self, **values):
        object.__getattribute__(self, "__dict__").update(values)

    def __getattribute__(self, name):
        raise AssertionError("code of the configuration ran")

    to_dict = to_json_string = property(lambda self: 1 / 0)


def with_config(config):
    model = nn.Linear(2, 2)
    model.__dict__.update(config=config)
    return model


def test_the_digest_takes_what_json_can_write():
    text = PretrainedConfig(hidden_size=8, _private=1)
    unwritable = {"nan": float("nan"), "fn": len, "_name_or_path": "org/m"}
    config = PretrainedConfig(architectures=["A"], text_config=text, dtype=torch.bfloat16, ids={1: "x"}, pair=(1, 2), **unwritable)
    assert plain_config(config) == {"architectures": ["A"], "text_config": {"hidden_size": 8}, "dtype": "bfloat16", "ids": {"1": "x"}, "pair": [1, 2]}


def test_identity_of_a_hugging_face_model():
    config = PretrainedConfig(architectures=["NetForCausalLM"], _name_or_path="org/m", quantization_config={"quant_method": "gptq", "bits": 4})
    found = identify(with_config(config))
    digest = config_digest({"architectures": ["NetForCausalLM"], "quantization_config": {"quant_method": "gptq", "bits": 4}})
    assert found == (model_key("Linear", "NetForCausalLM", digest, "gptq", "org/m"), "org/m", "", "org/m", "NetForCausalLM", "Linear", "gptq", 4, "")


@pytest.mark.parametrize(
    "architectures, name, served, shown",
    [(None, "", "", "Linear"), (["A"], "", "", "A"), (None, "org/m", "", "org/m"), (None, "org/m", "prod", "prod")],
)
def test_the_name_people_see(architectures, name, served, shown):
    assert identify(with_config(architectures and PretrainedConfig(architectures=architectures)), name, Served(served)).name == shown


def test_a_configuration_that_leads_back_to_itself_in_many_ways_takes_no_longer_than_its_bound():
    config = {"model_type": "x"}
    config.update(a=config, b=config, c=config)
    assert plain_config(config)["model_type"] == "x"


def test_an_integer_that_python_refuses_to_write_is_left_out():
    assert plain_config({"large": 10**5000, "also": -(2**64), "size": 2**62}) == {"size": 2**62}
    assert identify(with_config(PretrainedConfig(architectures=["A"], large=10**5000))).architecture == "A"


def test_a_configuration_that_holds_itself_is_bounded():
    config = {"a": 1}
    config["self"] = config
    assert plain_config(config)["self"]["a"] == 1
