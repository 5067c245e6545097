"""Small public helpers: grouped products, the choice of an attention algorithm, factory arguments, DataParallel."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_grouped_products_are_those_of_the_groups():
    a, b = torch.randn(5, 4), torch.randn(2, 4, 8)
    found = F.grouped_mm(a, b, offs=torch.tensor([2, 5], dtype=torch.int32))
    assert torch.equal(found, torch.cat([a[:2] @ b[0], a[2:] @ b[1]]))
    for wrong, words in (
        (lambda: F.grouped_mm(a, b), "Have to provide offsets"),
        (lambda: F.grouped_mm(a[0], b), "2 or 3 dimensional"),
        (lambda: F.grouped_mm(b, b.mT, bias=torch.ones(1)), "Bias not supported"),
    ):
        with pytest.raises(RuntimeError, match=words):
            wrong()


def test_any_attention_algorithm_may_be_chosen():
    from rushlight.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH), sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        pass
    with pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend"), sdpa_kernel(["math"]):
        pass


def test_factory_arguments_are_known_and_given_once():
    assert nn.factory_kwargs(None) == {}
    assert nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": 1}}) == {"device": "cpu", "dtype": 1}
    with pytest.raises(TypeError, match="unexpected kwargs"):
        nn.factory_kwargs({"size": 1})
    with pytest.raises(TypeError, match="dtype specified twice"):
        nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}})


def test_data_parallel_calls_its_module():
    model = nn.DataParallel(nn.Linear(2, 3))
    x = torch.ones(1, 2)
    assert torch.equal(model(x), model.module(x))
    assert list(model.state_dict()) == ["module.weight", "module.bias"]


def test_functional_call_leaves_the_module_as_it_was():
    layer = nn.Linear(2, 1)
    weight = layer.weight
    state = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    assert torch.func.functional_call(layer, state, torch.ones(1, 2)).item() == 2
    assert layer.weight is weight
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.func.functional_call(layer, state, torch.ones(1, 3))
    assert layer.weight is weight


def test_prefixes_are_taken_from_the_keys_of_a_state_dict():
    outer = nn.Module()
    outer.module = nn.Sequential(nn.Linear(1, 1))
    state = outer.state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["0.weight", "0.bias"] and list(state._metadata) == ["", "0"]
    plain = {"a": 1, "module.b": 2, "modulec": 3}
    nn.modules.utils.consume_prefix_in_state_dict_if_present(plain, "module.")
    assert plain == {"a": 1, "modulec": 3, "b": 2}


def test_sizes_are_completed_by_their_defaults():
    complete = nn.modules.utils._list_with_default
    assert complete([None, 3], [7, 8, 9]) == [8, 3] and complete(5, [1, 2]) == 5
    with pytest.raises(ValueError, match="Input dimension should be at least 3"):
        complete([None, 3], [7, 8])


def test_reductions_have_numbers():
    numbers = nn._reduction
    assert [numbers.get_enum(each) for each in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.warns(UserWarning, match="elementwise_mean"):
        assert numbers.get_enum("elementwise_mean") == 1
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        numbers.get_enum("x")
    assert numbers.legacy_get_string(False, None, emit_warning=False) == "sum"
    with pytest.warns(UserWarning, match="please use reduction='none'"):
        assert numbers.legacy_get_enum(True, False) == 0


def test_names_stand_where_torch_has_them_too():
    assert nn.modules.activation.MultiheadAttention is nn.MultiheadAttention
    assert nn.functional.grad is nn.grad
    assert torch.types._TensorOrTensors and nn.common_types._size_2_t == int | tuple[int, int]
    assert [nn.InstanceNorm1d(2)._get_no_batch_dim(), nn.InstanceNorm3d(2)._get_no_batch_dim()] == [2, 4]


def test_a_replica_has_no_parameters_of_its_own():
    layer = nn.BatchNorm1d(2)
    replica = layer._replicate_for_data_parallel()
    assert not replica._parameters and replica._is_replica and list(layer._parameters) == ["weight", "bias"]
    assert replica._buffers is not layer._buffers and replica.running_mean is layer.running_mean


def test_open_options_of_a_chunked_loss_are_chosen():
    options = nn.LinearCrossEntropyOptions
    found = options()._adjust(100, 8, 64, torch.float32, torch.device("cpu"))
    assert found == options(False, 8, "aspect_ratio:2", "compact", torch.float32)
    found = options()._adjust(100, 8, 64, torch.bfloat16, torch.device("cpu"))
    assert found == options(False, 16, "aspect_ratio", "accurate", torch.float32)
    assert options(batch_chunk_size=4)._adjust(100, 8, 64, torch.float32).chunking_method is None
    with pytest.raises(ValueError, match="give different chunk sizes"):
        options(batch_chunk_size=5, chunking_method="aspect_ratio")._adjust(100, 8, 64, torch.float32)


def test_one_function_is_no_hook_of_a_state_dict_twice():
    def hook(*_):
        return None

    layer = nn.ReLU()
    layer.register_state_dict_post_hook(hook)
    with pytest.raises(RuntimeError, match="Cannot register the same function as the state dict post hook"):
        layer._register_state_dict_hook(hook)


def test_helpers_of_pruning_are_there():
    from rushlight.nn.utils import prune

    assert prune._compute_nparams_toprune(0.25, 10) == 2 and prune._compute_nparams_toprune(3, 10) == 3
    assert prune._compute_norm(torch.ones(2, 4), 2, 0).tolist() == [2, 2]
    with pytest.raises(ValueError, match="amount=11 should be smaller"):
        prune._validate_pruning_amount(11, 10)
    with pytest.raises(TypeError, match="Invalid type for amount"):
        prune._validate_pruning_amount_init("a")
    with pytest.raises(IndexError, match="Invalid index 1"):
        prune._validate_pruning_dim(torch.ones(2), 1)
    with pytest.raises(ValueError, match="Structured pruning"):
        prune._validate_structured_pruning(torch.ones(2))


def test_scales_that_no_size_can_have_are_refused():
    image = torch.ones(1, 1, 2, 2)
    for scale in (1e20, float("inf"), float("nan")):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
            F.interpolate(image, scale_factor=scale)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes="):
        F.interpolate(image, scale_factor=1e10)
    with pytest.raises(ValueError, match="Lanczos mode requires antialias=True"):
        F.interpolate(image, size=4, mode="lanczos")


def test_empty_pixels_are_not_unshuffled():
    empty = torch.ones(0, 4, 2, 2, requires_grad=True)
    found = F.pixel_unshuffle(empty, 2)
    assert found.shape == (0, 4, 2, 2)
    (found.sum() + F.pixel_shuffle(empty, 2).sum()).backward()
    assert empty.grad.shape == (0, 4, 2, 2)


def test_statistics_of_batches_are_moved_to():
    mean, var = torch.zeros(2), torch.ones(2)
    found = torch.batch_norm_update_stats(torch.arange(12.0).view(3, 2, 2), mean, var, 0.1)
    assert [each.tolist() for each in found] == [[4.5, 6.5], pytest.approx([10.916667, 10.916667])]
    assert mean.tolist() == pytest.approx([0.45, 0.65]) and var.tolist() == pytest.approx([2.21, 2.21])
    torch.batch_norm_update_stats(torch.ones(3, 2), None, None, 0.1)
    with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\)"):
        torch.batch_norm_update_stats(torch.ones(3, 2).double(), mean, var, 0.1)


def test_distances_of_unknown_numbers_are_unknown():
    points = torch.tensor([[0.0, 1.0], [float("nan"), 1.0], [2.0, 5.0]])
    found = F.pdist(points, 0).tolist()
    assert found[1] == 2 and found[0] != found[0] and found[2] != found[2]


def test_helpers_that_programs_import_from_functional_are_there():
    from rushlight.nn.functional import _list_with_default, _pair, _Reduction, _single, _triple

    assert (_single(2), _pair(2), _triple(2)) == ((2,), (2, 2), (2, 2, 2))
    assert _list_with_default([None, 3], [4, 5, 6]) == [5, 3]
    assert _Reduction.get_enum("sum") == 2


@pytest.mark.parametrize("kernel", [1, 2])
def test_patches_have_memory_of_their_own(kernel):
    x = torch.zeros(1, 1, 2, 2)
    patches = torch.nn.functional.unfold(x, kernel)
    x.fill_(5)
    assert not patches.any()
    patches += 1
    assert (x == 5).all()


def test_patches_of_no_image_can_be_written_to():
    patches = torch.nn.functional.unfold(torch.zeros(0, 3, 4, 4), 2)
    patches += patches
    assert patches.shape == (0, 12, 9)


def test_an_attribute_of_the_same_name_stands_in_the_way_of_a_parametrization():
    layer = torch.nn.Linear(3, 2)
    layer.__dict__["weight"] = torch.zeros(2, 3)
    with pytest.raises(AssertionError, match="already has an attribute named 'weight'"):
        torch.nn.utils.parametrize.register_parametrization(layer, "weight", torch.nn.Softplus())
    assert isinstance(layer._parameters["weight"], torch.nn.Parameter)


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_statistics_of_half_precision_may_be_kept_in_float32(half):
    x, mean, var = torch.arange(6.0).view(3, 2), torch.zeros(2), torch.ones(2)
    found = torch.batch_norm_update_stats(x.to(half), mean, var, 0.5)
    assert all(each.dtype == torch.float32 for each in found)
    assert mean.tolist() == [1, 1.5] and var.tolist() == [2.5, 2.5]
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        torch.batch_norm_update_stats(x.long(), mean, var, 0.5)
    with pytest.raises(RuntimeError, match="mixed dtype"):
        torch.batch_norm_update_stats(x.double(), mean, var, 0.5)
