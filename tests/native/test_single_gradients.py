"""The gradient of one input alone: a node then saves less than where all inputs learn."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import native
from tests.ops.samples import RANDOM, SAMPLED, arguments, flat, outcome

pytestmark = [
    pytest.mark.skipif(native.extension is None, reason="there is no native layer"),
    pytest.mark.filterwarnings("ignore"),
]

SEVERAL = [op for op in SAMPLED if op.name not in RANDOM]


def gradients(op, sample, wanted):
    """The gradients of some of a sample's tensors, by their place; None where there is nothing to differentiate."""
    args, kwargs = arguments(sample)
    inputs = [each for each in flat([*args, *kwargs.values()]) if each.is_floating_point()]
    if len(inputs) < 2:
        return None
    for place in wanted if wanted is not None else range(len(inputs)):
        inputs[place].requires_grad_()
    result = outcome(op.function, args, kwargs)
    roots = [each for each in flat(result) if each.requires_grad] if not isinstance(result, type) else []
    if not roots:
        return None
    try:
        torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
    except (RuntimeError, NotImplementedError):
        return None
    return [each.grad for each in inputs]


@pytest.mark.parametrize("op", SEVERAL, ids=[op.name for op in SEVERAL])
def test_one_input_alone_has_the_gradient_that_it_has_among_all(op):
    for sample in op.samples():
        together = gradients(op, sample, None)
        if together is None:
            continue
        for place, expected in enumerate(together):
            alone = gradients(op, sample, [place])
            if alone is None or alone[place] is None or expected is None:
                continue
            np.testing.assert_allclose(alone[place].numpy(), expected.numpy(), 1e-4, 1e-5)
