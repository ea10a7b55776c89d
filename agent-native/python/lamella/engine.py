"""Two ways to run one prompt alone in this process, for exactly as many tokens as are asked for: vLLM's offline engine, and transformers' generate.

Prompts are token ids, so no tokenizer is needed and a length is exact; the end-of-text token ends nothing.
"""
import gc
import os
from typing import Any, Dict, List, NamedTuple

from .build import BuildError, build, read_config
from .roots import find_roots


class EngineError(Exception):
    """Says what is in the way and how to get round it."""


class Options(NamedTuple):
    model: str  # a folder with a config.json, or a name in the local Hugging Face cache
    config: str  # a configuration whose model is made with random weights; "" = the weights of `model`
    device: str  # "" = the engine's own choice
    dtype: str
    compiled: bool
    tokens_max: int  # of one request, prompt and answer
    seed: int
    memory_fraction: float  # of the GPU's memory that vLLM may take; 0 = its default


class VllmEngine:
    name = "vllm"

    def __init__(self, options: Options) -> None:
        # In this process: the profiler sees no other one.
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")  # GiB, without a GPU: else most of the machine's memory is taken for one request
        from vllm import LLM
        from vllm.engine.arg_utils import EngineArgs

        if options.config and os.path.basename(options.config) != "config.json":
            raise EngineError("%s: vLLM reads a configuration by its folder: name the file config.json" % options.config)
        folder = os.path.dirname(os.path.abspath(options.config)) if options.config else options.model
        wanted: Dict[str, Any] = {
            "model": folder,
            "served_model_name": options.model,
            "load_format": "dummy" if options.config else "auto",
            "skip_tokenizer_init": True,
            "enforce_eager": not options.compiled,
            "dtype": options.dtype,
            "max_model_len": options.tokens_max + 1,
            "max_num_batched_tokens": max(options.tokens_max + 1, 2_048),  # the prompt in one piece
            "enable_prefix_caching": False,  # else the warm-up would have computed the prompt already
            "async_scheduling": False,  # one step after the other, none ahead
            "seed": options.seed,
        }
        if options.memory_fraction:
            wanted["gpu_memory_utilization"] = options.memory_fraction
        known = getattr(EngineArgs, "__dataclass_fields__", {})
        self._llm = LLM(**{name: value for name, value in wanted.items() if not known or name in known})
        found = find_roots().models
        if not found:
            raise EngineError("vLLM runs its model in another process, which the profiler does not see: use one GPU (tensor and pipeline parallel size 1)")
        self.model = found[0]
        self.vocabulary = int(self._llm.llm_engine.model_config.get_vocab_size())

    def run(self, prompt: List[int], tokens: int) -> int:
        """Generates and returns how many tokens came."""
        from vllm import SamplingParams

        sampling = SamplingParams(max_tokens=tokens, min_tokens=tokens, ignore_eos=True, temperature=0.0, detokenize=False)
        (answer,) = self._llm.generate([{"prompt_token_ids": prompt}], sampling, use_tqdm=False)
        if len(answer.prompt_token_ids) != len(prompt):
            raise EngineError("vLLM took %d tokens of a prompt of %d" % (len(answer.prompt_token_ids), len(prompt)))
        return len(answer.outputs[0].token_ids)

    def close(self) -> None:
        self.model = self._llm = None
        gc.collect()


class TransformersEngine:
    name = "transformers"

    def __init__(self, options: Options) -> None:
        import torch

        self._torch = torch
        device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = "auto" if options.dtype == "auto" else getattr(torch, options.dtype)
        if options.config:
            built = build(read_config(options.config), options.model).model
            torch.manual_seed(options.seed)
            # Made anew: on the meta device the buffers have no values either.
            self.model = type(built)._from_config(built.config, dtype=built.dtype if dtype == "auto" else dtype).to(device).eval()
        else:
            from transformers import AutoModelForCausalLM

            try:
                self.model = AutoModelForCausalLM.from_pretrained(options.model, dtype=dtype).to(device).eval()
            except (OSError, ValueError) as error:
                raise EngineError("transformers cannot load %s: %s" % (options.model, str(error).strip().split("\n")[0]))
        if not hasattr(self.model, "generate"):
            raise EngineError("%s does not generate text: only models that do can be profiled by request" % type(self.model).__name__)
        self.vocabulary = int(self.model.config.get_text_config().vocab_size)
        limit = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if type(limit) is int and options.tokens_max > limit:
            raise EngineError("a request has %d tokens and the model takes %d: give a workload of shorter requests" % (options.tokens_max, limit))
        if options.compiled:
            self.model.forward = torch.compile(self.model.forward)

    def run(self, prompt: List[int], tokens: int) -> int:
        ids = self._torch.tensor([prompt], device=self.model.device)
        settings = dict(max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False, eos_token_id=None, pad_token_id=0, use_cache=True)
        with self._torch.no_grad():
            answer = self.model.generate(input_ids=ids, attention_mask=self._torch.ones_like(ids), **settings)
        return int(answer.shape[1]) - len(prompt)

    def close(self) -> None:
        self.model = None


def engine_of(kind: str, options: Options) -> Any:
    """`kind` is "vllm", "transformers" or "auto": vLLM where it is installed."""
    import importlib.util

    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if kind == "auto":
        kind = "vllm" if importlib.util.find_spec("vllm") is not None else "transformers"
    if importlib.util.find_spec(kind) is None or importlib.util.find_spec("torch") is None:
        raise EngineError("%s is not installed: pip install %s, or choose another --engine" % (kind, kind))
    try:
        return (VllmEngine if kind == "vllm" else TransformersEngine)(options)
    except (EngineError, BuildError):
        raise
    except Exception as error:  # whatever an engine raises while it starts
        raise EngineError("%s cannot start %s: %s: %s" % (kind, options.model, type(error).__name__, str(error).strip().split("\n")[0][:500]))
