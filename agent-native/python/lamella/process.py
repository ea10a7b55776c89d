"""What a sighting says about the process and machine it comes from."""
import hashlib
import os
import platform
import sys
import time
from typing import Any, Dict

from .identity import Identity
from .layout import Sizes

LABEL_BYTES_MAX = 256  # limits.labelBytesMax of schema/limits.ts


def label(text: str) -> str:
    """A filterable value; refused by name where it is longer than the contract takes, never cut."""
    if len(text.encode("utf-8")) > LABEL_BYTES_MAX:
        raise ValueError("%r... is %d bytes long; at most %d are taken" % (text[:40], len(text.encode("utf-8")), LABEL_BYTES_MAX))
    return text


def machine_id() -> str:
    """The first 16 hex digits of sha256(/etc/machine-id): stable, and not the id itself. Without that file, of the host's name."""
    try:
        with open("/etc/machine-id", encoding="ascii") as file:
            source = file.read().strip()
    except (OSError, ValueError):
        source = platform.node()
    return hashlib.sha256(source.encode("utf-8")).hexdigest()[:16]


def _start_ticks() -> str:
    """When this process began, as the kernel tells it (field 22 of stat, after the name in parentheses)."""
    try:
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def process_key() -> int:
    """64 bits of hash(machine, pid, start): the same all through the life of this process, another in the next."""
    digest = hashlib.sha256(("%s\t%d\t%s" % (machine_id(), os.getpid(), _start_ticks())).encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "little")


def sighting(identity: Identity, sizes: Sizes, part_hash: str, script_name: str = "") -> Dict[str, Any]:
    """A Sighting of this process, now. `part_hash` is that of the shape it runs."""
    now = int(time.time())
    return {
        "model_key": identity.model_key,
        "part_hash": part_hash,
        "run_id": identity.run_id,
        "served_name": label(identity.served_name),
        "name_or_path": label(identity.name_or_path),
        "architecture": label(identity.architecture),
        "root_class": label(identity.root_class),
        "tp_rank": sizes.tp_rank,
        "tp_size": sizes.tp_size,
        "pp_rank": sizes.pp_rank,
        "pp_size": sizes.pp_size,
        "first_seen_s": now,
        "last_seen_s": now,
        "host_name": label(platform.node()),
        "machine_id": machine_id(),
        "process_key": process_key(),
        "exe_name": label(os.path.basename(sys.executable)),
        "script_name": label(os.path.basename(script_name)),
    }
