"""Averaged models: means, moving averages, buffers, and the statistics of batch norms."""

import pytest

import rushlight as torch
from rushlight.optim.swa_utils import (
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_avg_fn,
    get_swa_multi_avg_fn,
    update_bn,
)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(2))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        return x * self.weight


def average(values, **options):
    """An averaged model that saw the weight take these values."""
    model = Model()
    averaged = AveragedModel(model, **options)
    for value in values:
        with torch.no_grad():
            model.weight.fill_(value)
            model.seen.fill_(value)
            model.count.fill_(int(value))
        averaged.update_parameters(model)
    assert averaged.n_averaged.item() == len(values)
    return averaged


@pytest.mark.parametrize(
    "options", [{}, {"avg_fn": get_swa_avg_fn()}, {"multi_avg_fn": get_swa_multi_avg_fn()}], ids=["", "one", "many"]
)
def test_the_mean_of_all_models(options):
    averaged = average([1.0, 2.0, 6.0], **options)
    assert averaged.module.weight.tolist() == pytest.approx([3.0, 3.0])
    assert averaged.module.seen.item() == 6.0
    assert averaged.module.weight.requires_grad
    with_buffers = average([1.0, 2.0, 6.0], use_buffers=True, **options)
    assert with_buffers.module.seen.item() == pytest.approx(3.0)
    # 1, then 1.5 cut off, then 2.67 cut off
    assert with_buffers.module.count.item() == 2


@pytest.mark.parametrize("options", [{"avg_fn": get_ema_avg_fn(0.5)}, {"multi_avg_fn": get_ema_multi_avg_fn(0.5)}])
def test_a_moving_average(options):
    assert average([1.0, 2.0, 6.0], **options).module.weight.tolist() == pytest.approx([3.75, 3.75])
    assert average([2.0, 4.0, 8.0], use_buffers=True, **options).module.count.item() == 5


def test_a_function_of_the_programs_own():
    averaged = average([1.0, 2.0, 6.0], avg_fn=lambda average, current, count: average + current * count)
    assert averaged.module.weight.tolist() == [15.0, 15.0]


def test_the_averaged_model_computes_and_is_saved():
    averaged = average([1.0, 3.0])
    assert averaged(torch.ones(2)).tolist() == [2.0, 2.0]
    assert list(averaged.state_dict()) == ["n_averaged", "module.weight", "module.seen", "module.count"]
    other = AveragedModel(Model(), device="cpu")
    other.load_state_dict(averaged.state_dict())
    assert other.n_averaged.item() == 2


def test_the_model_is_left_alone():
    model = Model()
    averaged = AveragedModel(model)
    averaged.update_parameters(model)
    with torch.no_grad():
        averaged.module.weight += 1
    assert model.weight.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("get", [get_ema_avg_fn, get_ema_multi_avg_fn])
def test_a_decay_is_between_0_and_1(get):
    with pytest.raises(ValueError, match=r"Invalid decay value 1\.5 provided"):
        get(1.5)


def test_two_functions_are_one_too_many():
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        AveragedModel(Model(), avg_fn=get_swa_avg_fn(), multi_avg_fn=get_swa_multi_avg_fn())


def test_batch_norms_take_the_mean_over_all_batches():
    model = torch.nn.Sequential(torch.nn.Identity(), torch.nn.BatchNorm1d(1)).eval()
    model[1].running_mean.fill_(100.0)
    batches = [torch.tensor([[1.0], [3.0]]), (torch.tensor([[7.0], [9.0]]), "label"), [torch.tensor([[2.0], [2.0]])]]
    update_bn(batches, model, device="cpu")
    assert model[1].running_mean.item() == pytest.approx(4.0)
    assert model[1].momentum == 0.1
    assert not model.training


def test_a_failing_batch_leaves_momentum_and_mode():
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(1)).eval()
    with pytest.raises(AttributeError):
        update_bn(["no tensor"], model)
    assert model[0].momentum == 0.1
    assert not model.training


def test_without_batch_norms_nothing_is_read():
    update_bn(iter([None]), Model())


def test_parameters_are_paired_in_their_order_and_what_is_left_over_stays():
    averaged = AveragedModel(torch.nn.Linear(2, 1))
    longer = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Linear(1, 4))
    averaged.update_parameters(longer)
    assert torch.equal(averaged.module.weight, longer[0].weight) and averaged.n_averaged == 1
    averaged = AveragedModel(longer)
    averaged.update_parameters(torch.nn.Linear(2, 1))
    assert torch.equal(averaged.module[1].weight, longer[1].weight)


def test_a_parameter_of_its_own_takes_part_unless_buffers_do():
    for use_buffers in (False, True):
        averaged = AveragedModel(torch.nn.Linear(3, 2), use_buffers=use_buffers)
        averaged.register_parameter("own", torch.nn.Parameter(torch.ones(2)))
        if use_buffers:
            averaged.update_parameters(averaged.module)
            assert averaged.n_averaged == 1
        else:
            with pytest.raises(RuntimeError, match="The size of tensor a"):
                averaged.update_parameters(averaged.module)
            assert averaged.n_averaged == 0


def test_buffers_of_another_number_are_refused_after_the_parameters_were_averaged():
    averaged = AveragedModel(torch.nn.BatchNorm1d(2))
    other = torch.nn.BatchNorm1d(2, track_running_stats=False)
    other.weight.data.fill_(5)
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter"):
        averaged.update_parameters(other)
    assert averaged.module.weight.tolist() == [5.0, 5.0]
