"""The table of clients, docs/clients.md."""

from __future__ import annotations

import subprocess
from statistics import median

HEAD = """# Other people's packages

Programs built on packages that are written for PyTorch, unmodified, in an environment where Rushlight stands in for
torch (`python -m rushlight stand-in install`). Each trains something for seconds and asserts that it learned. Seconds
are those of the processor for the whole program, imports included, one thread each; `lines` says how many of the
printed lines are the same under both, letter for letter. `make clients` writes this page.
"""
VERSIONS = "import importlib.metadata as m; print('\\n'.join(f'{d.name} {d.version}' for d in m.distributions()))"
SHOWN = (
    "stable_baselines3 skorch lightning pytorch-ignite transformers accelerate sentence-transformers timm torchvision "
    "torch-geometric kornia einops torchmetrics captum pyro-ppl gpytorch botorch tianshou safetensors peft numpy"
).split()


def written(rows: list[dict], python: str) -> str:
    """The page: a sentence on the whole, a row a program, the versions."""
    runs = [each for each in rows if not each["failure"]]
    ratios = [each["seconds"] / each["torch_seconds"] for each in runs if each["torch_seconds"]]
    whole = f"{len(runs)} of {len(rows)} programs run"
    if ratios:
        whole += f"; where PyTorch could be asked, they take a median of {median(ratios):.2f} of its processor time"
    lines = [HEAD, whole + ".", "", "| program | what it does | outcome | seconds | torch | ratio | lines |"]
    lines.append("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    lines += [table_row(each) for each in rows]
    return "\n".join([*lines, "", versions(python), ""])


def table_row(row: dict) -> str:
    beside = row["torch_seconds"]
    cells = (
        f"`{row['program']}`",
        row["about"].rstrip("."),
        "runs" if row["failure"] is None else row["failure"].replace("|", "/"),
        f"{row['seconds']:.1f}",
        "" if beside is None else f"{beside:.1f}",
        "" if beside is None or row["failure"] else f"{row['seconds'] / beside:.2f}",
        row["agreement"],
    )
    return f"| {' | '.join(cells)} |"


def versions(python: str) -> str:
    """The packages of the environment that the table speaks of."""
    printed = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True).stdout
    found = {line.split()[0].lower(): line for line in printed.splitlines()}
    named = [found[each.lower()] for each in SHOWN if each.lower() in found]
    return f"Versions: {', '.join(sorted(named, key=str.lower))}."
