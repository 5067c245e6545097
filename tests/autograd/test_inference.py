"""Inference mode: which tensors are inference tensors, and what may be done with them outside."""

import pytest

import rushlight as torch


@pytest.fixture
def made():
    with torch.inference_mode():
        return torch.ones(2, 2)


def test_views_of_ordinary_tensors_stay_ordinary_inside():
    x, y = torch.ones(2, 3), torch.ones(3, requires_grad=True)
    with torch.inference_mode():
        views = [x[0], x.t(), x.view(6), x.detach(), x.data, x.split(1)[0], y[:1]]
        others = [x + 1, x.clone(), torch.zeros(2), y * 2, x.double()]
    assert not any(each.is_inference() for each in views)
    assert all(each.is_inference() for each in others)
    assert views[0]._is_view() and views[-1].requires_grad and views[-1].is_leaf


def test_views_of_inference_tensors_are_inference_tensors_also_outside(made):
    views = [made[0], made.t(), made.detach(), made.data, made.view(4)]
    assert all(each.is_inference() and not each._is_view() for each in views)
    assert not made.clone().is_inference() and not (made + 1).is_inference()


def test_a_write_through_a_view_inside_is_counted_by_its_base():
    x = torch.ones(3)
    with torch.inference_mode():
        x[:1].add_(1)
    assert x._version == 1 and x.tolist() == [2.0, 1.0, 1.0]


def test_inference_tensors_count_no_writes(made):
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        made._version  # noqa: B018


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.fill_(1.0),
        lambda x: x.zero_(),
        lambda x: x.add_(1),
        lambda x: x.copy_(torch.ones(2, 2)),
        lambda x: x[0].fill_(2.0),
        lambda x: x.resize_(3),
        lambda x: x.set_(torch.ones(2)),
        lambda x: x.unsqueeze_(0),
        lambda x: x.normal_(),
        lambda x: torch.add(torch.ones(2, 2), 1, out=x),
        lambda x: x.__setitem__(0, 2.0),
    ],
)
def test_inference_tensors_are_not_written_to_outside(made, write):
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        write(made)
    with torch.inference_mode():
        write(made)


def test_inference_tensors_require_no_grad_outside(made):
    for ask in (
        lambda: made.requires_grad_(),
        lambda: setattr(made, "requires_grad", True),
        lambda: torch.nn.Parameter(made),
    ):
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
            ask()
    assert made.requires_grad_(False) is made
    with torch.inference_mode():
        assert made.requires_grad_().requires_grad


def test_inference_tensors_are_not_saved_by_functions(made):
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        Keep.apply(torch.ones(2, 2, requires_grad=True), made)


def test_inference_mode_may_be_switched_off_by_name():
    with torch.inference_mode(), torch.inference_mode(mode=False):
        x = torch.ones(1, requires_grad=True)
        assert not x.is_inference() and (x * 2).requires_grad
    with torch.no_grad(), torch.inference_mode(False):
        assert torch.is_grad_enabled()


def test_nothing_is_recorded_in_inference_mode_whatever_else_is_on():
    with torch.inference_mode(), torch.enable_grad():
        x = torch.ones(1, requires_grad=True)
        assert not (x * 2).requires_grad


def inference_tensor():
    with torch.inference_mode():
        return torch.tensor([1.0, 4.0]) * 1


@pytest.mark.parametrize("share", [lambda x: x.data, lambda x: x.detach(), lambda x: x[:].data])
def test_outside_the_mode_data_and_detach_of_an_inference_tensor_count_their_writes(share):
    x = inference_tensor()
    y = share(x)
    assert y.is_inference() and y._version == 0
    y.mul_(2)
    assert y._version == 1 and x.tolist() == [2.0, 8.0]
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        y[:1].mul_(2)


def test_inside_the_mode_they_do_not():
    x = inference_tensor()
    with torch.inference_mode():
        shared = [x.data, x.detach()]
    for each in shared:
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
            each.mul_(2)
        with pytest.raises(RuntimeError, match="do not track version counter"):
            _ = each._version


def test_data_of_an_inference_tensor_makes_one_that_goes_on_counting():
    x = torch.ones(2)
    x.mul_(1)
    x.data = inference_tensor()
    assert x.is_inference()
    assert x.mul_(2).tolist() == [2.0, 8.0] and x._version == 2
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        x.view(2).mul_(2)
    x.data = torch.ones(2)
    assert not x.is_inference()


def test_a_leaf_with_such_data_is_recorded_beside_other_tensors_only():
    x = torch.ones(2, requires_grad=True)
    x.data = inference_tensor()
    assert x.is_inference() and x.requires_grad
    assert not (x * x).requires_grad and (x * 3).requires_grad
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        _ = x * torch.ones(2, requires_grad=True)


@pytest.mark.parametrize("index", [1, slice(0, 1), None], ids=["one", "some", "all in one more dimension"])
def test_a_part_of_a_tensor_with_such_data_refuses_writes_though_the_whole_does_not(index):
    x = torch.ones(2)
    x.data = inference_tensor()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        x[index] = 5
    x[:] = 5
    assert x.tolist() == [5.0, 5.0]


@pytest.mark.parametrize("name", ["mul_", "div_", "atan2_", "pow_"])
def test_a_write_that_cannot_save_an_inference_tensor_leaves_its_target_as_it_was(name):
    target = torch.ones(3, requires_grad=True) * 1
    with torch.inference_mode():
        factor = torch.full((3,), 3.0)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        getattr(target, name)(factor)
    assert target.tolist() == [1, 1, 1] and target._version == 0


@pytest.mark.parametrize("decorate", [torch.inference_mode, torch.inference_mode()])
def test_a_decorated_class_is_made_in_inference_mode_and_its_methods_run_outside_of_it(decorate):
    class Model:
        def __init__(self):
            self.weight = torch.ones(2)

        def mode(self):
            return torch.is_inference_mode_enabled()

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        made = decorate(Model)()
    assert made.weight.is_inference() and not made.mode()


@pytest.mark.parametrize(
    ("write", "error", "words"),
    [
        (lambda x: x.__setitem__(5, 1.0), IndexError, "index 5 is out of bounds"),
        (lambda x: x.__setitem__(torch.tensor([7]), 1.0), IndexError, "index 7 is out of bounds"),
        (lambda x: x.__setitem__(slice(None), torch.zeros(9, 9)), RuntimeError, "The expanded size of the tensor"),
        (lambda x: x.index_fill_(9, torch.tensor([0]), 1.0), IndexError, "Dimension out of range"),
        (lambda x: x.scatter_(0, torch.tensor([[5]]), 1.0), RuntimeError, "index 5 is out of bounds"),
        (lambda x: x.unsqueeze_(7), IndexError, "Dimension out of range"),
    ],
)
def test_what_is_wrong_with_a_write_is_said_before_that_the_tensor_is_of_inference_mode(made, write, error, words):
    with pytest.raises(error, match=words):
        write(made)
    assert made.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(0, 2.0),
        lambda x: x.__setitem__(torch.tensor([1]), 2.0),
        lambda x: x.index_fill_(0, torch.tensor([0]), 2.0),
        lambda x: x.unsqueeze_(0),
    ],
)
def test_a_write_that_would_do_is_refused_and_changes_nothing(made, write):
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        write(made)
    assert made.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_view_that_lost_its_history_to_a_write_is_no_leaf(mode):
    base = torch.ones(3, requires_grad=True) * 2
    with mode():
        view = base.view(-1)
    part = view[:]
    base -= 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        part.requires_grad_(False)
    assert part.requires_grad_() is part
    with pytest.raises(RuntimeError, match="is a view of a view which was created in"):
        part.grad_fn  # noqa: B018


@pytest.mark.parametrize(
    "write", [lambda x: x.resize_(2), lambda x: x.resize_as_(torch.ones(3)), lambda x: x.resize_(4)]
)
def test_tensors_that_require_grad_take_another_size_inside_only(write):
    leaf = torch.ones(4, requires_grad=True)
    result = leaf * 1
    for x in (leaf, result):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            write(x)
        with torch.inference_mode():
            write(x)
            assert x.requires_grad and not x.is_inference()
    assert leaf.shape == result.shape
