#!/usr/bin/env python3
"""Print the version that the package states of itself; meson asks for it before it knows any Python."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
text = (ROOT / "rushlight" / "__init__.py").read_text(encoding="utf-8")
print(re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1])
