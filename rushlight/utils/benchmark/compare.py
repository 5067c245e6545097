"""Tables of measurements: a row for each statement, a column for each description."""

from __future__ import annotations

from collections.abc import Iterable

from rushlight.utils.benchmark.measurement import UNITS, Measurement, select_unit


class Compare:
    """Lays measurements side by side; `print` shows the table."""

    def __init__(self, results: list[Measurement]):
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Take more measurements in."""
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
            self._results.append(each)

    def trim_significant_figures(self) -> None:
        """Show as many digits as the times are worth."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Taken, and without effect: the table is plain text."""

    def highlight_warnings(self) -> None:
        """Taken, and without effect: a measurement tells of its warnings itself."""

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels = list(dict.fromkeys(each.task_spec.label for each in merged))
        return "\n\n".join(
            self._table(label, [each for each in merged if each.task_spec.label == label]) for label in labels
        )

    def _table(self, label: str | None, found: list[Measurement]) -> str:
        unit, scale = select_unit(min(each.median for each in found))
        columns = list(dict.fromkeys(each.task_spec.description or "" for each in found))
        rows = list(dict.fromkeys((each.task_spec.num_threads, each.as_row_name) for each in found))
        cells = {
            ((each.task_spec.num_threads, each.as_row_name), each.task_spec.description or ""): each.median / scale
            for each in found
        }
        width = max([len(name) for _, name in rows] + [10])
        title = f" {label or ''} "
        lines = [f"[{title:-^{width + 14 * len(columns)}}]"]
        lines.append(" " * (width + 6) + "".join(f"|{each:^12} " for each in columns))
        for place, row in enumerate(rows):
            if place == 0 or rows[place - 1][0] != row[0]:
                lines.append(f"{row[0]} threads: ".ljust(width + 8 + 14 * len(columns), "-"))
            digits = ".3g" if self._trim else ".1f"
            shown = [f"|{cells[row, each]:^12{digits}} " if (row, each) in cells else f"|{'':^12} " for each in columns]
            lines.append(f"      {row[1]:<{width}}" + "".join(shown))
        names = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}
        return "\n".join([*lines, "", f"Times are in {names[unit]} ({UNITS[scale]})."])
