"""A forward document as indented text: calls in their order, and with each the calls it gets its tensors from.

    tiny  Qwen3ForCausalLM  51 calls observed · torch 2.15.0
      model  Qwen3Model  ← input_ids
        embed_tokens  Embedding  float32[1,8,64]  ← input_ids
        layers.0 … layers.2  Qwen3DecoderLayer ×3  float32[1,8,64]  ← embed_tokens, layers.* before it, rotary_emb
          mlp  Qwen3MLP  float32[1,8,64]  ← post_attention_layernorm
        → mlp (add), self_attn (add)
"""
from typing import Any, Dict, Iterator, List, Tuple

from .number_text import exact_text


def _tensor_text(seen: Dict[str, Any]) -> str:
    return "%s[%s]" % (seen["dtype"], ",".join(map(str, seen["dims"]))) if "dtype" in seen else seen["class"]


def _short(path: str, parent: str) -> str:
    return path[len(parent) + 1 :] if parent and path.startswith(parent + ".") else path or "the model"


def _via_text(edge: Dict[str, Any]) -> str:
    names = [name.rpartition("::")[2] for name in edge.get("via", ())]
    told = names if len(names) <= 3 else names[:2] + ["… %s" % names[-1]]
    return " (%s)" % ", ".join(told) if told else " (kept from before)" if edge["evidence"] == "state" else ""


def _start_text(edge: Dict[str, Any], entries: Dict[int, Dict[str, Any]], parent: str) -> str:
    start = edge["from"]
    if not isinstance(start, int):
        return start.partition(":")[2] or "input"
    entry = entries.get(start)
    if entry is None:
        return "call %d" % start
    if "copies" not in entry:
        return _short(entry["path"], parent)
    if edge["to"] == start:
        return _short(entry["path"], parent).rpartition(".")[0] + ".* before it"
    first, last = edge.get("from_copies", (0, 0))
    head = _short(entry["path"], parent).rpartition(".")[0]
    number = int(entry["path"].rpartition(".")[2])
    return "%s.%d" % (head, number + last) if first == last else "%s.%d … %s.%d" % (head, number + first, head, number + last)


def _arrows(edges: List[Dict[str, Any]], entries: Dict[int, Dict[str, Any]], parent: str) -> str:
    told = dict.fromkeys(_start_text(edge, entries, parent) + _via_text(edge) for edge in edges)
    return ", ".join(told)


def forward_lines(document: Dict[str, Any]) -> Iterator[str]:
    entries = {entry["order"]: entry for entry in document["calls"]}
    into: Dict[Tuple[int, Any], List[Dict[str, Any]]] = {}
    for edge in document["flow"]:
        into.setdefault((edge["in"], edge["to"]), []).append(edge)
    inside: Dict[int, List[Dict[str, Any]]] = {}
    for entry in document["calls"]:
        inside.setdefault(entry["parent"], []).append(entry)
    yield "%s  forward  %s calls observed · torch %s" % (document["model_name"], exact_text(document["observed_calls"]), document["torch"])
    open_: List[Tuple[Any, int]] = [(entry, 1) for entry in reversed(inside.get(-1, []))]
    while open_:
        entry, depth = open_.pop()
        if isinstance(entry, str):
            yield "  " * depth + entry
            continue
        order, above = entry["order"], entries.get(entry["parent"])
        parent = above["path"] if above is not None else ""
        name = _short(entry["path"], parent)
        if "copies" in entry:
            name += " … " + _short(entry["last"], parent)
        told = entry if "same" not in entry else entries[entry["same"]]
        kind = told["class"].rpartition(".")[2] + (" ×%d" % entry["copies"] if "copies" in entry else "")
        sizes = ", ".join(_tensor_text(seen) for seen in told["outputs"])
        arrows = _arrows(into.get((entry["parent"], order), []), entries, parent)
        facts = [name, kind, "raised" if told.get("raised") else sizes, "← " + arrows if arrows else ""]
        if "same" in entry and inside.get(entry["same"]):
            facts.append("inside as " + (entries[entry["same"]]["path"] or "the model"))
        if "calls_inside" in entry:
            facts.append("%d calls inside, left out" % entry["calls_inside"])
        yield "  " * depth + "  ".join(filter(None, facts))
        results = _arrows(into.get((order, "output"), []), entries, entry["path"])
        if results and inside.get(order):
            open_.append(("→ " + results, depth + 1))
        open_.extend((child, depth + 1) for child in reversed(inside.get(order, [])))
    if not document["calls"]:
        yield from _source_lines(document)
    for limit in document["limits"]:
        yield "limit: " + limit


def _source_lines(document: Dict[str, Any]) -> Iterator[str]:
    """Without a forward: what the source says may become what."""
    for key, one in document["classes"].items():
        if one["dependencies"]:
            yield "  " + key.rpartition(".")[2]
            ends: Dict[str, List[str]] = {}
            for edge in one["dependencies"]:
                ends.setdefault(edge["to"], []).append(edge["from"].replace("input:", "", 1))
            for end, starts in ends.items():
                yield "    %s  ← %s" % (end, ", ".join(starts))


def forward_text(document: Dict[str, Any]) -> str:
    return "\n".join(forward_lines(document)) + "\n"
