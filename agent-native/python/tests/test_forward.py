"""Forward documents against models whose every edge can be drawn by hand."""
import ast
import gc
import json
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from repository import PACKAGE
from test_old_pythons import VERSIONS, interpreter
from torch import nn

from lamella import forward
from lamella.forward import forward_of, size_of
from lamella.forward_dataflow import Tracer, edges_of, reaching
from lamella.forward_operations import operations_of
from lamella.forward_text import forward_text
from lamella.walk import main, run_script


def analysed(text):
    """Operations as "calls -> writes" lines, and edges as (from, to, variable)."""
    found = operations_of(textwrap.dedent(text).lstrip("\n"))
    entering = reaching(found)
    return found, [tuple(edge) for edge in edges_of(found, entering)], Tracer(found, entering)


def flow_of(document, parent_path):
    """{(from, to): evidence} inside one call, by the last part of the paths."""
    names = {entry["order"]: entry["path"].rpartition(".")[2] for entry in document["calls"]}
    (parent,) = [entry["order"] for entry in document["calls"] if entry["path"] == parent_path]
    shown = lambda end: names[end] if isinstance(end, int) else end  # noqa: E731
    return {(shown(edge["from"]), shown(edge["to"])): edge["evidence"] for edge in document["flow"] if edge["in"] == parent}


def dependencies_of(document, class_name):
    (one,) = [value for key, value in document["classes"].items() if key.endswith("." + class_name)]
    return {(edge["from"], edge["to"]) for edge in one["dependencies"]}


# The source


def test_operations_are_told_in_order_with_what_they_call_read_and_write():
    found, edges, _ = analysed(
        """
        def forward(self, x, mask=None):
            \"\"\"What it does.\"\"\"
            if mask is not None:  # 0
                x = x * mask  # 1
            for block in self.blocks:  # 2
                x = block(x)  # 3
            q, k = self.q(x), x.view(2, -1)  # 4
            x += torch.cat([q, k], dim=0)  # 5
            return x  # 6
        """
    )
    told = [(one.op, [call.name for call in one.calls], list(one.reads), [write.name for write in one.definitions]) for one in found.operations]
    assert told == [
        ("if", [], ["mask"], []),
        ("assignment", [], ["x", "mask"], ["x"]),
        ("for", [], ["self.blocks"], ["block"]),
        ("assignment", ["block"], ["block", "x"], ["x"]),
        ("assignment", ["self.q", "x.view"], ["self.q", "x"], ["q", "k"]),
        ("assignment", ["torch.cat"], ["x", "q", "k"], ["x"]),
        ("return", [], ["x"], []),
    ]
    assert [one.context for one in found.operations] == [(), (("if", 3),), (), (("for", 5),), (), (), ()]
    x_edges = [(start, end) for start, end, name in edges if name == "x"]
    assert x_edges == [(-1, 1), (-1, 3), (1, 3), (3, 3), (-1, 4), (1, 4), (3, 4), (-1, 5), (1, 5), (3, 5), (5, 6)]
    assert [(start, end) for start, end, name in edges if name in ("q", "k")] == [(4, 5), (4, 5)]


@pytest.mark.parametrize(
    "body, edges",
    [
        ("a, x = x, 1\nreturn a", [(-1, 0, "x"), (0, 1, "a")]),
        ("while x > 0:\n  x = x - 1\n  if x == 3: break\nreturn x", [(-1, 0, "x"), (1, 0, "x"), (-1, 1, "x"), (1, 1, "x"), (1, 2, "x"), (-1, 3, "x"), (1, 3, "x")]),
        ("try:\n  x = f(x)\nexcept E:\n  return x\nreturn x", [(-1, 0, "x"), (-1, 1, "x"), (0, 1, "x"), (0, 2, "x")]),
        ("x.add_(y)\nreturn x", [(-1, 0, "x"), (-1, 1, "x"), (0, 1, "x")]),
        ("torch.mul(x, 2, out=x[0])\nreturn x", [(-1, 0, "x"), (-1, 1, "x"), (0, 1, "x")]),
        ("x[0] = 1\nreturn x", [(-1, 0, "x"), (-1, 1, "x"), (0, 1, "x")]),
        ("with f(x) as z:\n  return z", [(-1, 0, "x"), (0, 1, "z")]),
        ("return [g(v) for v in x if v]", [(-1, 0, "x")]),
        ("if (n := f(x)):\n  return n", [(-1, 0, "x"), (0, 1, "n")]),
        ("self.h = f(x)\nreturn self.h", [(-1, 0, "x"), (0, 1, "self.h")]),
        ("if x: return 1\nelif x > 1: x = 2\nelse: x = 3\nreturn x", [(-1, 0, "x"), (-1, 2, "x"), (3, 5, "x"), (4, 5, "x")]),
    ],
)
def test_values_are_followed_through(body, edges):
    assert analysed("def forward(self, x):\n" + textwrap.indent(body, "  "))[1] == edges


def test_a_sum_of_five_thousand_terms_and_a_thousand_elifs_are_read():
    found, edges, _ = analysed("def forward(self, x):\n  return " + " + ".join(["x"] * 5_000 if sys.version_info >= (3, 12) else ["x"] * 1_000))
    assert edges == [(-1, 0, "x")] and len(found.operations) == 1
    chain = "\n".join("  %s x == %d: x = %d" % ("elif" if i else "if", i, i) for i in range(1_000))
    try:
        ast.parse("def forward(self, x):\n" + chain)
    except (RecursionError, MemoryError):
        pytest.skip("this Python's own parser refuses it")
    assert len(analysed("def forward(self, x):\n" + chain)[0].operations) == 2_000


def test_what_the_text_does_not_say_is_said():
    found, _, _ = analysed(
        """
        @torch.no_grad()
        def forward(self, x):
            f = getattr(self, self.name)
            g = lambda y: y + x
            def h(y):
                return y
            return f(g(h(x)))
        """
    )
    assert found.decorators == ("torch.no_grad",)
    said = [(3, "getattr with a name that is computed at run time"), (4, "the body of a lambda runs elsewhere and is not followed")]
    assert list(found.limits) == said + [(5, "the body of h runs elsewhere and is not followed")]


def test_keys_are_names_of_submodules_or_nothing():
    found, _, _ = analysed("""def forward(self, x): return self.heads["cls"](x["secret"].view(2), x[7]["secret"].f(), g["secret"]())""")
    assert [call.name for call in found.operations[0].calls] == ["x.*.view", "x.*.*.f", "g.*", "self.heads.cls"]


@pytest.mark.parametrize("version", VERSIONS)
def test_source_is_read_the_same_on_every_python(version):
    found = interpreter(version)
    if not found:
        pytest.skip("no Python %s on this machine" % version)
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import lamella.profile_serve, lamella.forward_text
assert "torch" not in sys.modules
from lamella.forward_operations import operations_of
from lamella.forward_dataflow import edges_of, reaching
found = operations_of("def forward(self, x, *, y=1, **k):\\n  z = self.layers[0](x)[1:, 2]\\n  z[x] = self.layers[x].f(y)\\n  return getattr(self, 'o')(z)\\n")
print([[c.name for c in o.calls] for o in found.operations], [tuple(e) for e in edges_of(found, reaching(found))])
"""
    done = subprocess.run([found, "-I", "-B", "-c", program, str(PACKAGE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    edges = [(-1, 0, "x"), (-1, 1, "x"), (-1, 1, "y"), (0, 1, "z"), (0, 2, "z"), (1, 2, "z")]
    assert done.stdout.strip() == "%s %s" % ([["self.layers.0"], ["self.layers.*.f"], ["self.o"]], edges)


# A model


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(width, 8), nn.Linear(width, 8), nn.Linear(8, width)
        self.act = nn.SiLU()

    def forward(self, x):
        secret = "a string that never leaves"  # and a comment
        assert secret
        return self.down(self.act(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(width), Mlp(width)

    def forward(self, hidden, scale):
        return hidden + self._scaled(self.mlp(self.norm(hidden)), scale)

    def _scaled(self, x, scale):
        return x * scale


class Net(nn.Module):
    def __init__(self, layers=3, width=4):
        super().__init__()
        self.embed = nn.Embedding(10, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.never = nn.Linear(1, 1)

    def forward(self, ids):
        hidden = self.embed(ids)
        scale = torch.ones_like(hidden)
        for i, layer in enumerate(self.layers):
            hidden = layer(hidden, scale=scale)
        return self.norm(hidden)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def document(net):
    return forward_of(net, lambda: net(torch.tensor([[1, 2]])), "a net")


def test_the_source_says_what_may_become_what(document):
    assert dependencies_of(document, "Net") >= {("input:ids", "embed"), ("embed", "layers.*"), ("layers.*", "layers.*"), ("layers.*", "norm"), ("norm", "output")}
    assert dependencies_of(document, "Layer") >= {("input:hidden", "norm"), ("norm", "mlp"), ("mlp", "output"), ("input:hidden", "output"), ("input:scale", "output")}
    parts = {("input:x", "gate"), ("input:x", "up"), ("gate", "act"), ("act", "down"), ("up", "down"), ("down", "output")}
    assert dependencies_of(document, "Mlp") == parts
    (layer,) = [one for key, one in document["classes"].items() if key.endswith(".Layer")]
    kinds = [(call["name"], call["kind"]) for call in layer["operations"][0]["calls"]]
    assert kinds == [("self.norm", "module"), ("self.mlp", "module"), ("self._scaled", "method")]
    assert list(document["methods"]) == ["test_forward.Layer._scaled"]
    assert document["methods"]["test_forward.Layer._scaled"]["operations"][0]["reads"] == ["x", "scale"]


def test_calls_are_told_in_order_with_their_sizes_and_equal_layers_once(document):
    told = [(entry["path"], entry.get("copies", 1)) for entry in document["calls"]]
    inside = ["norm", "mlp", "mlp.gate", "mlp.act", "mlp.up", "mlp.down"]
    assert told == [("", 1), ("embed", 1), ("layers.0", 3)] + [("layers.0." + name, 1) for name in inside] + [("norm", 1)]
    layer = document["calls"][2]
    assert (layer["last"], layer["class"]) == ("layers.2", "test_forward.Layer")
    sizes = {"dims": [1, 2, 4], "dtype": "float32"}
    assert layer["inputs"] == [dict(sizes, name="hidden"), dict(sizes, name="scale")] and layer["outputs"] == [dict(sizes, name="")]
    assert document["calls"][4]["path"] == "layers.0.mlp" and document["calls"][4]["parent"] == layer["order"]
    assert document["observed_calls"] == 1 + 1 + 3 * 7 + 1


def test_observed_flow_is_what_ran(document):
    assert flow_of(document, "") == {
        ("input:ids", "embed"): "object", ("embed", "0"): "object", ("0", "0"): "object", ("0", "norm"): "object", ("norm", "output"): "object",
    }  # fmt: skip
    assert flow_of(document, "layers.0") == {
        ("input:hidden", "norm"): "object", ("norm", "mlp"): "object", ("mlp", "output"): "operators", ("input:hidden", "output"): "operators",
        ("input:scale", "output"): "operators",
    }  # fmt: skip
    assert flow_of(document, "layers.0.mlp") == {
        ("input:x", "gate"): "object", ("input:x", "up"): "object", ("gate", "act"): "object", ("act", "down"): "operators", ("up", "down"): "operators",
        ("down", "output"): "object",
    }  # fmt: skip
    (between,) = [edge for edge in document["flow"] if edge["from"] == edge["to"]]
    assert (between["from_copies"], between["to_copies"], between["count"]) == ([0, 1], [1, 2], 2)
    (down,) = [edge for edge in document["flow"] if edge.get("via") and edge["from"] == 6]
    assert (down["via"], down["dims"], down["dtype"], down["observed"]) == (["aten::mul"], [1, 2, 8], "float32", True)


def test_it_is_printed_as_call_order_with_arrows(document):
    assert forward_text(document).splitlines()[1:] == [
        "  the model  Net  float32[1,2,4]",
        "    embed  Embedding  float32[1,2,4]  ← ids",
        "    layers.0 … layers.2  Layer ×3  float32[1,2,4]  ← embed, layers.* before it",
        "      norm  LayerNorm  float32[1,2,4]  ← hidden",
        "      mlp  Mlp  float32[1,2,4]  ← norm",
        "        gate  Linear  float32[1,2,8]  ← x",
        "        act  SiLU  float32[1,2,8]  ← gate",
        "        up  Linear  float32[1,2,8]  ← x",
        "        down  Linear  float32[1,2,4]  ← act (mul), up (mul)",
        "        → down",
        "      → hidden (add), mlp (mul, add), scale (mul, add)",
        "    norm  LayerNorm  float32[1,2,4]  ← layers.2",
        "    → norm",
    ]


def test_source_text_stays_here_unless_it_is_asked_for(net, document):
    for told in ("never leaves", "comment", "a * ", "/"):
        assert told not in json.dumps(document)
    with_source = forward_of(net, lambda: None, with_source=True)
    assert 'secret = "a string that never leaves"  # and a comment' in with_source["classes"]["test_forward.Mlp"]["source"]
    assert with_source["limits"] == ["no forward was observed: what is said of data flow comes from the source alone"]


def test_sixty_four_layers_cost_what_four_do():
    def size(layers):
        model = Net(layers)
        return size_of(forward_of(model, lambda: model(torch.tensor([[1]]))))

    assert size(64) - size(4) < 60, "some numbers have more digits"


class Shared(nn.Module):
    """Everything that flow has to get right: views, writing in place, memory used again, state, a module called twice, a copy that differs."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third, self.reads = nn.Linear(4, 4), nn.Linear(2, 2), nn.Linear(4, 4), Reads()

    def forward(self, x):
        a = self.first(x)
        b = self.second(a.view(8)[2:4])
        self.reads.kept = a
        del a
        x = torch.empty_like(b)
        x.copy_(b)
        y = self.third(torch.ones(4))
        y[0] = 1
        return self.reads(torch.zeros(1)), self.third(y), x


class Reads(nn.Module):
    def forward(self, zero):
        return self.kept + zero


def test_views_writes_and_state_are_followed():
    model = Shared()
    document = forward_of(model, lambda: model(torch.ones(2, 4)))
    (first, second, third, reads, again) = [entry["order"] for entry in document["calls"][1:]]
    found = {(edge["from"], edge["to"]): (edge["evidence"], edge.get("via")) for edge in document["flow"] if edge["in"] == 0}
    assert found == {
        ("input:x", first): ("object", None),
        (first, second): ("storage", None),
        (first, reads): ("state", None),
        (third, again): ("operators", ["aten::fill_"]),
        (reads, "output"): ("object", None),
        (again, "output"): ("object", None),
        (second, "output"): ("operators", ["aten::copy_"]),
    }
    assert [entry["path"] for entry in document["calls"][1:]] == ["first", "second", "third", "reads", "third"]


class Churn(nn.Module):
    """Makes and frees tensors of one size, so that each has the address of the one before."""

    def __init__(self):
        super().__init__()
        self.makes, self.takes = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x):
        for _ in range(20):
            x = self.makes(x)
            x = None
            self.takes(torch.ones(1, 64))
            x = torch.ones(1, 64)
        return x


def test_memory_that_is_used_again_is_not_taken_for_what_was_there_before():
    model = Churn()
    with torch.no_grad():
        document = forward_of(model, lambda: model(torch.ones(1, 64)))
    assert not [edge for edge in document["flow"] if isinstance(edge["from"], int)]


def test_nothing_is_kept_alive_and_nothing_is_changed(net):
    import numpy

    plain = net(torch.tensor([[3, 4]]))
    memory = numpy.ones((2, 4), dtype="float32")
    freed = weakref.ref(memory)
    model, outputs = Shared(), []

    def run():
        outputs.append(weakref.ref(model(torch.from_numpy(memory))[0]))

    modules = nn.modules.module
    hooks = [len(modules._global_forward_hooks), len(modules._global_forward_pre_hooks)]
    with forward.Observer(model) as observer:
        run()
        model.reads.kept = None
        del memory
        gc.collect()
        assert freed() is None and outputs[0]() is None, "while it is observed"
    assert observer.observed[0].calls
    assert hooks == [len(modules._global_forward_hooks), len(modules._global_forward_pre_hooks)]
    same = []
    forward_of(net, lambda: same.append(net(torch.tensor([[3, 4]]))))
    assert torch.equal(same[0], plain)


class Fails(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Linear(2, 2)

    def forward(self, x):
        self.part(x)
        raise KeyError("of the model")


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt])
def test_an_exception_passes_and_leaves_nothing_behind(kind):
    from torch.utils._python_dispatch import _get_current_dispatch_mode

    model = Fails()
    if kind is KeyboardInterrupt:
        model.part.register_forward_hook(lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    modules = nn.modules.module
    with pytest.raises(kind):
        forward_of(model, lambda: model(torch.ones(1, 2)))
    assert not modules._global_forward_hooks and not modules._global_forward_pre_hooks and _get_current_dispatch_mode() is None


def test_a_model_that_failed_and_was_caught_is_told_as_far_as_it_came():
    model = Fails()

    def run():
        with pytest.raises(KeyError):
            model(torch.ones(1, 2))

    document = forward_of(model, run)
    assert [(entry["path"], entry.get("raised", False)) for entry in document["calls"]] == [("", True), ("part", False)]
    assert document["limits"] == ["the call of the model raised: what follows did not happen"]


def test_calls_of_other_threads_are_not_mixed_up(net):
    other = Net(1)

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, ids):
            thread = threading.Thread(target=other, args=(ids,))
            thread.start()
            thread.join()
            return self.net(ids)

    model = Both()
    document = forward_of(model, lambda: model(torch.tensor([[1]])))
    assert document["observed_calls"] == 25 and not [entry for entry in document["calls"] if "outside" in entry["path"]]


def test_backward_and_training_are_as_before(net):
    model = Net(2)
    forward_of(model, lambda: model(torch.tensor([[1, 2]])).sum().backward())
    assert all(parameter.grad is not None for name, parameter in model.named_parameters() if not name.startswith("never"))


def test_what_is_too_large_is_cut_by_depth_and_said(net, monkeypatch):
    whole = forward_of(net, lambda: net(torch.tensor([[1]])))
    monkeypatch.setattr(forward, "FORWARD_BYTES_MAX", size_of(whole) - 500)
    cut = forward_of(net, lambda: net(torch.tensor([[1]])))
    assert [entry["path"] for entry in cut["calls"]] == ["", "embed", "layers.0", "layers.0.norm", "layers.0.mlp", "norm"]
    assert cut["calls"][4]["calls_inside"] == 4 and size_of(cut) <= forward.FORWARD_BYTES_MAX
    sizes = (size_of(whole), size_of(whole) - 500)
    assert cut["limits"] == ["calls more than 2 deep are left out: with the next level the document would have %d bytes, at most %d are taken" % sizes]


def test_compiled_parts_say_so():
    model = Net(1)
    model.layers[0].do_not_compile = False  # as vLLM marks what it has compiled
    document = forward_of(model, lambda: model(torch.tensor([[1]])))
    assert document["limits"] == ["torch.compile has made one piece of some modules: the calls and operators inside are not seen"]
    assert ("embed", "0") in flow_of(document, ""), "tensors that are handed on as they are, are followed all the same"


# The commands


def walk(*arguments):
    command = [sys.executable, "-m", "lamella.walk", *map(str, arguments)]
    done = subprocess.run(command, cwd=str(PACKAGE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=180)
    assert done.returncode == 0, done.stderr
    return done


SCRIPT = """
    import torch
    from torch import nn

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(3, 3)

        def forward(self, x):
            return self.part(self.part(x))

    model = Twice()
    with torch.no_grad():
        model(torch.ones(2, 3))
        model(torch.ones(5, 3))
"""


ARROWS = ["  the model  Twice  float32[2,3]", "    part  Linear  float32[2,3]  ← x", "    part  Linear  float32[2,3]  ← part", "    → part"]


def test_the_first_forward_of_a_script_is_observed(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SCRIPT))
    with forward.Forwards(True) as observed:
        namespace = run_script(str(script), [])
    (document,), notes = observed.documents([namespace["model"]], "the script's")
    assert forward_text(document).splitlines() == ["the script's  forward  3 calls observed · torch %s" % torch.__version__] + ARROWS and notes == []


def test_a_script_is_observed_while_it_is_watched(tmp_path):
    script, file = tmp_path / "train.py", tmp_path / "forward.json"
    script.write_text(textwrap.dedent(SCRIPT))
    done = walk("--script", script, "--no-send", "--live", "--with-forward", "-o", file)
    assert done.stdout.splitlines()[-4:] == ARROWS
    document = json.loads(file.read_text())
    assert (document["format"], document["observed_calls"]) == (1, 3) and document["classes"]["__main__.Twice"]["line"] == 10


def test_a_configuration_runs_on_the_meta_device(tmp_path, capsys):
    pytest.importorskip("transformers", reason="transformers is not installed")
    from test_walk import TINY

    config, file = tmp_path / "config.json", tmp_path / "forward.json"
    config.write_text(json.dumps(TINY))
    assert main(["--config", str(config), "--name", "org/tiny", "--no-send", "--with-forward", "--json", "-o", str(file)]) == 0
    (document,) = json.loads(capsys.readouterr().out)["forwards"]
    assert document == json.loads(file.read_text()) and document["model_name"] == "org/tiny"
    assert document["limits"] == ["run on the meta device with 8 tokens: nothing was computed"]
    assert [entry.get("copies") for entry in document["calls"] if entry["path"] == "model.layers.0"] == [3]
    layer = flow_of(document, "model.layers.0")
    assert layer[("input_layernorm", "self_attn")] == "object" and layer[("self_attn", "post_attention_layernorm")] == "operators"
    attention = flow_of(document, "model.layers.0.self_attn")
    assert {("q_norm", "o_proj"), ("k_norm", "o_proj"), ("v_proj", "o_proj"), ("o_proj", "output")} <= set(attention)


@pytest.mark.parametrize("arguments", [["--config", "c", "-o", "f"], ["--config", "c", "--with-source"]])
def test_what_goes_with_the_forward_alone_is_refused_without_it(arguments):
    with pytest.raises(SystemExit):
        main(arguments)


def test_a_recording_carries_it(net, tmp_path):
    import gzip

    from lamella.record import record

    path = tmp_path / "net.trace.json.gz"
    metadata = record(net, lambda step, output: {"ids": torch.tensor([[1, 2]])}, str(path), steps=1, name="a net", with_forward=True)
    trace = json.loads(gzip.decompress(path.read_bytes()))
    assert trace["lamella_forward"] == metadata["lamella_forward"] and trace["lamella_forward"]["model_key"] == trace["lamella_model_key"]
    assert not [event for event in trace["traceEvents"] if "forward_calls" in str(event.get("name"))], "nothing of it is in the measurement"
