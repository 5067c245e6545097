"""Modes: recording switched off and on, for blocks, functions and generators, in each thread alone."""

import threading

import pytest

import rushlight as torch


def recorded():
    return (torch.ones(1, requires_grad=True) * 2).requires_grad


def test_no_grad_as_a_block():
    with torch.no_grad():
        assert not recorded()
        with torch.enable_grad():
            assert recorded()
        assert not recorded()
    assert recorded()


def test_no_grad_ends_after_an_exception():
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("decorate", [torch.no_grad(), torch.no_grad])
def test_no_grad_as_a_decorator(decorate):
    assert decorate(recorded)() is False
    assert recorded()


def test_a_generator_keeps_its_own_mode():
    @torch.no_grad()
    def numbers():
        received = yield recorded()
        while received is not None:
            received = yield (received, recorded())
        return "done"

    generator = numbers()
    assert next(generator) is False
    assert recorded(), "the caller records"
    assert generator.send(5) == (5, False)
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "done"


def test_an_exception_thrown_into_a_generator_arrives():
    @torch.no_grad()
    def catching():
        try:
            yield 1
        except ValueError:
            yield "caught"

    generator = catching()
    next(generator)
    assert generator.throw(ValueError()) == "caught"


def test_set_grad_enabled_as_function_and_block():
    torch.set_grad_enabled(False)
    assert not recorded()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not recorded()
    assert recorded()


def test_set_grad_enabled_as_decorator_changes_nothing_outside():
    @torch.set_grad_enabled(False)
    def quiet():
        return recorded()

    assert recorded()
    assert quiet() is False


def test_threads_have_their_own_mode():
    found = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append(recorded()))
        thread.start()
        thread.join()
    assert found == [True]


def test_inference_mode():
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        made = torch.ones(2, requires_grad=True) * 2
        assert not made.requires_grad
    assert not torch.is_inference_mode_enabled()
    assert made.is_inference()
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        made * torch.ones(2, requires_grad=True)
    with torch.inference_mode(False):
        assert recorded()


def test_inplace_on_an_inference_tensor_outside_is_refused():
    with torch.inference_mode():
        made = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        made.add_(1)


def test_decorating_a_class_is_warned_of():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Made:
            def __init__(self):
                self.recording = torch.is_grad_enabled()

    assert Made().recording is False


def test_set_grad_enabled_takes_a_bool():
    with pytest.raises(
        TypeError, match=r"set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool, not int"
    ):
        torch.set_grad_enabled(1)
    assert torch.is_grad_enabled()
    assert repr(torch.set_grad_enabled(True)) == "torch.autograd.grad_mode.set_grad_enabled(mode=True)"


def test_inference_mode_decorates_a_function_given_by_name():
    assert torch.inference_mode(mode=torch.is_inference_mode_enabled)()
    assert not torch.inference_mode(mode=False)(torch.is_inference_mode_enabled)()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad, torch.inference_mode])
@pytest.mark.parametrize("value", [3, "a"])
def test_what_is_neither_a_bool_nor_a_function_makes_no_mode(mode, value):
    with pytest.raises(TypeError, match=f"{mode.__name__} takes"):
        mode(value)
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
