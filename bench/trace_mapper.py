"""The peer of `npm run bench -- trace`: the published algorithm of the reference mapper, written down again to be measured. One JSON parse of the whole file,
the main thread's module calls and operators nested by time, External id -> correlation -> first kernel. Prints milliseconds and the most memory held."""

import json
import resource
import sys
import time
from collections import Counter, defaultdict

started = time.perf_counter()
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    document = json.load(file, strict=False)
events = document["traceEvents"] if isinstance(document, dict) else document
by_category = defaultdict(list)
for event in events:
    if event.get("ph") == "X":
        by_category[event.get("cat")].append(event)
operators = by_category["cpu_op"]
main = Counter((event["pid"], event["tid"]) for event in operators).most_common(1)[0][0]
calls = [e for e in operators + by_category["python_function"] if (e["pid"], e["tid"]) == main and e.get("dur", 0) > 0 and (e["cat"] == "cpu_op" or e["name"].startswith("nn.Module: "))]
calls.sort(key=lambda event: (event["ts"], -event["dur"]))
roots, open_calls = [], []
for event in calls:
    node = {"event": event, "children": []}
    while open_calls and event["ts"] >= open_calls[-1]["event"]["ts"] + open_calls[-1]["event"]["dur"]:
        open_calls.pop()
    (open_calls[-1]["children"] if open_calls else roots).append(node)
    open_calls.append(node)
correlations = defaultdict(list)
for event in by_category["cuda_runtime"]:
    arguments = event.get("args", {})
    if "External id" in arguments and "correlation" in arguments:
        correlations[arguments["External id"]].append(arguments["correlation"])
kernel_of = {}
for event in by_category["kernel"] + by_category["gpu_memcpy"]:
    kernel_of.setdefault(event.get("args", {}).get("correlation"), event)
linked = 0
for event in operators:
    found = next((kernel_of[c] for c in correlations.get(event.get("args", {}).get("External id"), []) if c in kernel_of), None)
    linked += found is not None
summary = Counter()
for event in by_category["kernel"]:
    summary[event["name"]] += event["dur"]
print(json.dumps({"ms": (time.perf_counter() - started) * 1000, "residentMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "kernels": len(by_category["kernel"])}))
