"""torch.profiler: what it records, when, and how it shows it."""

import gzip
import json

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule


def keys(profiler):
    return [each.key for each in profiler.events()]


def test_calls_are_events_in_the_order_in_which_they_begin():
    x, y = torch.ones(2, 3), torch.ones(3, 2)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        torch.relu(x @ y).sum()
    assert keys(profiler) == ["aten::matmul", "aten::relu", "aten::sum"]


def test_outside_of_a_profile_nothing_is_recorded():
    with profile() as profiler:
        torch.ones(1).exp()
    torch.ones(1).log()
    with record_function("later"):
        pass
    assert keys(profiler) == ["aten::ones", "aten::exp"]


def test_a_named_block_holds_the_calls_inside():
    with profile() as profiler, record_function("outer"):
        torch.ones(3).sum()
    block = profiler.events()[0]
    assert [each.key for each in block.cpu_children] == ["aten::ones", "aten::sum"]
    inside = sum(each.cpu_time_total for each in block.cpu_children)
    assert block.cpu_time_total >= inside and block.self_cpu_time_total == pytest.approx(block.cpu_time_total - inside)


def test_a_function_may_be_named():
    @record_function("mine")
    def double(x):
        """Twice x."""
        return x * 2

    with profile() as profiler:
        double(torch.ones(1))
    assert keys(profiler) == ["aten::ones", "mine", "aten::mul"] and double.__doc__ == "Twice x."


def test_the_nodes_of_a_backward_are_events_inside_of_it():
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp().sum()
    with profile() as profiler:
        y.backward()
    backward = profiler.events()[0]
    assert backward.key == "aten::backward"
    assert [each.key for each in backward.cpu_children] == ["SumBackward0", "ExpBackward0", "MulBackward0"]
    assert x.grad is not None


def test_the_line_of_the_program_is_known():
    x = torch.ones(3)
    with profile() as profiler:
        x.exp()
    assert "test_profiler.py" in profiler.events()[0].stack[0]
    assert "test_profiler.py" in profiler.key_averages(group_by_stack_n=1).table()


def test_shapes_are_recorded_on_request():
    with profile(record_shapes=True) as profiler:
        torch.ones(2, 3).add(torch.ones(3))
    assert profiler.events()[-1].input_shapes == [[2, 3], [3]]
    assert "[[2, 3], [3]]" in profiler.key_averages(group_by_input_shape=True).table()


def test_averages_count_calls_and_their_times():
    x = torch.ones(4)
    with profile() as profiler:
        for _ in range(5):
            x.exp()
        x.log()
    found = {each.key: each for each in profiler.key_averages()}
    assert (found["aten::exp"].count, found["aten::log"].count) == (5, 1)
    assert found["aten::exp"].cpu_time == pytest.approx(found["aten::exp"].cpu_time_total / 5)
    total = profiler.key_averages().total_average()
    assert total.count == 6 and total.self_cpu_time_total == pytest.approx(profiler.events().self_cpu_time_total)


def test_the_table_is_sorted_and_cut_as_asked():
    x = torch.ones(4)
    with profile() as profiler:
        x.exp(), x.exp(), x.log()
    lines = profiler.key_averages().table(sort_by="count", row_limit=1).splitlines()
    assert lines[1].split() == "Name Self CPU % Self CPU CPU total % CPU total CPU time avg # of Calls".split()
    assert (
        lines[3].split()[0] == "aten::exp"
        and lines[3].split()[-1] == "2"
        and lines[5].startswith("Self CPU time total:")
    )
    with pytest.raises(AssertionError, match="sort_by should be one of"):
        profiler.key_averages().table(sort_by="beauty")


def test_steps_of_an_optimizer_have_a_name():
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([weight])
    weight.sum().backward()
    with profile() as profiler:
        optimizer.step()
    assert "Optimizer.step#Adam.step" in keys(profiler)


def test_a_whole_step_of_training_is_recorded_and_gives_the_same_numbers():
    def train(watched):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for _ in range(3):
            with profile() if watched else record_function("plain"):
                loss = nn.functional.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            losses.append(loss.item())
        return losses

    assert train(True) == train(False)


def test_a_schedule_says_what_is_recorded():
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    names = "NONE NONE WARMUP RECORD RECORD_AND_SAVE NONE WARMUP RECORD RECORD_AND_SAVE NONE NONE NONE".split()
    assert [plan(step).name for step in range(12)] == names


def test_a_schedule_that_cannot_be_is_refused():
    with pytest.raises(AssertionError, match=r"Invalid profiler schedule arguments\. Got wait=-1"):
        schedule(wait=-1, warmup=0, active=1)


def test_traces_are_handed_over_when_they_are_ready():
    ready = []
    plan = schedule(wait=1, warmup=1, active=1)
    with profile(schedule=plan, on_trace_ready=lambda each: ready.append((each.step_num, keys(each)))) as profiler:
        for step in range(6):
            torch.ones(1) if step % 2 else torch.zeros(1)
            profiler.step()
    assert ready == [(2, ["ProfilerStep#2", "aten::zeros"]), (5, ["ProfilerStep#5", "aten::ones"])]
    assert profiler.current_action is ProfilerAction.NONE


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_a_trace_for_the_browser(tmp_path, name):
    with profile(record_shapes=True) as profiler, record_function("block"):
        torch.ones(2).exp()
    profiler.add_metadata("made", "here")
    profiler.export_chrome_trace(tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    trace = json.loads(gzip.decompress(raw) if name.endswith("gz") else raw)
    events = {each["name"]: each for each in trace["traceEvents"]}
    assert trace["made"] == "here" and events["block"]["cat"] == "user_annotation"
    assert (
        events["aten::exp"]["args"]["Input Dims"] == [[2]] and "test_profiler.py" in events["aten::exp"]["args"]["Line"]
    )
    assert events["block"]["ts"] <= events["aten::exp"]["ts"]


def test_tensorboard_gets_a_file_for_each_trace(tmp_path):
    with profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(str(tmp_path), "me")):
        torch.ones(1)
    assert [each.name.split(".")[0] for each in tmp_path.glob("*.pt.trace.json")] == ["me"]


def test_an_exception_inside_leaves_whole_events():
    with pytest.raises(RuntimeError), profile() as profiler, record_function("block"):
        torch.ones(2) + torch.ones(3)
    assert all(each.time_range.end >= each.time_range.start for each in profiler.events())
    assert "aten::add" in keys(profiler)


def test_the_older_profiler():
    with torch.autograd.profiler.profile() as profiler:
        torch.ones(2).exp()
    assert [each.name for each in profiler.function_events] == ["aten::ones", "aten::exp"]
    assert "aten::exp" in profiler.table() and profiler.total_average().count == 2
    with torch.autograd.profiler.profile(enabled=False) as none:
        torch.ones(1)
    assert none is None


def test_marks_for_other_profilers_are_refused():
    with pytest.raises(RuntimeError, match="NVTX functions not installed"), torch.autograd.profiler.emit_nvtx():
        pass
