"""The walk command: configurations, scripts, what it prints and sends."""
import json
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
from repository import PACKAGE, test_data
from test_upload import ingest  # noqa: F401 - the fixture

from lamella.build import BuildError, build, read_config
from lamella.totals import totals
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
        ({"model_type": "nosuch", "auto_map": {"AutoConfig": "m.XConfig"}}, "its code is no part of transformers: auto_map names m.XConfig"),
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


def test_layers_of_multi_token_prediction_that_are_not_built_are_said():
    built = build(dict(TINY, num_nextn_predict_layers=2))
    assert "2 layers of multi-token prediction (num_nextn_predict_layers), which Qwen3ForCausalLM does not hold: not counted" in " ".join(built.notes)
    assert totals(walk(built.model).shape).parameters == TINY_PARAMETERS


def test_a_quantised_configuration_without_a_dtype_is_built_in_bfloat16():
    config = {key: value for key, value in TINY.items() if key != "dtype"}
    assert str(build(config).model.dtype) == "torch.float32"
    built = build(dict(config, quantization_config={"quant_method": "mxfp4"}))
    assert str(built.model.dtype) == "torch.bfloat16"
    assert [note for note in built.notes if "quantised" in note][0] == "the configuration names no dtype and is quantised: built in bfloat16"


# gemma3 is a text model (here 2 layers of width 32, vocabulary 40) and a vision model behind it.
GEMMA_TEXT = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
GEMMA_TEXT.update(vocab_size=40, sliding_window_pattern=2, dtype="bfloat16")
# per layer: q and o 2 x 32x32, k and v 2 x 16x32, MLP 3 x 32x64, four norms of 32 and two of 16; then the embedding and the last norm
GEMMA_TEXT_PARAMETERS = 2 * (2 * 1024 + 2 * 512 + 3 * 2048 + 4 * 32 + 2 * 16) + 40 * 32 + 32


def test_the_text_class_of_a_configuration_of_several_parts_is_built_from_its_text_part():
    built = build({"model_type": "gemma3", "architectures": ["Gemma3ForCausalLM"], "text_config": GEMMA_TEXT})
    assert type(built.model).__name__ == "Gemma3ForCausalLM" and totals(walk(built.model).shape).parameters == GEMMA_TEXT_PARAMETERS
    assert built.notes == ()


def test_the_sizes_of_a_flat_configuration_are_those_of_the_text_part_and_a_part_that_is_missing_is_said():
    built = build(dict(GEMMA_TEXT, model_type="gemma3", architectures=["Gemma3ForConditionalGeneration"]))
    assert built.notes == (
        "the configuration describes a text model alone, gemma3 has several parts: its sizes are taken for the text part",
        "the configuration has no vision_config: that part is built with transformers' defaults, and so counted",
    )
    text = sum(parameter.numel() for parameter in built.model.model.language_model.parameters())
    assert text == GEMMA_TEXT_PARAMETERS


def test_a_script_is_run_and_its_models_are_read(tmp_path):
    """In a process of its own: here other tests may have left larger models alive."""
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent("""
        import sys
        from torch import nn
        assert __name__ == "__main__" and sys.argv[1:] == ["--width", "123457"]
        with __import__("torch").device("meta"):
            net = nn.Sequential(nn.Linear(123457, 1000, bias=False))
        sys.exit(0)
    """))
    command = [sys.executable, "-m", "lamella.walk", "--script", str(script), "--name", "scripted", "--no-send", "--", "--width", "123457"]
    done = subprocess.run(command, cwd=str(PACKAGE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=180)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("scripted  Sequential  123.5M parameters (123,457,000) · 493.8 MB · 2 modules · float32\n  0  Linear  123.5M")


WATCH = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from lamella.totals import totals
from lamella.walk import watch_script
from lamella.watch import Settings

script, seen = sys.argv[2:]

def tell(walked):
    sys.stderr.write("%d parameters\\n" % totals(walked.shape).parameters)
    Path(seen).touch()

watch_script(script, [seen], Settings(True, 0.2, 0.2), tell)
"""


def test_a_script_is_watched_while_it_runs(tmp_path):
    """In a process of its own: here other tests may have left more models alive than are read."""
    seen, script = tmp_path / "seen", tmp_path / "train.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, sys, time
            from torch import nn
            net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
            late = time.monotonic() + 60
            while not os.path.exists(sys.argv[1]) and time.monotonic() < late:
                time.sleep(0.05)
            net.append(nn.Linear(2, 1))
            """
        )
    )
    command = [sys.executable, "-c", WATCH, str(PACKAGE), str(script), str(seen)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=180)
    assert done.returncode == 0, done.stderr
    before = 4 * 3 + 3 + 3 * 2 + 2
    assert [line for line in done.stderr.splitlines() if line.endswith(" parameters")] == ["%d parameters" % before, "%d parameters" % (before + 2 * 1 + 1)]


@pytest.mark.parametrize("arguments", [["--live"], ["--live", "--config", "c.json"], ["--live", "--script", "s.py", "--name", "n"]])
def test_live_goes_with_a_script_and_no_name(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)


def test_qwen3_32b_has_exactly_the_parameters_it_has(capsys):
    path = test_data("hf_config", "Qwen--Qwen3-32B_config.json")
    assert main(["--config", str(path), "--name", "Qwen/Qwen3-32B", "--no-send"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "(32,762,123,264)" in lines[0]
    assert [line for line in lines if "Qwen3DecoderLayer" in line] == ["      layers.0 … layers.63  Qwen3DecoderLayer ×64  487.6M each · bfloat16"]
