"""Signs and ancestry: with which sign values enter a loss, and what is known as a log-probability."""

import pytest

import rushlight as torch
from rushlight import doctor, nn
from rushlight.distributions import Categorical, Normal
from rushlight.doctor.ancestry import Ancestry, is_pathwise, scores_in
from rushlight.doctor.signs import influences
from rushlight.doctor.trace import is_in_place


def sign_and_plainness(make_loss):
    """How a leaf of three elements enters the loss that is made of it."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with doctor.watch() as watch:
        loss = make_loss(x)
        root, leaf = watch.trace.of(loss), watch.trace.of(x)
        found = influences(Ancestry([root]), [root])[leaf.number]
    return found.sign, found.plain


@pytest.mark.parametrize(
    ("make_loss", "expected"),
    [
        (lambda x: x.mean(), (1, True)),
        (lambda x: -x.mean(), (-1, True)),
        (lambda x: 1 - x.sum(), (-1, True)),
        (lambda x: -(2.0 - 0.5 * x).sum() / 4, (1, True)),
        (lambda x: torch.logsumexp(x, 0), (1, True)),
        (lambda x: (x * torch.tensor([1.0, -1.0, 2.0])).sum(), (0, False)),
        (lambda x: x.sum() - x.mean(), (0, True)),
        (lambda x: x.pow(2).sum(), (0, False)),
        (lambda x: torch.stack([-x[0], -x[1]]).sum(), (-1, True)),
        (lambda x: x.sum() * float(torch.rand(()) + 0.5), (1, False)),
    ],
)
def test_the_sign_of_a_value_in_a_loss_is_followed(make_loss, expected):
    assert sign_and_plainness(make_loss) == expected


def test_a_tensor_of_one_sign_keeps_it():
    mask = torch.tensor([1.0, 0.0, 1.0])
    assert sign_and_plainness(lambda x: -(x * mask).sum() / mask.sum()) == (-1, False)


def test_log_probabilities_are_known_by_hand_and_by_distribution():
    logits = torch.randn(4, 3, requires_grad=True)
    actions = torch.tensor([0, 1, 2, 0])
    with doctor.watch() as watch:
        for made in (
            Categorical(logits=logits).log_prob(actions),
            logits.log_softmax(1).gather(1, actions[:, None]).squeeze(1),
            torch.log(logits.softmax(1)[torch.arange(4), actions]),
            nn.functional.cross_entropy(logits, actions, reduction="none"),
            (Categorical(logits=logits).log_prob(actions) - 1.0).exp(),
        ):
            assert len(scores_in(watch.trace.of(2 * made))) == 1
        assert scores_in(watch.trace.of(logits.softmax(1))) == []


def test_a_value_is_pathwise_after_rsample_and_not_after_a_flow():
    shift = torch.zeros(2, requires_grad=True)
    with doctor.watch() as watch:
        own = Normal(shift, 1.0)
        assert is_pathwise(watch.trace.of(own.log_prob(own.rsample())))
        assert not is_pathwise(watch.trace.of(own.log_prob(own.sample())))
        assert not is_pathwise(watch.trace.of(Normal(0.0, 1.0).log_prob(torch.ones(2) - shift)))


def test_an_index_is_no_write():
    assert is_in_place("mul_")
    assert not is_in_place("__getitem__")
    x = torch.ones(3, requires_grad=True) * 2
    with doctor.watch() as watch:
        before = watch.trace.of(x)
        x[0]
        assert watch.trace.of(x) is before
