"""torch.ops.aten: functions of torch with the forms that torch has."""

import pytest

import rushlight as torch


def test_forms_have_torchs_names():
    add = torch.ops.aten.add
    assert repr(add) == "<OpOverloadPacket(op='aten.add')>"
    assert add.overloads()[:4] == ["Tensor", "Scalar", "out", "Scalar_out"]
    assert repr(add.Tensor) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert (str(add.Tensor), add.Tensor.name(), add.Tensor.__name__) == (
        "aten.add.Tensor",
        "aten::add.Tensor",
        "add.Tensor",
    )
    assert add.Tensor.overloadpacket is add
    assert add.Tensor == torch.ops.aten.add.Tensor
    assert {add.Tensor: 1}[torch.ops.aten.add.Tensor] == 1
    assert torch.ops.aten.relu.default.namespace == "aten"


def test_forms_compute():
    assert torch.ops.aten.add.Tensor(torch.ones(1), 2).item() == 3
    assert torch.ops.aten.sort.stable(torch.tensor([2, 1]), stable=True).values.tolist() == [1, 2]
    assert torch.ops.aten.view.default(torch.ones(4), [2, 2]).shape == (2, 2)
    assert torch.ops.aten.linalg_norm(torch.tensor([3.0, 4.0])).item() == 5
    assert torch.ops.aten.sum.dim_IntList(torch.ones(2, 3), [0], True).shape == (1, 3)


def test_what_is_not_there():
    with pytest.raises(AttributeError, match=r"The underlying op of 'aten.add' has no overload name 'nope'"):
        _ = torch.ops.aten.add.nope
    with pytest.raises(AttributeError, match="'_OpNamespace' 'aten' object has no attribute 'nonsense'"):
        _ = torch.ops.aten.nonsense
    with pytest.raises(AttributeError, match="'_OpNamespace' 'torchvision' object has no attribute 'nms'"):
        _ = torch.ops.torchvision.nms
    with pytest.raises(AttributeError, match="_schema is not in Rushlight"):
        _ = torch.ops.aten.add.Tensor._schema
