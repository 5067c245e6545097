"""Old and rare methods of Tensor, and functions that torch has beside methods."""

import pytest

import rushlight as torch


def test_functions_of_python_on_each_element():
    x = torch.arange(4.0).reshape(2, 2)
    assert x.clone().apply_(lambda value: value + 1).tolist() == [[1, 2], [3, 4]]
    assert x.t().clone().map_(x, lambda one, two: one * 10 + two).tolist() == [[0, 21], [12, 33]]
    assert x.clone().map2_(x, x[0], lambda a, b, c: a + b + c).tolist() == [[0, 3], [4, 7]]
    assert torch.arange(3).apply_(lambda value: value + 1.7).tolist() == [1, 2, 3]
    assert torch.zeros(0).apply_(lambda value: value).tolist() == []


def test_functions_of_python_are_refused():
    x = torch.ones(2)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        x.apply_(3)
    with pytest.raises(RuntimeError, match=r"Can't call apply_\(\) on Variable that requires grad"):
        torch.ones(2, requires_grad=True).apply_(abs)
    with pytest.raises(TypeError, match=r"map_: expected torch.FloatTensor for 'other' \(got torch.LongTensor\)"):
        x.map_(x.long(), max)


def test_places_in_memory():
    x = torch.ones(2, 3)
    assert x.const_data_ptr() == x.data_ptr()
    assert x.t().dim_order() == (1, 0)
    assert x.is_set_to(x.view(2, 3))
    assert not x.is_set_to(x[0])


def test_every_tensor_is_dense():
    x = torch.ones(2, 3)
    assert x.to_dense() is x
    assert (x.dense_dim(), x.sparse_dim()) == (2, 0)
    assert x.to_dense(torch.int64).dtype is torch.int64


def test_old_names_of_operators():
    x = torch.tensor([4.0])
    assert (x.__div__(2).item(), x.__rdiv__(2).item(), x.__idiv__(4).item()) == (2, 0.5, 1)
    assert x.__nonzero__() is True
    assert x.__long__() == 1


def test_old_forms_warn():
    x = torch.ones(2, 3)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        assert x.resize(3, 2).shape == (3, 2)
    with pytest.warns(UserWarning, match="non-inplace resize_as is deprecated"):
        assert x.resize_as(torch.ones(6)).shape == (6,)
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert x.volatile is False


def test_functions_beside_methods():
    x = torch.ones(2, 3, requires_grad=True)
    assert not torch.detach(x).requires_grad
    assert torch.is_same_size(x, x)
    assert torch.get_device(x) == -1
    assert torch.detach_copy(x).data_ptr() != x.data_ptr()
    with pytest.raises(TypeError, match=r"detach\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        torch.detach(1)


def test_functions_beside_nn_functional():
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(torch.layer_norm(x, (3,)), torch.nn.functional.layer_norm(x, (3,)))
    assert torch.equal(torch.rms_norm(x, (3,)), torch.nn.functional.rms_norm(x, (3,)))
    assert torch.vander(x[0]).tolist() == [[0, 0, 1], [1, 1, 1], [4, 2, 1]]
    assert torch.vander(x[0], 2, increasing=True).tolist() == [[1, 0], [1, 1], [1, 2]]
    truths = torch.vander(torch.tensor([True, False]), 3)
    assert truths.tolist() == [[1, 1, 1], [0, 0, 1]] and truths.dtype == torch.int64
    halves = torch.vander(x[0].half())
    assert halves.tolist() == [[0, 0, 1], [1, 1, 1], [4, 2, 1]] and halves.dtype == torch.float16
    assert torch.norm_except_dim(x, 2, 1).shape == (1, 3)
    assert torch.norm_except_dim(x, 2, -1).shape == ()


def test_sizes_are_python_numbers():
    assert (torch.sym_max(1, 2), torch.sym_min(1, 2.0), torch.sym_sum([1, 2])) == (2, 1.0, 3)
    assert (torch.sym_not(True), torch.sym_sqrt(4), torch.sym_ite(False, 1, 2)) == (False, 2.0, 2)
    assert isinstance(torch.sym_min(1, 2.0), float)
    torch._check(True)
    with pytest.raises(RuntimeError, match="too small"):
        torch._check_is_size(-1, lambda: "too small")


def test_what_functions_of_python_are_given_and_give_back():
    x = torch.ones(2)
    with pytest.raises(TypeError, match=r"map_\(\): argument 'other' \(position 1\) must be Tensor, not int"):
        x.map_(3, lambda one, two: one)
    with pytest.raises(TypeError, match=r"map2_\(\): argument 'y' \(position 2\) must be Tensor, not int"):
        x.map2_(x, 3, lambda a, b, c: a)
    with pytest.raises(TypeError, match="must be real number, not str"):
        x.apply_(lambda value: "text")


@pytest.mark.parametrize("other", ["text", [1.0], (1.0,), None])
def test_what_is_no_number_is_not_divided(other):
    with pytest.raises(TypeError, match=rf"unsupported operand type\(s\) for /: '{type(other).__name__}' and 'Tensor'"):
        other / torch.ones(2)


def test_apply_reads_what_it_has_written_where_elements_share_a_place():
    assert torch.ones(1).expand(2, 3).apply_(lambda v: v + 1).tolist() == [[7.0] * 3] * 2
    assert torch.arange(4.0).as_strided((3, 2), (1, 1)).apply_(lambda v: v * 2 + 1).tolist() == [
        [1, 7],
        [7, 11],
        [11, 7],
    ]
    x = torch.arange(4.0)
    assert x[1:].map_(x[:3], lambda a, b: a + b).tolist() == [1.0, 3.0, 6.0]


def test_data_of_a_tensor_without_numbers_is_of_another_kind():
    ask, x = torch._has_compatible_shallow_copy_type, torch.ones(1)
    assert ask(x, torch.ones(2, dtype=torch.int32))
    assert not ask(x, torch.ones(1, device="meta"))


def test_vitals_are_not_kept():
    with pytest.warns(UserWarning, match="'set_vital' is deprecated"):
        assert torch.set_vital("Dataloader", "enabled", "True") is None


def test_a_function_of_python_may_give_a_tensor_of_one_number():
    x = torch.zeros(2, dtype=torch.int32)
    assert x.apply_(lambda value: torch.tensor(7.9)).tolist() == [7, 7]
    assert torch.zeros(1).map_(torch.ones(1), lambda one, two: torch.tensor([two + 1])).tolist() == [2.0]
    with pytest.raises(RuntimeError):
        x.apply_(lambda value: torch.ones(2))
