"""Records a model under torch.profiler into a trace that says which module each event belongs to.

    python -m lamella.record -o demo.trace.json.gz

runs a small Qwen3 with random weights (one prefill, then decode steps); record() does the same for any model. The module map comes from the profiler's
own event tree after the run (module_map.py), so the run itself carries no hook and no wrapper of ours. docs/recording.md describes the file.
"""
import argparse
import json
import os
import platform
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .canonical import shape_id
from .forward import forward_of
from .identity import identify
from .module_map import Call, module_calls, module_map, unique_names
from .reader import snapshot
from .trace_file import clean_trace, rename_modules, write_trace
from .version import VERSION
from .wire import shape_upload

FORMAT = 1


def device_label(model: Any) -> str:
    """e.g. "CPU: AMD EPYC 9654" or "CUDA: NVIDIA H100 80GB HBM3"."""
    import torch

    if next((p for p in model.parameters() if p.is_cuda), None) is not None:
        return ("HIP: " if torch.version.hip else "CUDA: ") + torch.cuda.get_device_name()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return "CPU: " + (names[0] if names else platform.processor() or platform.machine())


def versions() -> Dict[str, str]:
    import torch

    found = {"lamella": VERSION, "python": platform.python_version(), "torch": torch.__version__}
    for name in ("transformers", "vllm"):
        if name in sys.modules:
            found[name] = sys.modules[name].__version__
    return found


def metadata_of(model: Any, name: str) -> Dict[str, Any]:
    """Everything the recording says besides its events and module map."""
    identity = identify(model, name)
    taken = snapshot(model, identity.config_bits)
    device = device_label(model)
    return {
        "lamella_format": FORMAT,
        "lamella_model_name": identity.name,
        "lamella_model_key": identity.model_key,
        "lamella_architecture": identity.architecture,
        "lamella_device": device,
        "lamella_profile_type": "cpu_op" if device.startswith("CPU") else "cuda",
        "lamella_recorded_at_s": int(time.time()),
        "lamella_versions": versions(),
        "lamella_shape": shape_upload(taken.shape, taken.layout, identity.model_key, identity.architecture, shape_id(taken.shape)),
    }


class Captured(NamedTuple):
    """What a profiler holds after it stopped; it can be asked once only."""

    calls: List[Call]
    trace: Dict[str, Any]


def captured(prof: Any) -> Captured:
    calls = module_calls(prof.profiler.kineto_results.experimental_event_tree())
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "trace.json")
        prof.export_chrome_trace(exported)
        with open(exported, encoding="utf-8") as file:
            return Captured(calls, json.load(file))


def activities_of(model: Any) -> List[Any]:
    from torch.profiler import ProfilerActivity

    on_gpu = any(p.is_cuda for p in model.parameters())
    return [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if on_gpu else [])


def write_recording(model: Any, taken: Captured, metadata: Dict[str, Any], path: str) -> Dict[str, Any]:
    """Writes the trace with `metadata` and the module map; answers both. Raises when the profiler saw no module of `model`."""
    import torch

    names = unique_names(taken.calls)
    entries = module_map(model, taken.calls, names)
    if not entries:
        raise RuntimeError("the profiler recorded no nn.Module event of this model (PyTorch %s); is another profiler running?" % torch.__version__)
    told = dict(metadata, lamella_module_map=entries)
    rename_modules(taken.trace["traceEvents"], [call.name for call in taken.calls], names)
    write_trace(clean_trace(taken.trace, told, os.getcwd()), path)
    return told


def record(
    model: Any, inputs: Callable[[int, Any], Dict[str, Any]], path: str, steps: int = 6, name: str = "", with_forward: bool = False, with_source: bool = False
) -> Dict[str, Any]:
    """Runs `model(**inputs(step, output of the step before))` for `steps` recorded steps, after two warm-up runs of step 0, and writes a gzip Chrome
    trace to `path`. With `with_forward` the first warm-up is observed (forward.py), before anything is measured.

    Returns the metadata written, module map included. Raises when the profiler saw no module of `model`.
    """
    import torch
    from torch.profiler import profile, schedule

    recorded: List[Captured] = []
    more: Dict[str, Any] = {}
    plan = schedule(wait=0, warmup=1, active=steps, repeat=1)
    with torch.no_grad():
        # The first run, with all that is initialised only then, stays out of the recording.
        if with_forward:
            more["lamella_forward"] = forward_of(model, lambda: model(**inputs(0, None)), name, with_source)
        else:
            model(**inputs(0, None))
        ready = lambda prof: recorded.append(captured(prof))  # noqa: E731
        with profile(activities=activities_of(model), schedule=plan, on_trace_ready=ready, record_shapes=True, with_stack=True) as prof:
            model(**inputs(0, None))
            prof.step()
            output: Any = None
            for step in range(steps):
                output = model(**inputs(step, output))
                prof.step()
    return write_recording(model, recorded[0], dict(metadata_of(model, name), **more), path)


def small_qwen3(layers: int, hidden: int, seed: int) -> Any:
    """A Qwen3ForCausalLM with tied embeddings and random float32 weights; with hidden 1024 each layer is as wide as one of Qwen3-0.6B."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(seed)
    config = Qwen3Config(
        num_hidden_layers=layers, hidden_size=hidden, intermediate_size=3 * hidden, num_attention_heads=hidden // 64, num_key_value_heads=hidden // 128,
        head_dim=128, vocab_size=16_384, tie_word_embeddings=True, architectures=["Qwen3ForCausalLM"],
    )  # fmt: skip
    return Qwen3ForCausalLM(config).eval()


def generation(prompt: Any) -> Callable[[int, Any], Dict[str, Any]]:
    """Step 0 is the prefill of `prompt` (token ids, [batch, tokens]); every later step decodes the likeliest next token with the cache of the step before."""

    def inputs(step: int, output: Any) -> Dict[str, Any]:
        if output is None:
            return {"input_ids": prompt, "use_cache": True}
        cache = "cache" if "cache" in output.keys() else "past_key_values"  # transformers renamed it in 5
        return {"input_ids": output.logits[:, -1:].argmax(-1), cache: output[cache], "use_cache": True}

    return inputs


def main(argv: Optional[list] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lamella.record",
        description="Record a small Qwen3 with random weights under torch.profiler: one prefill, then decode steps. Deterministic but for its times.",
        epilog="example: python -m lamella.record -o demo.trace.json.gz --layers 4 && npx lamella import demo.trace.json.gz",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="trace to write, e.g. demo.trace.json.gz")
    parser.add_argument("--name", default="qwen3-demo", help="name of the model in the recording (default: qwen3-demo)")
    parser.add_argument("--layers", type=int, default=4, help="decoder layers (default: 4)")
    parser.add_argument("--hidden", type=int, default=1024, help="hidden size, a multiple of 128 (default: 1024)")
    parser.add_argument("--prefill", type=int, default=32, metavar="TOKENS", help="tokens of the prompt (default: 32)")
    parser.add_argument("--decode", type=int, default=5, metavar="STEPS", help="decode steps after the prefill (default: 5)")
    parser.add_argument("--device", default="cpu", help="torch device to run on (default: cpu)")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of an operator (default: 1, whose times a busy machine disturbs least)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--with-forward", action="store_true", help="add what calls what in one forward (lamella_forward), observed before the recording")
    parser.add_argument("--with-source", action="store_true", help="with --with-forward: and the source text of each forward")
    parser.add_argument("--json", action="store_true", help="print the metadata (without the shape, the module map and the forward) as JSON")
    args = parser.parse_args(argv)
    if args.hidden % 128 or min(args.hidden, args.layers, args.prefill, args.threads) < 1 or args.decode < 0:
        parser.error("--hidden must be a multiple of 128; --layers, --prefill and --threads at least 1; --decode at least 0")
    if args.with_source and not args.with_forward:
        parser.error("--with-source goes with --with-forward")

    os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # kineto reports every start and stop, and on a CPU that no GPU was found
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        print("lamella.record needs PyTorch and transformers: %s. Install them, e.g. pip install torch transformers." % error, file=sys.stderr)
        return 1
    torch.set_num_threads(args.threads)
    model = small_qwen3(args.layers, args.hidden, args.seed).to(args.device)
    prompt = torch.randint(0, 16_384, (1, args.prefill)).to(args.device)
    metadata = record(model, generation(prompt), args.output, 1 + args.decode, args.name, args.with_forward, args.with_source)
    summary = {key[8:]: value for key, value in metadata.items() if key not in ("lamella_shape", "lamella_module_map", "lamella_forward")}
    summary.update(modules=len(metadata["lamella_module_map"]), file=args.output, bytes=os.path.getsize(args.output))
    if args.json:
        print(json.dumps(summary))
    else:
        told = (args.output, args.name, summary["device"], summary["modules"], 1 + args.decode, format(summary["bytes"], ","))
        print("%s: %s on %s, %d modules, %d steps, %s bytes" % told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
