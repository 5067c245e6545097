"""Corners that random programs led to: powers, casts, windows and slopes at the ends of their range."""

import math
import pickle

import numpy as np
import pytest

import rushlight as torch

functional = torch.nn.functional
INF = math.inf


class TestComplexPowers:
    large = torch.tensor([-1e10 - 2], dtype=torch.complex64)

    def test_products_that_overflow_on_the_way_have_a_power_all_the_same(self):
        assert self.large.pow(torch.tensor([-4])).abs().item() == pytest.approx(1e-40, rel=1e-4)
        assert torch.pow(self.large, -4).abs().item() == pytest.approx(1e-40, rel=1e-4)

    def test_a_power_beyond_the_largest_number_is_infinite_and_not_nan(self):
        found = self.large.pow(torch.tensor([5])).item()
        assert found.real == -INF and not math.isnan(found.imag)

    @pytest.mark.parametrize(("exponent", "power"), [(0, 1), (1, 2 + 1j), (3, 2 + 11j), (-1, 0.4 - 0.2j)])
    def test_small_whole_exponents_are_products(self, exponent, power):
        assert (torch.tensor(2 + 1j) ** exponent).item() == pytest.approx(power)

    def test_infinite_numbers_to_the_power_of_one_stay(self):
        found = (torch.tensor([complex(INF, 2.0)]) ** 1).item()
        assert (found.real, found.imag) == (INF, 2.0)


class TestCastsOutOfRange:
    @pytest.mark.parametrize("size", [1, 40])
    @pytest.mark.parametrize("source", [torch.float32, torch.float64])
    @pytest.mark.parametrize("target", [torch.int8, torch.int16, torch.uint16])
    def test_what_32_bits_do_not_hold_becomes_zero(self, source, target, size):
        for number in (-5333333334.0, 5e9, 1e30, INF, math.nan):
            assert torch.full((size,), number, dtype=source).to(target).tolist() == [0] * size

    def test_what_32_bits_hold_wraps_around(self):
        assert torch.tensor([300.0, -129.0, 70000.0]).to(torch.int8).tolist() == [44, 127, 112]
        assert torch.tensor([70000.0, -70000.0]).to(torch.int16).tolist() == [4464, -4464]

    def test_bytes_without_a_sign_wrap_around_within_64_bits(self):
        assert torch.tensor([4294967299.0, -1.0], dtype=torch.float64).to(torch.uint8).tolist() == [3, 255]


class TestSecondBackward:
    """Products with numbers inside of a function save nothing, so that torch goes through them again."""

    @pytest.mark.parametrize(
        "function",
        [
            torch.trapezoid,
            torch.cumulative_trapezoid,
            lambda x: torch.trapezoid(x, dx=2.0),
            lambda x: torch.cumulative_trapezoid(x, dx=2.0),
            lambda x: torch.gradient(x)[0],
            lambda x: torch.gradient(x, spacing=2.0, edge_order=2)[0],
        ],
    )
    def test_integrals_and_slopes_take_one(self, function):
        x = torch.tensor([1.0, 2.0, 4.0]).requires_grad_()
        found = function(x).sum()
        found.backward()
        once = x.grad.clone()
        found.backward()
        assert torch.equal(x.grad, 2 * once)

    def test_complex_numbers_made_of_parts_do_not(self):
        x = torch.ones(2).requires_grad_()
        found = torch.complex(x, x).real.sum()
        found.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            found.backward()


def test_a_refused_rrelu_draws_nothing():
    parts = (torch.ones(4).requires_grad_() * 1).split(2)
    with torch.no_grad():
        parts[0].neg_()
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="is a view and its base or another view of its base has been modified"):
        functional.rrelu(parts[0], training=True)
    assert torch.rand(1).item() == pytest.approx(0.49625658988952637)


def test_out_of_another_shape_takes_the_order_of_the_first_operand():
    turned, rows = torch.ones(3, 3).t(), torch.ones(3, 3)
    for out in (torch.empty(0), torch.empty(0, dtype=torch.complex64)):
        assert torch.atan2(turned, rows, out=out).stride() == (1, 3)
    assert torch.atan2(rows, turned, out=torch.empty(0)).stride() == (3, 1)


def test_a_view_in_another_dtype_keeps_it_when_its_shape_changes():
    pairs = torch.ones(2, 2)
    one = torch.view_as_complex(pairs)
    assert one.resize_(1).dtype is torch.complex64 and one.tolist() == [1 + 1j]
    many = torch.view_as_complex(pairs)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.eq(torch.ones(3), 1, out=many)
    assert many.dtype is torch.complex64 and many.tolist() == [1, 1, 1]
    real = torch.ones(2, dtype=torch.complex64).real
    assert real.resize_(1).dtype is torch.float32 and real.tolist() == [1]


def test_the_blackman_window_ends_at_zero():
    assert torch.blackman_window(5, periodic=False, dtype=torch.float64).tolist()[::4] == [0.0, 0.0]
    assert torch.signal.windows.blackman(5, dtype=torch.float64)[0].item() == -(2.0**-56)


def test_an_unpickled_parameter_stays_in_its_memory_when_it_has_the_dtype_already():
    layer = pickle.loads(pickle.dumps(torch.nn.Linear(2, 2)))
    before = layer.state_dict()
    layer.float()
    assert layer.weight.data_ptr() == before["weight"].data_ptr()


def test_gradients_of_an_empty_view_that_looks_beyond_it_have_no_history():
    x = torch.full((2,), 1.5).requires_grad_()
    beyond = x.narrow(0, 2, 0).as_strided((2,), (1,), 0)
    (found,) = torch.autograd.grad(beyond.exp().sum(), x, create_graph=True)
    assert found.tolist() == [0, 0] and not found.requires_grad


def test_a_copy_as_complex_numbers_looks_at_the_strides_first():
    with pytest.raises(RuntimeError, match="Tensor must have a last dimension with stride 1"):
        torch.view_as_complex_copy(torch.ones(2, 3).t().requires_grad_())


def test_weights_with_a_history_are_refused_in_the_name_of_the_kernel():
    weight = torch.ones(3).requires_grad_()
    with pytest.raises(RuntimeError, match="The function 'nll_loss2d_forward' is not differentiable"):
        functional.nll_loss(torch.ones(2, 3, 4), torch.zeros(2, 4, dtype=torch.int64), weight)
    with pytest.raises(RuntimeError, match="The function 'nll_loss_forward' is not differentiable"):
        functional.nll_loss(torch.ones(2, 3), torch.zeros(2, dtype=torch.int64), weight)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("layer", [torch.nn.GRUCell, torch.nn.LSTMCell, torch.nn.RNNCell, torch.nn.GRU, torch.nn.LSTM])
def test_a_recorded_backward_ends_quietly_where_nothing_requires_grad_any_more(layer):
    module = layer(3, 3)
    found = module(torch.ones(2, 3))
    while isinstance(found, tuple):
        found = found[0]
    module.requires_grad_(False)
    found.sum().backward(create_graph=True)
    assert all(each.grad is None for each in module.parameters())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_hypotenuse_of_no_number_is_none(dtype):
    zero, none = torch.zeros(5, dtype=dtype), torch.full((5,), math.nan, dtype=dtype)
    assert torch.hypot(zero, none).isnan().all() and torch.hypot(none, zero).isnan().all()
    assert torch.hypot(zero, none[0]).isnan().all()
    assert torch.hypot(zero, zero).tolist() == [0.0] * 5


def test_the_logit_climbs_from_a_negative_zero_too():
    x = torch.tensor([0.0, -0.0, 1.0, -1.0], requires_grad=True)
    x.logit().sum().backward()
    assert x.grad.tolist()[:3] == [math.inf] * 3 and x.grad[3].isnan()


def test_a_determinant_that_was_written_to_has_no_backward():
    x = torch.eye(3, requires_grad=True)
    found = torch.det(x * 2)
    with torch.no_grad():
        found.trunc_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.backward()


def test_an_array_of_numpy_is_not_flattened():
    with pytest.raises(TypeError, match=r"flatten\(\): argument 'input' \(position 1\) must be Tensor, not ndarray"):
        torch.flatten(np.ones(2))


def test_the_product_of_two_transposed_matrices_is_transposed():
    assert torch.kron(torch.ones(2, 3).T, torch.ones(4, 5).T).stride() == (1, 15)


def test_a_convolution_of_sequences_runs_backward_once_even_for_its_own_gradient():
    y = torch.conv_tbc(torch.ones(4, 2, 3), torch.ones(2, 3, 4, requires_grad=True), torch.ones(4))
    y.sum().backward(inputs=[y])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.pow(2).sum().backward()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digamma_at_its_poles_and_beyond(dtype):
    points = [0.0, -0.0, -1.0, -3.0, math.inf, -math.inf, math.nan, -0.5, -2.25, 1e-30, 1e30]
    found = torch.digamma(torch.tensor(points, dtype=getattr(torch, dtype)))
    # torch's answers
    wanted = [-math.inf, math.inf, math.nan, math.nan, math.inf, math.nan, math.nan]
    wanted += [0.03648997397857652, 4.158583564657972, -1e30, 69.07755278982137]
    np.testing.assert_allclose(found.numpy(), np.array(wanted, dtype), rtol=2e-6 if dtype == "float32" else 1e-13)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("pad", [(3, 2), (0, 2), (1, 0, 2, 2), (0, 0, 1, 1)])
def test_edges_are_padded_alike_in_any_order_of_memory(mode, pad):
    image = np.arange(2 * 3 * 4 * 5, dtype="float32").reshape(2, 3, 4, 5)
    sides = [(0, 0)] * (4 - len(pad) // 2) + [(pad[at], pad[at + 1]) for at in range(len(pad) - 2, -1, -2)]
    wanted = np.pad(image, sides, {"reflect": "reflect", "replicate": "edge"}[mode])
    given = [torch.tensor(image), torch.tensor(image.transpose(0, 2, 3, 1).copy()).permute(0, 3, 1, 2)]
    given = [each[0] if len(pad) == 2 else each for each in given]
    for each in given:
        found = torch.nn.functional.pad(each, pad, mode)
        assert found.equal(torch.tensor(wanted[0] if len(pad) == 2 else wanted))
    whole = torch.nn.functional.pad(torch.tensor(image).long(), pad)
    assert whole.equal(torch.tensor(np.pad(image, sides)).long())


@pytest.mark.parametrize(
    ("kernel", "dilation", "padding", "stride"),
    [((2, 3), 1, 0, 1), (3, 2, 2, 3), ((1, 2), (1, 3), (4, 5), (2, 1)), (2, 1, (0, 3), (5, 2))],
)
def test_patches_are_what_a_window_sees_and_fold_is_their_adjoint(kernel, dilation, padding, stride):
    image = torch.randn(2, 3, 6, 7, dtype=torch.float64, requires_grad=True)
    options = {"dilation": dilation, "padding": padding, "stride": stride}
    found = torch.nn.functional.unfold(image, kernel, **options)
    down, along = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    # each element of the window, by a convolution that sees it alone
    weight = torch.eye(down * along, dtype=torch.float64).reshape(-1, 1, down, along).repeat(3, 1, 1, 1)
    seen = torch.nn.functional.conv2d(image, weight, groups=3, **options)
    assert found.equal(seen.flatten(2))
    given = torch.randn_like(found)
    folded = torch.nn.functional.fold(given, (6, 7), kernel, **options)
    (gradient,) = torch.autograd.grad(found, image, given)
    assert torch.allclose(gradient, folded)
    assert torch.allclose((found * given).sum(), (image * folded).sum())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(5, 6), (40, 60), (3, 1)])
def test_medians_are_the_lower_middle_in_stable_order(dtype, shape):
    numbers = np.random.default_rng(0).integers(0, 9, shape).astype(dtype)
    if dtype != "int64":
        numbers[1:3, 0] = np.nan
    for skips in (False, True):
        function = torch.nanmedian if skips else torch.median
        for dim in (0, 1):
            values, places = function(torch.tensor(numbers), dim)
            for row, value, place in zip(np.moveaxis(numbers, dim, -1), values, places, strict=True):
                order = np.argsort(row, kind="stable")
                nans = int(np.isnan(row).sum()) if dtype != "int64" else 0
                rank = max(len(row) - nans - 1, 0) // 2 if skips or not nans else len(row) - nans
                assert place == order[rank]
                assert value.item() == row[place.item()] or math.isnan(value)
    assert math.isnan(torch.tensor(numbers).median()) is (dtype != "int64")
