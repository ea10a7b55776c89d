"""The canonical text and its hashes, held to schema/fixtures/shapes, which TypeScript is held to as well."""
import hashlib

import pytest
from repository import shape_fixtures, shape_of

from lamella.canonical import config_digest, model_key, module_hashes, module_text, shape_id, shape_text
from lamella.totals import totals


@pytest.mark.parametrize("fixture", shape_fixtures())
def test_text_and_hashes(fixture):
    shape = shape_of(fixture)
    hashes = module_hashes(shape)
    assert [shape_text(shape)] + [module_text(module, hashes) for module in shape.modules] == fixture["text"]
    assert hashes == fixture["moduleHashes"]
    assert shape_id(shape) == fixture["shapeId"]


@pytest.mark.parametrize("fixture", shape_fixtures())
def test_counts(fixture):
    counted = totals(shape_of(fixture))
    assert (counted.parameters, counted.weight_bytes, counted.modules) == (fixture["parameters"], fixture["weightBytes"], fixture["modules_in_tree"])


def test_there_are_fixtures():
    assert len(shape_fixtures()) >= 8


def test_a_shape_does_not_depend_on_the_order_of_its_aliases():
    fixture = next(p.values[0] for p in shape_fixtures() if p.id == "shared_module")
    shape = shape_of(fixture)
    assert shape_id(shape._replace(aliases=shape.aliases[::-1])) == fixture["shapeId"]


def test_model_key_is_the_first_half_of_the_hash_of_its_lines():
    digest = hashlib.sha256(b'{"a":[1,2.5,null],"b":"\\u00e9"}').hexdigest()
    assert config_digest({"b": "é", "a": [1, 2.5, None]}) == digest
    text = "lamella-model\t1\nQwen3ForCausalLM\nQwen3ForCausalLM\n%s\nfp8\nteam%%09a\n1\n" % digest
    assert model_key("Qwen3ForCausalLM", "Qwen3ForCausalLM", digest, "fp8", "team\ta") == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_without_a_configuration_the_digest_is_empty():
    assert config_digest({}) == ""
