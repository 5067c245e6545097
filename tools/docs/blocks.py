"""Code in pages: found, run in the order of the page, and compared with the output that the page shows.

    python -m tools.docs.blocks docs/quickstart.md            run, and say what differs
    python -m tools.docs.blocks --write docs/quickstart.md    write what was printed into the page

All blocks of a page share their names, as the cells of a notebook do. A block of `text` that follows one of `python` is
what that prints. What a page needs and does not show stands in a comment, `<!-- run: ... -->`; a block that quotes a
file of the project has `<!-- excerpt: path -->` before it and is looked up there instead of being run.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
PART = re.compile(
    r"^<!-- run:(?P<hidden>.*?)-->$"
    r"|^<!-- excerpt: (?P<excerpt>\S+) -->\n"
    r"|^```(?P<language>\w*)[^\n]*\n(?P<source>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Block:
    """A piece of Python: where it stands, the output shown below it, and the file it quotes, if any."""

    source: str
    line: int
    excerpt: str | None = None
    shown: str | None = None
    # the part of the page that the output takes
    span: tuple[int, int] | None = None


def blocks_of(text: str) -> list[Block]:
    """The Python of a page, in order."""
    found: list[Block] = []
    excerpt, before = None, 0
    for part in PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["excerpt"]:
            excerpt = part["excerpt"]
        elif part["hidden"]:
            found.append(Block(part["hidden"].lstrip("\n"), line))
        elif part["language"] == "python":
            found.append(Block(part["source"], line + 1, excerpt))
            excerpt, before = None, part.end()
        elif part["language"] == "text" and found and text[before : part.start()].strip() == "":
            found[-1].shown, found[-1].span = part["source"], part.span("source")
    return found


class Page:
    """The names and the file of a page whose blocks run one after the other."""

    def __init__(self, name: str):
        self.module = ModuleType("__main__")
        self.name, self.lines = name, [""]
        self.module.__file__ = name

    def run(self, block: Block) -> str:
        """What a block prints."""
        # lines are found by those who quote them, as if all blocks were one file
        start = len(self.lines)
        self.lines += block.source.splitlines()
        text = "\n".join(self.lines[1:]) + "\n"
        linecache.cache[self.name] = (len(text), None, text.splitlines(True), self.name)
        printed = io.StringIO()
        code = compile("\n" * (start - 1) + block.source, self.name, "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, vars(self.module))
        return printed.getvalue()


def complaints(path: Path) -> Iterator[str]:
    """Run a page; yield what it shows and should not."""
    for block, printed in ran(path):
        if block.shown is not None and printed.rstrip() != block.shown.rstrip():
            yield f"{path.name}:{block.line} prints\n{printed}\nand the page shows\n{block.shown}"


def ran(path: Path) -> list[tuple[Block, str]]:
    """Each block of a page that can be run, and what it printed; quotations are looked up."""
    blocks, page, found = blocks_of(path.read_text(encoding="utf-8")), Page("example.py"), []
    main = sys.modules["__main__"]
    sys.modules["__main__"] = page.module
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in blocks:
                if block.excerpt is None:
                    found.append((block, page.run(block)))
                else:
                    look_up(block, path)
    finally:
        sys.modules["__main__"] = main
    return found


def look_up(block: Block, path: Path) -> None:
    """A quotation has the lines of its file in their order; `...` stands for what is left out."""
    lines = iter([line.strip() for line in (ROOT / str(block.excerpt)).read_text(encoding="utf-8").splitlines()])
    for wanted in map(str.strip, block.source.splitlines()):
        if wanted and "..." not in wanted and wanted not in lines:
            raise AssertionError(f"{path.name}:{block.line} quotes {block.excerpt}, which has no {wanted!r} there")


def written(path: Path) -> str:
    """A page with what its blocks print now."""
    text = path.read_text(encoding="utf-8")
    for block, printed in reversed(ran(path)):
        if block.span is not None:
            start, end = block.span
            text = text[:start] + printed.rstrip() + "\n" + text[end:]
    return text


def main(arguments: list[str]) -> int:
    write = arguments[:1] == ["--write"]
    told = 0
    for path in map(Path, arguments[write:]):
        if write:
            path.write_text(written(path), encoding="utf-8")
        else:
            for each in complaints(path):
                print(each)
                told += 1
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
