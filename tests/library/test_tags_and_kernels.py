"""torch.Tag and torch.library.get_kernel: what is known of a function, and what computes it."""

import pytest

import rushlight as torch
from rushlight.library import Library, custom_op, get_kernel

CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def test_tags_are_numbered_as_in_torch():
    assert str(torch.Tag.inplace_view) == "Tag.inplace_view" and repr(torch.Tag.core) == "<Tag.core: 0>"
    assert int(torch.Tag.view_copy) == 19 and torch._C.Tag is torch.Tag and len(torch.Tag.__members__) == 20


@pytest.mark.parametrize(
    "name, form, tags",
    [
        ("add", "Tensor", ["pointwise", "pt2_compliant_tag"]),
        ("t_", "default", ["inplace", "inplace_view", "pt2_compliant_tag"]),
        ("add_", "Tensor", ["inplace", "pointwise", "pt2_compliant_tag"]),
        ("add", "out", ["out", "pointwise", "pt2_compliant_tag"]),
        ("nonzero", "default", ["dynamic_output_shape", "pt2_compliant_tag"]),
        ("bernoulli", "default", ["nondeterministic_seeded", "pt2_compliant_tag"]),
    ],
)
def test_functions_of_aten_have_tags(name, form, tags):
    overload = getattr(getattr(torch.ops.aten, name), form)
    assert [each.name for each in overload.tags] == tags


def test_a_custom_function_keeps_the_tags_it_is_given():
    @custom_op("tests_tags::twice", mutates_args=(), tags=(torch.Tag.pointwise,))
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.ops.tests_tags.twice.default.tags == [torch.Tag.pt2_compliant_tag, torch.Tag.pointwise]
    library = Library("tests_tags_too", "DEF")
    library.define("f(Tensor x) -> Tensor", tags=torch.Tag.needs_fixed_stride_order)
    assert torch.ops.tests_tags_too.f.default.tags == [torch.Tag.needs_fixed_stride_order]


def test_a_kernel_computes_without_a_history():
    x = torch.ones(2, requires_grad=True)
    for op in ("aten::sin", torch.ops.aten.sin.default):
        found = get_kernel(op, "CPU").call_boxed(CPU, x)
        assert torch.equal(found, x.sin()) and not found.requires_grad
    with pytest.raises(TypeError, match="first argument has to be a DispatchKeySet, not Tensor"):
        get_kernel("aten::sin", "CPU").call_boxed(x)


def test_a_kernel_of_ones_own_is_found():
    @custom_op("tests_tags::thrice", mutates_args=())
    def thrice(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    assert get_kernel("tests_tags::thrice", "CPU").call_boxed(CPU, torch.ones(1)).item() == 3
    with pytest.raises(
        RuntimeError, match="No kernel is registered for tests_tags::thrice under the dispatch key CUDA"
    ):
        get_kernel("tests_tags::thrice", "CUDA")


def test_what_is_no_function_or_no_key_is_refused():
    with pytest.raises(RuntimeError, match="operator aten::nonsense does not exist"):
        get_kernel("aten::nonsense", "CPU")
    with pytest.raises(ValueError, match="Invalid dispatch key: Nonsense"):
        get_kernel("aten::sin", "Nonsense")
    with pytest.raises(ValueError, match="unexpected type for op"):
        get_kernel(3, "CPU")
