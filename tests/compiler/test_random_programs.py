"""Programs of random statements, on tensors that share memory and change between calls: compiled equals eager."""

import random

import numpy as np
import pytest

import rushlight as torch

pytestmark = pytest.mark.usefixtures("small_chains")

UNARY = "abs neg exp sigmoid tanh relu sin sqrt square log1p".split()
BINARY = "add sub mul div maximum minimum".split()
COMPARISONS = "gt le eq".split()
SHAPES = [(6, 4), (4,), (6, 1), (2, 6, 4), (1, 4)]
# more than a block, a leaf and a part of a sum have
LONG = [(3, 1500), (1500,), (3, 1), (2, 3, 1500), (70_000,)]
DTYPES = [torch.float32] * 3 + [torch.float64, torch.int64, torch.bool]


class Program:
    """Statements that one generator draws as they run, so that the same seed is the same program."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.shapes = LONG if self.draw.random() < 0.15 else SHAPES

    def inputs(self):
        """Tensors of which some are leaves, some views, and two lie on arrays of NumPy's, one of them kept."""
        random_numbers = np.random.default_rng(self.draw.randrange(1 << 30))
        self.arrays, made = [], []
        for _ in range(3):
            numbers = random_numbers.normal(size=self.draw.choice(self.shapes)).astype(np.float32) * 2
            tensor = torch.tensor(numbers).to(self.draw.choice(DTYPES))
            if self.draw.random() < 0.4 and tensor.is_floating_point():
                tensor.requires_grad_()
            made.append(tensor)
        array = random_numbers.normal(size=(6, 4)).astype(np.float32)
        self.arrays.append(array)
        made.append(torch.from_numpy(array))
        made.append(made[-1].t().t()[:, ::2])
        made.append(torch.from_numpy(random_numbers.normal(size=(6, 4)).astype(np.float32)))
        return made

    def pick(self, values):
        """A late one rather than an early one."""
        return values[max(self.draw.randrange(len(values)) for _ in range(2))]

    def statement(self, values):
        draw, x, y = self.draw, self.pick(values), self.pick(values)
        kind = draw.random()
        if kind < 0.3:
            values.append(getattr(x, draw.choice(UNARY))())
        elif kind < 0.6:
            values.append(
                getattr(x, draw.choice(BINARY))(y if draw.random() < 0.7 else draw.choice([2, 0.5, -1, True]))
            )
        elif kind < 0.66:
            values.append(torch.where(getattr(x, draw.choice(COMPARISONS))(y), x, y))
        elif kind < 0.7:
            values.append(x.to(draw.choice(DTYPES)))
        elif kind < 0.78:
            values.append(draw.choice([x.t if x.dim() == 2 else x.clone, x.flatten, x.detach, lambda: x[..., :2]])())
        elif kind < 0.85:
            values.append(self.reduction(x))
        elif kind < 0.9:
            with torch.no_grad() if draw.random() < 0.5 else torch.enable_grad():
                draw.choice([lambda: x.add_(1), lambda: x.mul_(y), lambda: x.zero_(), lambda: x.copy_(y)])()
        elif kind < 0.94:
            self.arrays[-1][draw.randrange(6)] += 1
        elif kind < 0.97:
            self.arrays.append(x.detach().numpy())
            self.arrays[-1].reshape(-1)[:1] = 0
        elif x.sum() > 0:
            values.append(x * 2)

    def reduction(self, x):
        """A sum, a mean, or what is made of one."""
        draw = self.draw
        dim, keepdim = draw.choice([None, 0, -1, (0, 1), (-2, -1), (0, -1)]), draw.random() < 0.5
        if draw.random() < 0.3:
            return (x - x.mean(-1, keepdim=True)) / (x * x + 1).sum(dim, keepdim=True).sqrt()
        return draw.choice([x.sum, x.float().mean, x.double().sum])(dim, keepdim)

    def run(self, values):
        """What each statement left, or how it failed."""
        told = []
        for _ in range(self.draw.randrange(4, 24)):
            try:
                self.statement(values)
                told.append(len(values))
            except (RuntimeError, TypeError, IndexError, ValueError) as error:
                told.append(type(error).__name__)
        return told


def outcome(seed, function):
    program = Program(seed)
    values = program.inputs()
    leaves = [each for each in values if each.requires_grad]
    told = function(program.run)(values)
    last = next((each for each in reversed(values) if each.requires_grad and each.grad_fn is not None), None)
    if last is not None:
        try:
            end = program.draw.random()
            if end < 0.5:
                last.backward(torch.ones_like(last))
            else:
                (last.sum() if end < 0.75 else (last * 2).mean()).backward()
        except RuntimeError as error:
            told.append(str(error)[:60])
    grads = [each.grad for each in leaves]
    return told, [described(each) for each in [*values, *grads]]


def described(tensor):
    if tensor is None:
        return None
    array = tensor.detach().numpy()
    if tensor.is_floating_point():
        # the sign of a NaN depends on where the vectors of a loop end
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return tensor.dtype, tensor.shape, tensor.stride(), tensor.requires_grad, tensor._version, array.tobytes()


@pytest.mark.parametrize("part", range(4))
def test_a_random_program(part):
    with np.errstate(all="ignore"):
        for seed in range(part * 100, part * 100 + 100):
            assert outcome(seed, lambda run: run) == outcome(seed, torch.compile), f"seed {seed}"
