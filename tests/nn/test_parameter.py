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
