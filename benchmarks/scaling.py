"""What was measured in a few processes as tables, and from that a model of many: docs/scaling.md and its picture.

    python -m benchmarks.scaling distributed.json --report docs

A step of data parallel training with n processes takes compute + 2 log2(n) latency + 2 (n - 1)/n bytes / bandwidth, by
halving and doubling; the ring sends as many bytes in 2 (n - 1) steps.
"""

import argparse
import json
import math
from pathlib import Path

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
RANKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
NETWORKS = (10**4, 10**6, 10**8)
# what a network between machines is assumed to do: seconds and bytes a second
ASSUMED = {"10 Gbit Ethernet": (30e-6, 1.1e9), "100 Gbit InfiniBand": (2e-6, 11e9)}


def fitted(collectives):
    """Latency and bandwidth of messages between two processes, from the smallest and the largest message."""
    small, large = collectives["4"]["all_reduce"], collectives["4194304"]["all_reduce"]
    # two processes send once each way: 2 (n - 1) = 2 latencies, 2 (n - 1)/n = 1 time the bytes
    return small * 1e-6 / 2, 4194304 / ((large - small) * 1e-6)


def message_time(ranks, size, latency, bandwidth):
    """Seconds of an all_reduce of `size` bytes."""
    if ranks == 1:
        return 0.0
    return 2 * math.ceil(math.log2(ranks)) * latency + 2 * (ranks - 1) / ranks * size / bandwidth


def efficiency(ranks, parameters, compute, latency, bandwidth, hidden):
    """The share of each step that is spent computing, when a part of the messages is hidden behind it."""
    messages = message_time(ranks, 4 * parameters, latency, bandwidth)
    # what is hidden has to fit beside backward, two thirds of the computing
    exposed = messages - min(hidden * messages, compute * 2 / 3)
    return compute / (compute + exposed)


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def collective_table(found):
    lines = [row("bytes", "processes", "Rushlight, us", "bare mpi4py, us", "ratio", "gloo, us"), row(*["---"] * 6)]
    for count, sizes in found["collectives"].items():
        for size, times in sizes.items():
            gloo = found["gloo"].get(count, {}).get(size, {}).get("all_reduce")
            ours, bare = times["all_reduce"], times["bare"]
            cells = (f"{int(size):,}", count, f"{ours:,.1f}", f"{bare:,.1f}", f"{ours / bare:.2f}")
            lines.append(row(*cells, "" if gloo is None else f"{gloo:,.1f}"))
    return lines


def training_table(found):
    """Milliseconds; what is hidden of the messages, by the wait at the end and by the clock."""
    names = ("parameters", "processes", "step alone", "messages alone", "both", "waiting at the end", "not waited for")
    lines = [row(*names, "hidden by the clock"), row(*["---"] * 8)]
    for count, networks in found["training"].items():
        for times in networks.values():
            alone, messages, both, waiting = (times[name] for name in ("alone", "messages", "both", "waiting"))
            hidden = ("", "")
            if count != "1":
                hidden = (f"{1 - waiting / messages:.0%}", f"{1 - (both - alone) / messages:.0%}")
            cells = (f"{value:.2f}" for value in (alone, messages, both, waiting))
            lines.append(row(f"{times['parameters']:,}", count, *cells, *hidden))
    return lines


def byte_table(found):
    lines = [row("processes", "bytes sent by each, for a byte of the tensor", "the ring's 2(n-1)/n"), row(*["---"] * 3)]
    for count, sent in found["bytes"].items():
        lines.append(row(count, f"{sent['sent']:.2f}", f"{2 * (int(count) - 1) / int(count):.2f}"))
    return lines


def compute_time(found, parameters):
    """Seconds of a step on a batch of 64: the measured network that is nearest, in proportion to its parameters."""
    networks = found["training"]["1"].values()
    nearest = min(networks, key=lambda each: abs(math.log(each["parameters"] / parameters)))
    return 1e-3 * nearest["backward"] * parameters / nearest["parameters"]


def model(found):
    """The share of computing for each network, link and number of ranks."""
    links = {"this machine's memory": fitted(found["collectives"]["2"]), **ASSUMED}
    return {
        (parameters, link): [
            efficiency(ranks, parameters, compute_time(found, parameters), *figures, hidden=0.5) for ranks in RANKS
        ]
        for parameters in NETWORKS
        for link, figures in links.items()
    }


def model_table(shares):
    shown = (2, 8, 64, 512, 1000)
    lines = [row("parameters", "link", *(f"{ranks} ranks" for ranks in shown)), row(*["---"] * (2 + len(shown)))]
    for (parameters, link), row_of in shares.items():
        cells = (f"{row_of[RANKS.index(ranks)]:.0%}" for ranks in shown)
        lines.append(row(f"10^{round(math.log10(parameters))}", link, *cells))
    return lines


def draw(shares, file):
    """A picture of the share of computing against the number of ranks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, all_axes = pyplot.subplots(1, len(NETWORKS), figsize=(11, 3.4), sharey=True)
    for axes, parameters in zip(all_axes, NETWORKS, strict=True):
        for (size, link), values in shares.items():
            if size == parameters:
                axes.plot(RANKS, values, marker=".", label=link)
        axes.set_xscale("log")
        axes.set_title(f"$10^{{{round(math.log10(parameters))}}}$ parameters")
        axes.set_xlabel("ranks")
        axes.axhline(0.5, color="grey", linewidth=0.5)
    all_axes[0].set_ylabel("share of a step that computes")
    all_axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def page_section(found, shares):
    latency, bandwidth = fitted(found["collectives"]["2"])
    return "\n".join(
        [
            "### What a collective costs",
            "",
            *collective_table(found),
            "",
            "### What training costs, in milliseconds",
            "",
            *training_table(found),
            "",
            "### How many bytes are sent",
            "",
            *byte_table(found),
            "",
            "### The model",
            "",
            f"From the messages between two processes here: a latency of {latency * 1e6:.1f} us and "
            f"{bandwidth / 1e9:.1f} GB/s. The share of a step that computes, with half of the messages hidden:",
            "",
            *model_table(shares),
        ]
    )


def benchmark_section(found):
    """What stands among the other benchmarks: the tables without the model."""
    tables = [
        "### `all_reduce`",
        "",
        *collective_table(found),
        "",
        "### Training, in milliseconds",
        "",
        *training_table(found),
    ]
    return "\n".join(tables)


def between_marks(text):
    """What stands between the marks of a page, with these; nothing if they are not there."""
    _, begin, rest = text.partition(BEGIN)
    inner, end, _ = rest.partition(END)
    return f"{begin}{inner}{end}" if end else ""


def fill(page, section):
    """Put a section between the marks of a page."""
    text = page.read_text()
    old = between_marks(text)
    assert old, f"{page} has no marks"
    page.write_text(text.replace(old, f"{BEGIN}\n\n{section}\n\n{END}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", type=Path, help="what benchmarks.distributed has written")
    parser.add_argument("--report", type=Path, default=Path("docs"), help="the folder of scaling.md")
    arguments = parser.parse_args()
    found = json.loads(arguments.numbers.read_text())
    shares = model(found)
    fill(arguments.report / "scaling.md", page_section(found, shares))
    fill(arguments.report / "benchmarks.md", benchmark_section(found))
    draw(shares, arguments.report / "scaling.png")


if __name__ == "__main__":
    main()
