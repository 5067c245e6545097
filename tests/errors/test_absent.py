"""Names that are left out say why, and what to do instead."""

import pytest

import rushlight as torch
from rushlight.errors import absent


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GraphExecutorState", "TorchScript is left out; call the function or the module directly"),
        ("sparse_coo_tensor", "sparse layouts are left out; keep the tensor dense"),
        ("quantize_per_tensor", "quantization is left out"),
        ("func.functionalize", "programs are not captured as graphs"),
        ("per_tensor_affine", "quantization is left out"),
    ],
)
def test_a_name_that_is_left_out_says_why(name, words):
    with pytest.raises(
        AttributeError, match=f"module 'torch' has no attribute '{name}': it is not in Rushlight.*{words}"
    ):
        getattr(torch, name)


def test_packages_say_it_too():
    with pytest.raises(AttributeError, match="nothing is downloaded and nothing is compiled"):
        torch.utils.get_cpp_backtrace  # noqa: B018
    with pytest.raises(AttributeError, match="for devices other than the CPU"):
        torch.cuda.jiterator  # noqa: B018


@pytest.mark.parametrize("name", ["to_sparse", "coalesce", "q_scale", "record_stream", "chalf"])
def test_methods_that_are_left_out_say_why(name):
    with pytest.raises(NotImplementedError, match=f"Tensor.{name} is not in Rushlight: .*; "):
        getattr(torch.ones(2), name)()


def test_a_name_that_nobody_has_gets_no_reason():
    assert absent.clause("no_such_name") == ""
    assert absent.reason("no_such_name") is None


def test_names_that_were_given_up_or_would_need_every_operation_say_so():
    with pytest.raises(AttributeError, match="PyTorch itself has given it up"):
        torch.autograd.function.NestedIOFunction  # noqa: B018
    for name in ("create_selective_checkpoint_contexts", "CheckpointPolicy", "SelectiveCheckpointContext"):
        with pytest.raises(AttributeError, match="operations are not intercepted one by one; checkpoint the parts"):
            getattr(torch.utils.checkpoint, name)
    with pytest.raises(AttributeError, match="dtypes of a few bits are left out; use int8, float16 or bfloat16"):
        torch.nn.functional.scaled_mm  # noqa: B018
