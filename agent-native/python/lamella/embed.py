"""The reader as one string, for a process in which nothing may be installed: exec(source(), {}) in it defines the package under a name of its own.

The string touches no file, no import path and no installed `lamella`, whatever its version; two different strings stand side by side too. It imports from
the standard library only, and torch never: where the process has not imported it, reading says so (torch_slots.NoTorch).
"""
import ast
import hashlib
import pkgutil
from typing import Dict, List, Set

from .version import VERSION

# What the injected library calls; what these import of the package goes along.
ENTRIES = ("watch", "roots", "reader", "identity", "process", "wire")

_LOADER = '''\
"""lamella {version}, embedded."""


def _load(package, sources):
    import sys
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    if package in sys.modules:
        return sys.modules[package]
    made = {{}}

    def make(name, is_package=False):
        module = made[name] = sys.modules[name] = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None, is_package=is_package)  # with an empty search path: nothing of it is to be found in files
        module.__package__ = module.__spec__.parent
        if is_package:
            module.__path__ = module.__spec__.submodule_search_locations
        return module

    try:
        top = make(package, True)
        for name, text in sources:
            module = make(package + "." + name)
            exec(compile(text, "<%s>" % module.__name__, "exec", dont_inherit=True), module.__dict__)
            setattr(top, name, module)
    except BaseException:
        for name in made:
            del sys.modules[name]
        raise
    return top


lamella = _load({package!r}, {sources})
'''


def _text(name: str) -> str:
    found = pkgutil.get_data(__name__.rpartition(".")[0], name + ".py")
    if found is None:
        raise ValueError("the source of lamella.%s is not there: embedding needs an installation with its .py files" % name)
    return found.decode("utf-8")


def _imported(text: str) -> List[str]:
    """Modules of the package that a module imports, in functions too."""
    return [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module]


def module_texts() -> Dict[str, str]:
    """Module → text, each after those it imports."""
    texts: Dict[str, str] = {}
    open_: Set[str] = set()

    def add(name: str) -> None:
        if name in texts:
            return
        if name in open_:
            raise ValueError("lamella/%s.py imports itself by way of others: the embedded package has no order to be loaded in" % name)
        open_.add(name)
        text = _text(name)
        for other in _imported(text):
            add(other)
        texts[name] = text

    for name in ENTRIES:
        add(name)
    return texts


def source() -> str:
    """Python source for 3.8 and later. After exec(source(), namespace) the package is namespace["lamella"], with its modules as attributes:
    namespace["lamella"].watch.Watcher."""
    texts = module_texts()
    digest = hashlib.sha256("\0".join(name + "\0" + text for name, text in texts.items()).encode("utf-8")).hexdigest()[:16]
    sources = "(\n" + "".join("    (%r, %r),\n" % named for named in texts.items()) + ")"
    return _LOADER.format(version=VERSION, package="_lamella_" + digest, sources=sources)
