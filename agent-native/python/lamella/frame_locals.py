"""What the running functions of all threads have in their variables, read without a trace.

Up to Python 3.12 `frame.f_locals` is a copy that stays with its frame: it keeps a tensor alive that the function has let go of, for as long as the function
runs, and it is the very dict that locals() gave the function. Python 3.13 has a view in its place. So up to 3.10 the collector's own way into a frame is
taken; 3.11 and 3.12 have none for a function that runs, and there the copy is emptied at once, or not made where somebody may be using it.
"""
import gc
import sys
from dis import get_instructions
from itertools import compress, starmap
from operator import eq
from types import CodeType, FrameType
from typing import Any, List

from .listed import can_list

_CO_OPTIMIZED = 1  # inspect.CO_OPTIMIZED
_SHARING = frozenset(("locals", "vars", "eval", "exec"))  # a function that calls one of these works on the copy itself
_HELD = 5  # references to a frame that nobody else looks at: its thread's, three variables of ours, the argument
# In the check below: to the frame its thread's, three variables, the tuple, the loop; to the copy the frame's, one variable, its bound method, the tuple, the loop.
_ALONE = (6, 5)


def _shares(code: CodeType) -> bool:
    if _SHARING.isdisjoint(code.co_names):
        return False
    return any(step.opname == "LOAD_GLOBAL" and step.argval in _SHARING for step in get_instructions(code))  # not the method: model.eval()


def _copied(frame: FrameType) -> List[Any]:
    """Of a function, in Python 3.11 and 3.12. A frame that somebody holds is being traced or debugged: when a trace function returns, Python writes the copy
    back into the variables, absent ones too. So that nobody does must be seen in one call of C code with emptying it; no other thread runs in that (listed.py)."""
    if sys.getrefcount(frame) > _HELD or _shares(frame.f_code):
        return []
    copy = frame.f_locals
    values = list(copy.values())
    alone = map(all, (map(eq, map(sys.getrefcount, (frame, copy)), _ALONE),))
    list(starmap(copy.clear, compress(((),), alone)))
    return values


def _values(frame: FrameType) -> List[Any]:
    if sys.version_info < (3, 11):
        return gc.get_referents(frame)
    if not frame.f_code.co_flags & _CO_OPTIMIZED:  # of a module or a class: there is nothing but its namespace
        return []
    return _copied(frame) if sys.version_info < (3, 13) else list(frame.f_locals.values())


def frame_locals() -> List[Any]:
    """Values of variables, and the global namespaces of the functions. Without an interpreter lock a frame can only be read on its own thread."""
    frames = list(sys._current_frames().values()) if can_list() else [sys._getframe()]
    found: List[Any] = []
    while frames:
        frame = frames.pop()
        while frame is not None:  # one at a time: a frame that is held keeps its variables, and the frames below
            if frame.f_code is not frame_locals.__code__:
                found.append(frame.f_globals)
                found += _values(frame)
            frame = frame.f_back
    return found
