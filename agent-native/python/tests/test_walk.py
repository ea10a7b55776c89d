"""The walk command: configurations, scripts, what it prints and sends."""
import json
import textwrap

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
from repository import test_data
from test_upload import ingest  # noqa: F401 - the fixture

from lamella.build import BuildError, build, read_config
from lamella.walk import main, walk

TINY = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "dtype": "bfloat16", "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 50, "tie_word_embeddings": True,
}  # fmt: skip
# per layer: q and o 2 x 16x16, k and v 2 x 8x16, q_norm and k_norm 2 x 8, MLP 3 x 16x32, two norms 2 x 16; then the embedding 50 x 16 and the last norm 16
TINY_PARAMETERS = 3 * (2 * 256 + 2 * 128 + 16 + 3 * 512 + 32) + 800 + 16


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(TINY))
    return str(path)


def test_a_configuration_becomes_a_tree(config, capsys):
    assert main(["--config", config, "--name", "org/tiny", "--no-send"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "org/tiny  Qwen3ForCausalLM  %s parameters · %.1f kB · 52 modules · bfloat16" % (format(TINY_PARAMETERS, ","), TINY_PARAMETERS * 2 / 1000)
    assert lines[4] == "      layers.0 … layers.2  Qwen3DecoderLayer ×3  2,352 each · bfloat16"
    assert lines[-1] == "  lm_head  Linear  800 · bfloat16 · shares model.embed_tokens.weight"


def test_it_sends_a_shape_and_a_sighting(config, ingest, monkeypatch, capsys):  # noqa: F811
    monkeypatch.setenv("LAMELLA_URL", ingest.server.url + "/t/demo")
    monkeypatch.setenv("LAMELLA_TOKEN", "lml_x")
    assert main(["--config", config, "--json"]) == 0
    assert [path for path, _, _ in ingest.requests] == ["/t/demo/ingest/shapes", "/t/demo/ingest/sightings"]
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert (model["parameters"], model["modules"], model["aliases"]) == (TINY_PARAMETERS, 52, 1)
    assert model["uploads"] == {"shapes": "a" * 64, "sightings": "a" * 64}


def test_without_a_server_it_says_so_before_any_work(config, monkeypatch, capsys, tmp_path):
    for name in ("LAMELLA_URL", "LAMELLA_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["--config", config]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "npm start" in err


def test_the_name_is_part_of_the_key_and_not_of_the_shape():
    first, second = walk(build(TINY, "a/b").model, "a/b"), walk(build(TINY, "c/d").model, "c/d")
    assert first.shape_id == second.shape_id and first.identity.model_key != second.identity.model_key


def test_nan_and_infinity_are_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "x", "a": NaN, "b": [-Infinity, Infinity]}')
    assert read_config(str(path))["b"] == [float("-inf"), float("inf")]


@pytest.mark.parametrize(
    "change, said",
    [
        ({"model_type": "qwen33"}, "transformers .* does not know model_type \"qwen33\" .nearest it knows: qwen3"),
        ({"num_attention_heads": "two"}, "cannot build model_type \"qwen3\" from this configuration"),
    ],
)
def test_a_configuration_that_cannot_be_built_says_why(change, said):
    with pytest.raises(BuildError, match=said):
        build(dict(TINY, architectures=None, **change))


@pytest.mark.parametrize("text, said", [("{", "is not JSON"), ("[]", "holds a list"), ('{"quantization": {}}', "quantisation file"), ("{}", "model_type")])
def test_a_file_that_is_no_configuration_says_what_it_is(text, said, tmp_path):
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(BuildError, match=said):
        read_config(str(tmp_path / "c.json"))


def test_an_architecture_transformers_lacks_is_built_as_the_nearest_and_said():
    built = build(dict(TINY, architectures=["SomethingElse"]))
    assert type(built.model).__name__ == "Qwen3ForCausalLM" and "no SomethingElse: built as Qwen3ForCausalLM" in built.notes[0]


def test_a_script_is_run_and_its_models_are_read(tmp_path, capsys):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent("""
        import sys
        from torch import nn
        assert __name__ == "__main__" and sys.argv[1:] == ["--width", "123457"]
        with __import__("torch").device("meta"):
            net = nn.Sequential(nn.Linear(123457, 1000, bias=False))
        sys.exit(0)
    """))
    assert main(["--script", str(script), "--name", "scripted", "--no-send", "--", "--width", "123457"]) == 0
    assert capsys.readouterr().out.startswith("scripted  Sequential  123.5M parameters (123,457,000) · 493.8 MB · 2 modules · float32\n  0  Linear  123.5M")


def test_qwen3_32b_has_exactly_the_parameters_it_has(capsys):
    path = test_data("hf_config", "Qwen--Qwen3-32B_config.json")
    assert main(["--config", str(path), "--name", "Qwen/Qwen3-32B", "--no-send"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "(32,762,123,264)" in lines[0]
    assert [line for line in lines if "Qwen3DecoderLayer" in line] == ["      layers.0 … layers.63  Qwen3DecoderLayer ×64  487.6M each · bfloat16"]


# Public configurations that transformers 5.24 cannot build; every other one of the folder must.
UNKNOWN = {"MiniMaxAI--MiniMax-M3_config.json": "minimax_m3"}


def test_every_public_configuration_is_built_or_says_why():
    built = []
    for path in sorted(test_data("hf_config").glob("*.json")):
        if path.name.endswith("hf_quant_config.json"):
            with pytest.raises(BuildError, match="quantisation file"):
                read_config(str(path))
        elif path.name in UNKNOWN:
            with pytest.raises(BuildError, match=UNKNOWN[path.name]):
                build(read_config(str(path)))
        else:
            walked = walk(build(read_config(str(path))).model)
            built.append(walked)
            assert len(walked.shape.modules) < 60, path.name
    assert len(built) > 40
