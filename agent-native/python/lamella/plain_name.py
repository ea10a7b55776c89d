"""Names of modules and tensors as the contract takes them: not empty, without a dot, no two alike among siblings."""
from typing import Any, Set, Tuple

from .raw_object import clean


def is_plain(name: Any) -> bool:
    """It is taken as it is; most are, and this is cheaper to ask than what a name becomes."""
    return type(name) is str and name.isascii() and name != "" and "." not in name


def plain_name(key: Any, taken: Set[str]) -> Tuple[str, str]:
    """What a key is called among siblings of the names `taken`, to which it is added; and a sentence where that had to differ."""
    name = shown = clean(key)
    if not name or "." in name:
        shown = name.replace(".", "_") or "_"
    number = 2
    first = shown
    while shown in taken:
        shown, number = "%s_%d" % (first, number), number + 1
    taken.add(shown)
    return shown, "" if shown == name else "its name is %s" % (repr(name) if name else "empty")
