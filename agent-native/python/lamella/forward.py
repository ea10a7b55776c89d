"""The forward document: what calls what in a model, and where each gets its tensors from, by what was observed and by what the source says may be.

    document = forward_of(model, lambda: model(inputs))

One JSON object of at most FORWARD_BYTES_MAX bytes, described in docs/recording.md. Source text is in it only when it is asked for.
"""
import json
import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

from .forward_calls import Observer
from .forward_fold import Folded
from .forward_source import Analysis
from .identity import Identity, identify
from .module_map import module_paths
from .torch_slots import loaded_torch

FORMAT = 1
FORWARD_BYTES_MAX = 512 * 1024  # half of what one execution may carry (limits.executionDigestBytesMax of schema/limits.ts); real ones have 20 to 60 kB

BUILT_TOKENS = 8  # of the forward on the meta device


class Described(NamedTuple):
    """What is known of a model besides the calls of one forward."""

    identity: Identity
    classes: Dict[str, Dict[str, Any]]
    methods: Dict[str, Dict[str, Any]]
    limits: Tuple[str, ...]


def describe(model: Any, name: str = "", with_source: bool = False) -> Described:
    analysis = Analysis(with_source)
    analysis.of_model(module for _, module in module_paths(model))
    return Described(identify(model, name), analysis.classes, analysis.methods, tuple(analysis.limits))


def size_of(document: Dict[str, Any]) -> int:
    """Bytes as the document is written."""
    return len(written(document))


def written(document: Dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


def document_of(described: Described, observation: Any = None, limits: Tuple[str, ...] = ()) -> Dict[str, Any]:
    """The document of a model, with the calls of `observation` where there is one."""
    told = list(described.limits + limits)
    document: Dict[str, Any] = {
        "format": FORMAT,
        "model_key": described.identity.model_key,
        "model_name": described.identity.name,
        "torch": str(loaded_torch().__version__),
        "observed_calls": 0,
        "classes": dict(described.classes),
        "methods": dict(described.methods),
        "calls": [],
        "flow": [],
        "limits": told,
    }
    if observation is None or not observation.calls:
        told.append("no forward was observed: what is said of data flow comes from the source alone")
        return _bounded_source(document)
    told.extend(list(observation.limits) + observation.bypassed())
    document["observed_calls"] = len(observation.calls)
    _bounded_source(document)
    folded = Folded(observation)
    depth, said = 1_000_000, len(told)
    while True:
        document["calls"], document["flow"] = folded.document(depth)
        size = size_of(document)
        if size <= FORWARD_BYTES_MAX:
            return document
        if depth == 0:
            document["calls"], document["flow"] = [], []
            del told[said:]
            told.append("the calls are left out: with them the document would have %d bytes, at most %d are taken" % (size, FORWARD_BYTES_MAX))
            return document
        depth = min(depth, folded.depth) - 1
        del told[said:]
        told.append("calls more than %d deep are left out: with the next level the document would have %d bytes, at most %d are taken" % (depth, size, FORWARD_BYTES_MAX))


def _bounded_source(document: Dict[str, Any]) -> Dict[str, Any]:
    """The analysis of the longest functions goes first where all of it is more than three quarters of the document."""
    functions = [(len(written(one)), table, key) for table in ("classes", "methods") for key, one in document[table].items()]
    size = sum(length for length, _, _ in functions)
    for length, table, key in sorted(functions, key=lambda one: (-one[0], one[1], one[2])):
        if size <= FORWARD_BYTES_MAX * 3 // 4:
            break
        said = "left out: its analysis has %d bytes, and that of all classes and methods more than the %d that are taken" % (length, FORWARD_BYTES_MAX * 3 // 4)
        document[table][key] = {"operations": [], "edges": [], "dependencies": [], "limits": [said]}
        size -= length - len(written(document[table][key]))
    return document


def forward_of(model: Any, run: Callable[[], Any], name: str = "", with_source: bool = False) -> Dict[str, Any]:
    """The document of `model`, observed during the first forward that `run()` makes of it. Raises what `run` raises."""
    described = describe(model, name, with_source)
    with Observer(model) as observer:
        run()
    return document_of(described, observer.observed[0] if observer.observed else None)


def forward_of_built(model: Any, name: str = "", with_source: bool = False) -> Dict[str, Any]:
    """The document of a model on the meta device (build.py), which runs on tokens that are not there: sizes without a byte of weights. Where its code asks for values,
    what the source says is all there is."""
    torch = loaded_torch()
    described = describe(model, name, with_source)
    if getattr(model, "main_input_name", "") != "input_ids":
        return document_of(described, None, ("%s takes more than tokens: it was not run" % type(model).__name__,))
    with Observer(model) as observer:
        try:
            with torch.no_grad():
                model(input_ids=torch.zeros((1, BUILT_TOKENS), dtype=torch.long, device="meta"))
            limits: Tuple[str, ...] = ("run on the meta device with %d tokens: nothing was computed" % BUILT_TOKENS,)
        except Exception as error:  # whatever a model's code raises where a value is missing
            limits = ("the forward on the meta device ended early: %s: %s" % (type(error).__name__, str(error).split("\n")[0][:200]),)
    return document_of(described, observer.observed[0] if observer.observed else None, limits)


class Forwards:
    """Observes whatever models are called inside the `with` block, on any thread, each in its first forward; the documents are to be had afterwards."""

    def __init__(self, enabled: bool, with_source: bool = False) -> None:
        self._enabled, self._with_source = enabled, with_source
        self._observer: Any = None

    def __enter__(self) -> "Forwards":
        if self._enabled:
            import torch  # noqa: F401 - the script would import it first, and then no hook could be there before its first model

            self._observer = Observer(None, lambda model: describe(model, "", self._with_source)).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._observer is not None:
            self._observer.__exit__(*error)

    def documents(self, models: Iterable[Any], name: str = "") -> Tuple[List[Dict[str, Any]], List[str]]:
        """(one document per model, notes on what was called besides). A model whose forward was not called has what its source says; `name` is that of the first."""
        if self._observer is None:
            return [], []
        found: Dict[int, Dict[str, Any]] = {}
        for model in models:
            observation = next((one for one in self._observer.observed if one.model() is model), None)
            found[id(model)] = document_of(describe(model, "" if found else name, self._with_source), observation)
        called = [one.model() for one in self._observer.observed]
        others = [type(model).__name__ for model in called if model is not None and id(model) not in found]
        notes = ["%s was called by itself, outside a forward of the model it may be part of: that call is not told" % one for one in others]
        return list(found.values()), notes

    def finished(self) -> List[Dict[str, Any]]:
        """Of every model whose first forward has ended, whether it is still alive or not."""
        return [document_of(one.described, one) for one in (self._observer.observed if self._observer else ()) if one.described is not None]


def write_forward(document: Dict[str, Any], path: str) -> int:
    """Writes the document as one line of JSON and returns its bytes; a file of that name is replaced whole or not at all."""
    body = written(document) + b"\n"
    with open(path + ".part", "wb") as file:
        file.write(body)
    os.replace(path + ".part", path)
    return len(body)
