"""torch.onnx.export: names, files, sizes that change, and what it refuses, with the line."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.export import Dim
from tests.onnx.running import assert_agrees, exported, onnx

OnnxExporterError = torch.onnx.OnnxExporterError


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3), nn.Tanh()).eval()


def shapes(model):
    def dims(value):
        return [each.dim_param or each.dim_value for each in value.type.tensor_type.shape.dim]

    return [[dims(each) for each in ends] for ends in (model.graph.input, model.graph.output)]


def test_parameters_are_initializers_under_their_names():
    model = small()
    program = torch.onnx.export(model, (torch.randn(2, 4),))
    weights = {each.name: onnx.numpy_helper.to_array(each) for each in program.model.graph.initializer}
    for name, tensor in model.state_dict().items():
        np.testing.assert_array_equal(weights[name], tensor.numpy())


def test_the_names_of_inputs_are_those_of_the_parameters():
    class Sum(nn.Module):
        def forward(self, left, right=None, *, scale=1.0):
            return (left + right) * scale

    two = torch.randn(2)
    program = torch.onnx.export(Sum().eval(), (two,), kwargs={"right": two, "scale": 2.0})
    assert [each.name for each in program.model.graph.input] == ["left", "right"]
    np.testing.assert_allclose(program(two, torch.ones(2))[0].numpy(), ((two + 1) * 2).numpy(), rtol=1e-6)


def test_names_can_be_given():
    program = torch.onnx.export(small(), (torch.randn(2, 4),), input_names=["state"], output_names=["action"])
    assert [each.name for each in program.model.graph.input] == ["state"]
    assert [each.name for each in program.model.graph.output] == ["action"]


def test_without_dynamic_shapes_the_sizes_are_those_of_the_example():
    assert shapes(torch.onnx.export(small(), (torch.randn(2, 4),)).model) == [[[2, 4]], [[2, 3]]]


@pytest.mark.parametrize(
    "dynamic",
    [({0: "batch"},), {"input": {0: "batch"}}, ({0: Dim("batch")},), [["batch", None]]],
    ids=["a tuple", "by name", "Dim", "lists"],
)
def test_forms_of_dynamic_shapes(dynamic):
    model = small()
    program = exported(model, torch.randn(2, 4), dynamic=dynamic, other=(torch.randn(7, 4),))
    assert shapes(program.model) == [[["batch", 4]], [["batch", 3]]]


def test_a_hint_is_a_size_with_a_name_of_its_own():
    model = small()
    program = exported(model, torch.randn(2, 4), dynamic=({0: Dim.DYNAMIC, 1: Dim.STATIC},), other=(torch.randn(7, 4),))
    ((size, _),), _ = shapes(program.model)
    assert isinstance(size, str)


def test_dynamic_axes_by_name_and_by_number():
    class Product(nn.Module):
        def forward(self, x, y):
            return x @ y.T

    for axes in ({"x": {0: "batch"}, "y": {0: "batch"}}, {"x": [0], "y": [0]}):
        program = torch.onnx.export(
            Product().eval(), (torch.randn(3, 2), torch.randn(3, 2)), input_names=["x", "y"], dynamic_axes=axes
        )
        assert_agrees(program, Product(), torch.randn(5, 2), torch.randn(5, 2))


def test_sizes_are_sums_of_products():
    class Pairs(nn.Module):
        def forward(self, x):
            batch, time, width = x.shape
            return x.reshape(batch * time, width), torch.zeros(batch, 2 * time + 1), x.view(batch, -1)

    other = (torch.randn(3, 7, 2),)
    program = exported(Pairs(), torch.randn(2, 5, 2), dynamic=({0: "b", 1: "t"},), other=other)
    assert shapes(program.model)[1] == [["b*t", 2], ["b", "1 + 2*t"], ["b", "2*t"]]


def test_an_example_of_one_is_exported_for_all_sizes():
    class Squeezed(nn.Module):
        def forward(self, x):
            return x.view(x.shape[0], -1) + torch.ones(x.shape[0], 1)

    exported(Squeezed(), torch.randn(1, 4), dynamic=({0: "batch"},), other=(torch.randn(3, 4),))


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "network.onnx"
    path.write_bytes(b"before")
    model = small()
    torch.onnx.export(model, (torch.randn(2, 4),), path)
    onnx.checker.check_model(str(path), full_check=True)
    assert os.listdir(tmp_path) == ["network.onnx"]

    class Sampled(nn.Module):
        def forward(self, x):
            return x * float(x.sum())

    written = path.read_bytes()
    with pytest.raises(OnnxExporterError):
        torch.onnx.export(Sampled().eval(), (torch.randn(2, 4),), path)
    assert path.read_bytes() == written


def test_a_buffer_is_written_to():
    stream = io.BytesIO()
    torch.onnx.export(small(), (torch.randn(2, 4),), stream)
    onnx.checker.check_model(onnx.load_model_from_string(stream.getvalue()))


def test_weights_may_stand_beside_the_file_or_stay_out(tmp_path):
    import onnxruntime

    model, inputs = small(), torch.randn(2, 4)
    program = torch.onnx.export(model, (inputs,))
    program.save(tmp_path / "apart.onnx", external_data=True)
    assert sorted(os.listdir(tmp_path)) == ["apart.onnx", "apart.onnx.data"]
    found = onnxruntime.InferenceSession(tmp_path / "apart.onnx").run(None, {"input": inputs.numpy()})[0]
    np.testing.assert_allclose(found, model(inputs).detach().numpy(), rtol=1e-5)
    program.save(tmp_path / "bare.onnx", include_initializers=False, keep_initializers_as_inputs=True)
    bare = onnx.load(tmp_path / "bare.onnx")
    assert not bare.graph.initializer
    assert [each.name for each in bare.graph.input] == ["input", "0.weight", "0.bias"]
    torch.onnx.export(model, (inputs,), tmp_path / "bare2.onnx", export_params=False)
    assert not onnx.load(tmp_path / "bare2.onnx").graph.initializer


def test_without_dynamo_nothing_is_returned_and_the_network_is_exported_as_evaluated(tmp_path):
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout())
    path = tmp_path / "network.onnx"
    before = {name: each.clone() for name, each in model.state_dict().items()}
    assert torch.onnx.export(model, torch.randn(3, 4), path, dynamo=False) is None
    assert model.training
    assert all((before[name] == each).all() for name, each in model.state_dict().items())
    kinds = [each.op_type for each in onnx.load(path).graph.node]
    assert "Dropout" not in kinds and "BatchNormalization" in kinds
    with pytest.raises(ValueError, match="through parameter dynamic_axes when dynamo=False"):
        torch.onnx.export(model, torch.randn(3, 4), dynamo=False, dynamic_shapes=({0: "batch"},))


def test_export_leaves_the_random_stream_and_the_statistics_alone():
    model = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()).train()
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    before = {name: each.clone() for name, each in model.state_dict().items()}
    with pytest.warns(UserWarning, match="training mode"):
        program = torch.onnx.export(
            model, (torch.randn(3, 4, generator=torch.Generator()),), dynamic_shapes=({0: "batch"},)
        )
    assert (torch.rand(2) == expected).all()
    assert all((before[name] == each).all() for name, each in model.state_dict().items())
    assert "Dropout" in [each.op_type for each in program.model.graph.node]


@pytest.mark.parametrize("version", [14, 15, 16, 17, 18, 20, 21])
def test_versions_of_operators(version):
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.GELU(), nn.LayerNorm(5), nn.Flatten(), nn.Linear(20, 2)
    )
    program = exported(
        model, torch.randn(2, 2, 7), dynamic=({0: "batch"},), other=(torch.randn(3, 2, 7),), opset_version=version
    )
    assert program.model.opset_import[0].version == version


def test_a_version_that_cannot_be_written():
    with pytest.raises(ValueError, match="writes versions 14 to"):
        torch.onnx.export(small(), (torch.randn(2, 4),), opset_version=9)


def test_other_weights_can_be_applied():
    model, other = small(), small()
    nn.init.ones_(other[0].weight)
    program = torch.onnx.export(model, (torch.randn(2, 4),))
    program.apply_weights(other.state_dict())
    assert_agrees(program, other, torch.randn(2, 4))
    with pytest.warns(torch.onnx.errors.OnnxExporterWarning, match="'absent' not found"):
        program.apply_weights({"absent": torch.ones(1)})


def test_verify_runs_the_file():
    torch.onnx.export(small(), (torch.randn(2, 4),), verify=True)

    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x if self.calls < 3 else x + 1

    with pytest.raises(OnnxExporterError, match="output 0 of the exported network differs"):
        torch.onnx.export(Counting().eval(), (torch.randn(2, 4),), verify=True)


def test_the_reference_evaluator_runs_it_too():
    model, inputs = small(), torch.randn(2, 4)
    found = torch.onnx.export(model, (inputs,)).call_reference(inputs)
    np.testing.assert_allclose(found[0].numpy(), model(inputs).detach().numpy(), rtol=1e-5)


def test_whether_a_network_is_being_exported():
    class Asking(nn.Module):
        def forward(self, x):
            assert torch.onnx.is_in_onnx_export()
            return x + 1

    torch.onnx.export(Asking().eval(), (torch.randn(2),))
    assert not torch.onnx.is_in_onnx_export()


class Refused(nn.Module):
    """Networks that cannot be written; the mark stands on the line that has to be named."""

    def __init__(self, way):
        super().__init__()
        self.way = way

    def forward(self, x):
        return getattr(self, self.way)(x)

    def operator(self, x):
        return torch.lgamma(x)  # here: operator

    def inner_operator(self, x):
        return torch.diag(x)  # here: inner_operator

    def number(self, x):
        return x * x.sum().item()  # here: number

    def branch(self, x):
        if x.sum() > 0:  # here: branch
            return x
        return -x

    def array(self, x):
        return torch.from_numpy(x.numpy() * 2)  # here: array

    def mask(self, x):
        return x[x > 0]  # here: mask

    def shape(self, x):
        return x + 1 if x.size(0) < 4 else x * 2  # here: shape

    def odd_number(self, x):
        return x * (1.0 / x.size(0))  # here: odd_number

    def stale(self, x):
        y = x.clone()
        z = y.view(-1)
        y += 1
        return z * 2  # here: stale

    def form(self, x):
        return torch.nn.functional.pad(x, (1, 1), mode="circular")  # here: form


WAYS = [name for name in vars(Refused) if not name.startswith("_") and name not in ("forward",)]


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_exported_is_named_with_its_line_and_a_fix(way):
    inputs = torch.randn(2, 3, 4) if way == "form" else torch.randn(2, 4)
    with pytest.raises(OnnxExporterError) as caught:
        torch.onnx.export(Refused(way).eval(), (inputs,), dynamic_shapes=({0: "batch"},))
    text = str(caught.value)
    assert f"# here: {way}" in text
    assert "fix: " in text


def test_the_operator_that_is_named_is_the_one_that_the_program_used():
    for way, name in (("operator", "lgamma"), ("inner_operator", "diag")):
        with pytest.raises(torch.onnx.errors.UnsupportedOperatorError, match=f"operator '{name}'"):
            torch.onnx.export(Refused(way).eval(), (torch.randn(2, 4),))


def test_numbers_that_left_by_another_way_are_found():
    class Hidden(nn.Module):
        def forward(self, x):
            return x + torch.tensor(np.asarray(memoryview(x._array)).sum())

    with pytest.raises(OnnxExporterError, match="changes with its inputs"):
        torch.onnx.export(Hidden().eval(), (torch.arange(6.0).reshape(2, 3),), dynamic_shapes=({0: "batch"},))


def test_axes_of_two_sizes_under_one_name():
    class Two(nn.Module):
        def forward(self, x, y):
            return x, y

    with pytest.raises(OnnxExporterError, match="the axis 'n' has two sizes"):
        torch.onnx.export(Two().eval(), (torch.ones(2), torch.ones(3)), dynamic_shapes=({0: "n"}, {0: "n"}))


def test_axes_that_must_be_one_need_one_name():
    class Sum(nn.Module):
        def forward(self, x, y):
            return x + y

    with pytest.raises(OnnxExporterError, match="one name"):
        torch.onnx.export(Sum().eval(), (torch.ones(3), torch.ones(3)), dynamic_shapes=({0: "n"}, {0: "m"}))


def test_too_many_sizes():
    class Same(nn.Module):
        def forward(self, x):
            return x

    with pytest.raises(OnnxExporterError, match="at most 4"):
        torch.onnx.export(Same().eval(), (torch.ones(2, 2, 2, 2, 2),), dynamic_shapes=(list("abcde"),))


def test_custom_translations_are_refused():
    with pytest.raises(OnnxExporterError, match="custom translations"):
        torch.onnx.export(small(), (torch.randn(2, 4),), custom_translation_table={len: len})
