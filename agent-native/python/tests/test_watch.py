"""When models are read: the rules of time with a clock of the test, then a thread, exit and fork in processes of their own."""
import copy
import gc
import json
import subprocess
import sys
import threading
import weakref

import pytest
from repository import PACKAGE

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements-test.txt")
from torch import nn
from torch.nn.modules import module as registry

from lamella.canonical import shape_id
from lamella.reader import snapshot
from lamella.watch import NOTHING, POLL, READ, Schedule, Settings, Watcher, settings

CUDA, ROCM = "LAMELLA_CUDAPROFILER__MODEL_SHAPE__", "LAMELLA_ROCMPROFILER__MODEL_SHAPE__"
OTHER_CUDA, OTHER_ROCM = "ZYMTRACE_CUDAPROFILER__MODEL_SHAPE__", "ZYMTRACE_ROCMPROFILER__MODEL_SHAPE__"


# Settings


@pytest.mark.parametrize(
    "environ, expected",
    [
        ({}, (False, 30, 2)),
        ({CUDA + "ENABLED": "true"}, (True, 30, 2)),
        ({ROCM + "ENABLED": "1", ROCM + "POLL_INTERVAL": "5", ROCM + "SETTLE": "0.1"}, (True, 5, 0.1)),
        ({OTHER_CUDA + "ENABLED": "TRUE", OTHER_CUDA + "SETTLE": " 7.5 "}, (True, 30, 7.5)),
        ({OTHER_ROCM + "ENABLED": "true"}, (True, 30, 2)),
        ({CUDA + "ENABLED": "false", OTHER_CUDA + "ENABLED": "true"}, (False, 30, 2)),
        ({CUDA + "SETTLE": "3", OTHER_CUDA + "ENABLED": "true", OTHER_CUDA + "SETTLE": "9"}, (True, 30, 3)),
        ({CUDA + "ENABLED": "", OTHER_CUDA + "ENABLED": "true"}, (True, 30, 2)),
    ],
)
def test_settings_from_the_environment(environ, expected):
    assert settings(environ) == Settings(*expected)


def test_a_profiler_reads_its_own_variables():
    environ = {CUDA + "ENABLED": "false", ROCM + "ENABLED": "true"}
    assert settings(environ, ("ROCMPROFILER",)) == Settings(True, 30, 2)


@pytest.mark.parametrize(
    "environ, said",
    [
        ({CUDA + "SETTLE": "0.05"}, CUDA + "SETTLE is '0.05': the minimum is 0.1 seconds"),
        ({CUDA + "SETTLE": "0"}, CUDA + "SETTLE is '0': the minimum is 0.1 seconds"),
        ({OTHER_ROCM + "POLL_INTERVAL": "0.01"}, OTHER_ROCM + "POLL_INTERVAL is '0.01': the minimum is 0.1 seconds"),
        ({CUDA + "POLL_INTERVAL": "30s"}, CUDA + "POLL_INTERVAL is '30s': give a number of seconds, for example 2"),
        ({CUDA + "POLL_INTERVAL": "nan"}, CUDA + "POLL_INTERVAL is 'nan': give a number of seconds, for example 2"),
        ({CUDA + "SETTLE": "inf"}, CUDA + "SETTLE is 'inf': give a number of seconds, for example 2"),
        ({CUDA + "SETTLE": "-1"}, CUDA + "SETTLE is '-1': give a number of seconds, for example 2"),
        ({CUDA + "ENABLED": "maybe"}, CUDA + "ENABLED is 'maybe': give true or false"),
    ],
)
def test_what_cannot_be_meant_is_said(environ, said):
    assert settings(environ) == said


# The rules of time


def actions(schedule, registrations, until, step=0.5):
    """(time, action) of all that is due, when `registrations` are at these times and the clock goes on in steps."""
    met, now = [], 0.0
    while now <= until:
        for at in registrations:
            if now - step < at <= now:
                schedule.registered(at)
        action = schedule.due(now)
        if action != NOTHING:
            met.append((now, action))
        now += step
    return met


@pytest.mark.parametrize(
    "registrations, until, expected",
    [
        ([], 100, [(30, POLL), (60, POLL), (90, POLL)]),
        ([1], 40, [(3, READ), (33, POLL)]),
        ([1, 2, 3, 4.5], 40, [(6.5, READ), (36.5, POLL)]),
        ([1, 5], 40, [(3, READ), (7, READ), (37, POLL)]),
        (list(range(1, 200)), 70, [(31, READ), (62, READ)]),  # never settled: a poll interval after the first that was not read
        ([29], 62, [(31, READ), (61, POLL)]),  # no poll of a model that is half built
    ],
)
def test_a_reading_waits_for_quiet_but_not_for_ever(registrations, until, expected):
    assert actions(Schedule(30, 2, 0), registrations, until) == expected


def test_a_settle_time_longer_than_the_poll_interval():
    assert actions(Schedule(3, 10, 0), [1], 8) == [(4, READ), (7, POLL)]


def test_the_wait_ends_when_something_is_due_and_looks_for_registrations_meanwhile():
    schedule = Schedule(30, 2, 100)
    assert schedule.wait(100) == 2 and schedule.wait(129) == 1 and schedule.wait(131) == 0
    schedule.registered(110)
    assert schedule.wait(110.5) == 1.5 and schedule.wait(115) == 0
    assert Schedule(1e9, 1e9, 0).wait(0) == 60


# Watching


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


class Watched:
    """A watcher, its clock, and what it delivered of the models of this test. Others that live in this process are smaller."""

    def __init__(self, poll_interval=30, settle=2):
        self.clock, self.delivered, self.fails = Clock(), [], None
        self.watcher = Watcher(Settings(True, poll_interval, settle), self.deliver, self.clock)

    def deliver(self, model, taken):
        if not isinstance(model, Model):
            return
        if self.fails:
            raise self.fails
        self.delivered.append((weakref.ref(model), shape_id(taken.shape)))

    def after(self, seconds, each=lambda: None):
        """Steps once a second; what was delivered meanwhile."""
        before = len(self.delivered)
        for _ in range(seconds):
            self.clock.now += 1
            each()
            assert 0 <= self.watcher.step() <= 2
        return [(ref(), shape) for ref, shape in self.delivered[before:]]


@pytest.fixture(autouse=True)
def nothing_left_over():
    gc.collect()


@pytest.fixture
def watched():
    made = Watched()
    made.after(4)  # attached; whatever lived before is read
    yield made
    made.watcher.stop()


class Model(nn.Sequential):
    """Large, on the meta device."""

    def __init__(self, *modules):
        super().__init__(*modules)
        self.register_parameter("large", nn.Parameter(torch.zeros(1 << 40, device="meta")))


def structure(model):
    return shape_id(snapshot(model).shape)


def test_a_model_is_read_once_and_when_it_is_complete(watched):
    model = Model()

    def build():
        if len(model._modules) < 10:
            model.append(nn.Linear(3, 3))

    assert watched.after(11, build) == []
    assert watched.after(1) == [(model, structure(model))]
    assert len(model) == 10 and watched.after(200) == []


def test_a_model_that_never_settles_is_read_after_the_poll_interval(watched):
    model = Model()

    def grow():
        model.append(nn.Linear(3, 3))

    assert watched.after(29, grow) == []
    assert watched.after(1, grow) == [(model, structure(model))] and len(model) == 30


def test_what_was_built_before_is_read_too():
    model = Model(nn.Linear(3, 3))
    watched = Watched()
    assert watched.after(2) == []  # it attaches, and settles like everybody
    assert watched.after(1) == [(model, structure(model))]
    watched.watcher.stop()


def test_training_and_serving_are_no_change(watched):
    class Serving(Model):
        def forward(self, x):
            self.seen = self.seen + 1  # registers a buffer in each forward
            return self[0](x)

    model = Serving(nn.Linear(3, 3))
    model.register_buffer("seen", torch.zeros(1))
    assert [one for one, _ in watched.after(5)] == [model]
    optimiser = torch.optim.SGD(model[0].parameters(), 0.1)

    def step():
        model(torch.randn(2, 3)).sum().backward()
        optimiser.step()
        optimiser.zero_grad()

    assert watched.after(100, step) == []


CHANGES = {
    "grown": lambda model: model.append(nn.Linear(3, 4)),
    "quantised": lambda model: (model[0].register_parameter("weight", None), model[0].register_buffer("qweight", torch.zeros(1, 3, dtype=torch.int32))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_registered_change_is_read_when_it_is_settled(watched, change):
    model = Model(nn.Linear(3, 3))
    watched.after(5)
    CHANGES[change](model)
    assert watched.after(1) == []
    assert watched.after(1) == [(model, structure(model))]


UNREGISTERED = {
    "a module removed": lambda model: delattr(model, "0"),
    "another dtype in place": lambda model: model[0].half(),
}


@pytest.mark.parametrize("change", UNREGISTERED)
def test_a_change_that_registers_nothing_is_read_at_the_next_poll(watched, change):
    model = Model(nn.Linear(3, 3))
    watched.after(40)
    UNREGISTERED[change](model)
    assert watched.after(30) == [(model, structure(model))]
    assert watched.after(40) == []


def test_a_tensor_replaced_by_an_equal_one_is_no_change(watched):
    model = Model(nn.Linear(3, 3))
    watched.after(5)
    model[0].weight = nn.Parameter(torch.randn(3, 3))
    assert watched.after(100) == []


def test_copies_register_nothing_and_are_found_within_two_polls(watched):
    model = Model(nn.Linear(3, 3))
    watched.after(5)
    model_2 = copy.deepcopy(model)
    assert watched.after(60) == [(model_2, structure(model))]


def test_quantisation_that_is_hung_onto_a_module_is_found_within_two_polls(watched):
    model = Model(nn.Module())
    model[0].register_buffer("qweight", torch.zeros(12, 64, dtype=torch.int32))
    watched.after(5)
    before = structure(model)
    model[0].bits = 4
    assert structure(model) != before
    watched.fails = ValueError("no way to the server")
    assert watched.after(30) == []
    watched.fails = None
    assert watched.after(30) == [(model, structure(model))]


def test_a_model_is_not_kept_alive_and_leaves_quietly(watched):
    model = Model(nn.Linear(3, 3))
    assert len(watched.after(5)) == 1
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
    assert watched.after(100) == [] and watched.watcher.problems == {}


def test_a_part_that_outlives_its_model_is_a_model(watched):
    whole = nn.Sequential(Model(nn.Linear(3, 3)))
    assert watched.after(40) == []  # delivered as a Sequential
    part = whole[0]
    del whole
    gc.collect()
    assert watched.after(30) == [(part, structure(part))]


def test_a_model_that_is_wrapped_is_part_of_the_wrapper(watched):
    model = Model(nn.Linear(3, 3))
    watched.after(5)
    wrapper = Model(model)
    assert watched.after(5) == [(wrapper, structure(wrapper))]
    model.append(nn.Linear(3, 3))
    assert [one for one, _ in watched.after(5)] == [wrapper]


def test_frozen_objects_are_no_obstacle(watched):
    model = Model(nn.Linear(3, 3))
    gc.freeze()  # before it is settled, as a fast engine may do
    try:
        assert watched.after(3) == [(model, structure(model))]
        later = Model(nn.Linear(3, 3))
        assert [one for one, _ in watched.after(3)] == [later]
        assert watched.after(100) == []
        del model[0]
        assert watched.after(30) == [(model, structure(model))]
    finally:
        gc.unfreeze()


def test_objects_that_were_frozen_before_are_searched_for():
    model = Model(nn.Linear(3, 3))
    gc.freeze()
    try:
        watched = Watched()
        assert watched.after(3) == [(model, structure(model))]
        watched.watcher.stop()
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("error", [ValueError("no way to the server"), SystemExit(1)], ids=repr)
def test_what_could_not_be_handed_on_is_said_and_tried_again(watched, error):
    model = Model(nn.Linear(3, 3))
    watched.fails = error
    before = getattr(sys, "last_value", None), sys.exc_info()
    assert watched.after(5) == []
    assert watched.watcher.problems == {"Model": "%s: %s" % (type(error).__name__, error)}
    watched.fails = None
    assert watched.after(30) == [(model, structure(model))] and watched.watcher.problems == {}
    assert (getattr(sys, "last_value", None), sys.exc_info()) == before


def test_a_model_that_cannot_be_read_costs_no_other(watched):
    broken, model = Model(nn.Linear(3, 3)), Model(nn.Linear(3, 3))
    broken.__dict__["_modules"] = 7
    assert watched.after(5) == [(model, structure(model))]
    (skipped,) = [skipped for skipped in watched.watcher.skipped if skipped.class_name == "Model"]
    assert skipped.why == "its modules cannot be read: a ScriptModule keeps them in C++"


def test_without_registration_hooks_polls_alone_do_it(monkeypatch):
    for kind in ("module", "parameter", "buffer"):  # PyTorch 1
        monkeypatch.delattr(registry, "register_module_%s_registration_hook" % kind)
    watched = Watched()
    watched.after(5)
    model = Model()
    assert watched.after(28, lambda: model.append(nn.Linear(3, 3))) == []  # a poll found it, and it was still growing
    assert watched.after(30) == [(model, structure(model))]
    assert watched.after(100) == []


# The hooks


def hooks():
    kinds = (registry._global_module_registration_hooks, registry._global_parameter_registration_hooks, registry._global_buffer_registration_hooks)
    return [len(kind) for kind in kinds]


def test_hooks_come_with_the_first_look_and_go_with_the_last():
    before = hooks()
    watched = Watched()
    assert hooks() == before
    watched.after(1)
    assert hooks() == [count + 1 for count in before]
    watched.watcher.stop()
    watched.watcher.stop()
    assert hooks() == before
    model = Model()
    assert watched.after(0) == [] and watched.watcher.step() > 0 and watched.delivered == []
    del model


def test_registrations_stay_what_they_are(watched):
    inner, weight, mask = nn.ReLU(), nn.Parameter(torch.zeros(1)), torch.zeros(1)
    model = nn.Module()
    model.inner, model.weight = inner, weight
    model.register_buffer("mask", mask)
    model.register_module("none", None)
    assert model.inner is inner and model.weight is weight and model.mask is mask and model.none is None


def test_more_registrations_than_are_remembered(watched):
    busy, mask = Model(nn.ReLU()), torch.zeros(1)
    watched.after(40)
    model = Model(nn.Linear(3, 3))
    for _ in range(20_000):
        busy[0].register_buffer("mask", mask)
    assert (model, structure(model)) in watched.after(3)


def test_a_compiled_forward_that_registers_stays_one_graph():
    watcher = Watcher(Settings(True), print)  # with the clock of the machine, which no graph can hold
    before = hooks()
    watcher.step()

    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count = self.count + 1
            return x + self.count

    model = Counting()
    run = torch.compile(model, backend="eager", fullgraph=True)  # raises where the graph would break
    run(torch.zeros(1))
    assert run(torch.zeros(1)).item() == 2 == model.count.item()
    assert hooks() == [count + 1 for count in before]
    watcher.stop()


# The thread


def test_a_thread_watches_and_ends():
    arrived, shapes = threading.Semaphore(0), []

    def deliver(model, taken):
        shapes.append((id(model), shape_id(taken.shape)))  # models that other tests left alive are handed over as well
        arrived.release()

    watcher = Watcher(Settings(True, 0.1, 0.1), deliver)
    watcher.start()
    watcher.start()
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "lamella-models"]
    assert thread.daemon
    model = Model(nn.Linear(3, 3))
    while id(model) not in dict(shapes):
        assert arrived.acquire(timeout=60)
    watcher.stop()
    thread.join(60)
    assert [shape for address, shape in shapes if address == id(model)] == [structure(model)]
    assert not thread.is_alive() and watcher.problems == {}


def test_switched_off_there_is_no_thread():
    Watcher(Settings(False), print).start()
    assert [thread for thread in threading.enumerate() if thread.name == "lamella-models"] == []


# The end of a process: every program is the child of one that has imported torch and built four models, the largest of which is read first.
FORKS = """
import gc, json, os, signal, sys, threading
import torch
from torch import nn
from lamella.watch import Settings, Watcher

models = [nn.Sequential(*[nn.Linear(3, 3) for _ in range(3000 + i)]) for i in range(4)]
arrived = threading.Event()
children = []
for number, program in enumerate(json.loads(sys.argv[1])):
    children.append(os.fork())
    if not children[-1]:
        signal.alarm(100)  # one that never ends is ended
        for stream, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(os.path.join(sys.argv[2], "%d.%s" % (number, name)), os.O_WRONLY | os.O_CREAT), stream)
        break
else:
    print(json.dumps([os.waitpid(child, 0)[1] for child in children]), flush=True)  # os._exit flushes nothing
    os._exit(0)
exec(program)
"""

DELIVERS = {
    "while it waits": "deliver = lambda model, taken: arrived.set() if len(model) == 3000 else None",
    "while it reads the next": "deliver = lambda model, taken: arrived.set()",
    "while it is handed something": "deliver = lambda model, taken: (arrived.set(), threading.Event().wait())",
}
WAYS = [*((when, "") for when in DELIVERS), ("while it reads the next", "sys.exit(3)"), ("while it waits", "raise KeyError")]
ENDS = {way: DELIVERS[way[0]] + """
watcher = Watcher(Settings(True, 0.1, 0.1), deliver)
watcher.start()
assert arrived.wait(60)
""" + way[1] for way in WAYS}

LOOK = """
import atexit
looks = []
atexit.register(lambda: print(looks))  # runs after what was registered later
def deliver(model, taken):
    looks.append("begun")
    arrived.set()
    threading.Event().wait(0.5)
    looks.append("ended")
Watcher(Settings(True, 0.1, 0.1), deliver).start()
assert arrived.wait(60)
"""

FORK = """
from torch.nn.modules import module as registry
watcher = Watcher(Settings(True, 0.1, 0.1), lambda model, taken: (arrived.set(), threading.Event().wait(0.3)))
watcher.start()
assert arrived.wait(60)  # it is in the middle of a look
child = os.fork()
if child == 0:
    assert [thread.name for thread in threading.enumerate()] == ["MainThread"]
    assert not registry._global_module_registration_hooks
    models[0].append(nn.Linear(3, 3))
    assert watcher.step() > 0
    sys.exit(5)  # runs what is registered for the end, too
assert os.waitpid(child, 0)[1] == 5 << 8
assert registry._global_module_registration_hooks
"""


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Program → (exit status, stdout, stderr)."""
    programs, folder = [*ENDS.values(), LOOK, FORK], tmp_path_factory.mktemp("ends")
    command = [sys.executable, "-W", "ignore", "-c", FORKS, json.dumps(programs), str(folder)]
    done = subprocess.run(command, cwd=str(PACKAGE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    texts = [[(folder / ("%d.%s" % (number, name))).read_text() for name in ("stdout", "stderr")] for number in range(len(programs))]
    return {program: (status / 256, *text) for program, status, text in zip(programs, json.loads(done.stdout), texts)}


@pytest.mark.parametrize("when, how", WAYS)
def test_the_process_ends_as_it_would_without_it(ended, when, how):
    code, stdout, stderr = ended[ENDS[when, how]]
    assert code == {"": 0, "sys.exit(3)": 3, "raise KeyError": 1}[how]
    assert stdout == "" and (stderr == "" or how.startswith("raise") and stderr.rstrip().endswith("KeyError"))


def test_the_end_of_the_process_waits_for_a_look(ended):
    assert ended[LOOK] == (0, "['begun', 'ended']\n", "")


def test_a_forked_child_has_no_watcher(ended):
    assert ended[FORK] == (0, "", "")
