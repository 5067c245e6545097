"""Large parameters move by the ops of tensors: to the same numbers as small ones, in half precision too."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.optim.flat import LARGEST
from rushlight.optim.optimizer import Optimizer

METHODS = ["Adadelta", "Adagrad", "Adam", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD"]


def moved(method, values, dtype, **options):
    param = torch.tensor(values, dtype=dtype, requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], lr=0.01, **options)
    for _ in range(3):
        param.grad = param.detach().sin()
        # natively taken steps are others
        Optimizer._move(optimizer, None)
    return param.detach().double().numpy()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_a_large_parameter_moves_as_its_parts_do(method, dtype):
    values = np.linspace(-2, 2, 2 * LARGEST)
    whole = moved(method, values, dtype)
    parts = np.concatenate([moved(method, part, dtype) for part in np.split(values, 4)])
    tolerance = 1e-5 if dtype in (torch.float32, torch.float64) else 0
    np.testing.assert_allclose(whole, parts, rtol=tolerance, atol=tolerance)


def test_a_step_of_half_precision_rounds_after_each_op():
    # as in torch 2.13: the mean of squares is below the smallest float16, so that its root is zero
    found = moved("Adam", [1e-3, 1.0], torch.float16)
    assert found[0] in (-np.inf, np.inf) or np.isnan(found[0])
    assert found[1] == pytest.approx(0.97, abs=2e-3)
