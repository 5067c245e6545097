"""Makes a virtual environment for the Makefile, also where Debian's Python comes without pip.

    python3 tools/make_environment.py .venv

The environment sees this tree *after* its own packages: `conformance`, `benchmarks` and `tools` come from the
tree, `rushlight` is the installed one.
"""

import json
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = "https://pypi.org/pypi/pip/json"


def main(folder):
    venv.create(folder, clear=True, with_pip=False, symlinks=True)
    python = str(Path(folder, "bin", "python"))
    # Debian keeps ensurepip in the package python3-venv, which may not be there.
    bundled = subprocess.run([python, "-Im", "ensurepip", "--default-pip"], capture_output=True)
    if bundled.returncode != 0:
        fetch_pip(python)
    ask_purelib = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    purelib = subprocess.run(ask_purelib, check=True, capture_output=True, text=True).stdout.strip()
    Path(purelib, "rushlight_tree.pth").write_text(f"{ROOT}\n")


def fetch_pip(python):
    """Get pip's wheel from PyPI and let it install itself: a wheel is a zip file that Python can run."""
    with urllib.request.urlopen(PIP) as page:
        files = json.load(page)["urls"]
    wheel = next(file for file in files if file["packagetype"] == "bdist_wheel")
    with tempfile.TemporaryDirectory() as downloads:
        path = Path(downloads, wheel["filename"])
        urllib.request.urlretrieve(urllib.parse.urljoin(PIP, wheel["url"]), path)
        subprocess.run([python, f"{path}/pip", "install", "--quiet", "--no-index", str(path)], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
