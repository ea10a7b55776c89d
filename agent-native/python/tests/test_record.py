"""Recordings of real runs: the module map is checked against the sizes of the operators inside each module's events, which know nothing of the map."""
import gzip
import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from torch import nn

from lamella.record import record


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(4, width, bias=False), nn.Linear(width, 4, bias=False)

    def forward(self, x):
        return x + self.down(self.up(x))


def namesake(width):
    """Another class that is called Block too."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.only = nn.Linear(4, width, bias=False)

        def forward(self, x):
            return self.only(x)[..., :4]

    return Block()


class Net(nn.Module):
    """Runs its parts in another order than it holds them, one of them twice and one never; every Linear has its own sizes."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for width in (11, 12, 13))
        self.never = nn.Linear(4, 99)
        self.head = namesake(21)
        self.shared = self.blocks[1]
        self.tail = namesake(22)

    def forward(self, x):
        for part in (self.tail, self.blocks[2], self.head, self.shared, self.blocks[0], self.blocks[2]):
            x = part(x)
        return x


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "net.trace.json.gz"
    model = Net()
    metadata = record(model, lambda step, output: {"x": torch.ones(2, 4)}, str(path), steps=2, name="a net")
    return model, metadata, json.loads(gzip.decompress(path.read_bytes()))


def inside(events, outer):
    return [e for e in events if e["tid"] == outer["tid"] and outer["ts"] <= e["ts"] and e["ts"] + e["dur"] <= outer["ts"] + outer["dur"]]


def test_every_module_event_is_the_module_whose_weight_its_operator_multiplies_with(recording):
    model, _, trace = recording
    events = [e for e in trace["traceEvents"] if e.get("ph") == "X"]
    operators = [e for e in events if e["name"] == "aten::linear"]
    checked = 0
    for event in events:
        entry = trace["lamella_module_map"].get(event["name"])
        if entry and entry["class"] == "Linear":
            (operator,) = inside(operators, event)
            assert operator["args"]["Input Dims"][1] == list(model.get_parameter(entry["path"] + ".weight").shape), entry
            checked += 1
    assert checked == 2 * 10  # per step: 4 calls of a Block with 2 each, 2 of a namesake with 1 each


def test_the_map_names_all_that_ran_once_and_nothing_else(recording):
    model, _, trace = recording
    module_map = trace["lamella_module_map"]
    assert {e["name"] for e in trace["traceEvents"] if e["name"].startswith("nn.Module: ")} == set(module_map)
    paths = [entry["path"] for entry in module_map.values()]
    ran = {name for name, _ in model.named_modules()} - {"never", "blocks"}
    assert sorted(paths) == sorted(ran)
    assert [e for e in module_map.values() if e["path"] == "blocks.1"] == [{"path": "blocks.1", "class": "Block", "also": ["shared"]}]


def test_two_classes_of_one_name_stay_apart(recording):
    _, _, trace = recording
    blocks = {name: entry["path"] for name, entry in trace["lamella_module_map"].items() if name.startswith("nn.Module: Block_")}
    assert blocks == {"nn.Module: Block_%d" % i: path for i, path in enumerate(["tail", "blocks.2", "head", "blocks.1", "blocks.0"])}
    numbers = {e["args"]["Python module id"] for e in trace["traceEvents"] if e["name"] == "nn.Module: Block_3"}
    assert numbers == {3}


def test_steps_and_metadata(recording):
    _, metadata, trace = recording
    assert {e["name"] for e in trace["traceEvents"] if e["name"].startswith("ProfilerStep#")} == {"ProfilerStep#1", "ProfilerStep#2"}
    assert {key: trace[key] for key in metadata} == metadata
    assert (trace["lamella_format"], trace["lamella_model_name"], trace["lamella_profile_type"]) == (1, "a net", "cpu_op")
    assert trace["lamella_device"].startswith("CPU: ") and trace["lamella_versions"]["torch"] == torch.__version__
    assert trace["lamella_shape"]["model_key"] == trace["lamella_model_key"]


def test_nothing_of_this_machine_is_in_it(recording):
    text = json.dumps(recording[2])
    assert "site-packages" not in text and " at 0x" not in text
    import os
    import platform

    assert os.getcwd() not in text and '"%s"' % platform.node() not in text


def test_the_command_makes_what_the_demo_is(tmp_path, capsys):
    pytest.importorskip("transformers", reason="transformers is not installed")
    from lamella.record import main

    path = tmp_path / "tiny.trace.json.gz"
    assert main(["-o", str(path), "--layers", "1", "--hidden", "128", "--prefill", "4", "--decode", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == path.stat().st_size and told["device"].startswith("CPU: ")
    trace = json.loads(gzip.decompress(path.read_bytes()))
    embedding = [e["args"]["Input Dims"][1] for e in trace["traceEvents"] if e["name"] == "aten::embedding"]
    assert embedding == [[1, 4], [1, 1]]  # the prefill, then one token with the cache
    assert trace["lamella_module_map"]["nn.Module: Qwen3DecoderLayer_0"]["path"] == "model.layers.0"


def test_the_committed_demo_is_small_labelled_and_says_nothing_of_the_machine_it_was_made_on():
    import re

    from repository import ROOT

    path = ROOT / "local" / "demo" / "qwen3-demo.trace.json.gz"
    assert path.stat().st_size <= 1_000_000
    text = gzip.decompress(path.read_bytes()).decode()
    assert not re.search(r'"/|/(?:home|root|tmp|usr|work)/|site-packages| at 0x', text)
    demo = json.loads(text)
    assert demo["lamella_device"].startswith("CPU: ") and demo["lamella_profile_type"] == "cpu_op"
    called = {e["name"] for e in demo["traceEvents"] if e["name"].startswith("nn.Module: ")}
    assert called == set(demo["lamella_module_map"]) and len(called) == 66
    assert sum(e["name"].startswith("ProfilerStep#") for e in demo["traceEvents"]) == 6
