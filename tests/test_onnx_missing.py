"""torch.onnx where the onnx package is not installed."""

import sys

import pytest

import rushlight as torch


def test_export_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs the onnx package\n  fix: pip install \"rushlight\[onnx\]\""):
        torch.onnx.export(torch.nn.Linear(1, 1), (torch.ones(1, 1),))
