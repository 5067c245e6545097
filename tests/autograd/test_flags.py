"""Flags of tensors: who may change `requires_grad`, and what may not be deleted."""

import pytest

import rushlight as torch


def test_a_computed_tensor_keeps_its_flag():
    y = torch.ones(2, requires_grad=True) * 2
    for value in (True, False):
        with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
            y.requires_grad = value
    assert y.requires_grad_() is y
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad_(False)


def test_a_view_of_what_was_computed_since_is_no_leaf():
    base = torch.ones(2)
    view = base[:1]
    base.mul_(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        view.requires_grad = True


@pytest.mark.parametrize("value", [1, 0, None, "yes"])
def test_the_flag_is_a_bool(value):
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = value
    with pytest.raises(TypeError, match=r"requires_grad_\(\): argument 'requires_grad'"):
        x.requires_grad_(value)


def test_what_may_be_deleted():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    assert x.grad is None
    with pytest.raises(RuntimeError, match="Deleting tensor data is not allowed"):
        del x.data
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        del x.requires_grad
    with pytest.raises(AttributeError):
        del x.grad_fn


def test_a_view_made_under_no_grad_requires_grad_and_gets_none():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = x[:]
    assert view.requires_grad and view.is_leaf
    result = (view * x).sum()
    assert torch.autograd.grad(result, [view, x], allow_unused=True, retain_graph=True)[0] is None
    result.backward()
    assert view.grad is None and x.grad.tolist() == [1.0, 1.0]


def test_integers_are_refused_in_torchs_words_for_each_way_to_ask():
    mask = torch.ones(2) > 0
    with pytest.raises(RuntimeError, match=r"^only Tensors of floating point dtype can require gradients"):
        mask.requires_grad_()
    with pytest.raises(RuntimeError, match=r"^only Tensors of floating point and complex dtype can require gradients"):
        mask.requires_grad = True
    assert mask.requires_grad_(False) is mask


def test_nothing_is_detached_in_place_in_inference_mode():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    part = y[1:]
    with torch.inference_mode():
        assert y.detach_() is y and part.detach_() is part and x.detach_() is x
    assert y.grad_fn.name() == "MulBackward0" and part.grad_fn.name() == "SliceBackward0" and x.requires_grad


def test_a_number_with_its_dims_moved_is_an_alias():
    x = torch.tensor(2.0, requires_grad=True)
    assert x.movedim(-1, 0).grad_fn.name() == "AliasBackward0"
    assert x.movedim(0, 0)._is_view()


class TestViewsMadeWithoutRecording:
    """Whatever was written to their base since: torch takes them for leaves that require grad."""

    @staticmethod
    def view():
        base = torch.ones(2).requires_grad_() * 2
        with torch.no_grad():
            view = base.view(2)
        base.mul_(2)
        return view

    def test_they_may_be_told_to_require_grad(self):
        view = self.view()
        assert view.requires_grad_() is view and view.requires_grad

    def test_they_may_be_told_to_retain_their_gradient(self):
        assert self.view().retain_grad() is None

    def test_they_have_no_history_to_show(self):
        with pytest.raises(RuntimeError, match="A view was created in no_grad mode and its base"):
            _ = self.view().grad_fn
