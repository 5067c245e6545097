"""Gamma, Poisson and binomial numbers: natively those of `core.random.rejection`, and stops where it stops."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import native
from rushlight.core.random import rejection

pytestmark = pytest.mark.skipif(native.extension is None, reason="there is no native code to compare with")


def parameters(name, dtype):
    some = np.random.default_rng(0).random((50, 40))
    special = np.array([0.0, np.inf, 0.3, 1e-30, 9.99, 10.0, 1e6], dtype)
    if name == "binomial":
        counts = np.floor(some * 400).astype(dtype)
        return [
            (counts, some[::-1].astype(dtype).copy()),
            (counts[:, :1], some[0].astype(dtype)),
            (special, dtype(0.7)),
        ]
    return [((some * 30).astype(dtype),), ((some.T * 2).astype(dtype),), (special,), (np.array(2.5, dtype),)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["gamma", "poisson", "binomial"])
def test_native_numbers_are_those_of_the_python_function(name, dtype):
    function = getattr(rejection, name)
    for arguments in parameters(name, dtype):
        arguments = [np.asarray(each) for each in arguments]
        found = []
        for each in (function, function.__wrapped__):
            torch.manual_seed(7)
            torch.randn(3)  # leaves half a pair of normals
            found.append((each(*arguments), torch.get_rng_state()))
        (ours, ours_state), (theirs, theirs_state) = found
        assert ours.dtype == theirs.dtype == dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, 1e-6, err_msg=name)
        assert (ours_state == theirs_state).all()


def test_rates_before_a_bad_one_are_drawn():
    states = []
    for rates in ([1.0], [1.0, -1.0], [1.0, -1.0, 1.0]):
        torch.manual_seed(1)
        if len(rates) == 1:
            torch.poisson(torch.tensor(rates))
        else:
            with pytest.raises(RuntimeError, match="invalid Poisson rate"):
                torch.poisson(torch.tensor(rates))
        states.append(torch.get_rng_state())
    assert all((each == states[0]).all() for each in states)
