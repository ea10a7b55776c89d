"""The parallel sizes of this process and the name its model is served under, as the framework in it keeps them.

Only modules that are already imported are looked at, only their variables and the attributes of plain objects; no getter of theirs is called (vLLM's assert).
Frameworks move their files, so a module counts by the variables it has, not by its full path.
"""
import sys
from types import ModuleType
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from .layout import Sizes
from .raw_object import attributes, clean, is_a, qualified_name


class Served(NamedTuple):
    """What a serving framework says of the model it runs; "" where it says nothing."""

    name: str = ""
    path: str = ""


def _loaded(*endings: str) -> Iterator[Dict[str, Any]]:
    """The variables of every loaded module whose name ends so. A process has thousands: they are searched as one text."""
    try:
        names = "\n".join([*sys.modules, ""])
    except TypeError:  # a name that is no text
        names = "\n".join([name for name in [*sys.modules, ""] if type(name) is str])
    for ending in endings:
        end = names.find(ending + "\n")
        while end >= 0:
            module = sys.modules.get(names[names.rfind("\n", 0, end) + 1 : end + len(ending)])
            if type(module) is ModuleType:
                yield vars(module)
            end = names.find(ending + "\n", end + 1)


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


class _Group(NamedTuple):
    size: int
    rank: int


def _coordinator(value: Any) -> Optional[_Group]:
    """vLLM's and SGLang's GroupCoordinator."""
    known = attributes(value) if value is not None else None
    if not known or not _count(known.get("world_size")):
        return None
    rank = known.get("rank_in_group")
    return _Group(known["world_size"], rank if type(rank) is int and rank >= 0 else 0)


def _from_coordinators(states: List[Dict[str, Any]]) -> Optional[Sizes]:
    """`vllm.distributed.parallel_state`, `sglang.srt.distributed.parallel_state`: one object for each kind of group."""
    for variables in states:
        if "_TP" not in variables or "_PP" not in variables:
            continue
        groups = {name: _coordinator(variables.get(name)) or _Group(1, 0) for name in ("_TP", "_PP", "_DP")}
        if _coordinator(variables["_TP"]) or _coordinator(variables["_PP"]):
            tp, pp, dp = groups["_TP"], groups["_PP"], groups["_DP"]
            return Sizes(tp_size=tp.size, pp_size=pp.size, dp_size=dp.size, tp_rank=tp.rank, pp_rank=pp.rank)
    return None


def _process_group(group: Any) -> Optional[_Group]:
    """torch.distributed's own group: size and rank come from C++ and run nothing."""
    torch = sys.modules.get("torch")
    kind = getattr(getattr(torch, "_C", None), "_distributed_c10d", None)
    base = getattr(kind, "ProcessGroup", None)
    if base is None or group is None or not is_a(group, base):
        return None
    try:
        return _Group(int(base.size(group)), int(base.rank(group)))
    except Exception:  # a group that was destroyed
        return None


def _from_megatron(states: List[Dict[str, Any]]) -> Optional[Sizes]:
    """`megatron.core.parallel_state`: groups by long names, sizes that were set by hand before them."""
    for variables in states:
        if "_TENSOR_MODEL_PARALLEL_GROUP" not in variables:
            continue

        def group(kind: str, set_size: str, set_rank: str, of: Dict[str, Any] = variables) -> Optional[_Group]:
            size = _count(of.get(set_size))
            rank = of.get(set_rank)
            if size:
                return _Group(size, rank if type(rank) is int and rank >= 0 else 0)
            return _process_group(of.get(kind))

        tp = group("_TENSOR_MODEL_PARALLEL_GROUP", "_MPU_TENSOR_MODEL_PARALLEL_WORLD_SIZE", "_MPU_TENSOR_MODEL_PARALLEL_RANK")
        pp = group("_PIPELINE_MODEL_PARALLEL_GROUP", "_MPU_PIPELINE_MODEL_PARALLEL_WORLD_SIZE", "_MPU_PIPELINE_MODEL_PARALLEL_RANK")
        if tp is None and pp is None:
            continue
        one = _Group(1, 0)
        ep = group("_EXPERT_MODEL_PARALLEL_GROUP", "_MPU_EXPERT_MODEL_PARALLEL_WORLD_SIZE", "_MPU_EXPERT_MODEL_PARALLEL_RANK") or one
        dp = _process_group(variables.get("_DATA_PARALLEL_GROUP")) or one
        tp, pp = tp or one, pp or one
        return Sizes(tp_size=tp.size, pp_size=pp.size, ep_size=ep.size, dp_size=dp.size, tp_rank=tp.rank, pp_rank=pp.rank)
    return None


def _from_torch() -> Optional[Sizes]:
    """Without a framework that says more, every process of the default group is one data-parallel rank."""
    torch = sys.modules.get("torch")
    distributed = sys.modules.get("torch.distributed.distributed_c10d")
    if torch is None or distributed is None:
        return None
    world = vars(distributed).get("_world")
    group = _process_group(getattr(world, "default_pg", None))
    return Sizes(dp_size=group.size) if group is not None and group.size > 1 else None


def process_sizes() -> Sizes:
    """As the framework says; one rank where none is known. Sizes that only layers know (expert parallelism) are added by the reader."""
    states = list(_loaded("parallel_state"))
    return _from_coordinators(states) or _from_megatron(states) or _from_torch() or Sizes()


def _text(value: Any) -> str:
    if type(value) in (list, tuple):
        value = value[0] if value else ""
    return clean(value) if type(value) is str else ""


def _vllm_config(value: Any) -> Optional[Served]:
    if qualified_name(type(value)) != "VllmConfig":
        return None
    model = attributes((attributes(value) or {}).get("model_config")) or {}
    return Served(_text(model.get("served_model_name")), _text(model.get("model")))


def served(modules: List[Any]) -> Served:
    """`modules` are the root and those directly below it: vLLM leaves its configuration on one of them; SGLang keeps its server's arguments in a variable."""
    for module in modules:
        found = _vllm_config((attributes(module) or {}).get("vllm_config"))
        if found is not None:
            return found
    for variables in _loaded("server_args", "runtime_context"):  # the second in SGLang 0.5
        context = attributes(variables.get("_CONTEXT")) or {}
        for value in (variables.get("_global_server_args"), context.get("_server_args")):
            arguments = attributes(value) or {}
            if "served_model_name" in arguments:
                return Served(_text(arguments["served_model_name"]), _text(arguments.get("model_path")))
    return Served()
