"""What leaves the machine with a recording, and what does not."""
import gzip
import json

import pytest

from lamella.trace_file import clean_trace, rename_modules, short_name, short_path, write_trace


@pytest.mark.parametrize(
    "path, expected",
    [
        ("/opt/me/venv/lib/python3.11/site-packages/torch/nn/functional.py", "torch/nn/functional.py"),
        ("/usr/lib/python3/dist-packages/numpy/core.py", "numpy/core.py"),
        ("/opt/python/lib/python3.12/json/decoder.py", "json/decoder.py"),
        ("/opt/me/project/train.py", "train.py"),
        ("/opt/me/project/src/net.py", "src/net.py"),
        ("/opt/me/project/.venv/lib/python3.9/site-packages/a/b.py", "a/b.py"),
        ("/opt/me/elsewhere/secret/script.py", "script.py"),
        ("torch/nn/modules/module.py", "torch/nn/modules/module.py"),
        ("<frozen runpy>", "<frozen runpy>"),
    ],
)
def test_short_path(path, expected):
    assert short_path(path, "/opt/me/project") == expected


@pytest.mark.parametrize(
    "name, expected",
    [
        ("/x/site-packages/t/m.py(12): <lambda>", "t/m.py(12): <lambda>"),
        ("t/m.py(12): forward", "t/m.py(12): forward"),
        ("<built-in method cat of type object at 0x7feb4fcbc100>", "<built-in method cat of type object>"),
        ("nn.Module: Linear_7", "nn.Module: Linear_7"),
    ],
)
def test_short_name(name, expected):
    assert short_name(name, "/opt/me") == expected


def test_metadata_comes_before_the_events_and_names_of_the_machine_are_gone(tmp_path):
    events = [{"ph": "X", "cat": "python_function", "name": "/a/site-packages/b.py(1): f", "ts": 1, "args": {"CallFrom": "/a/site-packages/c.py:9"}}]
    exported = {"schemaVersion": 1, "traceEvents": events, "host_name": "node-7", "traceName": "/tmp/x", "trace_id": "1"}
    trace = clean_trace(exported, {"lamella_format": 1}, "/opt/me")
    assert list(trace) == ["schemaVersion", "lamella_format", "traceEvents"]
    assert (events[0]["name"], events[0]["args"]["CallFrom"]) == ("b.py(1): f", "c.py:9")
    one, two = str(tmp_path / "1"), str(tmp_path / "2")
    assert write_trace(trace, one) == write_trace(trace, two)
    with open(one, "rb") as first, open(two, "rb") as second:
        body = first.read()
        assert body == second.read() and json.loads(gzip.decompress(body)) == trace


def test_renaming_refuses_a_trace_that_does_not_fit():
    events = [{"cat": "python_function", "name": "nn.Module: A_0", "ts": 1}]
    with pytest.raises(RuntimeError, match="disagree about the module calls: 1 and 2"):
        rename_modules(events, ["nn.Module: A_0", "nn.Module: A_0"], ["nn.Module: A_0", "nn.Module: A_1"])
