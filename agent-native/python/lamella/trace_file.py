"""A torch.profiler trace as a file that may leave the machine: with our metadata, without the machine's paths, host name and addresses.

docs/recording.md describes the keys. Times, operators, shapes and stacks are left as they were recorded.
"""
import gzip
import json
import os
import re
from typing import Any, Dict, List

from .module_map import PREFIX

_LIBRARY = re.compile(r"^.*?/(?:site-packages|dist-packages)/|^.*?/lib(?:64)?/python\d+\.\d+/")
_CODE = re.compile(r"^(?P<file>/[^(]*)(?P<rest>\(\d+\): .*)$", re.S)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DROPPED = ("traceName", "host_name", "trace_id")


def short_path(path: str, directory: str) -> str:
    """`path` below site-packages, below the standard library or below `directory`; any other absolute path as its last part."""
    if path.startswith(directory + os.sep):
        inside = path[len(directory) + 1 :]
        return _LIBRARY.sub("", "/" + inside) if _LIBRARY.match("/" + inside) else inside
    shortened = _LIBRARY.sub("", path)
    return os.path.basename(shortened) if shortened.startswith("/") else shortened


def short_name(name: str, directory: str) -> str:
    """A python_function's name: `file(line): function` or `<built-in method x of type object at 0x…>`; objects lose their address, another in every run."""
    code = _CODE.match(name)
    return short_path(code.group("file"), directory) + code.group("rest") if code else _ADDRESS.sub("", name)


def _shorten(event: Dict[str, Any], directory: str) -> None:
    event["name"] = short_name(event["name"], directory)
    args = event.get("args", {})
    if isinstance(args.get("CallFrom"), str):
        file, _, line = args["CallFrom"].rpartition(":")
        args["CallFrom"] = short_path(file, directory) + ":" + line


def rename_modules(events: List[Dict[str, Any]], was: List[str], names: List[str]) -> None:
    """Gives the module events the unique names of module_map. Both lists are in the order the calls began, so they must agree event by event."""
    if was == names:
        return
    found = sorted((e for e in events if e.get("cat") == "python_function" and str(e.get("name")).startswith(PREFIX)), key=lambda e: e["ts"])
    if [e["name"] for e in found] != was:
        raise RuntimeError("the trace and the profiler's event tree disagree about the module calls: %d and %d; nothing was written" % (len(found), len(was)))
    for event, name in zip(found, names):
        event["name"] = name
        event.setdefault("args", {})["Python module id"] = int(name.rpartition("_")[2])


def clean_trace(trace: Dict[str, Any], metadata: Dict[str, Any], directory: str) -> Dict[str, Any]:
    """The trace with `metadata` before its events (a reader that streams knows the module map before the first event) and shortened names."""
    for event in trace["traceEvents"]:
        if event.get("cat") == "python_function":
            _shorten(event, directory)
    kept = {key: value for key, value in trace.items() if key not in _DROPPED and key != "traceEvents"}
    return dict(kept, **metadata, traceEvents=trace["traceEvents"])


def write_trace(trace: Dict[str, Any], path: str) -> int:
    """Writes gzip JSON (no time stamp in the header, so equal traces are equal files) and returns its bytes."""
    body = gzip.compress(json.dumps(trace, separators=(",", ":")).encode("utf-8"), compresslevel=9, mtime=0)
    with open(path, "wb") as file:
        file.write(body)
    return len(body)
