"""A real vLLM engine on the CPU serves a tiny random Qwen3; then its process is asked for its models. `python vllm_engine.py PACKAGE CONFIG_FOLDER SERVED_NAME`
prints one JSON line last."""
import gc
import json
import os
import sys

os.environ.update(HF_HUB_OFFLINE="1", VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1", VLLM_CPU_OMP_THREADS_BIND="nobind")


def main():
    package, folder, name = sys.argv[1:]
    from vllm import LLM, SamplingParams

    engine = LLM(model=folder, load_format="dummy", skip_tokenizer_init=True, enforce_eager=True, served_model_name=name, max_model_len=128, dtype="bfloat16")
    frozen = gc.get_freeze_count()
    answer = engine.generate([{"prompt_token_ids": [1, 2, 3]}], SamplingParams(max_tokens=4, detokenize=False), use_tqdm=False)

    sys.path.insert(0, package)
    from lamella.roots import roots
    from lamella.totals import totals
    from lamella.tree_text import tree_text
    from lamella.walk import walk

    found = roots()
    walked = walk(found[0])
    seen = {
        "tokens": len(answer[0].outputs[0].token_ids),
        "frozen": frozen,
        "frozenAfter": gc.get_freeze_count(),
        "models": [type(model).__name__ for model in found],
        "name": walked.identity.name,
        "servedName": walked.identity.served_name,
        "path": walked.identity.name_or_path,
        "architecture": walked.identity.architecture,
        "sizes": walked.layout.sizes._asdict(),
        "parameters": totals(walked.shape).parameters,
        "tree": tree_text(walked.shape, walked.identity.name),
        "notes": list(walked.notes),
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
