"""The post on `torch.tensor` of tensors: what loses the history, what keeps it, and what Rushlight says."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


@pytest.fixture
def critic():
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


@pytest.fixture
def trajectory(critic):
    """Predictions as the post has them: a tuple of tensors with history, and plain targets."""
    predictions = tuple(critic(torch.tensor([0.1 * step, 0.2, -0.3])).squeeze() for step in range(4))
    return (1.0, 0.9, 0.8, 0.7), predictions


def test_tuples_do_not_subtract(trajectory):
    targets, predictions = trajectory
    with pytest.raises(TypeError):
        targets - predictions


def test_tensor_of_predictions_has_no_history_and_says_so(trajectory):
    targets, predictions = trajectory
    with pytest.warns(UserWarning, match="stack") as caught:
        error = torch.tensor(targets) - torch.tensor(predictions)
    assert error.grad_fn is None
    assert not error.requires_grad
    assert any("test_tensor_of_tensors.py" in str(each.filename) for each in caught)


def test_requires_grad_does_not_bring_it_back(critic, trajectory):
    targets, predictions = trajectory
    with pytest.warns(UserWarning, match="stack"):
        error = torch.tensor(targets) - torch.tensor(predictions, requires_grad=True)
    error.pow(2).mean().backward()
    assert critic.weight.grad is None


def test_backward_after_tensor_of_tensors_names_the_line(trajectory):
    targets, predictions = trajectory
    with pytest.warns(UserWarning, match="stack"):
        error = torch.tensor(targets) - torch.tensor(predictions)
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn") as raised:
        error.mean().backward()
    assert "test_tensor_of_tensors.py" in str(raised.value)
    assert "stack" in str(raised.value)


def test_the_warning_comes_once_a_line(trajectory):
    _, predictions = trajectory
    with pytest.warns(UserWarning, match="stack") as caught:
        for _ in range(3):
            torch.tensor(predictions)
    assert len([each for each in caught if "stack" in str(each.message)]) == 1


def test_mean_of_a_list_of_differences_keeps_the_history(critic, trajectory):
    targets, predictions = trajectory
    error = [target - prediction for target, prediction in zip(targets, predictions, strict=True)]
    mean = np.mean(error)
    assert isinstance(mean, torch.Tensor)
    assert mean.grad_fn is not None
    mean.backward()
    features = np.array([[0.1 * step, 0.2, -0.3] for step in range(4)])
    np.testing.assert_allclose(critic.weight.grad.numpy()[0], -features.mean(0), rtol=1e-5)
    np.testing.assert_allclose(critic.bias.grad.numpy(), [-1.0], rtol=1e-6)


def test_sum_of_a_list_keeps_the_history_but_arrays_are_refused(trajectory):
    _, predictions = trajectory
    assert np.sum(list(predictions)).requires_grad
    with pytest.raises(RuntimeError, match="detach") as raised:
        np.array(predictions)
    assert "stack" in str(raised.value)
    with pytest.raises(RuntimeError, match="detach"):
        np.asarray(predictions[0])


def test_mse_loss_of_a_tuple_is_refused(trajectory):
    targets, predictions = trajectory
    with pytest.raises((TypeError, AttributeError)):
        F.mse_loss(predictions, targets)


def test_mse_loss_of_a_new_tensor_has_nothing_to_learn(trajectory):
    targets, predictions = trajectory
    with pytest.warns(UserWarning, match="stack"):
        loss = F.mse_loss(torch.tensor(predictions), torch.tensor(targets))
    with pytest.raises(RuntimeError, match="does not require grad") as raised:
        loss.backward()
    assert "torch.tensor(predictions)" in str(raised.value)


def test_mse_loss_of_a_new_leaf_leaves_the_critic_as_it_is(critic, trajectory):
    targets, predictions = trajectory
    with pytest.warns(UserWarning, match="stack"):
        loss = F.mse_loss(torch.tensor(predictions, requires_grad=True), torch.tensor(targets))
    loss.backward()
    assert all(parameter.grad is None for parameter in critic.parameters())


def test_stack_of_losses_teaches_the_critic(critic, trajectory):
    targets, predictions = trajectory
    losses = [
        F.mse_loss(prediction, torch.tensor(target)) for prediction, target in zip(predictions, targets, strict=True)
    ]
    loss = torch.stack(losses).mean()
    assert loss.grad_fn.name() == "MeanBackward0"
    loss.backward()
    assert critic.weight.grad is not None
    before = loss.item()
    with torch.no_grad():
        for parameter in critic.parameters():
            parameter -= 0.1 * parameter.grad
    predictions = [critic(torch.tensor([0.1 * step, 0.2, -0.3])).squeeze() for step in range(4)]
    after = torch.stack([F.mse_loss(p, torch.tensor(t)) for p, t in zip(predictions, targets, strict=True)]).mean()
    assert after.item() < before
