"""Protobuf encoding of the two uploads this package sends; schema/proto/lamella/v1 is the contract.

A message is a plain dict with the proto's field names, so the same dict is also valid proto3 JSON. Repeated numbers are packed; empty fields are not
written.
"""
from typing import Any, Dict, List, Tuple

from .canonical import Shape
from .layout import Layout
from .version import AGENT_VERSION

# field name → (number, kind); kind is "text", "texts", "number", "packed" or the Fields of a message ([Fields] when repeated)
Fields = Dict[str, Tuple[int, Any]]

TENSOR_TABLE: Fields = {name: (i + 1, "packed") for i, name in enumerate(("name", "role", "dtype", "rank", "dim", "packed_bits", "logical_numel"))}
MODULE_TABLE: Fields = {name: (i + 1, "packed") for i, name in enumerate(("class_name", "tensor_count", "tensor", "child_count", "child", "child_name"))}
LAYOUT: Fields = {
    **{name: (i + 1, "number") for i, name in enumerate(("tp_size", "pp_size", "ep_size", "dp_size"))},
    "sharded_path": (5, "texts"),
    "sharded_dim": (6, "packed"),
    "padded_path": (7, "texts"),
    "padded_dim": (8, "packed"),
    "padded_size": (9, "packed"),
    "replicated_path": (10, "texts"),
    "replicas": (11, "packed"),
}
SHAPE_UPLOAD: Fields = {
    "agent_version": (1, "text"),
    "model_key": (2, "text"),
    "architecture": (3, "text"),
    "pp_rank": (4, "number"),
    "pp_size": (5, "number"),
    "part_hash": (6, "text"),
    "strings": (7, "texts"),
    "tensors": (8, TENSOR_TABLE),
    "modules": (9, MODULE_TABLE),
    "root": (10, "number"),
    "alias_path": (11, "packed"),
    "alias_target": (12, "packed"),
    "layout": (13, LAYOUT),
    "run_id": (14, "text"),
}
_SIGHTING_TEXTS = ("model_key", "served_name", "name_or_path", "architecture", "root_class")
_SIGHTING_NUMBERS = ("tp_rank", "tp_size", "pp_rank", "pp_size", "first_seen_s", "last_seen_s")
SIGHTING: Fields = {
    **{name: (i + 1, "text") for i, name in enumerate(_SIGHTING_TEXTS)},
    **{name: (i + 6, "number") for i, name in enumerate(_SIGHTING_NUMBERS)},
    "host_name": (12, "text"),
    "machine_id": (13, "text"),
    "process_key": (14, "number"),
    "exe_name": (15, "text"),
    "script_name": (16, "text"),
    "user_tags": (26, "texts"),
    "part_hash": (27, "text"),
    "run_id": (28, "text"),
}
SIGHTINGS_UPLOAD: Fields = {"agent_version": (1, "text"), "source": (2, "number"), "sightings": (3, [SIGHTING])}

ROLES = {"p": 1, "b": 2, "q": 3}
SOURCE_LIVE, SOURCE_IMPORT, SOURCE_WALK = 1, 2, 3


def varint(value: int) -> bytes:
    """Unsigned, at most 64 bits; a negative int64 never occurs in what we send."""
    if not 0 <= value < 1 << 64:
        raise ValueError("%d does not fit an unsigned 64-bit field" % value)
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _delimited(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


def encode(fields: Fields, message: Dict[str, Any]) -> bytes:
    """The bytes of `message`. A key that is not a field is an error, so a misspelt name cannot vanish."""
    unknown = set(message) - set(fields)
    if unknown:
        raise KeyError("no such field: %s" % ", ".join(sorted(unknown)))
    parts: List[bytes] = []
    for name, (number, kind) in fields.items():
        value = message.get(name)
        if not value:
            continue
        if kind == "text":
            parts.append(_delimited(number, value.encode("utf-8")))
        elif kind == "texts":
            parts.extend(_delimited(number, text.encode("utf-8")) for text in value)
        elif kind == "number":
            parts.append(varint(number << 3) + varint(value))
        elif kind == "packed":
            parts.append(_delimited(number, b"".join(map(varint, value))))
        elif isinstance(kind, list):
            parts.extend(_delimited(number, encode(kind[0], item)) for item in value)
        else:
            parts.append(_delimited(number, encode(kind, value)))
    return b"".join(parts)


class _Strings:
    def __init__(self) -> None:
        self.rows: Dict[str, int] = {"": 0}

    def row(self, text: str) -> int:
        return self.rows.setdefault(text, len(self.rows))


def _layout_message(layout: Layout) -> Dict[str, Any]:
    sizes = layout.sizes
    return {
        "tp_size": sizes.tp_size,
        "pp_size": sizes.pp_size,
        "ep_size": sizes.ep_size,
        "dp_size": sizes.dp_size,
        "sharded_path": [path for path, _ in layout.sharded],
        "sharded_dim": [dim for _, dim in layout.sharded],
        "padded_path": [path for path, _, _ in layout.padded],
        "padded_dim": [dim for _, dim, _ in layout.padded],
        "padded_size": [size for _, _, size in layout.padded],
        "replicated_path": [path for path, _ in layout.replicated],
        "replicas": [ranks for _, ranks in layout.replicated],
    }


def shape_upload(shape: Shape, layout: Layout, model_key: str, architecture: str, part_hash: str, run_id: str = "") -> Dict[str, Any]:
    """A ShapeUpload of a whole model, or of the stage that this process holds. Row 0 of each table is "not set", so row i of the shape is row i + 1 here.
    The aliases of buffers travel with those of weights; who reads the upload tells them apart by what they name."""
    strings = _Strings()
    tensors: Dict[str, List[int]] = {name: [] if name == "dim" else [0] for name in TENSOR_TABLE}
    modules: Dict[str, List[int]] = {name: [0] if name in ("class_name", "tensor_count", "child_count") else [] for name in MODULE_TABLE}
    tensor_rows: Dict[Any, int] = {}
    for module in shape.modules:
        for tensor in module.tensors:
            if tensor not in tensor_rows:
                tensor_rows[tensor] = len(tensor_rows) + 1
                columns = (strings.row(tensor.name), ROLES[tensor.role], strings.row(tensor.dtype), len(tensor.dims), tensor.packed_bits, tensor.logical_numel)
                for name, value in zip(("name", "role", "dtype", "rank", "packed_bits", "logical_numel"), columns):
                    tensors[name].append(value)
                tensors["dim"].extend(tensor.dims)
        modules["class_name"].append(strings.row(module.class_name))
        modules["tensor_count"].append(len(module.tensors))
        modules["tensor"].extend(tensor_rows[tensor] for tensor in module.tensors)
        modules["child_count"].append(len(module.children))
        modules["child"].extend(row + 1 for _, row in module.children)
        modules["child_name"].extend(strings.row(name) for name, _ in module.children)
    aliases = [(strings.row(path), strings.row(target)) for path, target in shape.aliases + layout.aliases]
    return {
        "agent_version": AGENT_VERSION,
        "model_key": model_key,
        "architecture": architecture,
        "pp_rank": layout.sizes.pp_rank,
        "pp_size": layout.sizes.pp_size,
        "part_hash": part_hash,
        "strings": list(strings.rows),
        "tensors": tensors,
        "modules": modules,
        "root": shape.root + 1,
        "alias_path": [path for path, _ in aliases],
        "alias_target": [target for _, target in aliases],
        "layout": _layout_message(layout),
        "run_id": run_id,
    }
