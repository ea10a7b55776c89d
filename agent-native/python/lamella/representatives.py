"""Which requests of a measured workload stand for all: Fast, Typical and Slow, the 10th, 50th and 90th percentile by latency.

Real requests are picked (nearest rank), none is made up; requests that failed take no part. Reads what `vllm bench serve --save-detailed` writes (SGLang's detailed
results have the same lists), and a plain list of requests.
"""
import json
import math
from typing import Any, Dict, List, NamedTuple, Tuple

LABELS = (("Fast", 10), ("Typical", 50), ("Slow", 90))

_LATENCY_NS = (("latency_ns", 1), ("latency_ms", 1_000_000), ("latency", 1_000_000_000))  # seconds, as in vLLM, where the name says nothing
_INPUT, _OUTPUT = ("input_tokens", "input_len", "prompt_len"), ("output_tokens", "output_len")


class WorkloadError(Exception):
    """Says what the file lacks and how to get one."""


class Request(NamedTuple):
    label: str  # "" before one is picked
    percentile: int  # 0 = none
    number: int  # place in the workload, from 0; -1 = of no workload
    input_tokens: int
    output_tokens: int
    latency_ns: int  # as measured in the workload; 0 = not measured


class Workload(NamedTuple):
    requests: Tuple[Request, ...]  # those that succeeded
    failed: int


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _ns(value: Any, scale: int) -> int:
    """0 for what is no time: NaN, Infinity, negative, text."""
    if type(value) not in (int, float) or not math.isfinite(value) or value <= 0:
        return 0
    return round(value * scale)


def _first(entry: Dict[str, Any], names: Tuple[str, ...]) -> Any:
    return next((entry[name] for name in names if name in entry), None)


def _of_list(entries: List[Any]) -> Workload:
    requests, failed = [], 0
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise WorkloadError("request %d of the workload is a %s, not an object with latency, input_tokens and output_tokens" % (number, type(entry).__name__))
        latency = next((_ns(entry[name], scale) for name, scale in _LATENCY_NS if name in entry), 0)
        one = Request("", 0, number, _count(_first(entry, _INPUT)), _count(_first(entry, _OUTPUT)), latency)
        if entry.get("error") or entry.get("success") is False or not (one.latency_ns and one.input_tokens and one.output_tokens):
            failed += 1
        else:
            requests.append(one)
    return Workload(tuple(requests), failed)


def _latency_s(result: Dict[str, Any], number: int) -> Any:
    """Newer releases write `latencies`; before, it is the time to the first token and all that followed."""
    latencies = result.get("latencies")
    if isinstance(latencies, list):
        return latencies[number]
    gaps = result["itls"][number]
    return result["ttfts"][number] + sum(gaps) if isinstance(gaps, list) else None


def _of_result(result: Dict[str, Any]) -> Workload:
    names = ("input_lens", "output_lens", "latencies" if isinstance(result.get("latencies"), list) else "ttfts")
    names += ("itls",) if names[2] == "ttfts" else ()
    lists = [result[name] for name in names]
    if len({len(one) for one in lists}) != 1:
        sizes = ", ".join("%s %d" % (name, len(result[name])) for name in names)
        raise WorkloadError("the lists of the workload differ in length (%s): the file is damaged, run the benchmark again" % sizes)
    errors = result.get("errors") or []
    requests, failed = [], 0
    for number in range(len(lists[0])):
        try:
            latency = _ns(_latency_s(result, number), 1_000_000_000)
        except TypeError:  # null among the numbers
            latency = 0
        one = Request("", 0, number, _count(lists[0][number]), _count(lists[1][number]), latency)
        if (number < len(errors) and errors[number]) or not (one.latency_ns and one.input_tokens and one.output_tokens):
            failed += 1
        else:
            requests.append(one)
    return Workload(tuple(requests), failed)


def workload_of(text: str) -> Workload:
    """`text` is a JSON file, or JSON lines with one result (SGLang)."""
    try:
        value = json.loads(text)
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise WorkloadError("the workload is not JSON: %s" % error)
        raise WorkloadError("the workload has %d lines of JSON, one benchmark each: give a file with one of them" % len(lines))
    if isinstance(value, dict) and isinstance(value.get("requests"), list):
        value = value["requests"]
    if isinstance(value, list):
        return _of_list(value)
    detailed = isinstance(value, dict) and all(isinstance(value.get(name), list) for name in ("input_lens", "output_lens"))
    if detailed and (isinstance(value.get("latencies"), list) or all(isinstance(value.get(name), list) for name in ("ttfts", "itls"))):
        return _of_result(value)
    raise WorkloadError("the workload has no times of single requests: run `vllm bench serve` with --save-result --save-detailed")


def read_workload(path: str) -> Workload:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return workload_of(file.read())
    except OSError as error:
        raise WorkloadError("%s cannot be read: %s" % (path, error.strerror))
    except UnicodeDecodeError:
        raise WorkloadError("%s is not UTF-8 text" % path)
    except WorkloadError as error:
        raise WorkloadError("%s: %s" % (path, error))


def nearest_rank(count: int, percentile: int) -> int:
    """Place, from 0, of the percentile among `count` sorted values."""
    return max(0, -(-count * percentile // 100) - 1)


def representatives(workload: Workload) -> Tuple[Request, ...]:
    """At most three, each request once: where one stands at several percentiles (fewer than ten requests), the one nearest the middle names it."""
    if not workload.requests:
        raise WorkloadError("all %d requests of the workload failed: there is no latency to pick by" % workload.failed if workload.failed else "the workload has no requests")
    ordered = sorted(workload.requests, key=lambda one: (one.latency_ns, one.number))
    picked: Dict[int, Request] = {}
    for label, percentile in sorted(LABELS, key=lambda one: abs(one[1] - 50)):
        one = ordered[nearest_rank(len(ordered), percentile)]
        picked.setdefault(one.number, one._replace(label=label, percentile=percentile))
    return tuple(sorted(picked.values(), key=lambda one: one.percentile))


def same_requests(count: int, input_tokens: int, output_tokens: int) -> Tuple[Request, ...]:
    """Without a workload: `count` requests of one size."""
    return tuple(Request("Request %d" % (number + 1), 0, -1, input_tokens, output_tokens, 0) for number in range(count))
