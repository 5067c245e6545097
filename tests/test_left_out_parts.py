"""Parts of torch that are left out can be imported, and say why when they are used."""

import importlib

import pytest

import rushlight as torch
from rushlight import compat


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        ("onnx", "select_model_mode_for_export", "torch.onnx.export writes networks by its own table"),
        ("onnx.symbolic_helper", "_is_none", "torch.onnx.export writes networks by its own table"),
        ("sparse", "mm", "sparse layouts are left out; keep the tensor dense"),
        ("nested", "nested_tensor", "nested and jagged tensors are left out"),
        ("ao.quantization", "QuantStub", "quantization is left out"),
        ("quantization", "quantize_dynamic", "quantization is left out"),
        ("quantization.observer", "MinMaxObserver", "quantization is left out"),
        ("utils.cpp_extension", "load", "extensions in C\\+\\+ for PyTorch cannot be loaded"),
        ("utils.mobile_optimizer", "optimize_for_mobile", "TorchScript is left out"),
        ("_C", "Graph", "it belongs to the inside of PyTorch"),
        ("_C", "parse_schema", "it belongs to the inside of PyTorch"),
    ],
)
def test_a_name_is_there_and_refuses_to_work(module, name, words):
    with compat.installed():
        found = getattr(importlib.import_module(f"torch.{module}"), name)
    # a class that several modules show is one, and names the module that showed it first
    with pytest.raises(NotImplementedError, match=rf"torch\.[\w.]+\.{name} is not in Rushlight: {words}"):
        found("anything")
    assert found.__doc__.startswith("Not in Rushlight") and found.__name__ == name


def test_questions_have_answers():
    assert not torch.onnx.is_in_onnx_export() and not torch.onnx.is_onnxrt_backend_supported()
    assert torch.onnx.TrainingMode.EVAL.name == "EVAL"
    assert not isinstance(3, torch.SymInt)
    assert torch.sparse_csr is not torch.jagged and repr(torch.jagged) == "torch.jagged"


def test_decorators_of_exporters_leave_the_function_alone():
    from rushlight.onnx.symbolic_helper import parse_args, quantized_args

    assert parse_args("v", "i")(len) is len and quantized_args(True)(len) is len


def test_packages_list_their_names():
    assert "QuantStub" in dir(torch.ao.quantization) and "export" in torch.onnx.__all__
    assert torch.ao.quantization.quantize is not torch.ao.quantization.observer
