"""Builds the model of a Hugging Face configuration on the meta device: every module and size, not one byte of weights, no network."""
import difflib
import json
import os
from typing import Any, Dict, List, NamedTuple, Tuple

TEXT_PARTS = ("text_config", "llm_config", "language_config")
MTP_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
AUTO_CLASSES = ("AutoModelForCausalLM", "AutoModelForImageTextToText", "AutoModelForMultimodalLM", "AutoModelForSeq2SeqLM", "AutoModelForMaskedLM", "AutoModel")


class BuildError(Exception):
    """Says what the configuration lacks and how to fix it."""


class Built(NamedTuple):
    model: Any
    notes: Tuple[str, ...]  # what was decided on the reader's behalf, one sentence each


def read_config(path: str) -> Dict[str, Any]:
    """The configuration at `path`; NaN and Infinity, which JSON does not know but Python writes, are read as numbers."""
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except OSError as error:
        raise BuildError("%s cannot be read: %s" % (path, error.strerror))
    except ValueError as error:
        raise BuildError("%s is not JSON: %s" % (path, error))
    if not isinstance(config, dict):
        raise BuildError("%s holds a %s; a Hugging Face configuration is an object" % (path, type(config).__name__))
    if "model_type" not in config:
        hint = "this is a quantisation file; give the config.json that lies beside it" if "quantization" in config else "give the config.json of a model"
        raise BuildError('%s has no "model_type": %s' % (path, hint))
    return config


def _architecture_class(names: List[str], config: Any) -> Any:
    """The class the configuration itself names, when transformers has it."""
    import transformers

    for name in names:
        found = getattr(transformers, name, None)
        if isinstance(found, type) and issubclass(found, transformers.PreTrainedModel):
            return found
    for auto_name in AUTO_CLASSES:
        auto = getattr(transformers, auto_name, None)
        if auto is not None and type(config) in auto._model_mapping.keys():
            found = auto._model_mapping[type(config)]
            return found[0] if isinstance(found, tuple) else found
    return None


def _config_class(config: Dict[str, Any], notes: List[str]) -> Any:
    """By model_type; where transformers does not know it, by the architecture, which says the same with more letters."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    version, kind = transformers.__version__, str(config["model_type"])
    if kind in CONFIG_MAPPING.keys():
        return CONFIG_MAPPING[kind]
    named = next((n for n in config.get("architectures") or [] if getattr(getattr(transformers, n, None), "config_class", None)), None)
    if named is not None:
        found = getattr(transformers, named).config_class
        notes.append('transformers %s does not know model_type "%s": read as "%s", which %s takes' % (version, kind, found.model_type, named))
        return found
    near = difflib.get_close_matches(kind, list(CONFIG_MAPPING.keys()), n=3)
    hint = "nearest it knows: %s; " % ", ".join(near) if near else ""
    if isinstance(config.get("auto_map"), dict):  # foreign code: never run on behalf of a configuration
        hint += "its code is no part of transformers: auto_map names %s; " % ", ".join(sorted(map(str, config["auto_map"].values())))
    ways = hint + "try a newer transformers, or --script with code that builds the model"
    raise BuildError('transformers %s does not know model_type "%s" (%s)' % (version, kind, ways))


def _parts(config: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The configuration and the one of its text model, which often alone names the dtype, the quantisation and the layers."""
    return [config] + [config[key] for key in TEXT_PARTS if isinstance(config.get(key), dict)]


def _quantised(config: Dict[str, Any]) -> str:
    """The quantisation method, "" when there is none."""
    found = next((part["quantization_config"] for part in _parts(config) if isinstance(part.get("quantization_config"), dict)), None)
    return "" if found is None else str(found.get("quant_method") or "unknown method")


def _dtype(config: Dict[str, Any], notes: List[str]) -> str:
    """torch's name of the dtype the weights have."""
    for part in _parts(config):
        named = part.get("dtype") or part.get("torch_dtype")
        if isinstance(named, str):
            return named.replace("torch.", "", 1)
    if _quantised(config):  # gpt-oss, MiniMax-M2: such checkpoints keep what is not quantised in bfloat16
        notes.append("the configuration names no dtype and is quantised: built in bfloat16")
        return "bfloat16"
    notes.append("the configuration names no dtype: built in float32, so bytes may be too many")
    return "float32"


def _ignored(flat: Dict[str, Any], whole: Any) -> bool:
    """True when a size that stands at the top of a configuration is not the one its text model would be built with."""
    text = whole.get_text_config()
    own = getattr(type(whole), "__dataclass_fields__", {})
    for key, value in flat.items():
        if type(value) is not int or key in own:  # noqa: E721 - true is no size
            continue
        try:
            taken = getattr(text, key, value)
        except Exception:  # a size that transformers keeps by layer
            continue
        if taken != value:
            return True
    return False


def _whole_config(config: Dict[str, Any], config_class: Any, notes: List[str]) -> Any:
    """transformers' configuration object. A class of several parts silently takes its defaults for a part that is not there."""
    whole = config_class.from_dict(dict(config))
    if "text_config" in (config_class.sub_configs or {}) and not any(key in config for key in TEXT_PARTS) and _ignored(config, whole):
        notes.append("the configuration describes a text model alone, %s has several parts: its sizes are taken for the text part" % config_class.model_type)
        text = {key: value for key, value in config.items() if key not in ("model_type", "architectures", "auto_map", "quantization_config")}
        whole = config_class.from_dict(dict(config, text_config=text))
    return whole


def _notes_on(model: Any, config: Dict[str, Any]) -> List[str]:
    """What the model has, or lacks, that the configuration does not say."""
    notes = []
    for part in type(model.config).sub_configs or {}:
        if part not in TEXT_PARTS and part not in config and getattr(model.config, part, None) is not None:
            notes.append("the configuration has no %s: that part is built with transformers' defaults, and so counted" % part)
    named = [(part[key], key) for part in _parts(config) for key in MTP_KEYS if type(part.get(key)) is int and part[key] > 0]  # noqa: E721
    if named and not any("mtp" in name.lower() or "nextn" in name.lower() for name, _ in model.named_modules()):
        text = "the configuration names %d layer%s of multi-token prediction (%s), which %s does not hold: not counted"
        notes.append(text % (named[0][0], "s" if named[0][0] > 1 else "", named[0][1], type(model).__name__))
    method = _quantised(config)
    if method:
        text = "the configuration is quantised (%s); a model built from it alone holds its modules unquantised, in %s"
        notes.append(text % (method, str(model.dtype).replace("torch.", "", 1)))
    return notes


def build(config: Dict[str, Any], name: str = "") -> Built:
    """The model of `config` on the meta device, in the configuration's dtype."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    try:
        import torch
        import transformers
    except ImportError as error:
        raise BuildError("PyTorch and transformers are needed to build a model: %s. Install them, e.g. pip install torch transformers." % error)
    version, kind = transformers.__version__, config["model_type"]
    notes: List[str] = []
    config_class, dtype = _config_class(config, notes), _dtype(config, notes)
    try:
        built_config = _whole_config(config, config_class, notes)
        architectures = config.get("architectures") or []
        model_class = _architecture_class(architectures, built_config)
        if model_class is None:
            raise BuildError('transformers %s has no model class for model_type "%s" (architectures %s)' % (version, kind, architectures))
        if architectures and model_class.__name__ not in architectures:
            notes.append("transformers %s has no %s: built as %s" % (version, architectures[0], model_class.__name__))
        text_class = (config_class.sub_configs or {}).get("text_config")
        if text_class is not None and model_class.config_class is text_class:
            built_config = built_config.get_text_config()  # the text model of a configuration of several parts
        with torch.device("meta"):
            model = model_class._from_config(built_config, dtype=getattr(torch, dtype))
    except BuildError:
        raise
    except Exception as error:  # whatever a model's code raises for a configuration it does not take
        raise BuildError('transformers %s cannot build model_type "%s" from this configuration: %s: %s' % (version, kind, type(error).__name__, error))
    notes += _notes_on(model, config)
    if name:
        model.config._name_or_path = name
    return Built(model, tuple(notes))
