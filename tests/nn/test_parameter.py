"""Parameter: a tensor with a place in a module."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight.nn import Buffer, Parameter


def test_it_is_printed_as_torch_prints_it():
    assert repr(Parameter(torch.zeros(2))) == "Parameter containing:\ntensor([0., 0.], requires_grad=True)"
    assert repr(Parameter(torch.zeros(2), False)) == "Parameter containing:\ntensor([0., 0.])"
    assert repr(Parameter()) == "Parameter containing:\ntensor([], requires_grad=True)"


def test_it_shares_memory_with_its_data():
    data = torch.zeros(2)
    parameter = Parameter(data)
    data.fill_(3)
    assert parameter.tolist() == [3, 3]
    assert parameter.is_leaf and Parameter(parameter * 2).is_leaf


def test_results_are_plain_tensors():
    parameter = Parameter(torch.ones(2))
    for result in (
        parameter * 2,
        parameter[0],
        parameter.detach(),
        parameter.clone(),
        parameter.data,
        -parameter,
    ):
        assert type(result) is torch.Tensor


def test_operators_take_it_on_both_sides():
    parameter = Parameter(torch.ones(2))
    (2 - parameter + parameter * parameter).sum().backward()
    assert parameter.grad.tolist() == [1, 1]


def test_copies_are_parameters():
    parameter = Parameter(torch.ones(2, 3).T, requires_grad=False)
    parameter.note = "kept by pickle"
    for twin in (copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert type(twin) is Parameter and torch.equal(twin, parameter) and not twin.requires_grad
        assert twin.stride() == parameter.stride()
    memo = {}
    assert copy.deepcopy([parameter, parameter], memo)[0] is memo[id(parameter)]


def test_data_must_be_a_floating_point_tensor():
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype"):
        Parameter(torch.ones(2, dtype=torch.int64))
    assert Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False).dtype is torch.int64
    with pytest.raises(AttributeError, match=r"has no attribute 'detach'.*torch.tensor"):
        Parameter([1.0, 2.0])


def test_buffer_knows_whether_it_is_saved():
    assert Buffer(torch.ones(1)).persistent and not Buffer(torch.ones(1), persistent=False).persistent
    assert Buffer().shape == (0,)


class Weights(torch.Tensor):
    """A subclass that a program may have."""


def test_of_a_subclass_it_keeps_the_class_and_the_memory():
    data = torch.zeros(2).as_subclass(Weights)
    parameter = Parameter(data)
    assert type(parameter) is Weights and isinstance(parameter, Parameter) and parameter._is_param
    assert parameter.requires_grad and parameter.is_leaf and parameter.data_ptr() == data.data_ptr()
    assert not isinstance(data, Parameter) and not isinstance(parameter * 1, Parameter)
    assert repr(parameter) == "Parameter(Weights([0., 0.], requires_grad=True))"


def test_a_module_learns_a_parameter_of_a_subclass():
    layer = torch.nn.Linear(2, 1, bias=False)
    layer.weight = Parameter(torch.ones(1, 2).as_subclass(Weights))
    assert [type(each) for each in layer.parameters()] == [Weights] and list(layer.state_dict()) == ["weight"]
    layer(torch.ones(1, 2)).sum().backward()
    torch.optim.SGD(layer.parameters(), lr=0.5).step()
    assert layer.weight.tolist() == [[0.5, 0.5]]
    layer.load_state_dict({"weight": torch.zeros(1, 2)})
    assert type(layer.double().weight) is Weights and isinstance(layer.weight, Parameter)
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert type(twin.weight) is Weights and isinstance(twin.weight, Parameter)


def test_a_subclass_that_loses_itself_in_detach_is_refused():
    class Lost(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs).as_subclass(torch.Tensor)

    with pytest.raises(RuntimeError, match="requires that detach\\(\\) returns an instance of the same type, but"):
        Parameter(torch.zeros(2).as_subclass(Lost))


def test_a_subclass_of_parameter_is_printed_by_its_name():
    class Scale(Parameter):
        pass

    assert repr(Scale(torch.zeros(1))) == "Parameter containing:\nParameter(Scale([0.], requires_grad=True))"


def test_any_tensor_with_the_mark_counts():
    tensor = torch.zeros(2)
    tensor._is_param = True
    module = torch.nn.Module()
    module.weight = tensor
    assert isinstance(tensor, Parameter) and list(module.parameters()) == [tensor]
    assert repr(tensor) == "tensor([0., 0.])" and type(Parameter).__name__ == "_ParameterMeta"


def test_requires_grad_is_a_bool():
    for kind in (Parameter, torch.nn.UninitializedParameter):
        with pytest.raises(TypeError, match="argument 'require_grad' \\(position 3\\) must be bool, not int"):
            kind(**{"data": torch.zeros(2)} if kind is Parameter else {}, requires_grad=3)
