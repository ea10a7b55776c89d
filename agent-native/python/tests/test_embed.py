"""The reader as a string: as the injected library runs it, in interpreters that have nothing of ours."""
import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from repository import shape_fixtures, shape_of
from test_old_pythons import VERSIONS, interpreter

from lamella import embed
from lamella.canonical import shape_id, shape_text


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    file = tmp_path_factory.mktemp("embedded") / "source.txt"
    file.write_text(embed.source(), encoding="utf-8")
    return file


def run(python, program, *arguments):
    """Without site-packages, without the folder of the program, without the environment: what is imported is the standard library or came by the string."""
    command = [python, "-I", "-S", "-W", "error", "-c", program, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


LOAD = """
import io, json, sys
with io.open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
paths, before, opened = list(sys.path), set(sys.modules), []
sys.addaudithook(lambda event, told: opened.append(told[0]) if event == "open" and type(told[0]) is str else None)
namespace = {}
exec(text, namespace)
lamella = namespace["lamella"]
foreign_files = [path for path in opened if not path.startswith(sys.base_prefix)]
"""

WITHOUT_TORCH = LOAD + """
from types import SimpleNamespace
again = {}
exec(text, again)
said = []
for call in (lamella.roots.roots, lambda: lamella.reader.snapshot(SimpleNamespace()), lambda: lamella.fingerprint.fingerprint(SimpleNamespace())):
    try:
        call()
    except lamella.torch_slots.NoTorch as error:
        said.append(str(error))
watcher = lamella.watch.Watcher(lamella.watch.Settings(True, 0.1, 0.1), print)
watcher.start()
watcher.step()
shape = lamella.canonical.Shape(**{k: tuple(map(tuple, v)) if k == "aliases" else v for k, v in json.loads(sys.argv[2]).items()})
rows = tuple(lamella.canonical.Module(name, tuple(lamella.canonical.Tensor(*t[:3], tuple(t[3]), *t[4:]) for t in tensors), tuple(map(tuple, children)))
             for name, tensors, children in shape.modules)
print(json.dumps({
    "said": said, "problems": watcher.problems, "untouched": sys.path == paths and foreign_files == [], "again": again["lamella"] is lamella,
    "foreign": sorted(name for name in set(sys.modules) - before if name.split(".")[0] in ("torch", "numpy", "lamella")),
    "shape_id": lamella.canonical.shape_id(shape._replace(modules=rows)), "name": lamella.__name__, "of": lamella.watch.Watcher.__module__,
}))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_runs_it_and_without_torch_it_says_so(version, embedded):
    python = interpreter(version)
    if not python:
        pytest.skip("no Python %s on this machine" % version)
    shape = shape_of(shape_fixtures()[0].values[0])
    seen = run(python, WITHOUT_TORCH, embedded, json.dumps(shape._asdict()))
    assert seen["said"] == ["this process has not imported torch: there is no model to read"] * 3
    assert seen["foreign"] == [] and seen["problems"] == {} and seen["untouched"] and seen["again"]
    assert seen["shape_id"] == shape_id(shape)
    assert seen["name"].startswith("_lamella_") and seen["of"] == seen["name"] + ".watch"


READ = LOAD + """
sys.path.append(sys.argv[2])
import warnings
warnings.simplefilter("ignore")
import torch
from torch import nn
model = nn.Sequential(nn.Embedding(100, 8), nn.ModuleList([nn.Linear(8, 8) for _ in range(4)]), nn.BatchNorm1d(8), nn.Linear(8, 100, bias=False))
model[3].weight = model[0].weight
before = set(sys.modules)
(found,) = lamella.roots.roots()
taken = lamella.reader.snapshot(found)
delivered = []
clock = [0.0]
watcher = lamella.watch.Watcher(lamella.watch.Settings(True), lambda model, taken: delivered.append(lamella.canonical.shape_id(taken.shape)), lambda: clock[0])
for clock[0] in (0.0, 2.0):
    watcher.step()
print(json.dumps({
    "same": found is model, "text": lamella.canonical.shape_text(taken.shape), "layout": lamella.layout.layout_text(taken.layout), "delivered": delivered,
    "name": lamella.identity.identify(model).name, "imported": sorted(set(sys.modules) - before), "installed": "lamella" in sys.modules,
}))
"""


def test_it_reads_a_model_as_the_package_does(embedded):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
    from torch import nn

    from lamella.layout import layout_text
    from lamella.reader import snapshot

    model = nn.Sequential(nn.Embedding(100, 8), nn.ModuleList([nn.Linear(8, 8) for _ in range(4)]), nn.BatchNorm1d(8), nn.Linear(8, 100, bias=False))
    model[3].weight = model[0].weight
    taken = snapshot(model)
    seen = run(sys.executable, READ, embedded, Path(torch.__file__).parents[1])
    assert seen == {
        "same": True, "text": shape_text(taken.shape), "layout": layout_text(taken.layout), "delivered": [shape_id(taken.shape)],
        "name": "Sequential", "imported": [], "installed": False,
    }  # fmt: skip


BESIDE = LOAD + """
sys.path.insert(0, sys.argv[2])
from lamella.torch_slots import NoTorch
other = {}
exec(text.replace("_lamella_", "_lamella_other_"), other)
print(json.dumps({
    "apart": len({NoTorch, lamella.torch_slots.NoTorch, other["lamella"].torch_slots.NoTorch}),
    "files": [getattr(sys.modules["lamella"], "__file__", None) is not None, getattr(lamella, "__file__", None)],
}))
"""


def test_it_stands_beside_an_installed_package_and_another_string(embedded):
    seen = run(sys.executable, BESIDE, embedded, Path(embed.__file__).parents[1])
    assert seen == {"apart": 3, "files": [True, None]}


def test_what_breaks_while_it_is_loaded_leaves_nothing():
    broken = embed.source().replace("class NoTorch(", "1 / 0\\nclass NoTorch(")
    before = set(sys.modules)
    with pytest.raises(ZeroDivisionError):
        exec(broken, {})
    assert set(sys.modules) == before


def imports(text):
    """(module, level) of all imports, in functions too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((name.name.split(".")[0], 0) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0], node.level


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names came with Python 3.10")
def test_nothing_but_the_standard_library_is_imported():
    texts = embed.module_texts()
    assert {name for text in texts.values() for name, level in imports(text) if level == 0} <= set(sys.stdlib_module_names)
    assert {name for text in texts.values() for name, level in imports(text) if level == 1} <= set(texts)
