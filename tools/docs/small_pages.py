"""Pages that are made of what the project has in another form: the help of the command line, and the changelog."""

from __future__ import annotations

from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

from rushlight import cli
from rushlight.distributed.run import get_args_parser
from tools.changelog import CHANGELOG, FRAGMENT, KINDS, ROOT, fragments, version
from tools.docs.gathering import rewritten


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
    lines = ["# Changelog", ""]
    found = fragments()
    if found:
        lines += [f"## After {version()}" if CHANGELOG.exists() else f"## {version()}", ""]
    for kind, title in KINDS.items():
        texts = [
            rewritten(path, ROOT, target).strip() for path in found if FRAGMENT.fullmatch(path.name)["kind"] == kind
        ]
        if texts:
            lines += [f"### {title}", "", *(f"- {text}".replace("\n", "\n  ") for text in texts), ""]
    if CHANGELOG.exists():
        lines.append(rewritten(CHANGELOG, ROOT, target).partition("\n")[2])
    return "\n".join(lines)
