"""The picture of a run: for each workload, each library's time as a ratio to torch eager's best."""

from pathlib import Path

from benchmarks.libraries import EAGER, LIBRARIES
from benchmarks.workloads import FAMILIES

# Colours that differ for colour-blind readers too, and a shape for each.
LOOKS = {
    "torch_compile": ("#d9822b", "s"),
    "jax": ("#3f7cac", "D"),
    "numpy": ("#6a994e", "^"),
    "rushlight_plain": ("#c9a5a0", "o"),
    "floor": ("#222222", "|"),
    "rushlight": ("#a4161a", "o"),
}


def in_order(results):
    """One thread before two, families in their order, and only what has a ratio."""
    families = list(FAMILIES)
    shown = [result for result in results if result.unit == "us" and result.ratio("rushlight", *EAGER) is not None]
    return sorted(shown, key=lambda result: (result.threads, families.index(result.family)))


def draw(results, path: Path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = in_order(results)
    figure, axes = pyplot.subplots(figsize=(10, 1.5 + 0.24 * len(rows)), layout="constrained")
    for library, (colour, marker) in LOOKS.items():
        points = [(result.ratio(library, *EAGER), -row) for row, result in enumerate(rows)]
        points = [point for point in points if point[0] is not None]
        if points:
            label = LIBRARIES[library].title
            axes.scatter(*zip(*points, strict=True), color=colour, marker=marker, s=38, label=label, zorder=3)
    previous = None
    for row, result in enumerate(rows):
        if previous is not None and (result.family, result.threads) != previous:
            axes.axhline(0.5 - row, color="#bbbbbb", linewidth=0.8)
        previous = (result.family, result.threads)
    labels = [result.title + (f", {result.threads} threads" if result.threads > 1 else "") for result in rows]
    axes.axvline(1, color="#555555", linewidth=1.2, linestyle="--", label="torch eager, its best")
    axes.set_xscale("log")
    axes.set_yticks([-row for row in range(len(rows))], labels, fontsize=8)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    axes.grid(axis="x", which="both", color="#eeeeee", zorder=0)
    axes.set_xlabel("time as a ratio to torch eager's best, in the same run (further left is faster)")
    figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
