"""Objects that offer their memory by DLPack, and sequences of a user's own."""

import numpy as np
import pytest

import rushlight as torch


class Offered:
    def __init__(self, tensor, device=1):
        self.tensor, self.device, self.asked = tensor, device, []

    def __dlpack__(self, **options):
        self.asked.append(options)
        return self.tensor.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


class OfferedBeforeVersions(Offered):
    def __dlpack__(self, stream=None):
        return self.tensor.__dlpack__()


@pytest.mark.parametrize("kind", [Offered, OfferedBeforeVersions])
def test_every_function_takes_what_another_library_offers(kind):
    x = torch.arange(3.0)
    assert torch.tensor(kind(x)).tolist() == [0.0, 1.0, 2.0]
    assert torch.tensor(kind(x)).data_ptr() != x.data_ptr()
    assert torch.tensor(kind(x), dtype=torch.int32).dtype is torch.int32
    for function in (torch.as_tensor, torch.asarray, torch.from_dlpack):
        assert function(kind(x)).data_ptr() == x.data_ptr()
    assert torch.as_tensor(kind(x), dtype=torch.int64).tolist() == [0, 1, 2]


def test_what_is_asked_for_is_what_was_said():
    offered = Offered(torch.arange(3.0))
    torch.from_dlpack(offered)
    torch.from_dlpack(offered, copy=True)
    torch.from_dlpack(offered, device="cpu")
    version = {"max_version": (1, 0)}
    assert offered.asked == [version, version | {"copy": True}, version | {"dl_device": (1, 0)}]


def test_memory_elsewhere_and_half_a_protocol_are_refused():
    class WithoutDevice:
        def __dlpack__(self, **options):
            return torch.ones(1).__dlpack__()

    for function in (torch.tensor, torch.asarray, torch.from_dlpack):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            function(Offered(torch.ones(1), device=2))
        with pytest.raises(AttributeError, match="__dlpack_device__"):
            function(WithoutDevice())


def test_an_element_that_offers_memory_is_no_number():
    with pytest.raises(RuntimeError, match="Could not infer dtype of Offered"):
        torch.tensor([Offered(torch.ones(1))])


class Items:
    def __init__(self, count, error=None):
        self.count, self.error = count, error

    def __len__(self):
        if isinstance(self.error, KeyError):
            raise self.error
        return self.count

    def __getitem__(self, place):
        if self.error is not None:
            raise self.error
        if place >= self.count:
            raise IndexError(place)
        return place + 1


@pytest.mark.parametrize("function", [torch.tensor, torch.as_tensor, torch.asarray])
def test_sequences_of_a_users_own(function):
    assert function(Items(3)).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="could not determine the shape of object type 'Items'"):
        function(Items(3, ValueError("boom")))
    with pytest.raises(KeyError, match="boom"):
        function(Items(3, KeyError("boom")))


def test_a_sequence_without_a_length():
    class Endless:
        def __getitem__(self, place):
            return 1

    with pytest.raises(TypeError, match=r"object of type 'Endless' has no len\(\)"):
        torch.tensor(Endless())


def test_objects_that_are_numbers_on_demand():
    class Index:
        def __index__(self):
            return 3

    class Float:
        def __float__(self):
            return 1.5

    for kind in (Index, Float):
        with pytest.raises(RuntimeError, match=f"Could not infer dtype of {kind.__name__}"):
            torch.tensor(kind())
    assert torch.tensor(Index(), dtype=torch.float32).item() == 3.0
    assert torch.tensor([Index()], dtype=torch.int64).tolist() == [3]
    assert torch.tensor(Float(), dtype=torch.float64).item() == 1.5
    for dtype in (torch.int64, torch.bool):
        with pytest.raises(TypeError, match="'Float' object cannot be interpreted as an integer"):
            torch.tensor(Float(), dtype=dtype)


@pytest.mark.parametrize(
    ("members", "kind", "words"),
    [
        ({"__len__": lambda self: 1 // 0, "__getitem__": lambda self, at: at}, ZeroDivisionError, "by zero"),
        ({"__len__": lambda self: -1, "__getitem__": lambda self, at: at}, ValueError, "should return >= 0"),
        (
            {"__len__": lambda self: 2, "__getitem__": lambda self, at: {}[at]},
            ValueError,
            "could not determine the shape",
        ),
        ({"__len__": lambda self: 2}, RuntimeError, "Could not infer dtype of Odd"),
        ({"__float__": lambda self: 3.0}, RuntimeError, "Could not infer dtype of Odd"),
    ],
)
def test_odd_sequences_fail_as_they_say(members, kind, words):
    with pytest.raises(kind, match=words):
        torch.tensor(type("Odd", (), members)())


def test_what_has_no_memory_is_not_handed_out():
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        torch.ones(2, device="meta").__dlpack__()
    with pytest.raises(ValueError, match="can't alias tensor from device 'cpu' to 'meta'"):
        torch.asarray(torch.ones(2), device="meta", copy=False)
    there = torch.ones(2, device="meta")
    assert torch.asarray(there, device="meta", copy=False).is_meta
    assert torch.asarray([1.0, 2.0], device="meta").is_meta


def test_asarray_refuses_gradients_of_integers_as_other_creations_do():
    with pytest.raises(RuntimeError, match=r"^Only Tensors of floating point and complex dtype can require gradients"):
        torch.asarray([1, 2], requires_grad=True)
    assert torch.asarray([1.0, 2.0], requires_grad=True).requires_grad


@pytest.mark.parametrize("make", [torch.ones, np.ones])
def test_nothing_is_shared_with_a_device_without_memory(make):
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        torch.from_dlpack(make(2), device="meta")
