"""The instances of a class among all that the garbage collector lists, and a reference to nothing else.

That list also holds what other threads are in the middle of making. A tuple can only grow while nobody else refers to it: with the list in a variable,
`tuple(x for x in …)` fails in another thread, a SystemError in a program that did nothing wrong, and what dies meanwhile is finalised on our thread. So the
list is filled, sifted and emptied within one call of C code, in which no thread but ours gets the interpreter lock. That rests on three things:

* No code of the process runs: the class of an object is asked for its ancestors by a method of `type` itself. Nothing in the call tells an audit hook, as
  id() does, but gc.get_objects() itself, which does so before it lists.
* Once it is filled nothing is made that the collector counts. Up to Python 3.11 it may start with any such object, and run finalisers and callbacks.
* There is an interpreter lock.

The price: other threads wait for 0.1 to 0.3 µs an object, two fifths of what a full collection of the same process costs them
(docs/decisions/0012-a-look-is-one-call-of-c.md).
"""
import gc
import sys
from itertools import chain, compress, starmap
from typing import Any, List

_ONCE = ((),)  # the arguments of one call


def can_list() -> bool:
    """Not in a free-threaded interpreter: there other threads run all the time."""
    return not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled()


def listed(base: type) -> List[Any]:
    """Instances of `base`; what gc.freeze() has set aside is not among them."""
    everything: List[Any] = []
    fill = filter(None, map(everything.extend, starmap(gc.get_objects, _ONCE)))  # yields nothing, and neither does the next
    empty = filter(None, starmap(everything.clear, _ONCE))
    is_wanted = map(type.__subclasscheck__.__get__(base), map(type, iter(everything)))
    return list(compress(chain(fill, iter(everything), empty), is_wanted))
