"""Autocast on the CPU: which dtype a call computes in, blocks inside of blocks, kept parameters, custom functions."""

import threading

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

bfloat16, float16, float32, float64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
x = torch.arange(12.0).reshape(3, 4) / 7


@pytest.fixture
def short():
    with torch.autocast("cpu", dtype=bfloat16):
        yield


@pytest.mark.usefixtures("short")
class TestWhichDtype:
    def test_products_are_short(self):
        assert (x @ x.T).dtype is x.matmul(x.T).dtype is torch.mm(x, x.T).dtype is bfloat16
        assert F.linear(x, x, x[:, 0]).dtype is bfloat16
        assert F.conv1d(x[None], torch.ones(2, 3, 2)).dtype is bfloat16
        assert torch.einsum("ij,kj->ik", x, x).dtype is bfloat16
        assert F.scaled_dot_product_attention(x[None], x[None], x[None]).dtype is bfloat16

    def test_a_short_product_is_that_of_rounded_numbers(self):
        assert torch.equal(x @ x.T, x.bfloat16() @ x.T.bfloat16())

    def test_losses_and_decompositions_are_long(self):
        y = x.bfloat16()
        assert F.mse_loss(y, y).dtype is float32
        assert F.cross_entropy(y, torch.tensor([0, 1, 2])).dtype is float32
        assert torch.linalg.svdvals(y).dtype is float32
        assert torch.fft.rfft(y).dtype is torch.complex64
        assert y.prod().dtype is float32

    def test_the_rest_is_as_given(self):
        assert (x + x).dtype is x.exp().dtype is x.softmax(0).dtype is torch.mv(x, x[0]).dtype is float32
        assert x.bfloat16().softmax(0).dtype is bfloat16
        assert torch.einsum("ij->ji", x).dtype is torch.tensordot(x, x, 2).dtype is float32

    def test_doubles_are_left_alone(self):
        y = x.double()
        assert (y @ y.T).dtype is F.mse_loss(y, y).dtype is float64
        with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype"):
            torch.mm(x, y.T)

    def test_what_is_joined_has_the_widest_dtype(self):
        assert torch.cat([x, x.bfloat16()]).dtype is torch.stack([x.bfloat16(), x]).dtype is float32
        assert torch.cat([x.bfloat16(), x.bfloat16()]).dtype is bfloat16
        assert torch.cat([x, x.half()]).dtype is float32
        with pytest.raises(RuntimeError, match="Unexpected floating ScalarType in at::autocast::prioritize"):
            torch.cat([x.half(), x])

    def test_borders_and_pools_of_some_kinds_are_long(self):
        y = x.bfloat16()[None, None]
        assert F.pad(y, (1, 1), mode="constant").dtype is F.pad(y[0], (1, 1), mode="circular").dtype is bfloat16
        assert F.pad(y[0], (1, 1), mode="reflect").dtype is F.pad(y[0], (1, 1), mode="replicate").dtype is float32
        assert F.max_pool3d(y, 1).dtype is float32
        assert F.max_pool3d(y, 1, return_indices=True)[0].dtype is bfloat16

    def test_calls_that_write_are_as_given(self):
        assert torch.mm(x, x.T, out=torch.empty(3, 3)).dtype is float32
        assert torch.zeros(3, 3).addmm_(x, x.T).dtype is float32

    def test_recurrent_layers(self):
        assert {each.dtype for each in (nn.LSTM(4, 5)(x)[0], *nn.LSTM(4, 5)(x)[1])} == {bfloat16}
        assert nn.RNN(4, 5)(x)[0].dtype is nn.RNNCell(4, 5)(x).dtype is bfloat16
        assert nn.GRU(4, 5)(x)[0].dtype is nn.GRUCell(4, 5)(x).dtype is nn.LSTMCell(4, 5)(x)[0].dtype is float32
        packed = nn.utils.rnn.pack_sequence([x, x[:2]])
        assert nn.LSTM(4, 5)(packed)[0].data.dtype is float32

    def test_attention_with_weights(self):
        layer = nn.MultiheadAttention(4, 2)
        mask = torch.zeros(3, 3)
        assert [each.dtype for each in layer(x, x, x, attn_mask=mask)] == [bfloat16, bfloat16]

    def test_norms_take_short_inputs_and_long_weights(self):
        assert nn.LayerNorm(4)(x.bfloat16()).dtype is nn.BatchNorm1d(4)(x.bfloat16()).dtype is bfloat16

    def test_meta_tensors_are_left_alone(self):
        y = x.to("meta")
        assert (y @ y.T).dtype is float32


def test_a_model_trains():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.03)
    data = torch.randn(64, 4)
    losses = []
    for _ in range(60):
        with torch.autocast("cpu"):
            loss = F.mse_loss(model(data), data.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert {each.dtype for each in model.parameters()} == {each.grad.dtype for each in model.parameters()} == {float32}
    assert losses[-1] < 0.05 * losses[0]


def test_blocks_inside_of_blocks():
    with torch.autocast("cpu", dtype=bfloat16):
        with torch.autocast("cpu", enabled=False):
            assert (x @ x.T).dtype is float32
            assert not torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", dtype=float16):
            assert (x @ x.T).dtype is float16
        assert (x @ x.T).dtype is bfloat16
        assert torch.is_autocast_enabled("cpu")
        assert not torch.is_autocast_enabled()
    assert (x @ x.T).dtype is float32


def test_a_block_that_fails_is_left():
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        raise ZeroDivisionError
    assert not torch.is_autocast_enabled("cpu")


def test_another_thread_is_not_cast(short):
    found = []
    thread = threading.Thread(target=lambda: found.append((x @ x.T).dtype))
    thread.start()
    thread.join()
    assert found == [float32]


def test_a_decorated_function():
    assert torch.autocast("cpu")(torch.mm)(x, x.T).dtype is bfloat16
    with pytest.raises(TypeError, match=r"autocast\(\)\(func\) requires a callable, but got int"):
        torch.autocast("cpu")(3)


def test_a_parameter_is_converted_once():
    weight = torch.ones(4, 4, requires_grad=True)
    with torch.autocast("cpu"):
        with torch.no_grad():
            x @ weight
        first, second = x @ weight, x @ weight
        assert first.requires_grad
        assert edge(first) is edge(second)
        torch.clear_autocast_cache()
        assert edge(x @ weight) is not edge(first)
    with torch.autocast("cpu", cache_enabled=False):
        assert not torch.is_autocast_cache_enabled()
        assert edge(x @ weight) is not edge(x @ weight)
    assert torch.is_autocast_cache_enabled()


def edge(product):
    node = product.grad_fn.next_functions[1][0]
    assert node.name() == "ToCopyBackward0"
    return node


def test_a_dtype_that_is_not_short_switches_it_off():
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported"):
        context = torch.autocast("cpu", dtype=float32)
    with context:
        assert (x @ x.T).dtype is float32


def test_wrong_devices_and_arguments():
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.autocast(1)
    with pytest.raises(RuntimeError, match="unsupported scalarType"):
        torch.autocast("meta")
    with pytest.raises(RuntimeError, match="User specified an unsupported autocast device_type 'meta'"):
        torch.autocast("meta", dtype=bfloat16)
    with pytest.raises(RuntimeError, match="unknown device type for autocast"):
        torch.is_autocast_enabled("meta")
    with pytest.raises(TypeError, match=r"set_autocast_enabled\(\): argument 'enabled' \(position 2\) must be bool"):
        torch.set_autocast_enabled("cpu", 3)
    with pytest.raises(TypeError, match=r"set_autocast_dtype\(\): argument 'dtype' \(position 2\)"):
        torch.set_autocast_dtype("cpu", 1)
    with pytest.raises(TypeError, match=r"get_autocast_dtype\(\): argument 'device_type' \(position 1\) must be str"):
        torch.get_autocast_dtype(3)


def test_the_settings_one_by_one():
    assert (torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda")) == (bfloat16, float16)
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", float16)
    try:
        assert (x @ x.T).dtype is float16
    finally:
        torch.set_autocast_enabled("cpu", False)
        torch.set_autocast_dtype("cpu", bfloat16)
    assert (torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()) == (1, 0)
    assert torch.amp.is_autocast_available("cpu")
    assert not torch.amp.is_autocast_available("meta")


def test_old_settings_say_so():
    with pytest.warns(DeprecationWarning, match=r"torch.is_autocast_cpu_enabled\(\) is deprecated"):
        assert not torch.is_autocast_cpu_enabled()
    with pytest.warns(DeprecationWarning):
        torch.set_autocast_cpu_enabled(False)
    with pytest.warns(DeprecationWarning):
        torch.set_autocast_cpu_dtype(bfloat16)
    with pytest.warns(DeprecationWarning):
        assert torch.get_autocast_cpu_dtype() is bfloat16
    with pytest.warns(DeprecationWarning):
        torch.set_autocast_gpu_dtype(float16)
    with pytest.warns(DeprecationWarning):
        assert torch.get_autocast_gpu_dtype() is float16
    with (
        pytest.warns(FutureWarning, match=r"`torch.cpu.amp.autocast\(args...\)` is deprecated"),
        torch.cpu.amp.autocast(),
    ):
        assert (x @ x.T).dtype is bfloat16


class Product(torch.autograd.Function):
    seen: list

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a.mm(b)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        Product.seen = [grad.mm(b.t()).dtype, torch.is_autocast_enabled("cpu")]
        return grad.mm(b.t()), a.t().mm(grad)


class Long(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=float32)
    def forward(ctx, a):
        assert not torch.is_autocast_enabled("cpu") or a.dtype is not bfloat16
        return a * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        return grad * 2


def test_the_backward_of_a_custom_function_is_cast_as_its_forward():
    a = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        result = Product.apply(a, a)
    assert result.dtype is bfloat16
    result.float().sum().backward()
    assert Product.seen == [bfloat16, True]
    Product.apply(a, a).sum().backward()
    assert Product.seen == [float32, False]


def test_a_custom_function_may_ask_for_a_dtype():
    a = torch.ones(2, dtype=bfloat16, requires_grad=True)
    with torch.autocast("cpu"):
        assert Long.apply(a).dtype is float32
    assert Long.apply(a).dtype is bfloat16
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.amp.custom_fwd(max, device_type=1)
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.amp.custom_bwd(max, device_type=1)


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_is_run_again_as_it_was(reentrant):
    seen = []
    weight = torch.ones(4, 4, requires_grad=True)

    def run(value):
        seen.append((value @ weight).dtype)
        return (value @ weight).sin()

    from rushlight.utils.checkpoint import checkpoint

    start = x.clone().requires_grad_()
    with torch.autocast("cpu"):
        result = checkpoint(run, start, use_reentrant=reentrant)
    result.sum().backward()
    assert seen == [bfloat16, bfloat16]


def test_a_library_function_may_be_cast():
    @torch.library.custom_op("amp_tests::scaled", mutates_args=())
    def scaled(value: torch.Tensor) -> torch.Tensor:
        assert not torch.is_autocast_enabled("cpu") or value.dtype is float16
        return value * 2

    scaled.register_autocast("cpu", float16)
    with torch.autocast("cpu"):
        assert scaled(x).dtype is float16
    assert scaled(x).dtype is float32
    with pytest.raises(ValueError, match="Device type 'meta' does not support autocast"):
        torch.library.register_autocast("amp_tests::scaled", "meta", float16)
