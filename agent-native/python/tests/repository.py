"""Where the rest of the repository is, for tests that hold this package to the contract and to the TypeScript implementation."""
import json
import os
import subprocess
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
FIXTURES = ROOT / "schema" / "fixtures" / "shapes"


def shape_fixtures():
    return [pytest.param(json.loads(path.read_text(encoding="utf-8")), id=path.stem) for path in sorted(FIXTURES.glob("*.json"))]


def shape_of(fixture):
    from lamella.canonical import Module, Shape, Tensor

    modules = []
    for module in fixture["modules"]:
        tensors = tuple(Tensor(t["name"], t["role"], t["dtype"], tuple(t["dims"]), t["packedBits"], t["logicalNumel"]) for t in module["tensors"])
        modules.append(Module(module["className"], tensors, tuple((c["name"], c["module"]) for c in module["children"])))
    return Shape(tuple(modules), fixture["root"], tuple((a["path"], a["target"]) for a in fixture["aliases"]))


def typescript(program, request):
    """Runs a TypeScript program of tests/ under the repository's Node, with `request` as JSON on its input; its JSON output."""
    node = ROOT / "node_modules" / ".bin" / "node"
    if not node.exists():
        pytest.skip("no Node in node_modules: run `npm test` at the root of the repository once")
    command = [str(node), "--disable-warning=ExperimentalWarning", str(PACKAGE / "tests" / program)]
    done = subprocess.run(command, input=json.dumps(request), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_data(*parts):
    folder = os.environ.get("LAMELLA_TEST_DATA")
    if not folder:
        pytest.skip("LAMELLA_TEST_DATA is not set: the folder of public files")
    return Path(folder).joinpath(*parts)


test_data.__test__ = False
