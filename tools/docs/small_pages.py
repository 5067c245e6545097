"""Pages that are made of what the project has in another form: the help of the command line, and the changelog."""

from __future__ import annotations

import re
import tomllib
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

from rushlight import cli
from rushlight.distributed.run import get_args_parser
from tools.docs.gathering import rewritten

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
FRAGMENT = re.compile(r"(?P<number>\d+)\.(?P<kind>\w+)(?:\.(?P<place>\d+))?\.md")


def command_line() -> str:
    """The words of `--help`, of the command and of each of its tools."""
    lines = ["# The command line", "", "```text", cli.USAGE.rstrip(), "```"]
    for name, module in cli.TOOLS.items():
        parser = ArgumentParser(prog=f"python -m rushlight {name}")
        cli.describe(parser, import_module(f"rushlight.cli.{module}"))
        lines += ["", f"## {name}", "", "```text", parser.format_help().rstrip(), "```"]
    lines += ["", "## rushlight.distributed.run", "", "```text", get_args_parser().format_help().rstrip(), "```"]
    return "\n".join([*lines, ""])


def changelog(target: Path) -> str:
    """What changed since the last release, from the fragments, and then the releases."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    lines = ["# Changelog", ""]
    found = fragments()
    if found:
        lines += [f"## After {version}" if (ROOT / "CHANGELOG.md").exists() else f"## {version}", ""]
    for kind, title in KINDS.items():
        texts = [
            rewritten(path, ROOT, target).strip() for path in found if FRAGMENT.fullmatch(path.name)["kind"] == kind
        ]
        if texts:
            lines += [f"### {title}", "", *(f"- {text}".replace("\n", "\n  ") for text in texts), ""]
    if (ROOT / "CHANGELOG.md").exists():
        lines.append((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n")[2])
    return "\n".join(lines)


def fragments() -> list[Path]:
    """The fragments, the newest change first."""
    found = [(path, match) for path in (ROOT / "changelog.d").iterdir() if (match := FRAGMENT.fullmatch(path.name))]
    order = {path: (-int(match["number"]), int(match["place"] or 0)) for path, match in found}
    return sorted(order, key=order.__getitem__)
