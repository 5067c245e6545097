"""Exported networks beside the networks themselves: outputs of ONNX Runtime are compared."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.onnx.program import tensors_of

onnx = pytest.importorskip("onnx", reason="make export installs onnx and ONNX Runtime")
pytest.importorskip("onnxruntime", reason="make export installs onnx and ONNX Runtime")


def assert_agrees(program, model, *args):
    """The file gives what the network gives: shapes, dtypes and numbers."""
    with torch.no_grad():
        expected = list(tensors_of(model(*args)))
    found = program(*args)
    assert len(found) == len(expected)
    for one, two in zip(expected, found, strict=True):
        assert one.shape == two.shape
        assert one.dtype is two.dtype
        np.testing.assert_allclose(two.double().numpy(), one.detach().double().numpy(), rtol=1e-4, atol=2e-6)


def exported(model, *args, dynamic=None, other=None, **options):
    """Export a network, check the file, and compare it at the example and at other inputs."""
    program = torch.onnx.export(model.eval(), args, dynamic_shapes=dynamic, **options)
    onnx.checker.check_model(program.model_proto, full_check=True)
    assert_agrees(program, model, *args)
    if other is not None:
        assert_agrees(program, model, *other)
    return program
