"""__torch_dispatch__: the names are there, entering a mode says that it is not."""

import pytest

from rushlight.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass, transform_subclass


def test_a_mode_can_be_derived_and_not_entered():
    class Mine(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with pytest.raises(NotImplementedError, match=r"torch.overrides.TorchFunctionMode sees every call"), Mine():
        pass
    with pytest.raises(NotImplementedError, match="is not in Rushlight"):
        TorchDispatchMode().__torch_dispatch__(None, ())


def test_the_protocol_of_tensors_made_of_others():
    class Pair:
        def __init__(self, one, other):
            self.one, self.other = one, other

        def size(self):
            return (1,)

        def stride(self):
            return (1,)

        def __tensor_flatten__(self):
            return ["one", "other"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Pair(**inner)

    assert is_traceable_wrapper_subclass(Pair(1, 2))
    assert not is_traceable_wrapper_subclass(3)
    assert transform_subclass(Pair(1, 2), lambda name, value: value + 1).other == 3
