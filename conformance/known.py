"""Known disagreements: what may fail, each with its reason, read from known.toml."""

import tomllib
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("known.toml")


def read_known(table: str, path: Path = PATH) -> Any:
    """What is allowed to fail: reasons by name, of `op_db` and kin, or the list of `programs`."""
    return tomllib.loads(path.read_text()).get(table, {})
