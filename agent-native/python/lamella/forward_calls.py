"""Watches one forward of a running model: which module calls which, with what sizes, and where each gets its tensors from (forward_flow.py).

Two hooks that torch calls for all modules, on only while it watches. Invariant: the forward does what it does without us: nothing is changed, kept or raised, and
when the `with` block ends, by whatever way, no hook is left. Time is not measured here, so nothing here is in a measurement.
"""
import sys
import threading
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .forward_flow import Flow, Frame, Seen, Storages, Tensors, operators_mode
from .forward_source import argument_names, class_key, has_forward
from .module_map import module_paths
from .raw_object import attributes, class_name
from .reader import children_of
from .torch_slots import loaded_torch

CALLS_MAX = 100_000  # of one forward; 61 layers of 256 experts with 4 modules each, all of them called, are 63,000
OBSERVED_MAX = 8  # models of one process, as roots.ROOTS_MAX


class Call(NamedTuple):
    order: int
    path: str
    class_key: str
    parent: int  # order of the call it is inside, -1 = none
    inputs: Tuple[Seen, ...]
    outputs: Tuple[Seen, ...]
    more: int  # tensors beyond those
    flow: Tuple[Flow, ...]  # between the calls inside
    raised: bool


class Observation:
    """One forward of a model: from the first call of its root to the next one, calls of its modules in between by whoever else included (vLLM calls the module that
    makes logits by itself)."""

    def __init__(self, model: Any, torch: Any) -> None:
        self.model = weakref.ref(model)
        self.paths: Dict[int, Tuple[Any, List[str]]] = {}
        self.callable: Dict[str, str] = {}  # path of a module with a forward → its class
        for path, module in module_paths(model):
            self.paths.setdefault(id(module), (weakref.ref(module), []))[1].append(path)
            if has_forward(module):
                self.callable[path] = class_name(module)
        self.calls: Dict[int, Call] = {}
        self.count = 0
        self.base = Frame(-1)
        self.limits: Dict[str, None] = {}
        self.storages = Storages(torch)
        self.tensors = Tensors(torch, self.storages)
        self.mode: Any = None
        self.described: Any = None
        self.finished = False

    def path_of(self, module: Any, parent: str = "") -> Optional[str]:
        """Of a module that stands at several places the one below `parent`; None for a module that is no part of the model."""
        known = self.paths.get(id(module))
        if known is None or known[0]() is not module:
            return None
        return next((path for path in known[1] if path.startswith(parent + ".")), known[1][0]) if parent else known[1][0]

    def bypassed(self) -> List[str]:
        """Modules whose own call was not seen though modules inside them were called by another one."""
        seen = {call.path for call in self.calls.values()}
        found: Dict[str, None] = {}
        for call in self.calls.values():
            parent = self.calls[call.parent].path if call.parent in self.calls else None
            path = call.path.rpartition(".")[0]
            while path and path != parent and path not in seen and parent is not None:
                if path in self.callable:
                    found[path] = None
                path = path.rpartition(".")[0]
        said = "%s (%s): its modules were called, its own call was not seen: it is made past nn.Module.__call__, or another module calls them"
        return [said % (path, self.callable[path]) for path in found]


class _Open:
    """A call that is under way; `frame` is None where it is not recorded."""

    __slots__ = ("module", "observation", "frame", "parent", "path", "exception", "root")

    def __init__(self, module: Any, observation: Optional[Observation] = None, frame: Optional[Frame] = None, parent: Optional[Frame] = None) -> None:
        self.module, self.observation, self.frame, self.parent = id(module), observation, frame, parent
        self.path, self.root = "", False
        self.exception = sys.exc_info()[1]


def _compiled(module: Any) -> bool:
    """torch.compile, or vLLM's own way to it."""
    known = attributes(module) or {}
    return known.get("_compiled_call_impl") is not None or class_name(module) == "OptimizedModule" or known.get("do_not_compile") is False


def _dummy_run() -> bool:
    """vLLM runs its model on nothing to measure memory and to warm up: without metadata of attention, which is then left out."""
    context = sys.modules.get("vllm.forward_context")
    return context is not None and context.is_forward_context_available() and not context.get_forward_context().attn_metadata


class Observer:
    """Observes the first forward of `model`, or of every model that is called while it is on (at most OBSERVED_MAX). `describe(model)` is called at the end of each,
    while the model is certainly alive; its answer is kept as `described`."""

    def __init__(self, model: Any = None, describe: Callable[[Any], Any] = lambda model: None) -> None:
        self._torch = loaded_torch()
        self._model, self._describe = model, describe
        self.observed: List[Observation] = []
        self._open: Dict[int, List[_Open]] = {}  # by thread
        self._hooks: List[Any] = []
        compiler = getattr(self._torch, "compiler", None)
        self._is_compiling = getattr(compiler, "is_compiling", lambda: False)

    def __enter__(self) -> "Observer":
        modules = self._torch.nn.modules.module
        self._hooks = [modules.register_module_forward_pre_hook(self._begin)]
        try:
            self._hooks.append(modules.register_module_forward_hook(self._end, with_kwargs=True, always_call=True))
        except BaseException as error:
            self._remove()
            if isinstance(error, TypeError):
                raise RuntimeError("a forward can be observed from PyTorch 2.2 on; this is %s" % self._torch.__version__)
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        self._remove()
        for observation in self.observed:
            self._leave(observation)  # still on after a KeyboardInterrupt only
        self._open.clear()

    def _remove(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    # Hooks: whatever goes wrong in them is said in the limits and harms no forward.

    def _begin(self, module: Any, args: Any) -> None:
        if self._is_compiling():  # torch.compile reads the hook as part of the model: as one that does nothing
            return
        try:
            stack = self._open.setdefault(threading.get_ident(), [])
            stack.append(self._opened(module, stack))
        except Exception as error:
            self._failed(error)

    def _end(self, module: Any, args: Any, *rest: Any) -> None:
        """`rest` is (kwargs, result); torch leaves the first out after an exception."""
        if self._is_compiling():
            return
        kwargs, result = rest if len(rest) == 2 else ({}, rest[-1])
        try:
            stack = self._open.get(threading.get_ident(), [])
            while stack:
                one = stack.pop()
                if one.module == id(module):
                    self._close(one, module, args, kwargs, result)
                    break
        except Exception as error:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        if self.observed:
            self.observed[-1].limits["something was not recorded: %s" % type(error).__name__] = None

    def _opened(self, module: Any, stack: List[_Open]) -> _Open:
        if stack:
            above = stack[-1]
            if above.frame is None or above.observation is None:
                return _Open(module)
            return self._inside(module, above.observation, above.frame, above.path)
        if self._torch._C._current_graph_task_id() != -1 or _dummy_run():  # a forward that backward runs again; a warm-up
            return _Open(module)
        for observation in self.observed:
            if observation.path_of(module) == "":
                observation.finished = True
            elif observation.path_of(module) is not None and not observation.finished:
                return self._inside(module, observation, observation.base)
        if self._wanted(module):
            observation = Observation(module, self._torch)
            self.observed.append(observation)
            self._enter(module, observation)
            one = self._inside(module, observation, observation.base)
            one.root = True
            return one
        return _Open(module)

    def _wanted(self, module: Any) -> bool:
        if self._model is not None:
            return module is self._model and not self.observed
        if len(self.observed) >= OBSERVED_MAX or not children_of(module) or any(one.path_of(module) is not None for one in self.observed):
            return False
        return any((attributes(one) or {}).get("_parameters") for _, one in module_paths(module))  # a sampler or a loss is no model

    def _inside(self, module: Any, observation: Observation, parent: Frame, parent_path: str = "") -> _Open:
        if observation.count >= CALLS_MAX:
            observation.limits["more than %d calls: the others are left out" % CALLS_MAX] = None
            return _Open(module)
        frame = Frame(observation.count)
        observation.count += 1
        parent.parents = True
        one = _Open(module, observation, frame, parent)
        path = observation.path_of(module, parent_path)
        one.path = "(%s outside the model)" % class_name(module) if path is None else path
        return one

    def _close(self, one: _Open, module: Any, args: Any, kwargs: Any, result: Any) -> None:
        observation, frame, parent = one.observation, one.frame, one.parent
        if observation is None or frame is None or parent is None:
            return
        if one.root:
            self._leave(observation)
        raised = result is None and sys.exc_info()[1] is not one.exception
        names = argument_names(type(module))
        named = [(names[i] if i < len(names) else str(i), value) for i, value in enumerate(args)] + list(kwargs.items())
        inputs, more = observation.tensors.seen(named)
        outputs, more_outputs = observation.tensors.seen([("", result)])
        refs = {id(tensor): weakref.ref(tensor) for tensor in observation.tensors.below(result)}
        parent.close_child(frame, inputs, [(seen, refs.get(seen.address, lambda: None)) for seen in outputs])
        told = (tuple(inputs), tuple(outputs), more + more_outputs, tuple(frame.flow), raised)
        observation.calls[frame.order] = Call(frame.order, one.path, class_key(type(module)), parent.order, *told)
        if raised:
            observation.limits["the call of %s raised: what follows did not happen" % (one.path or "the model")] = None
        if one.root and not raised:
            observation.described = self._describe(module)

    # Operators are followed in the root's own call only, on its thread.

    def _enter(self, model: Any, observation: Observation) -> None:
        if any(_compiled(module) for _, module in module_paths(model)):
            observation.limits["torch.compile has made one piece of some modules: the calls and operators inside are not seen"] = None
            return
        stack = self._open[threading.get_ident()]

        def top() -> Optional[Frame]:
            return stack[-1].frame if stack else None

        observation.mode = operators_mode(self._torch, observation.tensors, observation.storages, top, self._failed)
        observation.mode.__enter__()

    def _leave(self, observation: Observation) -> None:
        mode, observation.mode = observation.mode, None
        if mode is not None:
            mode.__exit__(None, None, None)
