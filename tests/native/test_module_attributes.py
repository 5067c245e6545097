"""Attributes, bases, copies and walks of modules are the same with and without native code."""

import abc
import copy
import gc
import pickle
import sys
import typing
import weakref

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.native import extension
from rushlight.nn.modules.module_moves import Moves


class Scale(nn.Module):
    """Multiplies by a weight."""

    def __init__(self, factor=2.0):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(factor))
        self.register_buffer("offset", torch.tensor(1.0))
        self.plain = "plain"

    def forward(self, x, *more, by=1):
        return (x * self.weight, more, by)


class Echo(nn.Module):
    """Gives back what it was called with."""

    def forward(self, *args, **kwargs):
        return args, kwargs


def test_what_is_registered_is_found_as_an_attribute():
    module = Scale()
    module.inner = nn.Identity()
    assert module.weight is module._parameters["weight"]
    assert module.offset is module._buffers["offset"]
    assert module.inner is module._modules["inner"]
    assert module.plain == "plain" and module.training is True
    assert module.__getattr__("weight") is module.weight
    assert getattr(module, "nothing", 5) == 5 and not hasattr(module, "nothing")
    module.register_parameter("none", None)
    assert module.none is None
    del module.weight
    assert not hasattr(module, "weight")


def test_a_missing_attribute_is_named():
    module = Scale()
    for find in (lambda: module.nothing, lambda: module.__getattr__("nothing")):
        with pytest.raises(AttributeError, match=r"^'Scale' object has no attribute 'nothing'$") as caught:
            find()
        assert caught.value.name == "nothing" and caught.value.obj is module


@pytest.mark.parametrize("wrong", [1, None, b"weight", ("weight",)])
def test_a_name_that_is_no_text_is_refused(wrong):
    with pytest.raises(TypeError, match="attribute name must be string"):
        getattr(Scale(), wrong)


def test_a_class_attribute_or_a_property_wins_over_what_is_registered():
    class Tied(Scale):
        offset = "class"

        @property
        def weight(self):
            return "property"

        @weight.setter
        def weight(self, value):
            self._parameters["weight"] = value

    tied = Tied.__new__(Tied)
    nn.Module.__init__(tied)
    tied._parameters["weight"] = nn.Parameter(torch.ones(1))
    tied._buffers["offset"] = torch.ones(1)
    assert tied.weight == "property" and tied.offset == "class"


def test_a_property_that_fails_is_reported_as_missing():
    class Broken(nn.Module):
        @property
        def size(self):
            return self.nothing

        @property
        def error(self):
            raise KeyError("mine")

    with pytest.raises(AttributeError, match="'Broken' object has no attribute 'size'"):
        _ = Broken().size
    with pytest.raises(KeyError, match="mine"):
        _ = Broken().error


def test_a_getattr_of_ones_own_is_asked_for_all_that_is_registered():
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def __getattr__(self, name):
            if name == "asked":
                return "answer"
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name)

    class Shadow(Scale):
        def __getattr__(self, name):
            made = "plain" in self.__dict__
            return "shadow" if made and name == "weight" else super().__getattr__(name)

    wrapper = Wrapper(Scale())
    assert wrapper.asked == "answer" and wrapper.plain == "plain" and wrapper.weight is wrapper.inner.weight
    with pytest.raises(AttributeError, match="'Scale' object has no attribute 'nothing'"):
        _ = wrapper.nothing
    assert Shadow().weight == "shadow" and Shadow().offset.item() == 1

    class Below(Wrapper):
        pass

    assert Below(Scale()).asked == "answer"


def test_a_getattr_given_to_the_class_later_is_used(monkeypatch):
    class Later(Scale):
        pass

    module = Later()
    assert not hasattr(module, "extra")
    monkeypatch.setattr(Scale, "__getattr__", lambda self, name: f"extra {name}", raising=False)
    assert module.extra == "extra extra" and module.weight == "extra weight" and module.plain == "plain"
    monkeypatch.undo()
    assert not hasattr(module, "extra") and module.weight.item() == 2


def test_a_getattribute_of_ones_own_is_used():
    class Watched(Scale):
        def __getattribute__(self, name):
            return "watched" if name == "plain" else super().__getattribute__(name)

    assert Watched().plain == "watched" and Watched().weight.item() == 2


def test_a_setattr_of_ones_own_is_used():
    class Counting(Scale):
        count = 0

        def __setattr__(self, name, value):
            type(self).count += 1
            super().__setattr__(name, value)

    module = Counting()
    module.plain = 1
    assert Counting.count == 3 and module.weight.item() == 2


class Mixin:
    """A second base with state and arguments of its own."""

    registered: typing.ClassVar[list] = []

    def __init_subclass__(cls, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Mixin.registered.append((cls.__name__, tag))

    def twice(self):
        return self.weight * 2


def test_classes_may_inherit_from_more_than_module():
    class Both(Scale, Mixin, tag="first"):
        pass

    class Turned(Mixin, Scale, tag="second"):
        pass

    class Abstract(nn.Module, abc.ABC):
        @abc.abstractmethod
        def forward(self): ...

    class Typed(Scale, typing.Generic[typing.TypeVar("T")]):
        pass

    class Mapping(nn.Module, dict):
        def __init__(self):
            dict.__init__(self, a=1)
            nn.Module.__init__(self)

    class Listed(list, nn.Module):
        def __init__(self):
            nn.Module.__init__(self)

    class Slotted(Scale):
        __slots__ = ("slot",)

    assert Both().twice().item() == Turned().twice().item() == 4
    assert ("Both", "first") in Mixin.registered and ("Turned", "second") in Mixin.registered
    with pytest.raises(TypeError, match="abstract"):
        Abstract()
    assert Typed[int]()(1)[2] == 1
    assert Mapping()["a"] == 1 and Mapping().training
    assert Listed() == [] and Listed().training
    slotted = Slotted()
    slotted.slot = 3
    assert slotted.slot == 3 and slotted.weight.item() == 2
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        type("Wrong", (nn.Module,), {}, other=1)


def test_a_class_that_does_not_tell_its_bases_of_subclasses_still_works():
    class Silent(Scale):
        def __init_subclass__(cls, **kwargs):
            pass

    class Below(Silent):
        pass

    assert Below().weight.item() == 2 and not hasattr(Below(), "nothing") and Below()(2)[0].item() == 4


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_modules_are_pickled_and_copied(protocol):
    module = nn.Sequential(Scale(), nn.Linear(2, 2))
    module[0].plain = [1]
    for again in (pickle.loads(pickle.dumps(module, protocol)), copy.deepcopy(module), copy.copy(module)):
        assert type(again) is nn.Sequential and type(again[0]) is Scale
        assert again[0].weight.item() == 2 and again[0].plain == [1] and again[1].weight.shape == (2, 2)
    assert copy.copy(module)[0] is module[0] and copy.deepcopy(module)[0] is not module[0]


def test_modules_are_freed_and_can_be_referred_to_weakly():
    module = Scale()
    reference = weakref.ref(module)
    assert reference() is module
    del module
    assert reference() is None
    ring = nn.Sequential(nn.Identity())
    ring.parent = [ring]
    reference = weakref.ref(ring)
    del ring
    gc.collect()
    assert reference() is None


def test_calls_and_lookups_leave_no_references_behind():
    module, argument = nn.Sequential(Echo()), object()
    before = [sys.getrefcount(each) for each in (module, argument, Echo, Echo.forward)]
    for _ in range(100):
        module(argument)
        module[0].forward(argument, a=1)
        hasattr(module, "nothing")
        list(module.parameters())
    gc.collect()
    after = [sys.getrefcount(each) for each in (module, argument, Echo, Echo.forward)]
    assert [one - other for one, other in zip(after, before, strict=True)] == [0] * 4


def test_parameters_are_those_of_the_python_walk():
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.Sequential(shared, Scale(), nn.Tanh()), Scale(3.0))
    model.tied = shared.weight
    model.register_parameter("none", None)
    model.register_module("empty", None)
    for recurse in (True, False):
        wanted = [each for _, each in model.named_parameters(recurse=recurse)]
        found = list(model.parameters(recurse))
        assert len(found) == len(wanted) and all(one is other for one, other in zip(found, wanted, strict=True))
    ring = nn.Sequential(Scale())
    ring.append(ring)
    assert len(list(ring.parameters())) == 1
    assert next(model.parameters()) is model.tied


def test_walks_of_ones_own_are_heeded():
    class Chosen(Scale):
        def named_parameters(self, *args, **kwargs):
            return iter([("chosen", self.offset)])

    class Hidden(nn.Sequential):
        def named_modules(self, *args, **kwargs):
            return iter([("", self)])

    class Equal(Scale):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    assert [each.item() for each in Chosen().parameters()] == [1.0]
    assert list(nn.Sequential(Hidden(Scale())).parameters()) == []
    assert len(list(nn.Sequential(Equal(), Equal()).parameters())) == 1


@pytest.mark.skipif(extension is None, reason="there is no native layer here")
@pytest.mark.parametrize("wrong", [None, 1, "text", int, object, Moves])
def test_only_classes_of_modules_are_quickened(wrong):
    with pytest.raises(TypeError):
        extension.quicken(wrong)
