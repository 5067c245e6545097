"""Known disagreements: entries that may fail, each with its reason, read from known.toml."""

import tomllib
from pathlib import Path

PATH = Path(__file__).with_name("known.toml")


def read_known(path: Path = PATH) -> dict[str, str]:
    """The reason for each entry that is allowed to fail."""
    if not path.exists():
        return {}
    return {name: str(reason) for name, reason in tomllib.loads(path.read_text()).items()}
