"""Reads the models of this process when they are complete, and again when their structure has changed.

torch tells of every module, parameter and buffer that is registered; nothing of ours is called by a forward. A model is read once nothing was registered
for the settle time, or after the poll interval if registrations never stop. Each poll interval a fingerprint asks the known models whether they have
changed. That misses what registers nothing: models from copy.deepcopy or pickle, quantisation state hung onto a parameter. So a thorough look (every
living module, every structure) follows a reading after one poll interval, then after twice as many, at last at every 16th.
"""
import atexit
import os
import signal
import sys
import time
import weakref
from _thread import allocate_lock
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from .canonical import shape_id
from .fingerprint import fingerprint
from .identity import identify
from .layout import layout_id
from .raw_object import class_name
from .reader import Snapshot, snapshot
from .roots import Roots, Skipped, addresses_below, find_roots
from .torch_slots import NoTorch, loaded_torch

SECONDS_MIN = 0.1
PROFILERS = ("CUDAPROFILER", "ROCMPROFILER")
VENDORS = ("LAMELLA", "ZYMTRACE")  # a workload of the other keeps its environment; where both are set, ours wins

_WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}

Deliver = Callable[[Any, Snapshot], None]


# Settings


class Settings(NamedTuple):
    enabled: bool = False
    poll_interval: float = 30.0  # seconds
    settle: float = 2.0  # seconds


def _variable(environ: Mapping[str, str], profilers: Tuple[str, ...], suffix: str) -> Tuple[str, str]:
    """Name and value of the first that is set; an empty one counts as not set."""
    names = ["%s_%s__MODEL_SHAPE__%s" % (vendor, profiler, suffix) for vendor in VENDORS for profiler in profilers]
    return next(((name, environ[name].strip()) for name in names if environ.get(name, "").strip()), ("", ""))


def _seconds(name: str, text: str) -> Union[float, str]:
    try:
        seconds = float(text)
    except ValueError:
        seconds = float("nan")
    if not 0 <= seconds < float("inf"):
        return "%s is %r: give a number of seconds, for example 2" % (name, text)
    if seconds < SECONDS_MIN:
        return "%s is %r: the minimum is %s seconds" % (name, text, SECONDS_MIN)
    return seconds


def settings(environ: Mapping[str, str], profilers: Tuple[str, ...] = PROFILERS) -> Union[Settings, str]:
    """From the environment of the profiled process, or a sentence that says what is wrong with it. A profiler that is one of the two gives its own name."""
    found = Settings()
    name, text = _variable(environ, profilers, "ENABLED")
    if name:
        if text.lower() not in _WORDS:
            return "%s is %r: give true or false" % (name, text)
        found = found._replace(enabled=_WORDS[text.lower()])
    for field in ("poll_interval", "settle"):
        name, text = _variable(environ, profilers, field.upper())
        if name:
            seconds = _seconds(name, text)
            if isinstance(seconds, str):
                return seconds
            found = found._replace(**{field: seconds})
    return found


# When to look


NOTHING, POLL, READ = "nothing", "poll", "read"


class Schedule:
    """The rules of time, without a clock."""

    def __init__(self, poll_interval: float, settle: float, now: float) -> None:
        self.poll_interval, self.settle = poll_interval, settle
        self.first: Optional[float] = None  # registration since the last reading
        self.last = now
        self.next_poll = now + poll_interval

    def registered(self, at: float) -> None:
        self.first = at if self.first is None else min(at, self.first)
        self.last = max(at, self.last)

    def due(self, now: float) -> str:
        """What to do now; what it answers counts as done. While registrations are unsettled there is no poll: it would show a model half built."""
        action = NOTHING
        if self.first is not None:
            if now - self.last >= self.settle or now - self.first >= self.poll_interval:
                action = READ
        elif now >= self.next_poll:
            action = POLL
        if action != NOTHING:
            self.first = None
            self.next_poll = now + self.poll_interval
        return action

    def wait(self, now: float) -> float:
        """Seconds until something may be due. Never longer than the settle time: a registration wakes nobody, it is found when that has passed."""
        if self.first is None:
            due = self.next_poll
        else:
            due = min(self.last + self.settle, self.first + self.poll_interval)
        return max(0.0, min(due - now, self.settle, _WAIT_MAX))


# Looking


_WAIT_MAX = 60.0
_WAIT_MIN = 0.01
_EXIT_WAIT = 2.0  # seconds that the end of the process waits for a look that is under way
_EVENTS_MAX = 16_384  # registrations remembered between two looks: about 2 MB; of a model with more, the outermost modules come last and are kept
_THOROUGH_EVERY_MAX = 16  # polls
_PROBLEMS_MAX = 64
_OWN_SIGNALS = frozenset((signal.SIGSEGV, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, getattr(signal, "SIGBUS", signal.SIGABRT)))  # meant for who caused them


class _Known:
    """A model that is watched, and not kept alive for it."""

    __slots__ = ("ref", "identity", "structure")

    def __init__(self, model: Any) -> None:
        self.ref = weakref.ref(model)
        self.identity: Optional[int] = None
        self.structure: Optional[Tuple[str, str]] = None  # what was delivered last


def _never() -> bool:
    return False


def _registration_hook(torch: Any, events: Deque[Tuple[float, Any]], clock: Callable[[], float]) -> Callable[[Any, Any, Any], None]:
    append, ref = events.append, weakref.ref
    # torch.compile traces registrations too (`self.buffer = …` in a forward), through the hooks. A clock in there breaks the graph, and with fullgraph=True
    # the user's program; of this hook nothing is left in the graph. 0.4 µs a registration.
    tracing = getattr(getattr(torch, "compiler", None), "is_dynamo_compiling", _never)

    def registered(module: Any, name: Any, value: Any) -> None:
        if tracing():
            return
        try:
            append((clock(), ref(module)))
        except Exception:  # a registration of the user's must not fail for us
            pass

    return registered


class Watcher:
    """Calls `deliver(model, snapshot)` for every model that is complete, and again when its structure (shape or layout) has changed.

    Nothing raises, prints or keeps a model alive; what went wrong stands in `problems`, by class of the model ("": no one model's). What was passed over
    stands in `skipped`. `deliver` runs on the watching thread and should only hand on: the end of the process waits for it, though not for long."""

    def __init__(self, given: Settings, deliver: Deliver, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = given
        self.skipped: Tuple[Skipped, ...] = ()
        self.problems: Dict[str, str] = {}
        self._deliver, self._clock = deliver, clock
        self._schedule = Schedule(given.poll_interval, given.settle, clock())
        self._events: Deque[Tuple[float, Any]] = deque(maxlen=_EVENTS_MAX)
        self._fresh: Dict[int, Any] = {}  # address → weak reference, of modules that something was registered in since the last reading
        self._lost = False  # registrations were forgotten
        self._known: Dict[int, _Known] = {}
        self._attached = False
        self._hooks: List[Any] = []
        self._looked = False
        self._thorough_in = self._thorough_every = 1  # polls
        self._closed = self._started = False
        self._gate = allocate_lock()  # held while looking
        self._pause = allocate_lock()  # held until it is over
        self._pause.acquire()

    # One look

    def step(self) -> float:
        """Does what is due and answers how many seconds to wait for the next, at most the settle time; longer when another thread is looking just now. The
        thread does nothing else; a program may call it in a loop of its own."""
        gate = self._gate
        if not gate.acquire(False):
            return _WAIT_MAX
        try:
            if not self._closed and (self._attached or self._attach()):
                self._look()
                self.problems.pop("", None)
                return self._schedule.wait(self._clock())
        except Exception as error:
            self._problem("", error)
        finally:
            gate.release()
        return min(self.settings.settle, _WAIT_MAX)

    def _attach(self) -> bool:
        """As soon as the process has imported torch itself. What was built before is found by the first look."""
        try:
            torch = loaded_torch()
        except NoTorch:
            return False
        variables = vars(sys.modules["torch.nn.modules.module"])
        makers = [variables.get("register_module_%s_registration_hook" % kind) for kind in ("module", "parameter", "buffer")]
        if all(makers):  # since PyTorch 2.0; before it, polls alone must do
            hook = _registration_hook(torch, self._events, self._clock)
            self._hooks = [make(hook) for make in makers]
            if self._closed:  # by another thread meanwhile
                self._unhook()
        self._schedule.registered(self._clock())
        self._attached = True
        return True

    def _look(self) -> None:
        self._drain()
        now = self._clock()
        action = self._schedule.due(now)
        if action == NOTHING:
            return
        if action == POLL and not self._hooks:
            if self._changed():
                self._schedule.registered(now)  # as good as a registration: to be read once it is settled
            return
        strangers = self._strangers() if action == READ else []
        self._thorough_in -= 1
        news = bool(strangers) or self._lost or not self._looked or not self._hooks or self._any_gone()
        thorough = not news and self._thorough_in <= 0
        if news:
            self._thorough_in = self._thorough_every = 1
        elif thorough:
            self._thorough_in = self._thorough_every = min(2 * self._thorough_every, _THOROUGH_EVERY_MAX)
        if news or thorough:
            self._scan(strangers)
        self._check_all(thorough)

    def _drain(self) -> None:
        waiting = len(self._events)
        self._lost = self._lost or waiting == _EVENTS_MAX
        for _ in range(waiting):
            at, ref = self._events.popleft()
            self._schedule.registered(at)
            module = ref()
            if module is not None:
                self._fresh[id(module)] = ref
        if len(self._fresh) > _EVENTS_MAX:
            self._fresh.clear()
            self._lost = True

    def _models(self) -> List[Any]:
        return [model for model in (known.ref() for known in self._known.values()) if model is not None]

    def _any_gone(self) -> bool:
        """A part that outlives its model is a model now."""
        return any(known.ref() is None for known in self._known.values())

    def _strangers(self) -> List[Any]:
        """Modules of the last registrations that belong to no known model. Without them nothing new was built, and there is no need to go through all objects
        of the process: a model that registers a buffer in each forward costs no more than a poll."""
        fresh = [module for module in (ref() for ref in self._fresh.values()) if module is not None]
        self._fresh.clear()
        if not fresh:
            return []
        inside = addresses_below(self._models())
        return [module for module in fresh if id(module) not in inside]

    def _find(self, more: List[Any]) -> Roots:
        """Frozen objects are searched for once: later ones were registered before our eyes."""
        return find_roots(self._models() + more, frozen=not self._looked)

    def _scan(self, more: List[Any]) -> None:
        found = self._find(more)
        self._looked, self._lost = True, False
        self.skipped = found.skipped
        known: Dict[int, _Known] = {}
        for model in found.models:
            before = self._known.get(id(model))
            known[id(model)] = before if before is not None and before.ref() is model else _Known(model)
        self._known = known

    def _changed(self) -> bool:
        for model in self._find([]).models:
            known = self._known.get(id(model))
            if known is None or known.ref() is not model or known.identity != fingerprint(model):
                return True
        return False

    def _check_all(self, thorough: bool) -> None:
        for known in list(self._known.values()):
            if self._closed:
                return
            self._check(known, thorough)
            time.sleep(0)  # whoever waits for the interpreter lock has it first

    def _check(self, known: _Known, thorough: bool) -> None:
        model = known.ref()
        if model is None:
            return
        try:
            identity = fingerprint(model)
            if identity == known.identity and not thorough:
                return
            taken = snapshot(model, identify(model).config_bits)
            structure = (shape_id(taken.shape), layout_id(taken.layout))
            if structure != known.structure:
                self._deliver(model, taken)
                known.structure = structure
            known.identity = identity
            self.problems.pop(class_name(model), None)
        except (Exception, SystemExit) as error:  # the next poll tries again
            known.identity = None
            self._problem(class_name(model), error)

    def _problem(self, name: str, error: BaseException) -> None:
        if len(self.problems) < _PROBLEMS_MAX or name in self.problems:
            try:
                self.problems[name] = "%s: %s" % (type(error).__name__, error)
            except Exception:  # an error that cannot say what it is
                self.problems[name] = type(error).__name__

    # Its life

    def start(self) -> None:
        """Watches on a thread of its own. It ends with stop(), with the process, and in a forked child, where no thread but the forking one lives on."""
        if self._started or self._closed or not self.settings.enabled:
            return
        self._started = True
        # Here, because the thread that imports it first is taken for the main one. Where torch is, it is imported already.
        import threading

        try:
            atexit.register(self._at_exit)
            _end_in_children(self)
            threading.Thread(target=self._run, name="lamella-models", daemon=True).start()
        except Exception as error:  # no thread to be had, or the process is ending
            self.stop()
            self._problem("", error)

    def stop(self) -> None:
        """Takes the hooks away and lets the thread end; a look that is under way ends after the model it reads."""
        if self._closed:
            return
        self._closed = True
        self._unhook()
        atexit.unregister(self._at_exit)
        self._pause.release()

    def _unhook(self) -> None:
        for hook in self._hooks:
            hook.remove()

    def _run(self) -> None:
        try:
            if hasattr(signal, "pthread_sigmask"):  # a signal for the process must not come here: the main thread would go on waiting in what it interrupts
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - _OWN_SIGNALS)
            while not self._closed:
                wait = self.step()
                self._pause.acquire(timeout=max(wait, _WAIT_MIN))
        except BaseException as error:
            self._problem("", error)

    def _at_exit(self) -> None:
        self.stop()
        self._gate.acquire(timeout=_EXIT_WAIT)  # and never released: no look begins in an interpreter that is being taken apart

    def _in_child(self) -> None:
        self._gate = allocate_lock()  # the other may have been held by a thread that is not here
        self.stop()


def _end_in_children(watcher: Watcher) -> None:
    watching = weakref.ref(watcher)  # what is registered for forks stays so for ever

    def in_child() -> None:
        watcher = watching()
        if watcher is not None:
            watcher._in_child()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)
