"""Norms over batches, examples and groups: running statistics, modes, what is saved and what is refused."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_running_statistics_move_by_momentum():
    norm = nn.BatchNorm1d(1, momentum=0.25)
    norm(torch.tensor([[1.0], [3.0]]))
    # the mean is 2, the unbiased variance 2
    assert norm.running_mean.item() == 0.5 and norm.running_var.item() == 1.25
    assert norm.num_batches_tracked.item() == 1


def test_running_statistics_do_not_lose_digits_to_a_batch_in_half_precision():
    mean, variance = torch.zeros(1), torch.ones(1)
    x = torch.tensor([[1.0], [1.0078125]], dtype=torch.bfloat16)
    F.batch_norm(x, mean, variance, training=True, momentum=0.5)
    # bfloat16 has no number between the two
    assert mean.item() == 1.00390625 / 2


def test_without_momentum_they_are_the_mean_over_all_batches():
    norm = nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 2.0, 6.0):
        norm(torch.tensor([[value - 1], [value + 1]]))
    assert norm.running_mean.item() == pytest.approx(3.0) and norm.running_var.item() == pytest.approx(2.0)


def test_evaluation_uses_the_running_statistics_and_leaves_them():
    norm = nn.BatchNorm1d(1, eps=0.0, affine=False).eval()
    norm.running_mean.fill_(1.0)
    norm.running_var.fill_(4.0)
    assert norm(torch.tensor([[5.0]])).item() == 2.0
    assert norm.running_mean.item() == 1.0 and norm.num_batches_tracked.item() == 0


def test_without_running_statistics_evaluation_uses_the_batch():
    norm = nn.BatchNorm2d(3, track_running_stats=False).eval()
    found = norm(torch.randn(4, 3, 2, 2))
    torch.testing.assert_close(found.mean((0, 2, 3)), torch.zeros(3), atol=1e-5, rtol=0)
    assert list(norm.state_dict()) == ["weight", "bias"]
    norm = nn.BatchNorm1d(2)
    norm.track_running_stats = False
    norm(torch.randn(4, 2))
    assert norm.running_mean.tolist() == [0, 0]


def test_a_state_saved_before_batches_were_counted_is_read():
    norm = nn.BatchNorm1d(2)
    state = norm.state_dict()
    del state["num_batches_tracked"]
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        nn.BatchNorm1d(2).load_state_dict(state)
    state._metadata[""]["version"] = 1
    nn.BatchNorm1d(2).load_state_dict(state)


def test_instance_norms_refuse_statistics_they_do_not_keep():
    with pytest.raises(RuntimeError, match="Unexpected running stats"):
        nn.InstanceNorm1d(2).load_state_dict({"running_mean": torch.zeros(2)})


@pytest.mark.parametrize(
    "norm, shape, words",
    [
        (nn.BatchNorm1d(3), (3,), "expected 2D or 3D input"),
        (nn.BatchNorm2d(3), (2, 3), "expected 4D input"),
        (nn.BatchNorm3d(3), (2, 3), "expected 5D input"),
        (nn.SyncBatchNorm(3), (3,), "expected at least 2D input"),
        (nn.BatchNorm1d(3), (1, 3), "Expected more than 1 value per channel"),
        (nn.InstanceNorm2d(3), (3,), "expected 3D or 4D input"),
        (nn.InstanceNorm1d(3, affine=True), (2, 4, 5), "to match num_features"),
        (nn.CrossMapLRN2d(3), (3,), "Expected input to be 4D"),
    ],
)
def test_shapes_that_do_not_fit(norm, shape, words):
    with pytest.raises(ValueError, match=words):
        norm(torch.ones(shape))


def test_an_unused_number_of_features_is_told():
    with pytest.warns(UserWarning, match="does not match num_features"):
        assert nn.InstanceNorm1d(3)(torch.randn(4, 5)).shape == (4, 5)


def test_groups_must_divide_the_channels():
    with pytest.raises(ValueError, match="must be divisible by num_groups"):
        nn.GroupNorm(2, 3)


def test_batch_norms_become_synchronized_ones_of_one_process():
    model = nn.Sequential(nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm1d(2, affine=False)))
    found = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert isinstance(found[0], nn.SyncBatchNorm) and isinstance(found[1][0], nn.SyncBatchNorm)
    x = torch.randn(4, 3, 2, 2)
    torch.testing.assert_close(found[0](x), nn.BatchNorm2d(3)(x))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(6, 300), (5, 2, 3), (3, 2, 20, 20)])
def test_gradients_of_batch_norms(shape, training):
    x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    parts = [torch.rand(shape[1], dtype=torch.float64) + 0.5 for _ in range(4)]
    weight, bias = (each.requires_grad_() for each in parts[:2])
    found = F.batch_norm(x, parts[2].clone(), parts[3].clone(), weight, bias, training, 0.0)
    (found * found.detach().cos()).sum().backward()
    grad = found.detach().cos()
    dims = [0, *range(2, x.ndim)]
    wide = (1, -1) + (1,) * (x.ndim - 2)
    given = x.detach().requires_grad_()
    mean, variance = (given.mean(dims), given.var(dims, correction=0)) if training else parts[2:]
    normal = (given - mean.reshape(wide)) / (variance.reshape(wide) + 1e-5).sqrt()
    (normal * weight.detach().reshape(wide) * grad).sum().backward()
    torch.testing.assert_close(x.grad, given.grad)
    torch.testing.assert_close(weight.grad, (grad * normal.detach()).sum(dims))
    torch.testing.assert_close(bias.grad, grad.sum(dims))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, w: F.group_norm(x, 2, w),
        lambda x, w: F.layer_norm(x, (4,), w),
        lambda x, w: F.batch_norm(x, None, None, w, training=True),
    ],
)
def test_norms_of_mixed_dtypes_are_refused(call):
    single, double = torch.ones(4), torch.ones(4, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\): all inputs must share same datatype"):
        call(torch.ones(2, 4, dtype=torch.float64), single)
    with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\): expect parameter to have scalar type of Float"):
        call(torch.ones(2, 4), double)
    assert call(torch.ones(2, 4, dtype=torch.float16), single).dtype is torch.float16


def test_parameters_of_a_norm_have_one_dtype():
    double = torch.ones(2, 4, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        F.group_norm(double, 2, double[0], torch.ones(4))


def test_rms_norm_takes_a_wider_weight_and_stays_narrow():
    found = F.rms_norm(torch.ones(2, 4), (4,), torch.full((4,), 2.0, dtype=torch.float64))
    assert found.dtype is torch.float32 and found[0, 0].item() == pytest.approx(2)
    with pytest.raises(NotImplementedError, match="\"rms_norm\" not implemented for 'Long'"):
        F.rms_norm(torch.ones(2, 4, dtype=torch.int64), (4,))


def test_a_batch_norm_of_no_examples_keeps_a_copy():
    layer, x = nn.BatchNorm1d(3), torch.zeros(0, 3, requires_grad=True)
    y = layer(x)
    with torch.no_grad():
        x.add_(1)
    y.sum().backward()
    assert x.grad.shape == (0, 3) and layer.weight.grad.tolist() == [0, 0, 0]
