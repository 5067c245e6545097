"""Mixed precision for GPUs is switched off, with a warning; the scaler works on the CPU."""

import pytest

import rushlight as torch


def test_autocast_for_a_gpu_is_off():
    with pytest.warns(UserWarning, match="CUDA is not available"):
        context = torch.autocast("cuda", dtype=torch.float16)
    with context:
        assert not torch.is_autocast_enabled()
        assert (torch.ones(2) @ torch.ones(2)).dtype is torch.float32
    assert torch.autocast("cuda", enabled=False)(max)(1, 2) == 2


def test_old_names_say_so():
    with pytest.warns(FutureWarning, match=r"`torch.cuda.amp.custom_fwd\(args...\)` is deprecated"):
        torch.cuda.amp.custom_fwd(max)
    with pytest.warns(FutureWarning, match=r"`torch.cuda.amp.custom_bwd\(args...\)` is deprecated"):
        torch.cuda.amp.custom_bwd(max)
    with pytest.warns(FutureWarning, match=r"`torch.cpu.amp.GradScaler\(args...\)` is deprecated"):
        assert torch.cpu.amp.GradScaler(init_scale=4.0).get_scale() == 4

    with (
        pytest.warns(FutureWarning, match=r"`torch.cuda.amp.autocast\(args...\)` is deprecated"),
        pytest.warns(UserWarning),
    ):
        torch.cuda.amp.autocast()


def make():
    parameter = torch.nn.Parameter(torch.ones(2))
    return parameter, torch.optim.SGD([parameter], lr=0.1), torch.amp.GradScaler("cpu", init_scale=8.0)


def test_a_step_with_scaled_gradients_is_the_plain_step():
    parameter, optimizer, scaler = make()
    scaler.scale((parameter * 2).sum()).backward()
    assert parameter.grad.tolist() == [16, 16]
    scaler.unscale_(optimizer)
    assert parameter.grad.tolist() == [2, 2]
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(parameter.detach(), torch.tensor([0.8, 0.8]))
    assert scaler.get_scale() == 8


def test_an_overflow_skips_the_step_and_shrinks_the_scale():
    parameter, optimizer, scaler = make()
    parameter.grad = torch.tensor([float("inf"), 1.0])
    scaler.step(optimizer)
    scaler.update()
    assert parameter.tolist() == [1, 1]
    assert scaler.get_scale() == 4


def test_the_scale_grows_after_an_interval():
    parameter, optimizer, scaler = make()
    scaler.set_growth_interval(1)
    parameter.grad = torch.ones(2)
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 16
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()


def test_calls_in_the_wrong_order_are_refused():
    parameter, optimizer, scaler = make()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    parameter.grad = torch.ones(2)
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step\(\)"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=max)
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        scaler.load_state_dict({})
    with pytest.raises(ValueError, match="outputs must be a Tensor"):
        scaler.scale(3)


@pytest.mark.parametrize("options", [{"growth_factor": 0.5}, {"backoff_factor": 2.0}])
def test_factors_that_are_refused(options):
    with pytest.raises(AssertionError, match=r"The (growth|backoff) factor must be"):
        torch.amp.GradScaler("cpu", **options)


def test_a_scaler_for_a_gpu_passes_everything_through():
    parameter, optimizer, _ = make()
    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaler = torch.amp.GradScaler()
    assert scaler.scale(3) == 3
    assert (scaler.get_scale(), scaler.state_dict(), scaler.is_enabled()) == (1.0, {}, False)
    parameter.grad = torch.ones(2)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert parameter.tolist() != [1, 1]


def test_gradients_in_float16_are_not_unscaled():
    parameter = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))
    parameter.grad = torch.ones(2, dtype=torch.float16)
    with pytest.raises(ValueError, match=r"Attempting to unscale FP16 gradients\."):
        torch.amp.GradScaler("cpu").unscale_(torch.optim.SGD([parameter], lr=0.1))


def test_a_step_without_gradients_is_refused():
    _, optimizer, scaler = make()
    with pytest.raises(AssertionError, match=r"No inf checks were recorded for this optimizer\."):
        scaler.step(optimizer)
