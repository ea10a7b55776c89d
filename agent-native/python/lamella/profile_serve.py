"""Profiles single requests of a served model, each alone and offline, into one trace per request.

    python -m lamella.profile_serve Qwen/Qwen3-8B --workload-json result.json     the Fast, Typical and Slow request of a benchmark
    python -m lamella.profile_serve Qwen/Qwen3-8B --num-prompts 3 --input-len 1024 --output-len 32

A trace has exactly the tokens of its request: a prompt of as many token ids, and as many steps as tokens were generated. What it does not have is said with it: the
queueing and batching of the real request. docs/recording.md describes the files.
"""
import argparse
import json
import os
import random
import sys
import time
from typing import Any, Dict, List, Optional, Sequence

from .build import BuildError
from .engine import EngineError, Options, engine_of
from .forward import forward_of
from .record import activities_of, captured, metadata_of, write_recording
from .representatives import Request, WorkloadError, read_workload, representatives, same_requests

FORMAT = 1
REQUESTS_MAX = 100  # traces of one run; each is held in memory while it is written, a large model's has 100 MB
ALONE = "each prompt ran alone and offline: the queueing and batching of the real requests are not reproduced, and the profiler adds to every operator's time"


def prompt_of(request: Request, vocabulary: int, seed: int) -> List[int]:
    """Token ids, as many as the request had: random, and the same for the same seed and place."""
    made = random.Random("%d %d %d" % (seed, request.number, request.input_tokens))
    return [made.randrange(vocabulary) for _ in range(request.input_tokens)]


def steps_in(module_map: Dict[str, Dict[str, Any]], trace_events: Sequence[Dict[str, Any]]) -> int:
    """Forwards in a trace: calls of the outermost module that has events. vLLM calls its model once per step, transformers too."""
    shallow = min((entry["path"].count(".") + bool(entry["path"]), name) for name, entry in module_map.items())[1]
    return sum(1 for event in trace_events if event.get("name") == shallow)


def profiled(engine: Any, request: Request, seed: int, metadata: Dict[str, Any], path: str) -> Dict[str, Any]:
    """Runs and writes one request; answers its line of request_metadata.json."""
    from torch.profiler import profile

    prompt = prompt_of(request, engine.vocabulary, seed)
    with profile(activities=activities_of(engine.model), record_shapes=True, with_stack=True) as prof:
        start = time.perf_counter_ns()
        came = engine.run(prompt, request.output_tokens)
        wall_ns = time.perf_counter_ns() - start
    if came != request.output_tokens:
        raise EngineError("%s: %d tokens were generated instead of %d" % (request.label, came, request.output_tokens))
    told: Dict[str, Any] = {"label": request.label, "input_tokens": request.input_tokens, "output_tokens": request.output_tokens}
    if request.latency_ns:
        told.update(latency_ns=request.latency_ns, percentile=request.percentile, workload_index=request.number)
    told["profiled_ns"] = wall_ns
    taken = captured(prof)
    # Before writing: the trace must not be without what it says of itself.
    written = write_recording(engine.model, taken, dict(metadata, lamella_request=told), path)
    if not os.path.getsize(path):
        raise EngineError("%s is empty after it was written: is the disk full?" % path)
    steps = steps_in(written["lamella_module_map"], taken.trace["traceEvents"])
    return dict(told, file=os.path.basename(path), steps=steps, modules=len(written["lamella_module_map"]), bytes=os.path.getsize(path))


def profile_requests(engine: Any, requests: Sequence[Request], out: str, model: str, compiled: bool, seed: int, with_forward: bool = False, tell: Any = None) -> Dict[str, Any]:
    """Writes request_001.json.gz … and request_metadata.json into `out`; answers the latter."""
    os.makedirs(out, exist_ok=True)
    warmed = set()
    more: Dict[str, Any] = {}
    for request in requests:
        # Once is enough in eager mode; a compiled model is compiled for the sizes of each request.
        size = (request.input_tokens, request.output_tokens) if compiled else ()
        if size not in warmed:
            warmed.add(size)
            run = lambda request=request: engine.run(prompt_of(request, engine.vocabulary, seed + 1), request.output_tokens)  # noqa: E731
            if with_forward and not more:
                more["lamella_forward"] = forward_of(engine.model, run, model)
            else:
                run()
    metadata = dict(metadata_of(engine.model, model), **more)
    lines = []
    for number, request in enumerate(requests, 1):
        line = profiled(engine, request, seed, metadata, os.path.join(out, "request_%03d.json.gz" % number))
        lines.append(line)
        if tell is not None:
            tell(line)
    uneven = ["%s: %d steps for %d tokens" % (line["file"], line["steps"], line["output_tokens"]) for line in lines if line["steps"] != line["output_tokens"]]
    document = {
        "format": FORMAT,
        "model": model,
        "model_key": metadata["lamella_model_key"],
        "engine": engine.name,
        "mode": "compiled" if compiled else "eager",
        "device": metadata["lamella_device"],
        "versions": metadata["lamella_versions"],
        "requests": lines,
        "notes": [ALONE] + uneven,
    }
    with open(os.path.join(out, "request_metadata.json"), "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
    return document


def _requests(args: argparse.Namespace) -> Sequence[Request]:
    if not args.workload_json:
        return same_requests(args.num_prompts, args.input_len, args.output_len)
    workload = read_workload(args.workload_json)
    picked = representatives(workload)
    if workload.failed:
        print("note: %d of %d requests failed and take no part" % (workload.failed, workload.failed + len(workload.requests)), file=sys.stderr)
    if len(picked) < 3:
        print("note: %d requests are too few for three: %s" % (len(workload.requests), ", ".join(one.label for one in picked)), file=sys.stderr)
    return picked


def _line_text(line: Dict[str, Any]) -> str:
    measured = " · p%d of the workload, %.3f s there" % (line["percentile"], line["latency_ns"] / 1e9) if "latency_ns" in line else ""
    told = (line["file"], line["label"], line["input_tokens"], line["output_tokens"], measured, line["steps"], line["modules"], format(line["bytes"], ","))
    return "%s: %s, %d + %d tokens%s · %d steps, %d modules, %s bytes" % told


def main(argv: Optional[list] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lamella.profile_serve",
        description="Profile single requests of a model, each alone and offline: %s." % ALONE,
        epilog="example: python -m lamella.profile_serve Qwen/Qwen3-8B --workload-json result.json --out traces && npx lamella import traces/request_*.json.gz",
    )
    parser.add_argument("model", metavar="MODEL", help="a folder with a config.json and weights, or a name in the local Hugging Face cache")
    parser.add_argument("--workload-json", metavar="FILE", help="result of `vllm bench serve --save-detailed`, or a list of {latency, input_tokens, output_tokens}")
    parser.add_argument("--num-prompts", type=int, default=1, metavar="N", help="without a workload: prompts of one size (default: 1)")
    parser.add_argument("--input-len", type=int, default=0, metavar="TOKENS", help="tokens of each prompt")
    parser.add_argument("--output-len", type=int, default=16, metavar="TOKENS", help="tokens to generate (default: 16)")
    parser.add_argument("--out", default="per_request", metavar="DIR", help="folder of the traces (default: per_request)")
    parser.add_argument("--engine", choices=("auto", "vllm", "transformers"), default="auto", help="default: vLLM where it is installed")
    parser.add_argument("--config", default="", metavar="CONFIG.json", help="run this configuration with random weights instead of MODEL's, which then is only its name")
    parser.add_argument("--compiled", action="store_true", help="keep torch.compile and CUDA graphs; modules inside what is compiled have no events then (default: eager)")
    parser.add_argument("--dtype", default="auto", help="e.g. bfloat16 (default: the configuration's)")
    parser.add_argument("--device", default="", help="with transformers: torch device (default: cuda where there is one)")
    parser.add_argument("--memory-fraction", type=float, default=0.0, metavar="F", help="with vLLM: share of the GPU's memory it may take (default: vLLM's own)")
    parser.add_argument("--with-forward", action="store_true", help="add what calls what in one forward (lamella_forward), observed during the warm-up")
    parser.add_argument("--seed", type=int, default=0, help="of the prompts and of random weights")
    parser.add_argument("--json", action="store_true", help="print request_metadata.json")
    args = parser.parse_args(argv)
    if bool(args.workload_json) == bool(args.input_len):
        parser.error("give --workload-json FILE, or --input-len TOKENS (with --num-prompts and --output-len)")
    if not args.workload_json and (args.input_len < 1 or args.output_len < 1 or not 1 <= args.num_prompts <= REQUESTS_MAX):
        parser.error("--input-len and --output-len must be at least 1, --num-prompts 1 to %d" % REQUESTS_MAX)
    os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # kineto reports every start and stop, and on a CPU that no GPU was found
    engine: Any = None
    try:
        requests = _requests(args)  # before the engine starts: nobody should wait for it to learn that the workload cannot be read
        tokens_max = max(one.input_tokens + one.output_tokens for one in requests)
        engine = engine_of(args.engine, Options(args.model, args.config, args.device, args.dtype, args.compiled, tokens_max, args.seed, args.memory_fraction))
        tell = None if args.json else lambda line: print(_line_text(line), flush=True)
        document = profile_requests(engine, requests, args.out, args.model, args.compiled, args.seed, args.with_forward, tell)
    except (BuildError, EngineError, WorkloadError, OSError, RuntimeError) as error:
        print("lamella.profile_serve: %s" % error, file=sys.stderr)
        return 1
    finally:
        if engine is not None:
            engine.close()
    print(json.dumps(document, indent=2) if args.json else "\n".join("note: " + note for note in document["notes"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
