"""Builds the model of a Hugging Face configuration on the meta device: every module and size, not one byte of weights, no network."""
import difflib
import json
import os
from typing import Any, Dict, List, NamedTuple, Tuple

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
    ways = hint + "try a newer transformers, or --script with code that builds the model"
    raise BuildError('transformers %s does not know model_type "%s" (%s)' % (version, kind, ways))


def _dtype(config: Dict[str, Any], notes: List[str]) -> str:
    """torch's name of the dtype the weights have; configurations of several parts often name it in the text part alone."""
    parts = [config] + [config[key] for key in ("text_config", "llm_config", "language_config") if isinstance(config.get(key), dict)]
    for part in parts:
        named = part.get("dtype") or part.get("torch_dtype")
        if isinstance(named, str):
            return named.replace("torch.", "", 1)
    notes.append("the configuration names no dtype: built in float32, so bytes may be too many")
    return "float32"


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
        built_config = config_class.from_dict(config)
        architectures = config.get("architectures") or []
        model_class = _architecture_class(architectures, built_config)
        if model_class is None:
            raise BuildError('transformers %s has no model class for model_type "%s" (architectures %s)' % (version, kind, architectures))
        if architectures and model_class.__name__ not in architectures:
            notes.append("transformers %s has no %s: built as %s" % (version, architectures[0], model_class.__name__))
        with torch.device("meta"):
            model = model_class._from_config(built_config, dtype=getattr(torch, dtype))
    except BuildError:
        raise
    except Exception as error:  # whatever a model's code raises for a configuration it does not take
        raise BuildError('transformers %s cannot build model_type "%s" from this configuration: %s: %s' % (version, kind, type(error).__name__, error))
    if config.get("quantization_config"):
        method = config["quantization_config"].get("quant_method", "unknown method")
        notes.append("the configuration is quantised (%s); a model built from it alone holds its modules unquantised, in %s" % (method, str(model.dtype)[6:]))
    if name:
        model.config._name_or_path = name
    return Built(model, tuple(notes))
