"""Averaged models are torch's, whatever averages them."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

BOTH = (rushlight, torch)


def network(library):
    class Network(library.nn.Module):
        def __init__(self):
            super().__init__()
            library.manual_seed(0)
            self.line = library.nn.Linear(3, 2)
            self.wide = library.nn.Parameter(library.ones(2, dtype=library.float64))
            self.register_buffer("mean", library.zeros(2))
            self.register_buffer("count", library.tensor(3))

        def forward(self, x):
            return self.line(x) - self.mean

    return Network()


def averages(library):
    functions = library.optim.swa_utils
    return {
        "mean": {},
        "mean, one by one": {"avg_fn": functions.get_swa_avg_fn()},
        "mean, many": {"multi_avg_fn": functions.get_swa_multi_avg_fn()},
        "moving": {"avg_fn": functions.get_ema_avg_fn(0.9)},
        "moving, many": {"multi_avg_fn": functions.get_ema_multi_avg_fn(0.9)},
        "its own": {"avg_fn": lambda averaged, current, count: 0.3 * averaged + 0.7 * current + count},
    }


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("name", averages(rushlight))
def test_averaged_models_are_torchs(name, use_buffers):
    if name == "mean, many" and use_buffers:
        pytest.skip("torch does not average integers in place")
    states = []
    for library in BOTH:
        model = network(library)
        averaged = library.optim.swa_utils.AveragedModel(model, use_buffers=use_buffers, **averages(library)[name])
        for step in range(5):
            with library.no_grad():
                for param in model.parameters():
                    param *= 1 + step
                model.mean += step
                model.count += 2 * step
            averaged.update_parameters(model)
        states.append(averaged.state_dict())
    assert list(states[0]) == list(states[1])
    for key, theirs in states[1].items():
        assert str(states[0][key].dtype) == str(theirs.dtype)
        np.testing.assert_allclose(states[0][key].numpy(), theirs.numpy(), 1e-6, err_msg=key)


@pytest.mark.parametrize("name", ["get_ema_avg_fn", "get_ema_multi_avg_fn"])
@pytest.mark.parametrize("decay", [-0.1, 1.1])
def test_refusals_are_torchs(name, decay):
    messages = []
    for library in BOTH:
        with pytest.raises(ValueError) as caught:
            getattr(library.optim.swa_utils, name)(decay)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_two_functions_are_one_too_many():
    for library in BOTH:
        functions = library.optim.swa_utils
        with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
            functions.AveragedModel(
                network(library), avg_fn=functions.get_swa_avg_fn(), multi_avg_fn=functions.get_swa_multi_avg_fn()
            )
