"""Looks for the instances of a class while other threads make things, run by test_listed.py under every interpreter it finds: `python beside_threads.py PACKAGE`.

A look must not be felt. The sharpest sign that it is: an object has more references than before while a line of Python runs. That is asked for in every
thread, in the callbacks of the collector, which here runs as often as it can, in an audit hook and in a profile function."""
import gc
import sys
import threading
import weakref
from dataclasses import make_dataclass

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from lamella.listed import listed
from lamella.reachable import reachable

LOOKS, THREADS, OBJECTS = 10, 3, 30_000
ALONE = 2  # references to a witness: the dictionary's, the argument


class Module:
    """Stands for torch.nn.Module."""


class Layer(Module):
    pass


class Leaf:
    """Stands for torch.Tensor."""


class Witness:
    pass


witnesses = {}  # one for each place and thread, so that nobody counts the reference with which another is counting
felt = set()


def check(where, what=""):
    place = where, threading.get_ident()
    if place not in witnesses:
        witnesses[place] = Witness()
    references = sys.getrefcount(witnesses[place])
    if references != ALONE:
        felt.add((where, what, references))


def made(count):
    yield from range(count)
    check("a generator")


def hammer(done):
    while not done.is_set():
        try:
            assert len(tuple(made(100))) == len(tuple(map(str, made(30)))) + 70
            assert len(frozenset(made(30)) | set(made(30))) == 30 == len([*made(30)])
            assert make_dataclass("Made", ["a", "b"])(*tuple(x for x in (1, 2))).b == dict(a=1, b=2)["b"]
        except Exception as error:
            felt.add(repr(error))
        check("a thread")


def test_a_list_is_not_felt():
    before_kept = len(listed(Module))
    kept = [({"one": [number]}, Layer()) for number in range(OBJECTS // 4)]
    done = threading.Event()
    threads = [threading.Thread(target=hammer, args=(done,), daemon=True) for _ in range(THREADS)]
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    for thread in threads:
        thread.start()
    gc.callbacks.append(lambda phase, info: check("a collection", phase))
    sys.addaudithook(lambda event, arguments: check("an audit hook", event))
    for eager in (False, True):
        gc.set_threshold(*((1, 1 << 30, 1 << 30) if eager else thresholds))
        sys.setprofile(lambda frame, event, argument: check("a profile function", event))
        for _ in range(LOOKS):
            assert len(listed(Module)) == before_kept + len(kept)
        sys.setprofile(None)
    done.set()
    for thread in threads:
        thread.join()
    gc.callbacks.clear()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(before)
    assert felt == set(), felt


def found():
    """Of what is frozen."""
    gc.freeze()
    try:
        assert listed(Module) == []
        return set(map(id, reachable(Module, Leaf)))
    finally:
        gc.unfreeze()


class Elsewhere:
    """A function that runs on a thread of its own, up to where the test lets it go on."""

    def __init__(self, function, *arguments):
        self.up, self.go = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, args=(function, arguments), daemon=True)
        self.thread.start()
        self.up.wait()

    def run(self, function, arguments):
        try:
            self.result = function(self.pause, *arguments)
        except Exception as error:
            self.result = error
        self.up.set()

    def pause(self):
        self.up.set()
        self.go.wait()
        self.go.clear()

    def on(self):
        self.up.clear()
        self.go.set()
        self.up.wait()


class Holder:
    attribute = Layer()


variable = Layer()


def generator():
    suspended = Layer()
    yield id(suspended)


def test_frozen_instances_are_found_where_they_are_held():
    def closes_over(enclosed):
        return lambda: enclosed

    def leads_nowhere(leaf):
        leaf.layer = Layer()
        return leaf

    closure, running, leaf = closes_over(Layer()), generator(), leads_nowhere(Leaf())
    expected = {id(variable), id(Holder.attribute), id(closure()), next(running)}
    assert found() == expected and id(leaf.layer) not in expected


def test_a_variable_is_found_and_not_kept():
    def function(pause, told):
        held = Layer()
        told.append(weakref.ref(held))
        pause()
        assert type(held) is Layer
        del held
        pause()

    told = []
    elsewhere = Elsewhere(function, told)
    assert id(told[0]()) in found()
    elsewhere.on()
    assert told[0]() is None  # while the function still runs
    elsewhere.on()


def test_the_dictionary_of_locals_stays_as_it_is():
    def function(pause, left_out):
        arguments = locals()
        arguments.pop("left_out")
        pause()
        return sorted(arguments)

    elsewhere = Elsewhere(function, Layer())
    found()
    elsewhere.on()
    assert elsewhere.result == ["pause"]


def test_a_debugger_keeps_what_it_sets():
    def function(pause):
        held, other, told = Layer(), Layer(), []

        def trace(frame, event, argument):
            if frame.f_code is function.__code__ and not told:
                told.append(event)
                frame.f_locals["other"] = "set"  # up to 3.12 in a copy, which Python writes back when this function returns
                pause()
            return trace

        sys.settrace(trace)
        sys._getframe().f_trace = trace
        traced = held
        sys.settrace(None)
        return type(traced), type(held), other

    elsewhere = Elsewhere(function)
    found()
    elsewhere.on()
    assert elsewhere.result == (Layer, Layer, "set"), elsewhere.result


tests = [(name, test) for name, test in list(globals().items()) if name.startswith("test_")]
for name, test in tests:
    test()
print("%d tests on %d.%d" % ((len(tests),) + sys.version_info[:2]))
