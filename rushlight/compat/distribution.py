"""The distribution that `importlib.metadata` finds under torch's name while `torch` means Rushlight."""

from __future__ import annotations

from importlib.metadata import Distribution
from os import PathLike
from pathlib import Path
from typing import Any

import rushlight
from rushlight.compat.face import DISTRIBUTION_VERSION

NAME_AND_VERSION = f"torch-{DISTRIBUTION_VERSION}"
METADATA = f"""\
Metadata-Version: 2.1
Name: torch
Version: {DISTRIBUTION_VERSION}
Summary: Rushlight under PyTorch's name
License: BSD-3-Clause
Requires-Dist: rushlight
"""
TOP_LEVEL = "functorch\ntorch\n"
TEXTS = {"METADATA": METADATA, "top_level.txt": TOP_LEVEL, "INSTALLER": "rushlight\n"}


class TorchDistribution(Distribution):
    """What is known of torch without a folder of its own."""

    def read_text(self, filename: str) -> str | None:
        """A file of the metadata; None if there is none."""
        return TEXTS.get(filename)

    def locate_file(self, path: str | PathLike[str]) -> Any:
        """Where a file of the distribution lies: with Rushlight."""
        return Path(rushlight.__file__).parent.parent / path
