"""The inside of vmap by torch's names: levels by number, batches put in and taken out, and steps that are replaced."""

import pytest

import rushlight as torch
from rushlight import _C
from rushlight._C import _functorch as inside
from rushlight._functorch import vmap as steps


def test_a_batch_is_put_in_and_taken_out_by_the_number_of_its_level():
    x = torch.arange(6.0).reshape(3, 2)
    with steps.vmap_increment_nesting(3, "error") as level:
        one = inside._add_batch_dim(x, 0, level)
        assert (level, one.shape, inside.maybe_get_level(one), inside.maybe_get_bdim(one)) == (1, (2,), 1, 0)
        assert inside.is_batchedtensor(one) and inside.is_functorch_wrapped_tensor(one)
        assert not inside.is_gradtrackingtensor(one)
        assert inside.get_unwrapped(one).tolist() == x.tolist()
        assert _C._are_functorch_transforms_active() and inside.current_level() == 1
        assert inside._remove_batch_dim(one * 2, level, 3, 1).tolist() == (x * 2).T.tolist()
        assert inside._remove_batch_dim(torch.ones(1), level, 3, 0).shape == (3, 1)
    assert inside.is_dead_tensor_wrapper(one) and inside.maybe_get_level(one) == -2
    assert inside.unwrap_if_dead(one).shape == (3, 2)
    assert not _C._are_functorch_transforms_active() and inside.maybe_current_level() is None


def test_levels_nest_and_end_in_order():
    x = torch.ones(3, 2)
    outer = inside._vmap_increment_nesting(3, "error")
    inner = inside._vmap_increment_nesting(2, "same")
    both = inside._add_batch_dim(inside._add_batch_dim(x, 0, outer), 0, inner)
    assert (outer, inner, both.shape, inside.get_dynamic_layer_stack_depth()) == (1, 2, (), 2)
    with pytest.raises(RuntimeError, match="the innermost function transform is no Tracking"):
        inside._grad_decrement_nesting()
    assert inside._remove_batch_dim(both, inner, 2, 0).shape == (2,)
    assert (inside._vmap_decrement_nesting(), inside._vmap_decrement_nesting()) == (2, 1)
    with pytest.raises(RuntimeError, match="no Mapping"):
        inside._vmap_decrement_nesting()
    with pytest.raises(RuntimeError, match="no function transform of level 1 is running"):
        inside._add_batch_dim(x, 0, 1)
    with pytest.raises(RuntimeError, match="there is no level"):
        inside.current_level()


def test_a_plain_tensor_is_wrapped_by_nothing():
    x = torch.ones(2)
    assert (inside.maybe_get_level(x), inside.maybe_get_bdim(x)) == (-1, -1)
    assert not inside.is_batchedtensor(x) and not inside.is_batchedtensor("x") and inside.unwrap_if_dead(x) is x
    assert inside._unwrap_batched(x, 1) == (x, None)
    with pytest.raises(RuntimeError, match="No wrappers present!"):
        inside.get_unwrapped(x)


def test_grad_has_levels_too():
    x = torch.ones(2)
    level = inside._grad_increment_nesting()
    wrapped = inside._wrap_for_grad(x, level)
    assert inside.is_gradtrackingtensor(wrapped) and inside._unwrap_for_grad(wrapped, level) is x
    assert inside._unwrap_for_grad(x, level) is x
    assert inside._grad_decrement_nesting() == level


class Pair:
    """A container that nobody else knows."""

    def __init__(self, left, right):
        self.left, self.right = left, right


def test_steps_that_are_replaced_serve_containers_of_ones_own(monkeypatch):
    def process(in_dims, args, func):
        return len(args[0].left), [0], list(args), None

    def create(dims, leaves, level, spec):
        return [Pair(inside._add_batch_dim(leaves[0].left, 0, level), inside._add_batch_dim(leaves[0].right, 0, level))]

    monkeypatch.setattr(steps, "_process_batched_inputs", process)
    monkeypatch.setattr(steps, "_create_batched_inputs", create)
    assert steps.are_replaced()
    given = Pair(torch.arange(6.0).reshape(3, 2), torch.ones(3, 2))
    assert torch.vmap(lambda pair: pair.left @ pair.right)(given).tolist() == [1.0, 5.0, 9.0]


def test_the_steps_that_stand_there_are_those_of_vmap(monkeypatch):
    own = steps._unwrap_batched
    monkeypatch.setattr(steps, "_unwrap_batched", lambda *given: own(*given))
    x, y = torch.arange(12.0).reshape(4, 3), torch.ones(3)
    assert torch.vmap(torch.dot, (0, None))(x, y).tolist() == x.sum(1).tolist()
    assert torch.vmap(lambda each: (each, each + 1), 1, (0, 1))(x)[1].shape == (4, 3)
    assert torch.vmap(torch.sin, chunk_size=3)(x).tolist() == torch.sin(x).tolist()
    assert torch.vmap(torch.vmap(torch.cos))(x).tolist() == torch.cos(x).tolist()
    with pytest.raises(ValueError, match="must only return Tensors"):
        torch.vmap(lambda each: 1)(x)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        torch.vmap(lambda each: each, out_dims=None)(x)


def test_restored_batches_say_where_they_are():
    found, dims = steps.restore_vmap(lambda a, b: (a + b, b), (1, None), 3, "error")(torch.ones(2, 3), torch.ones(2))
    assert (found[0].shape, found[1].shape, dims) == ((3, 2), (2,), (0, None))
    assert steps.unwrap_batched((), 1) == ((), ())
    with pytest.raises(AssertionError, match="do not fit"):
        steps.wrap_batched((torch.ones(1),), (0, 0), 1)


def test_sizes_have_to_agree():
    assert steps._validate_and_get_batch_size([0, None, 1], [torch.ones(3), 1, torch.ones(2, 3)]) == 3
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        steps._validate_and_get_batch_size([0, 0], [torch.ones(3), torch.ones(2)])
    assert steps._get_name(torch.nn.Identity()) == "Identity()"
