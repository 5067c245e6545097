"""Group and batch norms of inputs in any layout, and groups of channels without weights of their own."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

LAYOUTS = {
    "channels last": lambda x: x.to(memory_format=torch.channels_last),
    "transposed": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
    "every second": lambda x: x.repeat_interleave(2, 0)[::2],
    "expanded": lambda x: x[:1].expand(x.shape),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_group_norm_is_the_same_in_each_layout(layout, weighted):
    x = (torch.arange(3 * 6 * 5 * 4) * 7919 % 101).float().reshape(3, 6, 5, 4)
    odd = LAYOUTS[layout](x)
    weight, bias = (torch.arange(6.0), torch.ones(6)) if weighted else (None, None)
    straight = odd.contiguous().requires_grad_()
    odd = odd.detach().requires_grad_()
    steps = (torch.arange(odd.numel()) % 7).float().reshape(odd.shape)
    expected, found = (F.group_norm(each, 3, weight, bias) for each in (straight, odd))
    assert torch.equal(expected, found)
    assert found.is_contiguous(memory_format=torch.channels_last) == (layout == "channels last")
    expected.backward(steps)
    found.backward(steps)
    torch.testing.assert_close(odd.grad, straight.grad)


@pytest.mark.parametrize("shape", [(2, 600), (2, 600, 1), (3, 8, 40)])
def test_channels_without_weights_are_normalized_as_those_with_ones(shape):
    x = (torch.arange(torch.Size(shape).numel()) * 7919 % 101).float().reshape(shape)
    bare, ones = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = F.group_norm(bare, 4)
    expected = F.group_norm(ones, 4, torch.ones(shape[1]), torch.zeros(shape[1]))
    assert torch.equal(found, expected)
    steps = (torch.arange(x.numel()) % 5).float().reshape(shape)
    found.backward(steps)
    expected.backward(steps)
    assert torch.equal(bare.grad, ones.grad)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_batch_norm_of_turned_sequences_is_that_of_straight_ones(dtype, training):
    x = (torch.arange(6 * 5 * 40) * 7919 % 101).to(dtype).reshape(6, 40, 5).transpose(1, 2)
    found, expected = ([torch.zeros(5, dtype=dtype), torch.ones(5, dtype=dtype)] for _ in range(2))
    odd = F.batch_norm(x, *found, torch.arange(5).to(dtype), training=training)
    straight = F.batch_norm(x.contiguous(), *expected, torch.arange(5).to(dtype), training=training)
    assert torch.equal(odd, straight) and odd.is_contiguous()
    assert all(torch.equal(*pair) for pair in zip(found, expected, strict=True))
