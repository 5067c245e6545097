"""Values are followed where autograd does not: through constructors, numbers, arrays and a program's source."""

import numpy as np
import pytest

import rushlight
from rushlight import doctor, nn
from rushlight.doctor import flow
from rushlight.doctor.checks.leaves import distance, meant
from rushlight.doctor.cuts import first_cuts
from rushlight.errors import location


@pytest.fixture
def watch():
    with doctor.watch() as watching:
        yield watching


def names_behind(watch, tensor):
    return [each.name for each in watch.trace.of(tensor).inputs]


def cut_of(watch, tensor):
    (cut,) = first_cuts([watch.trace.of(tensor)])
    return cut.kind, cut.exit.name


@pytest.fixture
def weight():
    return nn.Parameter(rushlight.ones(3))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "kind", "name"),
    [
        (lambda w: rushlight.tensor([w[0], w[1]]) * 2, "history-rebuilt", "tensor"),
        (lambda w: rushlight.FloatTensor([w[0], w[1]]) * 2, "history-rebuilt", "FloatTensor"),
        (lambda w: rushlight.Tensor([w[0], w[1]]) * 2, "history-rebuilt", "Tensor"),
        (lambda w: rushlight.tensor(w * 2, requires_grad=True) * 2, "history-rewrapped", "tensor"),
        (lambda w: (w * 2).detach().requires_grad_() * 2, "history-rewrapped", "requires_grad_"),
        (lambda w: nn.Parameter(w * 2) * 2, "history-rewrapped", "Parameter"),
        (lambda w: rushlight.from_numpy((w * 2).detach().numpy()) * 2, "history-numpy", "numpy"),
        (lambda w: rushlight.ones(1) * (w * 0.3)[0].item(), "history-item", "item"),
        (lambda w: (w * 2).detach() * 2, "history-detach", "detach"),
        (lambda w: (w * 2).data * 2, "history-detach", "data"),
        (lambda w: (w * 2).topk(2).indices * 2, "history-nondiff", "topk"),
        (lambda w: (w > 0).float() * 2, "history-nondiff", "gt"),
        (lambda w: rushlight.distributions.Normal(w, 1.0).sample() * 2, "history-sample", "sample"),
    ],
)
def test_each_way_to_lose_a_history_has_its_name(watch, weight, make, kind, name):
    assert cut_of(watch, make(weight)) == (kind, name)


def test_values_of_topk_are_no_cut(watch, weight):
    values = (weight * 2).topk(2).values
    assert first_cuts([watch.trace.of(values * 2)]) == []


def test_a_view_is_no_write_to_its_base(watch):
    x = rushlight.randn(3)
    before = watch.trace.of(x)
    x[0]
    assert watch.trace.of(x) is before


def test_a_frozen_parameter_is_data_and_a_freed_one_a_leaf(watch, weight):
    weight.requires_grad_(False)
    assert not watch.trace.of(weight * 2).carries
    weight.requires_grad = True
    assert watch.trace.of(weight * 2).live
    assert first_cuts([watch.trace.of((weight * 2).sum())]) == []


def test_the_mean_that_numpy_takes_of_tensors_keeps_their_history_under_a_watch(watch, weight):
    mean = np.mean([weight[0] * 2, weight[1] * 3])
    mean.backward()
    assert weight.grad.tolist() == [1.0, 1.5, 0.0]


def test_a_row_of_an_embedding_may_be_cleared_under_a_watch(watch):
    assert nn.Embedding(4, 2, padding_idx=0).weight[0].tolist() == [0.0, 0.0]


def test_numbers_of_a_watched_run_are_those_of_a_plain_one():
    def run():
        rushlight.manual_seed(3)
        net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        optimizer = rushlight.optim.Adam(net.parameters())
        for _ in range(5):
            x = rushlight.randn(6, 3)
            loss = (net(x) - float(x[0, 0])).pow(2).mean() + rushlight.from_numpy(x.numpy() * 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [each.tolist() for each in net.parameters()], type(x.numpy()), type(loss.item())

    plain = run()
    with doctor.watch() as watching:
        watched = run()
    assert watched == plain == (plain[0], np.ndarray, float)
    assert watching.findings == []


SOURCE = """
def scores(net, x):
    values = net(x).detach().numpy()
    scaled = (values - values.mean()) / values.std()
    kept = []
    for each in scaled:
        kept.append(each)
    return kept


class Learner:
    def learn(self, x):
        self.total = sum(scores(self.net, x))
        other = x.mean()
        action = self.act(x).item()
        state = self.env.step(action)
        loss = other + self.total
        late = other + state
"""


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    code = compile(SOURCE, str(path), "exec")

    def at(text):
        wanted = line_of(text)
        found = [code]
        while found:
            each = found.pop()
            found += [one for one in each.co_consts if hasattr(one, "co_lines")]
            for start, _, line in each.co_lines():
                if line == wanted and line != each.co_firstlineno:
                    return each, start
        raise AssertionError(text)

    return at


def test_the_source_tells_where_a_value_went(place):
    start = place("detach().numpy()")
    assert location.line_number(start) == line_of("detach().numpy()")
    names = flow.names_from(start)
    assert flow.takes(place("loss = other"), names, start)
    assert not flow.takes(place("other = x.mean"), names, start)


def test_what_an_environment_answers_is_no_form_of_the_action(place):
    start = place("self.act(x).item()")
    assert not flow.takes(place("late = other"), flow.names_from(start), start)


def test_slips_of_a_name_are_known_and_own_names_are_left_alone():
    assert distance("requires_gard", "requires_grad") == 1
    assert meant("require_grad", False) == meant("trainable", False) == "requires_grad"
    assert meant("gard", None) == "grad"
    assert meant("is_shared", False) is None
    assert meant("lr_scale", 0.1) is None
    assert meant("grads", None) is None
