"""Everything that MkDocs reads, in one folder: `python -m tools.docs build/docs`."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tools.docs import findings, gathering, pictures, reference, small_pages


def main(target: Path) -> None:
    # argparse and the doctor fold to the width of the terminal
    os.environ["COLUMNS"] = "100"
    shutil.rmtree(target, ignore_errors=True)
    gathering.gather(target)
    pictures.write(target)
    (target / "command_line.md").write_text(small_pages.command_line(), encoding="utf-8")
    (target / "changelog.md").write_text(small_pages.changelog(target), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        found = findings.write(target, Path(folder))
    chapters = reference.write(target)
    # read by the hook of mkdocs.yml, which puts these pages into the navigation
    navigation = {"Findings": found, "Examples": programs(target), **chapters}
    (target.parent / "navigation.json").write_text(json.dumps(navigation), encoding="utf-8")


def programs(target: Path) -> list[tuple[str, str]]:
    """A page for each example."""
    files = sorted((gathering.ROOT / "examples").glob("*.py"))
    return [(file.stem, gathering.page_of(file, target).as_posix()) for file in files]


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
