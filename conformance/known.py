"""Known disagreements: what may fail, each with its reason, read from known.toml."""

import tomllib
from pathlib import Path

PATH = Path(__file__).with_name("known.toml")


def read_known(table: str, path: Path = PATH) -> dict[str, str]:
    """The reason for each name that is allowed to fail, in `op_db` or in `samples`."""
    return tomllib.loads(path.read_text()).get(table, {})
