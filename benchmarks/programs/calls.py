"""Single calls of ops on tensors of a given size."""

import ast

import numpy as np

from benchmarks.data import Source

# Sizes and their matrices, their square matrices, and their batches of square matrices.
SHAPES = {4: ((2, 2), 2, (1, 2)), 1000: ((25, 40), 32, (10, 10)), 1_000_000: ((1000, 1000), 1000, (100, 100))}
# Those of `Inputs` that a gradient is wanted of.
LEAVES = frozenset(
    "x y p m k v side column distinct square other_square batch other_batch batch_rows other_batch_rows unit".split()
)


class Inputs:
    """What a call may name, made when it does."""

    def __init__(self, size):
        (self.r, self.c), self.edge, (self.batches, self.width) = SHAPES[size]
        self.n = size
        self.source = Source(size)

    def __getitem__(self, name):
        found = getattr(self, name)
        return found() if callable(found) else found

    def x(self):
        return self.source.normal(self.n)

    y = w = array = x

    def x_again(self):
        return Inputs(self.n).x()

    def m(self):
        return self.source.normal(self.r, self.c)

    k = work = m

    def v(self):
        return self.source.normal(self.c)

    def side(self):
        return self.source.normal(self.edge)

    def column(self):
        return self.source.normal(self.n, 1)

    def scalar(self):
        return self.source.normal(1)

    def distinct(self):
        """The order of equal elements is nobody's promise."""
        return self.source.generator.permutation(self.n).astype(np.float32)

    def p(self):
        return self.source.uniform(0.1, 0.9, self.n)

    target = p

    def unit(self):
        """Signs: products and quotients with them neither grow nor vanish."""
        return np.sign(self.x())

    def square(self):
        return self.source.normal(self.edge, self.edge)

    other_square = square

    def batch(self):
        return self.source.normal(self.batches, self.width, self.width)

    other_batch = batch

    def batch_rows(self):
        return self.source.normal(self.batches, self.width)

    other_batch_rows = batch_rows

    def ints(self):
        return self.source.integers(10, self.n)

    other_ints = ints

    def labels(self):
        return self.source.integers(self.c, self.r)

    def index(self):
        """A permutation for each row."""
        return np.argsort(self.m(), axis=1)

    def mask(self):
        return self.x() > 0

    def yes(self):
        return np.ones(self.n, bool)

    def no(self):
        return np.zeros(self.n, bool)

    def values(self):
        return self.x().tolist()


class Call:
    """One op, called without a graph or with a backward through it."""

    def __init__(self, call, size, backward):
        self.call = call
        self.inputs = Inputs(size)
        self.backward = backward
        self.repeat = max(1, 20_000 // (size + 100))

    def torch(self, library):
        values = {"torch": library.module, "F": library.module.nn.functional, "repeat": self.repeat}
        names = [name for name in names_in(self.call) if name not in values]
        values.update((name, self.place(name, self.inputs[name], library)) for name in names)
        leaves = [values[name] for name in names if name in LEAVES] if self.backward else []
        exec(self.source(names), values)
        checked = None

        def before():
            nonlocal checked
            if checked is None:
                library.module.manual_seed(0)
                checked = self.check(values["once"](), leaves)
            return checked

        return before, values["step"]

    def place(self, name, value, library):
        """An input as the library takes it."""
        if not isinstance(value, np.ndarray) or name == "array":
            return value
        return library.leaf(value) if self.backward and name in LEAVES else library.tensor(value)

    def source(self, names):
        """`step`, which repeats the call without a frame of its own, and `once`."""
        work = f"result = {self.call}"
        if self.backward:
            forget = "; ".join(f"{name}.grad = None" for name in names if name in LEAVES)
            first = "result = result if isinstance(result, torch.Tensor) else result[0]"
            work = f"{forget}; {work}; {first}; result.sum().backward()"
        return (
            f"def once():\n    {work}\n    return result\n\n"
            f"def step(checked):\n    for _ in range(repeat):\n        {work}\n    return checked\n"
        )

    def check(self, result, leaves):
        """A number that tells the results of two libraries apart."""
        if "empty" in self.call:
            return float(result.numel())
        results = result if isinstance(result, tuple | list) and hasattr(result[0], "numel") else [result]
        grads = [leaf.grad for leaf in leaves if leaf.grad is not None]
        return sum(weigh(each) for each in [*results, *grads])


def names_in(expression):
    """The variables of an expression, each once."""
    found = (node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name))
    return list(dict.fromkeys(found))


def weigh(value):
    """The sum of all elements, each with a weight of its own."""
    array = np.asarray(value.detach() if hasattr(value, "detach") else value, dtype=np.float64).ravel()
    return float(array @ np.cos(np.arange(array.size)))
