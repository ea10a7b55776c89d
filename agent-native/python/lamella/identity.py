"""What one process knows about a model before anything is merged: class, architecture, name, quantisation, model_key.

Invariant: the configuration is read from attribute dictionaries; no property and no to_dict() of it runs.
"""
import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .canonical import config_digest, model_key
from .launch import run_id
from .parallel import Served
from .raw_object import attributes, class_name, clean, items, mro, qualified_name

_NESTING_MAX = 16
_VALUES_MAX = 100_000  # the largest configuration of the public ones has some 3,000
_INTEGER_MAX = 2**63  # Python refuses to write integers of more than 4,300 digits
_WRAPPERS_MAX = 8
_WRAPPED = ("module", "_fsdp_wrapped_module", "_orig_mod", "base_model", "model")
_DROP = object()


class Identity(NamedTuple):
    model_key: str
    name: str  # served name, else name_or_path, else architecture, else root class: what people see
    served_name: str  # "" when no serving framework names it
    name_or_path: str  # "" when unknown
    architecture: str  # "" when unknown
    root_class: str
    quantisation: str  # e.g. "gptq"; "" when none
    config_bits: int  # width the quantisation config names, e.g. 4; 0 when none
    run_id: str = ""  # of the launch this process belongs to, where a model is split over stages and its launch can be told


def _entries(value: Any) -> Optional[List[Tuple[Any, Any]]]:
    """What a configuration holds: the entries of a dict, the attributes of a configuration object; None for anything else."""
    if any(qualified_name(cls).lower() == "pretrainedconfig" for cls in mro(type(value))):
        return items(attributes(value))
    return items(value)


def _dtype_type() -> Any:
    torch = sys.modules.get("torch")
    return torch.dtype if torch is not None else None


class _Plain:
    """What json can write of a configuration. One that leads back to itself in many ways has exponentially many paths: what is beyond the bound is left out."""

    def __init__(self) -> None:
        self.left = _VALUES_MAX

    def of(self, value: Any, depth: int = 0) -> Any:
        self.left -= 1
        kind = type(value)
        if value is None or kind in (bool, str):
            return clean(value) if kind is str else value
        if kind is int:
            return value if -_INTEGER_MAX <= value <= _INTEGER_MAX else _DROP
        if kind is float:
            return value if value == value and abs(value) != float("inf") else _DROP
        if depth > _NESTING_MAX or self.left < 0:
            return _DROP
        if kind in (list, tuple):
            taken = (self.of(item, depth + 1) for item in value)
            return [item for item in taken if item is not _DROP]
        if qualified_name(kind) == "dtype" and kind is _dtype_type():
            return str(value).replace("torch.", "", 1)
        entries = _entries(value)
        if entries is None:
            return _DROP
        named = ((key if type(key) is str else json.dumps(key), item) for key, item in entries if type(key) in (str, bool) or (type(key) is int and abs(key) <= _INTEGER_MAX))
        plain = ((clean(key), self.of(item, depth + 1)) for key, item in named if not key.startswith("_"))
        return {key: item for key, item in plain if item is not _DROP}


def plain_config(config: Any) -> Dict[str, Any]:
    """A Hugging Face configuration (object or dict) as what json can write, without private keys; {} when there is none."""
    plain = _Plain().of(config)
    return plain if type(plain) is dict else {}


def _text(value: Any) -> str:
    return clean(value) if type(value) is str else ""


def _configuration(model: Any) -> Any:
    """The configuration of a model, also through what wraps it: DDP, FSDP, torch.compile, LoRA."""
    for _ in range(_WRAPPERS_MAX):
        known = attributes(model) or {}
        if known.get("config") is not None:
            return known["config"]
        inside = dict(items(known.get("_modules")) or ())
        model = next((inside[name] for name in _WRAPPED if inside.get(name) is not None), None)
        if model is None:
            break
    return None


def identify(model: Any, name: str = "", served: Served = Served(), pp_size: int = 1) -> Identity:
    """`name` is what the caller knows better than the configuration, e.g. "Qwen/Qwen3-32B"."""
    raw = _configuration(model)
    served_name = served.name
    config = plain_config(raw)
    root_class = class_name(model)
    architectures = config.get("architectures")
    architecture = _text(architectures[0]) if type(architectures) is list and architectures else ""
    private = dict(_entries(raw) or ()).get("_name_or_path")
    name_or_path = name or _text(private) or _text(config.get("name_or_path")) or served.path
    quantisation_config = config.get("quantization_config")
    if not isinstance(quantisation_config, dict):
        quantisation_config = {}
    quantisation = _text(quantisation_config.get("quant_method"))
    bits = quantisation_config.get("bits", quantisation_config.get("w_bit", 0))
    key = model_key(root_class, architecture, config_digest(config), quantisation, served_name or name_or_path, pp_size)
    shown = served_name or name_or_path or architecture or root_class or "unnamed"
    return Identity(key, shown, served_name, name_or_path, architecture, root_class, quantisation, bits if isinstance(bits, int) else 0, run_id(pp_size))
