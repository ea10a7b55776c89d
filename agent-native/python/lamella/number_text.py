"""Numbers for people: short where they are compared, exact where they are checked. No locale: the same text on every machine (core/shape/number-text.ts)."""
from decimal import ROUND_HALF_UP, Decimal
from typing import Tuple


def exact_text(count: int) -> str:
    """32762123264 → "32,762,123,264"."""
    return format(count, ",")


def count_text(count: int) -> str:
    """32762123264 → "32.8B"; below 1,000 the number itself."""
    digits, step = _scale(count)
    return digits + ("", "K", "M", "B", "T", "P")[step]


def bytes_text(count: int) -> str:
    """65524246528 → "65.5 GB": decimal units, as disks and downloads count."""
    digits, step = _scale(count)
    return digits + " " + ("B", "kB", "MB", "GB", "TB", "PB")[step]


def _scale(value: int) -> Tuple[str, int]:
    scaled, step = float(value), 0
    while scaled >= (1000 if step == 0 else 999.95) and step < 5:  # 999.95 rounds to 1000.0, which is written 1.0 of the next step
        scaled /= 1000
        step += 1
    return (str(value) if step == 0 else str(Decimal(scaled).quantize(Decimal("0.1"), ROUND_HALF_UP))), step
