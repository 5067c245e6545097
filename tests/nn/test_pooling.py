"""Pooling layers: corners that samples do not show, running through modules, and what they refuse."""

import itertools

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

NAN, INF = float("nan"), float("inf")


def test_the_maximum_of_a_window_and_where_it_stands():
    values, places = F.max_pool2d(torch.tensor([[[1.0, 2, 5], [3, 4, 0], [9, 0, 0]]]), 2, 1, return_indices=True)
    assert values.tolist() == [[[4, 5], [9, 4]]] and places.tolist() == [[[4, 2], [6, 4]]]


@pytest.mark.parametrize("stride", [1, 2])
def test_a_nan_is_the_largest_and_the_last_one_counts(stride):
    x = torch.full((1, 2, 2), NAN)
    values, places = F.max_pool2d(x, 2, stride, return_indices=True)
    assert values.isnan().all() and places.item() == 3
    x[0, 1, 1] = 7.0
    assert F.max_pool2d(x, 2, stride, return_indices=True)[1].item() == 2


def test_of_minus_infinities_the_first_counts():
    values, places = F.max_pool2d(torch.full((1, 3, 3), -INF), 2, 1, 1, return_indices=True)
    assert values.max().item() == -INF
    assert places.tolist() == [[[0, 0, 1, 2], [0, 0, 1, 2], [3, 3, 4, 5], [6, 6, 7, 8]]]


def test_infinities_do_not_spoil_their_neighbours():
    x = torch.tensor([[[1.0, INF, 3, 4]]])
    assert F.avg_pool1d(x, 2).tolist() == [[[INF, 3.5]]]
    assert F.adaptive_avg_pool1d(x, 2).tolist() == [[[INF, 3.5]]]
    assert F.interpolate(x, 8, mode="nearest")[0, 0, 4:].tolist() == [3, 3, 4, 4]


def test_whole_numbers_are_averaged_towards_zero():
    x = torch.arange(-8, 8).reshape(1, 4, 4)
    assert F.avg_pool2d(x, 2).tolist() == [[[-5, -3], [2, 4]]]


def test_padding_counts_or_not():
    x = torch.ones(1, 1, 4)
    assert F.avg_pool1d(x, 2, 2, 1).tolist() == [[[0.5, 1, 0.5]]]
    assert F.avg_pool1d(x, 2, 2, 1, count_include_pad=False).tolist() == [[[1, 1, 1]]]
    assert F.avg_pool2d(torch.ones(1, 2, 2), 2, divisor_override=8).item() == 0.5


def test_what_is_pooled_comes_back_where_it_stood():
    pool, unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    back = unpool(*pool(x))
    assert back.sum().item() == 5 + 7 + 13 + 15 and back[0, 0, 1, 1].item() == 5
    values, places = nn.MaxPool1d(2, return_indices=True)(torch.arange(7.0).reshape(1, 1, 7))
    assert nn.MaxUnpool1d(2)(values, places, output_size=(1, 1, 7)).shape == (1, 1, 7)


def test_fractional_pooling_draws_its_places_anew():
    x = torch.arange(64.0).reshape(1, 1, 8, 8)
    pool = nn.FractionalMaxPool2d(2, output_ratio=0.5, return_indices=True)
    torch.manual_seed(0)
    first = pool(x)
    torch.manual_seed(0)
    assert torch.equal(pool(x)[0], first[0]) and first[0].shape == (1, 1, 4, 4)
    assert torch.equal(x.reshape(-1)[first[1]].reshape(first[0].shape), first[0])
    torch.manual_seed(0)
    samples = torch.rand(1, 1, 2)
    assert torch.equal(F.fractional_max_pool2d(x, 2, output_size=4, _random_samples=samples), first[0])


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: nn.FractionalMaxPool2d(2), "requires specifying either an output size"),
        (lambda: nn.FractionalMaxPool3d(2, 2, 0.5), "only one of output_size"),
        (lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5), "between 0 and 1"),
    ],
)
def test_fractional_pools_want_one_size(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    "function, shape",
    [
        (lambda x: F.max_pool2d(x, 2), (1, 3, 4, 4)),
        (lambda x: F.avg_pool2d(x, 3, 2, 1), (1, 3, 5, 5)),
        (lambda x: F.adaptive_avg_pool2d(x, 3), (1, 3, 4, 4)),
        (lambda x: F.batch_norm(x, None, None, training=True), (2, 3, 4, 4)),
        (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (1, 3, 4, 4)),
    ],
)
def test_images_with_their_channels_last_stay_so(function, shape):
    x = torch.randn(*shape)
    found = function(x.to(memory_format=torch.channels_last))
    assert found.is_contiguous(memory_format=torch.channels_last) and not found.is_contiguous()
    torch.testing.assert_close(found, function(x), check_stride=False)


def test_torch_ops_aten_has_them_too():
    x = torch.arange(16.0).reshape(1, 4, 4)
    values, places = F.max_pool2d_with_indices(x, 2)
    back = torch.ops.aten.max_pool2d_with_indices_backward.default
    found = back(torch.ones_like(values), x, [2, 2], [2, 2], [0, 0], [1, 1], False, places)
    assert found.sum().item() == 4 and found[0, 1, 1].item() == 1
    with pytest.raises(AttributeError, match="nothing_like_it"):
        torch.ops.aten.nothing_like_it  # noqa: B018
    with pytest.raises(AttributeError, match="'_OpNamespace' 'nothing' object has no attribute 'at_all'"):
        torch.ops.nothing.at_all  # noqa: B018


def test_gradients_of_gradients():
    x = torch.randn(1, 1, 4, 4, dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(1, 1, 2, 2, dtype=torch.float64) * 1.6 - 0.8).requires_grad_()
    for function in (
        lambda x, grid: F.grid_sample(x, grid, "bicubic", align_corners=False),
        lambda x, grid: F.avg_pool2d(x * x, 3, 2),
        lambda x, grid: F.max_pool2d(x * x, 2),
    ):
        assert torch.autograd.gradcheck(function, (x, grid)) and torch.autograd.gradgradcheck(function, (x, grid))


def test_an_option_for_each_dimension_is_no_error_in_itself():
    with pytest.raises(RuntimeError, match="Output size is too small"):
        F.max_pool2d(torch.ones(1, 2, 2), 5, 1, (1, 0), (1, 1))
    with pytest.raises(RuntimeError, match="Output size is too small"):
        F.avg_pool2d(torch.ones(1, 2, 2), 5, 1, (1, 0))


@pytest.mark.parametrize(
    ("layer", "shape", "words"),
    [
        (
            nn.MaxPool1d(2),
            (2, 2, 2, 2),
            "max_pool1d: Expected 2D or 3D .batch mode. tensor with optional 0 dim batch size",
        ),
        (nn.MaxPool2d(2), (2, 2), "non-empty 3D or 4D .batch mode. tensor expected for input"),
        (
            nn.MaxPool2d(2),
            (2, 2, 0, 2),
            "Expected 3D or 4D .batch mode. tensor with optional 0 dim .* got:.2, 2, 0, 2.",
        ),
        (nn.MaxPool3d(2), (2, 2, 2), "non-empty 4D or 5D .batch mode. tensor expected for input"),
        (nn.MaxPool3d(2), (0, 2, 2, 2), "max_pool3d_with_indices_out_cpu_template.*non-batch dimensions"),
        (nn.AvgPool2d(2), (2, 2, 2, 2, 2), "Expected 3D or 4D .batch mode. tensor with optional 0 dim batch size"),
        (nn.AvgPool3d(2), (2, 0, 2, 2), r"avg_pool3d\(\): Expected input's non-batch dimensions"),
        (nn.AdaptiveMaxPool2d(1), (2, 2), r"adaptive_max_pool2d\(\): Expected 3D or 4D tensor, but got: \[2, 2\]"),
    ],
)
def test_shapes_that_cannot_be_pooled_are_refused_in_torchs_words(layer, shape, words):
    with pytest.raises(RuntimeError, match=words):
        layer(torch.ones(shape))


def test_norm_pools_at_infinity_take_the_largest_size():
    input = torch.arange(6.0).view(1, 1, 6) - 2
    input.requires_grad_()
    found = F.lp_pool1d(input, float("inf"), 2)
    assert found.tolist() == [[[2, 1, 3]]]
    found.sum().backward()
    assert input.grad.tolist() == [[[-1, 0, 0, 1, 0, 1]]]


def test_fractional_pools_refuse_empty_dimensions():
    with pytest.raises(RuntimeError, match="Expected input to have non-zero size for non-batch dimensions"):
        F.fractional_max_pool2d(torch.ones(1, 0, 4, 4), 2, output_size=2)
    with pytest.raises(RuntimeError, match=r"fractional_max_pool3d_out\(\): pool time 5 too large"):
        F.fractional_max_pool3d(torch.ones(1, 1, 4, 4, 4), 5, output_size=2)
    with pytest.raises(ValueError, match="kernel_size must be greater than 0"):
        nn.FractionalMaxPool3d(0, output_size=1)


@pytest.mark.parametrize(
    "pool",
    [
        lambda x: F.avg_pool1d(x, 2),
        lambda x: F.max_pool1d(x, 2, return_indices=True)[0],
        lambda x: F.adaptive_avg_pool1d(x, 2),
        lambda x: F.adaptive_max_pool1d(x, 2),
    ],
)
def test_pooled_rows_are_views_of_pooled_planes(pool):
    found = pool(torch.arange(12.0).reshape(1, 3, 4).requires_grad_())
    assert found._is_view() and found._base.shape == (1, 3, 1, 2)
    assert found.grad_fn.name() == "SqueezeBackward1"


def test_maxima_of_rows_alone_are_no_view():
    assert not F.max_pool1d(torch.arange(12.0).reshape(1, 3, 4), 2)._is_view()


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (lambda x: F.avg_pool1d(x[:, :0], 2), r"^Expected 3D or 4D .* but got:\[1, 0, 1, 4\]"),
        (lambda x: F.max_pool1d(x, (2, 2)), "kernel_size must be an int, list of ints or tuple of ints of size 1"),
        (lambda x: F.max_pool1d(x, 2, (2, 2)), "stride must be None, an int, list of ints, or tuple of ints of size 1"),
        (lambda x: F.adaptive_max_pool1d(x, -1), r"negative dimension -1: \[1, 3, 1, -1\]"),
        (lambda x: F.adaptive_max_pool1d(x[..., :0], 2), r"adaptive_max_pool1d\(\): Expected input to have"),
        (lambda x: F.adaptive_avg_pool3d(x[None], (1, 2, -1)), "0 but received {1, 2,-1}"),
    ],
)
def test_pooled_rows_are_refused_in_torchs_words(pool, words):
    x = torch.arange(12.0).reshape(1, 3, 4)
    with pytest.raises(RuntimeError, match=words):
        pool(x)


@pytest.mark.parametrize("function", ["avg", "max"])
def test_the_gradient_of_an_empty_adaptive_pool_is_refused(function):
    x = torch.arange(12.0).reshape(1, 3, 4).requires_grad_()
    found = getattr(F, f"adaptive_{function}_pool1d")(x, 0)
    with pytest.raises(RuntimeError, match=rf"adaptive_{function}_pool2d_backward\(\): Expected grad_output to have"):
        found.sum().backward()


def windows_of(x, sizes, output):
    """The windows of an adaptive pooling of volumes, in order, with the place where each begins."""
    spans = [
        [(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]
        for size, count in zip(sizes, output, strict=True)
    ]
    for (a, b), (c, d), (e, f) in itertools.product(*spans):
        yield x[..., a:b, c:d, e:f].flatten(-3)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 4, 1, 2, 3), (1, 0, 2, 4, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_windows_of_volumes_are_those_of_slices_in_any_layout(order, dtype):
    x = (torch.arange(2 * 3 * 6 * 7 * 5) * 7919 % 1009).to(dtype).reshape(2, 3, 6, 7, 5).permute(order)
    sizes, output = x.shape[-3:], (2, 3, 4)
    flat = list(windows_of(x, sizes, output))
    shape = (*x.shape[:2], *output)
    values, places = F.adaptive_max_pool3d(x, output, return_indices=True)
    assert torch.equal(values, torch.stack([each.amax(-1) for each in flat], -1).reshape(shape))
    assert torch.equal(x.flatten(-3).gather(-1, places.flatten(-3)).reshape(shape), values)
    means = torch.stack([each.mean(-1) for each in flat], -1).reshape(shape)
    torch.testing.assert_close(F.adaptive_avg_pool3d(x, output), means)
    torch.testing.assert_close(F.avg_pool3d(x, 2, 1), x.unfold(2, 2, 1).unfold(3, 2, 1).unfold(4, 2, 1).mean((5, 6, 7)))


def test_whole_numbers_of_volumes_have_maxima_at_their_first_place():
    x = torch.full((1, 3, 3, 3), torch.iinfo(torch.int64).min)
    values, places = F.max_pool3d(x, 2, 1, return_indices=True)
    assert values.unique().tolist() == [torch.iinfo(torch.int64).min]
    assert places.flatten().tolist() == [0, 1, 3, 4, 9, 10, 12, 13]
    x[0, 1, 1, 1] = 5
    assert F.max_pool3d(x, 2, 1, return_indices=True)[1].unique().tolist() == [13]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 3, 1, 2)])
def test_of_values_put_back_at_one_place_the_last_stays(order):
    x = torch.arange(1.0, 17.0).reshape(1, 2, 2, 4).permute(order).requires_grad_()
    places = torch.zeros(x.shape, dtype=torch.int64)
    found = F.max_unpool2d(x, places, 2)
    assert torch.equal(found[..., 0, 0], x[..., -1, -1]) and int((found != 0).sum()) == x.shape[1]
    found[..., 0, 0].sum().backward()
    assert x.grad.eq(1).all()  # each was read from that place, as in torch
