"""Seeded programs: random calls of random functions, written as lines of Python that name a library `torch`.

A line shows a result with `exact`, if it is the same to the last bit, or with `near`.
"""

from __future__ import annotations

import math
import random

LINES = 15
SHAPES = [(), (0,), (1,), (2,), (7,), (15,), (16,), (17,), (33,), (100,), (700,), (3, 7), (5, 1), (4, 5, 8), (2, 0, 3)]
FULL = ["float32", "float64"]
FLOATS = ["float32", "float32", "float64", "float16", "bfloat16"]
WHOLE = ["int64", "int32", "int16", "int8", "uint8"]
STATES = [
    "kept = torch.get_rng_state(); near(torch.randn(3)); torch.set_rng_state(kept)",
    "kept = first.get_state(); near(torch.randn(5, generator=first)); second.set_state(kept)",
    "second = first.clone_state()",
    "first.manual_seed(7); exact(torch.tensor(first.initial_seed()))",
    "with torch.random.fork_rng(): near(torch.randn(5))",
    "with torch.random.fork_rng(): torch.manual_seed(3); exact(torch.rand(700))",
    "second = copy.deepcopy(first)",
    "first = pickle.loads(pickle.dumps(second))",
]


def write_program(seed: int) -> list[str]:
    """The lines of one program, the same ones for the same seed."""
    writer = Writer(seed)
    kinds = [getattr(writer, name) for name in vars(Writer) if not name.startswith("_")]
    lines = [
        f"torch.manual_seed({writer._random.randrange(2**40)})",
        f"first, second = torch.Generator(), torch.Generator().manual_seed({seed})",
    ]
    return lines + [writer._pick(kinds)() for _ in range(LINES)]


class Writer:
    """Each public method writes a line about functions that belong together."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._pick = self._random.choice

    def new(self):
        name, dtype = self._pick(["rand", "randn"]), self._pick([*FLOATS, "complex64"])
        shown = "exact" if name == "rand" else "near"
        return f"{shown}(torch.{name}({self._pick(SHAPES)}, dtype=torch.{dtype}{self._source()}))"

    def into(self):
        shape, std = self._pick([(3, 7), (4, 5), (2, 3)]), self._number(0, 2)
        out = f"torch.zeros({shape[::-1]}, dtype=torch.{self._pick(FULL)})" + self._pick([".t()", f".reshape({shape})"])
        shown, call = self._pick(
            [
                ("exact", f"rand({shape}"),
                ("exact", f"randint(9, {shape}"),
                ("exact", f"bernoulli(torch.full({shape}, 0.3)"),
                ("near", f"randn({shape}"),
                ("near", f"normal(0.5, {std}, {shape}"),
                ("near", f"normal(torch.ones({shape}), {std}"),
                ("near", f"normal(0.5, torch.full({shape}, {std})"),
            ]
        )
        return f"{shown}(torch.{call}, out={out}{self._source()}))"

    def like(self):
        shape = self._pick([*SHAPES, (2, 3, 4, 5)])
        layout = ".to(memory_format=torch.channels_last)" if len(shape) == 4 else self._layout(shape)
        given = f"torch.zeros({shape}, dtype=torch.{self._pick(FLOATS)}){layout}"
        name, bounds = self._pick([("rand", ""), ("randn", ""), ("randint", ", 9"), ("randint", ", -3, 70")])
        return f"{'near' if name == 'randn' else 'exact'}(torch.{name}_like({given}{bounds}{self._source()}))"

    def whole(self):
        dtype = self._pick([*WHOLE, *FULL])
        low, high = self._pick([(0, 2), (1, 9), (5, 6), (0, 100)])
        if dtype in ("int64", "float64"):
            low, high = self._pick([(-9, 9), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**45), (3, 2**50)])
        return f"exact(torch.randint({low}, {high}, {self._pick(SHAPES)}, dtype=torch.{dtype}{self._source()}))"

    def order(self):
        n, dtype = self._pick([0, 1, 2, 5, 10, 100, 255, 256, 3000]), self._pick(["int64", "int32", *FULL])
        return f"exact(torch.randperm({n}, dtype=torch.{dtype}{self._source()}))"

    def normal(self):
        mean, std, shape = self._number(-2, 2), self._number(0, 3), self._pick(SHAPES)
        means, layout = self._values(self._pick(FULL), shape, -2, 2), self._layout(shape)
        arguments = self._pick(
            [
                f"{mean}, {std}, {shape}",
                f"{means}{layout}, {std}",
                f"{mean}, {means}.abs(){layout}",
                f"{means}{layout}, torch.ones({shape}){layout}",
                f"torch.zeros(3, 1), torch.full((1, 7), {std})",
                f"{means}.float(), torch.full({shape}, {std}), out=torch.empty({shape})",
            ]
        )
        return f"near(torch.normal({arguments}{self._source()}))"

    def bernoulli(self):
        p, shape, source = self._number(0, 1), self._pick(SHAPES), self._source()
        chances = self._values(self._pick(FLOATS), shape, 0, 1)
        call = self._pick(
            [
                f"torch.bernoulli({chances}{self._layout(shape)}{source})",
                f"torch.bernoulli({chances}, out=torch.empty({shape}, dtype={chances}.dtype){source})",
                f"torch.bernoulli({self._target(FLOATS)}, {p}{source})",
                f"{self._target([*FLOATS, *WHOLE, 'bool'])}.bernoulli_({p}{source})",
                f"torch.zeros({(3, *shape)}).transpose(0, -1).bernoulli_({self._values('float32', (3,), 0, 1)}{source})"
                if shape
                else f"torch.zeros(4, 3).bernoulli_({self._values('float64', (3,), 0, 1)}{source})",
            ]
        )
        return f"exact({call})"

    def in_place(self):
        call = self._pick(
            [
                f"normal_({self._number(-2, 2)}, {self._number(0, 2)}",
                f"exponential_({self._number(0.1, 4)}",
                f"cauchy_({self._number(-1, 1)}, {self._number(0.1, 2)}",
                f"log_normal_({self._number(-1, 0.5)}, {self._number(0.1, 0.7)}",
            ]
        )
        return f"near({self._target(FLOATS)}.{call}{self._source()}))"

    def in_place_exactly(self):
        low = self._number(-5, 5)
        dtypes, call = self._pick(
            [
                (FLOATS, f"uniform_({low}, {low + self._number(0, 9)}"),
                (FULL, f"uniform_({low * 1e-9}, {abs(low) * 1e5 + 1}"),
                ([*FLOATS, *WHOLE], f"geometric_({self._number(0.2, 0.95)}"),
                ([*FLOATS, *WHOLE, "bool"], "random_(*()"),
                ([*FLOATS, *WHOLE], "random_(90"),
                ([*FLOATS, *WHOLE], "random_(3, 50"),
                (["complex64"], "uniform_(0, 1"),
            ]
        )
        return f"exact({self._target(dtypes)}.{call}{self._source()}))"

    def indices(self):
        shape = self._pick([(1,), (9,), (3, 6), (10, 40)])
        weights = self._values(self._pick(FULL), shape, 0.1, 1) + self._pick(
            ["", ".mT.contiguous().mT"] if len(shape) == 2 else [""]
        )
        replacement = self._random.random() < 0.5
        count = self._pick([1, 4, 30]) if replacement else self._random.randint(1, shape[-1])
        return f"exact(torch.multinomial({weights}, {count}, {replacement}{self._source()}))"

    def counts(self):
        shape, dtype = self._pick(SHAPES), self._pick(FULL)
        rates = self._values(self._pick(FLOATS), shape, 0, self._pick([3, 40, 900])) + self._layout(shape)
        trials = self._values(dtype, shape, 0, self._pick([5, 90, 1e5])) + ".round()"
        chances = self._values(dtype, self._pick([shape, ()]), 0, 1)
        call = self._pick([f"poisson({rates}", f"binomial({trials}, {chances}"])
        return f"exact(torch.{call}{self._source()}))"

    def gamma(self):
        name, shape = self._pick(["_standard_gamma", "_sample_dirichlet"]), self._pick(SHAPES)
        alpha = self._values(self._pick(FULL), shape, 0.1, self._pick([1, 3, 50])) + self._layout(shape)
        return f"near(torch.{name}({alpha}{self._source()}))"

    def dropout(self):
        shape = self._pick([(2, 3), (5, 4), (2, 3, 4), (3, 5, 4, 2)])
        given = f"-torch.ones({shape}, dtype=torch.{self._pick(FULL)})"
        name = self._pick(["dropout", "alpha_dropout", "feature_alpha_dropout", "rrelu", "channels"])
        if name == "channels":
            return f"near(torch.nn.functional.dropout{max(1, len(shape) - 2)}d({given}, {self._number(0, 0.9)}))"
        given += self._pick(["", ".transpose(0, 1)"])
        if name == "rrelu":
            return f"near(torch.rrelu({given}, 0.1, 0.4, True{self._source()}))"
        place = self._pick(["torch", "torch.nn.functional"])
        return f"near({place}.{name}({given}, {self._number(0, 0.9)}, True))"

    def states(self):
        return self._pick(STATES)

    def _source(self):
        return self._pick(["", "", ", generator=first", ", generator=second"])

    def _number(self, low, high):
        return round(self._random.uniform(low, high), 3)

    def _values(self, dtype, shape, low, high):
        """A tensor of parameters that every dtype holds exactly."""
        count = math.prod(shape)
        few = [round(self._random.uniform(low, high) * 64) / 64 for _ in range(min(17, count))]
        return f"torch.tensor({few} * {count // 17 + 1})[:{count}].to(torch.{dtype}).reshape({shape})"

    def _target(self, dtypes):
        shape = self._pick(SHAPES)
        return f"torch.zeros({shape}, dtype=torch.{self._pick(dtypes)}){self._layout(shape)}"

    def _layout(self, shape):
        """Behind a tensor of this shape: a view of another layout."""
        if not shape:
            return ""
        order = self._random.sample(range(len(shape)), len(shape))
        return self._pick(["", "", f".permute({order})", "[::2]", "[1:]", f".permute({order})[..., ::2]"])
