"""The protobuf we write, held to the proto files and decoded by the generated TypeScript."""
import base64
import re

import pytest
from repository import ROOT, shape_fixtures, shape_of, typescript

from lamella import wire
from lamella.identity import Identity
from lamella.layout import Layout, Sizes
from lamella.process import sighting
from lamella.tree_text import tree_text

MESSAGES = {
    "ShapeUpload": wire.SHAPE_UPLOAD,
    "TensorTable": wire.TENSOR_TABLE,
    "ModuleTable": wire.MODULE_TABLE,
    "Layout": wire.LAYOUT,
    "SightingsUpload": wire.SIGHTINGS_UPLOAD,
    "Sighting": wire.SIGHTING,
}
PACKED = {"uint32", "uint64", "TensorRole"}


def proto_fields(message):
    """{name: (number, repeated, type)} as the proto files say."""
    for file in ("shape", "sighting"):
        text = (ROOT / "schema" / "proto" / "lamella" / "v1" / (file + ".proto")).read_text(encoding="utf-8")
        body = re.search(r"^message %s \{(.*?)^\}" % message, text, re.S | re.M)
        if body:
            found = re.findall(r"^\s*(repeated )?(\w+) (\w+) = (\d+);", body.group(1), re.M)
            return {name: (int(number), bool(repeated), kind) for repeated, kind, name, number in found}
    raise AssertionError("no message " + message)


@pytest.mark.parametrize("message", MESSAGES)
def test_fields_are_those_of_the_proto(message):
    contract = proto_fields(message)
    for name, (number, kind) in MESSAGES[message].items():
        proto_number, repeated, proto_kind = contract[name]
        assert number == proto_number, name
        expected = ("packed" if proto_kind in PACKED else "texts" if proto_kind == "string" else list) if repeated else "text" if proto_kind == "string" else None
        assert kind == expected or isinstance(kind, expected or (str, dict)), name


@pytest.mark.parametrize("value, expected", [(0, b"\0"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02"), (2**64 - 1, b"\xff" * 9 + b"\x01")])
def test_varint(value, expected):
    assert wire.varint(value) == expected


@pytest.mark.parametrize("value", [-1, 2**64])
def test_varint_refuses_what_does_not_fit(value):
    with pytest.raises(ValueError, match="64-bit"):
        wire.varint(value)


def test_a_misspelt_field_is_an_error():
    with pytest.raises(KeyError, match="modelkey"):
        wire.encode(wire.SHAPE_UPLOAD, {"modelkey": "x"})


def as_numbers(value):
    """proto JSON writes 64-bit numbers as strings; here every text of digits in a number's place becomes one."""
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    return int(value) if isinstance(value, str) and value.isdigit() else value


def test_shapes_decode_to_what_was_encoded_and_read_the_same_in_typescript():
    fixtures = [p.values[0] for p in shape_fixtures() if p.id != "chain_of_300"]  # deeper than moduleDepthMax: TypeScript refuses it by name
    uploads = [wire.shape_upload(shape_of(f), Layout(), "0123456789abcdef" * 2, "Net", f["shapeId"], "ef" * 16) for f in fixtures]
    requests = [{"kind": "shapes", "name": "a model", "base64": base64.b64encode(wire.encode(wire.SHAPE_UPLOAD, u)).decode(), "json": u} for u in uploads]
    for fixture, upload, answer in zip(fixtures, uploads, typescript("decode-uploads.ts", requests)):
        decoded = answer["message"]
        for table in ("tensors", "modules"):
            assert {k: as_numbers(v) for k, v in decoded[table].items()} == upload[table], fixture["name"]
        for name in set(upload) - {"tensors", "modules"}:
            assert decoded[name] == upload[name], (fixture["name"], name)
        assert answer["fromJsonEqual"], "the dict is the message's proto JSON as well"
        assert answer.get("problem") is None
        assert answer["shapeId"] == fixture["shapeId"]
        assert answer["tree"] == tree_text(shape_of(fixture), "a model")
        assert (answer["totals"]["parameters"], answer["totals"]["weightBytes"]) == (fixture["parameters"], fixture["weightBytes"])


def test_a_sighting_decodes_to_what_was_encoded():
    seen = sighting(Identity("ab" * 16, "n", "prod", "org/näme", "Arch", "Root", "", 0, "ef" * 16), Sizes(tp_size=4, tp_rank=3, pp_size=2, pp_rank=1), "cd" * 32, "/somewhere/serve.py")
    message = {"agent_version": "lamella-python 0", "source": wire.SOURCE_WALK, "sightings": [seen]}
    encoded = base64.b64encode(wire.encode(wire.SIGHTINGS_UPLOAD, message)).decode()
    (answer,) = typescript("decode-uploads.ts", [{"kind": "sightings", "name": "", "base64": encoded}])
    decoded = answer["message"]
    assert (decoded["agent_version"], decoded["source"]) == ("lamella-python 0", 3)
    (got,) = decoded["sightings"]
    assert (seen["served_name"], seen["tp_rank"], seen["tp_size"], seen["pp_rank"], seen["pp_size"]) == ("prod", 3, 4, 1, 2)
    for name, value in seen.items():
        assert (int(got[name]) if isinstance(value, int) else got[name]) == value, name
    assert got["script_name"] == "serve.py"


