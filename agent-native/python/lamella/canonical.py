"""The structure of a model as a hash-consed DAG of modules, its canonical text and its hashes.

docs/shape-format.md specifies every byte; schema/fixtures/shapes/ holds this file and core/shape/canonical.ts to it.
Invariant: a module's children have smaller row numbers than the module itself, so there is no cycle and no recursion here.
"""
import hashlib
import json
from typing import List, NamedTuple, Tuple

PARAMETER, BUFFER, QUANT_STATE = "p", "b", "q"

_ESCAPES = {"%": "%25", "\t": "%09", "\n": "%0A", "\r": "%0D", "\0": "%00"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)


class Tensor(NamedTuple):
    """One tensor as one module holds it. `dims` are logical sizes; the last two are 0 unless several logical elements share one stored word."""

    name: str
    role: str
    dtype: str
    dims: Tuple[int, ...]
    packed_bits: int = 0
    logical_numel: int = 0


class Module(NamedTuple):
    """One distinct structure: class, own tensors in order, (child name, row of the child) in order."""

    class_name: str
    tensors: Tuple[Tensor, ...]
    children: Tuple[Tuple[str, int], ...]


class Shape(NamedTuple):
    """A whole model. `aliases` are (path, target path); both are dotted from the root."""

    modules: Tuple[Module, ...]
    root: int
    aliases: Tuple[Tuple[str, str], ...]


def escape(field: str) -> str:
    return field.translate(_ESCAPE_TABLE)


def sha256_hex(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def module_text(module: Module, hashes: List[str]) -> str:
    """The text of one module; `hashes` are those of all rows before it."""
    lines = ["m\t" + escape(module.class_name)]
    for t in module.tensors:
        dims = ",".join(map(str, t.dims))
        lines.append("\t".join(("t", escape(t.name), t.role, escape(t.dtype), dims, str(t.packed_bits), str(t.logical_numel))))
    for name, row in module.children:
        lines.append("\t".join(("c", escape(name), hashes[row])))
    return "\n".join(lines) + "\n"


def module_hashes(shape: Shape) -> List[str]:
    """One lower-case hex SHA-256 per row."""
    hashes: List[str] = []
    for module in shape.modules:
        hashes.append(sha256_hex(module_text(module, hashes)))
    return hashes


def shape_text(shape: Shape) -> str:
    lines = ["lamella-shape\t1", "root\t" + module_hashes(shape)[shape.root]]
    for path, target in sorted(shape.aliases, key=lambda alias: alias[0].encode("utf-8")):
        lines.append("\t".join(("a", escape(path), escape(target))))
    return "\n".join(lines) + "\n"


def shape_id(shape: Shape) -> str:
    return sha256_hex(shape_text(shape))


def config_digest(config: dict) -> str:
    """SHA-256 of a configuration as canonical JSON; "" for an empty one. `config` holds only what json can write (see identity.plain_config)."""
    if not config:
        return ""
    return sha256_hex(json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False))


def model_key(root_class: str, architecture: str, digest: str, quantisation: str, name: str, pp_size: int = 1) -> str:
    """32 hex digits from what one process knows; `name` is the served name, else name_or_path, else ""."""
    fields = ["lamella-model\t1", escape(root_class), escape(architecture), digest, escape(quantisation), escape(name), str(pp_size)]
    return sha256_hex("\n".join(fields) + "\n")[:32]
