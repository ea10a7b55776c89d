"""The parts of the package that need nothing but the standard library, run by test_old_pythons.py under every interpreter it finds:
`python pure_parts.py PACKAGE FIXTURES`."""
import json
import os
import sys

package, fixtures = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, package)

from lamella import build, identity, layout, lift, module_map, parallel, process, quantisation, reader, record, trace_file, upload, walk, wire  # noqa: F401
from lamella.canonical import Module, Shape, Tensor, module_hashes, shape_id
from lamella.totals import totals
from lamella.tree_text import tree_text

checked = 0
for file in sorted(os.listdir(fixtures)):
    if not file.endswith(".json"):
        continue
    with open(os.path.join(fixtures, file), encoding="utf-8") as opened:
        fixture = json.load(opened)
    rows = []
    for m in fixture["modules"]:
        tensors = tuple(Tensor(t["name"], t["role"], t["dtype"], tuple(t["dims"]), t["packedBits"], t["logicalNumel"]) for t in m["tensors"])
        rows.append(Module(m["className"], tensors, tuple((c["name"], c["module"]) for c in m["children"])))
    shape = Shape(tuple(rows), fixture["root"], tuple((a["path"], a["target"]) for a in fixture["aliases"]))
    assert module_hashes(shape) == fixture["moduleHashes"] and shape_id(shape) == fixture["shapeId"], file
    assert totals(shape)[:3] == (fixture["parameters"], fixture["weightBytes"], fixture["modules_in_tree"]), file
    assert tree_text(shape, "m").startswith("m  "), file
    assert wire.encode(wire.SHAPE_UPLOAD, wire.shape_upload(shape, layout.Layout(), "0" * 32, "", fixture["shapeId"])), file
    checked += 1

seen = process.sighting(identity.Identity("0" * 32, "n", "", "", "", "", "", 0), layout.Sizes(), "0" * 64)
assert wire.encode(wire.SIGHTINGS_UPLOAD, {"agent_version": "x", "source": 3, "sightings": [seen]})
assert upload.find_server("", {"LAMELLA_URL": "https://h/t/a", "LAMELLA_TOKEN": "k"}) == ("https://h", "a", "k")
assert trace_file.short_name("/x/lib/python3.8/json/decoder.py(3): f", "/y") == "json/decoder.py(3): f"
assert "torch" not in sys.modules
print("%d fixtures on %d.%d" % ((checked,) + sys.version_info[:2]))
