"""Forward mode by hand: duals, what operations do to them, and what is refused."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad, gradcheck, gradgradcheck
from rushlight.autograd.forward_ad import dual_level, make_dual, unpack_dual
from rushlight.autograd.gradcheck import GradcheckError

X = torch.tensor([1.0, 2.0, 3.0])


def test_a_dual_carries_its_tangent_through_operations():
    with dual_level():
        x = make_dual(X, torch.ones(3))
        assert unpack_dual(x * x).tangent.tolist() == [2, 4, 6]
        assert unpack_dual((x * x).sum()).tangent.item() == 12
        assert unpack_dual(x.softmax(0)).tangent.abs().max() < 1e-6
        assert unpack_dual(torch.stack([x, X])).tangent.tolist() == [[1, 1, 1], [0, 0, 0]]
        assert unpack_dual(X).tangent is None and unpack_dual(x > 1).tangent is None
        kept = x * 2
    assert unpack_dual(kept).tangent is None
    assert (kept + 1).tolist() == [3, 5, 7]


def test_a_dual_shares_memory_with_its_primal():
    values = X.clone()
    with dual_level():
        x = make_dual(values, torch.ones(3))
        x.mul_(3)
        assert values.tolist() == [3, 6, 9]
        assert unpack_dual(x).tangent.tolist() == [3, 3, 3]
        assert unpack_dual(x).primal.tolist() == [3, 6, 9]


def test_a_write_gives_a_plain_tensor_a_tangent_and_its_base_too():
    with dual_level():
        x = make_dual(X, torch.ones(3))
        y = torch.zeros(3)
        y.add_(x)
        assert unpack_dual(y).tangent.tolist() == [1, 1, 1]
        z = torch.zeros(3)
        z[0].copy_(x[0])
        assert unpack_dual(z).primal.tolist() == [1, 0, 0] and unpack_dual(z).tangent.tolist() == [1, 0, 0]
        y.zero_()
        assert unpack_dual(y).tangent.tolist() == [0, 0, 0]
        whole = make_dual(X.clone(), torch.ones(3))
        whole[1:].mul_(2)
        assert unpack_dual(whole).tangent.tolist() == [1, 2, 2]


def test_detach_leaves_the_tangent_behind_and_no_grad_does_not():
    with dual_level():
        x = make_dual(X, torch.ones(3))
        assert unpack_dual(x.detach()).tangent is None
        assert unpack_dual(x.clone()).tangent.tolist() == [1, 1, 1]
        with torch.no_grad():
            assert unpack_dual(x * 2).tangent.tolist() == [2, 2, 2]
        with forward_ad._set_fwd_grad_enabled(False):
            assert unpack_dual(x * 2).tangent is None
        assert forward_ad._is_fwd_grad_enabled()


def test_complex_numbers_move_by_the_derivative_not_by_its_adjoint():
    z, t = torch.tensor([1 + 2j, 0.5j]), torch.tensor([1j, 2.0 + 0j])
    with dual_level():
        moved = unpack_dual(make_dual(z, t) ** 2).tangent
        torch.testing.assert_close(moved, 2 * z * t)
        length = unpack_dual(make_dual(z, t).abs()).tangent
        torch.testing.assert_close(length, (z.conj() * t).real / z.abs())
        torch.testing.assert_close(unpack_dual(make_dual(z, t).conj() * 2).tangent, t.conj() * 2)


def test_reverse_mode_of_a_tangent_and_tangents_of_a_gradient():
    p = X.clone().requires_grad_()
    with dual_level():
        x = make_dual(p, torch.ones(3))
        (slopes,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        assert unpack_dual(slopes).tangent.tolist() == [6, 12, 18]
        moved = unpack_dual((x**3).sum()).tangent
        assert unpack_dual(torch.autograd.grad(moved, p)[0]).primal.tolist() == [6, 12, 18]


def test_batches_of_directions():
    with dual_level():
        found = torch.vmap(lambda t: unpack_dual(make_dual(X, t) ** 2).tangent)(torch.eye(3))
    assert found.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]


def test_levels_and_duals_are_checked_in_torchs_words():
    with pytest.raises(RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists"):
        make_dual(X, X)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        forward_ad.exit_dual_level()
    with dual_level():
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
            forward_ad.enter_dual_level()
        with pytest.raises(RuntimeError, match="Trying to exit a forward AD level that was not the last one"):
            forward_ad.exit_dual_level(level=3)
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level 0"):
            make_dual(make_dual(X, X), X)
        with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
            make_dual(X, torch.ones(4))
        with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
            make_dual(torch.arange(3), X)


def test_a_level_may_be_a_decorator():
    @dual_level()
    def slope(x):
        return unpack_dual(make_dual(x, torch.ones(3)).sin()).tangent

    torch.testing.assert_close(slope(X), X.cos())


def point(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_gradcheck_in_forward_mode_and_for_batches():
    function = lambda x, w: (w @ x).tanh()
    options = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert gradcheck(function, (point(3), point(2, 3)), **options)
    assert gradcheck(function, (point(3), point(2, 3)), check_forward_ad=True, check_backward_ad=False)
    assert gradgradcheck(function, (point(3), point(2, 3)), check_fwd_over_rev=True)
    assert gradgradcheck(lambda x: x.sin().logsumexp(0), point(3), check_fwd_over_rev=True, check_rev_over_rev=False)


def test_gradcheck_finds_a_wrong_jvp():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 3

    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch for output 0"):
        gradcheck(Wrong.apply, point(2), check_forward_ad=True)


def test_a_dual_shows_its_tangent():
    with dual_level():
        dual = make_dual(X, torch.ones(3))
        assert repr(dual) == "tensor([1., 2., 3.], tangent=tensor([1., 1., 1.]))"
        assert repr(dual.sum()) == "tensor(6., tangent=3.0)"
        wide = make_dual(torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.float64))
        rows = "tensor([[1., 1.],\n        [1., 1.]], dtype=torch.float64"
        assert repr(wide) == f"{rows},\n       tangent={rows}))"


def test_a_tangent_lies_in_memory_as_its_primal_does():
    forward = torch.autograd.forward_ad
    turned = torch.ones(2, 3).t()
    with forward.dual_level():
        dual = forward.make_dual(turned, torch.ones(3, 2))
        assert forward.unpack_dual(dual).tangent.stride() == (1, 3)
        shown = forward.unpack_dual(dual.sum(0, keepdim=True) + torch.zeros(3, 2)).tangent
    # each element has a place of its own
    assert shown.add_(torch.arange(6.0).reshape(3, 2)).tolist() == [[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]


def test_gradients_of_what_does_not_depend_lie_as_their_inputs():
    turned = torch.ones(2, 3).t()
    assert torch.func.grad(lambda v: torch.ones(()))(turned).stride() == (1, 3)
    assert torch.func.jvp(lambda v: turned * 2, (turned,), (torch.ones(3, 2),))[1].stride() == (1, 3)
    assert torch.autograd.functional.hvp(lambda v: (v * 3).sum(), turned, turned)[1].stride() == (1, 3)


def test_what_is_unpacked_is_a_view_by_the_name_of_identity():
    forward = torch.autograd.forward_ad
    x = torch.ones(2, requires_grad=True)
    with forward.dual_level():
        dual = forward.make_dual(x, torch.ones(2))
        for each in (forward.unpack_dual(dual.sin()), forward.unpack_dual(x * 2)):
            assert each.primal.grad_fn.name() == "torch::autograd::Identity" and each.primal._is_view()
        forward.unpack_dual(dual * 3).primal.sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert forward.unpack_dual(x).primal is x


def test_the_tangent_of_a_product_goes_through_the_result_which_a_backward_frees():
    x = torch.tensor([-2.0, -1.0, -4.0], dtype=torch.float64, requires_grad=True)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        primal, tangent = torch.autograd.forward_ad.unpack_dual(dual.prod())
    assert tangent.item() == 4 + 8 + 2
    primal.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        tangent.backward()


def test_the_tangent_of_a_product_with_a_zero_is_that_of_the_others():
    x = torch.tensor([[0.0, 2.0, 3.0], [0.0, 0.0, 5.0]])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        tangent = torch.autograd.forward_ad.unpack_dual(dual.prod(1)).tangent
    assert tangent.tolist() == [6.0, 0.0]
