"""Pages that are written by hand, brought together: those of docs/, and the files of the project that they link to."""

from __future__ import annotations

import ast
import json
import os
import shutil
from pathlib import Path

from tools.docs.links import ELSEWHERE, LINK, ROOT

DOCS = ROOT / "docs"


def gather(target: Path) -> None:
    """Copy docs/ with its pictures; a link out of docs/ leads to a page that is made of the file."""
    for path in sorted(DOCS.rglob("*")):
        place = target / path.relative_to(DOCS)
        if path.suffix == ".md":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(rewritten(path, DOCS, target, path.parent.relative_to(DOCS)), encoding="utf-8")
        elif path.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def rewritten(path: Path, base: Path, target: Path, here: Path = Path()) -> str:
    """The text of a page, its links as they are from the folder `here` of the site; a notebook becomes a page first."""

    def lead(found) -> str:
        name, mark, part = found["target"].partition("#")
        file = (path.parent / name).resolve()
        # what only looks like a link, in code, leads to no file
        if found["target"].startswith(ELSEWHERE) or (file.is_relative_to(DOCS) and base == DOCS) or not file.exists():
            return found[0]
        if file.is_dir() and file.is_relative_to(DOCS):
            file = min(file.glob("*.md"))
        inside = file.relative_to(DOCS) if file.is_relative_to(DOCS) else page_of(file, target)
        return found["head"] + os.path.relpath(inside, here) + mark + part + found["tail"]

    return LINK.sub(lead, notebook(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8"))


def page_of(file: Path, target: Path) -> Path:
    """A page of the site for a file of the project, which is made when it is first asked for."""
    if file.is_dir():
        raise ValueError(f"a page links to the folder {file.relative_to(ROOT)}: name a file in it")
    inside = Path(file.relative_to(ROOT).as_posix().lower()).with_suffix(".md")
    place = target / inside
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        # before its own links are followed, since those may lead back
        place.touch()
        place.write_text(
            rewritten(file, ROOT, target, inside.parent) if file.suffix in (".md", ".ipynb") else program(file),
            encoding="utf-8",
        )
    return inside


def program(file: Path) -> str:
    """The page of a program: its first sentence, and then all of it."""
    source = file.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(source)) or ""
    name = file.relative_to(ROOT).as_posix()
    return f"# {name}\n\n{doc.partition(chr(10) * 2)[0]}\n\n```py\n{source}```\n"


def notebook(file: Path) -> str:
    """The page of a notebook: its words, its code, and what that printed or showed."""
    parts = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```py\n{source}\n```")
        parts += map(output_of, cell["outputs"])
    return "\n\n".join(parts) + "\n"


def output_of(output: dict) -> str:
    """What a cell printed, or its display as a block of HTML, which ends at the first empty line: it has none."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    shown = "".join(output["data"]["text/html"])
    return f"<div>{shown}</div>".replace("\n\n", "\n&#10;\n")
