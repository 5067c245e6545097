"""Make torchvision's Python part importable beside torch for the CPU, in the environment of this Python.

    .venv-clients-torch/bin/python clients/torchvision_on_cpu.py

The compiled part of the wheel on PyPI wants the libraries of CUDA and is not loaded without them; then the import ends
at two functions that it would have declared. Here they are declared by name alone, in the file that tries to load it.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

MARK = "# declared for an environment without CUDA"
DECLARED = f"""

{MARK}
if not _has_ops():
    for _schema in (
        "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    ):
        torch.library.define("torchvision::" + _schema.partition("(")[0], "(" + _schema.partition("(")[2])
"""


def main() -> int:
    files = importlib.metadata.files("torchvision") or []
    found = [Path(str(each.locate())) for each in files if str(each) == "torchvision/extension.py"]
    if not found:
        print("torchvision is not installed here")
        return 1
    text = found[0].read_text()
    if MARK not in text:
        found[0].write_text(text + DECLARED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
