"""A fresh interpreter, for what must be seen from its start to its end."""

import os
import subprocess
import sys


def run(code: str, **environment: str) -> str:
    """What the code prints there; it has to end in time and without a complaint."""
    done = subprocess.run(
        [sys.executable, "-c", "import rushlight as torch\nfrom rushlight import memory\n" + code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()
