"""Prints what an extra of pyproject.toml asks for, a requirement a line, so that pip need not build the package for it.

python3 tools/requirements.py dev
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
OWN = re.compile(r"rushlight\[([\w-]+)\]")


def requirements(extra, project):
    """The requirements of the extra, with those of the extras it names."""
    found = []
    for each in project["optional-dependencies"][extra]:
        own = OWN.fullmatch(each)
        found += requirements(own[1], project) if own else [each]
    return found


def main(extra):
    project = tomllib.loads(PROJECT.read_text())["project"]
    if extra not in project["optional-dependencies"]:
        sys.exit(f"pyproject.toml has no extra {extra!r}; it has {', '.join(project['optional-dependencies'])}")
    print("\n".join([*project["dependencies"], *requirements(extra, project)]))


if __name__ == "__main__":
    main(sys.argv[1])
