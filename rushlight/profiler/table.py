"""The profiler's table, in the columns that users of PyTorch know, and one more: the line of the program."""

from __future__ import annotations

from typing import Any

from rushlight.profiler.events import duration

NARROW = 12
SORTED = (
    "cpu_time",
    "cuda_time",
    "xpu_time",
    "cpu_time_total",
    "cuda_time_total",
    "xpu_time_total",
    "cpu_memory_usage",
    "cuda_memory_usage",
    "xpu_memory_usage",
    "self_cpu_memory_usage",
    "self_cuda_memory_usage",
    "self_xpu_memory_usage",
    "count",
    "self_cpu_time_total",
    "self_cuda_time_total",
    "self_device_time_total",
    "device_time_total",
)


def table(
    events: list, whole: float, sort_by: str | None, limit: int, header: str | None, widths: dict, unit: str | None
) -> str:
    """The table of `events`, the largest first if `sort_by` says by what."""
    if not events:
        return ""
    if sort_by is not None:
        if sort_by not in SORTED:
            raise AssertionError(f"sort_by should be one of {', '.join(SORTED)}, not {sort_by!r}")
        events = sorted(events, key=lambda each: getattr(each, sort_by, 0), reverse=True)
    shown = events if limit < 0 else events[:limit]
    columns = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
    if any(each.input_shapes for each in shown):
        columns.append("Input Shapes")
    if any(each.stack for each in shown):
        columns.append("Source Location")
    rows = [cells(each, whole, columns, unit) for each in shown]
    sizes = [size(column, number, rows, widths) for number, column in enumerate(columns)]
    rule = "".join("-" * each + "  " for each in sizes)
    lines = [header] if header else []
    lines += [rule, line(columns, sizes), rule, *(line(each, sizes) for each in rows), rule]
    return "\n".join([*lines, f"Self CPU time total: {duration(whole, unit)}", ""])


def cells(event: Any, whole: float, columns: list[str], unit: str | None) -> list[str]:
    """The texts of one row."""

    def share(part: float) -> str:
        return f"{100 * part / whole:.2f}%" if whole else "NaN"

    texts = {
        "Name": event.key,
        "Self CPU %": share(event.self_cpu_time_total),
        "Self CPU": duration(event.self_cpu_time_total, unit),
        "CPU total %": share(event.cpu_time_total),
        "CPU total": duration(event.cpu_time_total, unit),
        "CPU time avg": duration(event.cpu_time, unit),
        "# of Calls": str(event.count),
        "Input Shapes": str(event.input_shapes or []),
        "Source Location": event.stack[0] if event.stack else "",
    }
    return [texts[each] for each in columns]


def size(column: str, number: int, rows: list[list[str]], widths: dict) -> int:
    """As wide as the widest text needs, within the bound of the column."""
    longest = max(len(row[number]) for row in rows) + (4 if column in widths else 0)
    return max(NARROW, len(column), min(longest, widths.get(column, longest)))


def line(texts: list[str], sizes: list[int]) -> str:
    """Texts on the right of their columns, cut where they are too long."""
    fitted = [text if len(text) <= size else text[: size - 3] + "..." for text, size in zip(texts, sizes, strict=True)]
    return "".join(f"{text:>{size}}  " for text, size in zip(fitted, sizes, strict=True))
