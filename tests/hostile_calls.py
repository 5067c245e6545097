"""The list of hostile calls: `hostile_calls.txt`, and calls with objects that raise or lie, run one after the other.

    python -m tests.hostile_calls rushlight  # a line of JSON before and after each call
    python -m tests.hostile_calls torch      # the same calls in PyTorch, whose type and words the list states

In the list a line that begins at the margin is an error, its type and leading words; the calls below it raise that.
"""

import importlib
import json
import resource
import signal
import sys
import warnings
from pathlib import Path

import numpy as np

LIST = Path(__file__).with_name("hostile_calls.txt")
SECONDS = 1.0
MORE_MEMORY = 2**32
# what a first call loads takes longer than a second
WARM_UP = """
torch.fft.fft(x), torch.linalg.inv(torch.eye(2)), torch.kaiser_window(3), torch.special.gammaln(x), torch.cov(x)
torch.cdist(square[0], square[0]), torch.pdist(square[0, 0]), torch.linalg.matrix_exp(torch.eye(2)), F.conv1d(row, pair)
torch.stft(torch.ones(10), 4, return_complex=True), dist.Wishart(torch.tensor(3.0), torch.eye(2)).sample()
F.grid_sample(square, torch.zeros(1, 1, 1, 2)), F.ctc_loss(torch.ones(4, 1, 3), torch.ones(1, 2).long(), (4,), (2,))
F.interpolate(pair, size=3)
"""


def listed():
    """The calls of the list, each with the type and the leading words of its error."""
    wanted = None
    for line in LIST.read_text().splitlines():
        if line.startswith(" "):
            yield line.strip(), *wanted
        else:
            wanted = line.split(": ", 1)


def arguments(torch):
    """What the calls name, made anew for each."""
    zeros = torch.zeros(1, dtype=torch.long)
    return {
        "torch": torch,
        "np": np,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "optim": torch.optim,
        "dist": torch.distributions,
        "x": torch.ones(3),
        "grown": torch.ones(2, 2, requires_grad=True),
        "classes": torch.tensor([0, 1]),
        "far": torch.tensor([2**62]),
        "pair": torch.ones(1, 1, 2),
        "row": torch.ones(1, 1, 4),
        "square": torch.ones(1, 1, 2, 2),
        "plane": torch.ones(1, 1, 4, 4),
        "cube": torch.ones(1, 1, 2, 2, 2),
        "volume": torch.ones(1, 1, 4, 4, 4),
        # views of one element that seem to be huge
        "spread": torch.ones(1).expand(2**40),
        "places": zeros.expand(2**40),
        "column": torch.ones(1, 1).expand(2**40, 1),
        "line": torch.ones(1, 1).expand(1, 2**40),
        "matrix": torch.ones(1, 1).expand(2**24, 2**24),
        "stack": torch.ones(1, 1, 1).expand(2**40, 1, 1),
    }


class Surprise(Exception):
    """What hostile objects raise."""


def surprise(*_, **__):
    raise Surprise("surprise")


def hostile_class(name, **methods):
    return type(name, (), methods)


class Whole(int):
    """A number that answers nothing."""

    __index__ = __int__ = __float__ = __bool__ = __lt__ = __mul__ = __add__ = surprise


class Items(list):
    """A list that answers nothing."""

    __len__ = __iter__ = __getitem__ = surprise


def vanishing():
    """A list that is empty as soon as somebody looks at its first element."""
    found = []

    def look(*_):
        found.clear()
        return 1

    found += [hostile_class("Vanishing", __index__=look, __float__=look, __len__=look, __getitem__=look)(), 2, 3]
    return found


RAISING = """
__index__ __len__ __getitem__ __iter__ __array__ __float__ __int__ __bool__ __eq__ __repr__ __getattr__ __dlpack__
""".split()
OBJECTS = {name: hostile_class(name.strip("_"), **{name: surprise}) for name in RAISING}
OBJECTS |= {
    "__torch_function__": hostile_class("Function", __torch_function__=classmethod(surprise)),
    "__array_interface__": hostile_class("Interface", __array_interface__=property(surprise)),
    "__class__": hostile_class("Classless", __class__=property(surprise)),
    "an index that is text": hostile_class("Text", __index__=lambda self: "a"),
    "a float that is text": hostile_class("Word", __float__=lambda self: "a"),
    "an array that is text": hostile_class("NoArray", __array__=lambda self, *_, **__: "a"),
    "a huge array": hostile_class("Huge", __array__=lambda self, *_, **__: np.broadcast_to(np.ones(1), 2**40)),
    "a negative length": hostile_class("Negative", __len__=lambda self: -1, __getitem__=lambda self, place: place),
    "a length that lies": hostile_class("Lying", __len__=lambda self: 3, __getitem__=lambda self, place: [1, 2][place]),
    "its own element": hostile_class("Nested", __len__=lambda self: 1, __getitem__=lambda self, place: [self][place]),
    "an int": lambda: Whole(2),
    "a list": lambda: Items([1, 2]),
    "a list that vanishes": vanishing,
}
# each with a hostile object for `E()`
WITH_OBJECTS = """
torch.zeros(E()); torch.zeros((E(),)); torch.zeros([E(), 2]); torch.full((2,), E()); torch.tensor(E())
torch.tensor([[1.0], E()]); torch.as_tensor(E()); torch.arange(E()); torch.linspace(0, 1, E()); torch.rand(E())
torch.randint(3, E()); torch.manual_seed(E()); torch.from_numpy(E()); x.new_zeros(E())
x.view(E()); x.reshape((E(), -1)); x.expand(E(), 3); x.repeat(E()); x.unsqueeze(E()); x.permute(E())
x[E()]; x[E():E()]; x[[E()]]; x.__setitem__(E(), 1); x.__setitem__(0, E()); x.index_select(0, E()); x.gather(0, E())
x + E(); E() + x; x * E(); x ** E(); x @ E(); x == E(); x < E(); x.add(E()); x.add_(E()); x.add(1, alpha=E())
torch.addmm(grown, grown, grown, beta=E()); x.clamp(E()); x.fill_(E()); x.lerp(x, E()); x.masked_fill(x > 0, E())
torch.where(E(), x, x); x.sum(E()); x.sum((E(),)); x.softmax(E()); x.std(E()); x.topk(E()); torch.norm(x, E())
torch.cat(E()); torch.cat([E()]); torch.stack([x, E()]); x.split(E()); torch.einsum("i->", E())
F.conv2d(plane, square, stride=E()); F.conv2d(plane, square, groups=E()); F.max_pool2d(plane, E())
F.adaptive_avg_pool2d(plane, E()); F.interpolate(plane, scale_factor=E()); F.pad(x, E()); F.pad(x, (1, E()))
F.dropout(x, E()); F.dropout(x, 0.5, training=E()); F.cross_entropy(grown, E()); F.mse_loss(x, x, reduction=E())
F.leaky_relu(x, E()); F.layer_norm(x, E()); F.embedding(classes, grown, E()); F.one_hot(classes, E()); x.to(E())
nn.Linear(E(), 2); nn.Linear(3, 2)(E()); nn.Sequential(E()); nn.Parameter(E()); nn.ReLU()(E())
optim.SGD(E(), lr=0.1); optim.SGD([grown], lr=E()); optim.Adam([grown], betas=E())
grown.sum().backward(E()); torch.autograd.grad(grown.sum(), [grown], E()); (grown * 2).register_hook(E())
dist.Normal(E(), 1.0); dist.Normal(0.0, 1.0).log_prob(E()); dist.Categorical(E()); torch.multinomial(x, E())
setattr(x, "grad", E()); setattr(x, "data", E()); setattr(x, "requires_grad", E()); torch.set_num_threads(E())
"""


def with_objects():
    """Calls with a hostile object, by the object's name."""
    calls = [each.strip() for line in WITH_OBJECTS.strip().splitlines() for each in line.split(";")]
    return [(name, call) for name in OBJECTS for call in calls]


class TooSlow(BaseException):
    """A call that is still computing: the time is the processor's, since a busy machine is no fault."""


def stop(*_):
    raise TooSlow


def contents(named):
    """The bytes of the tensors that a call may name, but for those that only seem to be large."""
    tensors = [each for each in named.values() if hasattr(each, "element_size") and each.numel() < 2**20]
    return [each.detach().numpy().tobytes() for each in tensors]


def attempt(call, named):
    """How a call ends: its error's type and those above it, its words, and whether the arguments are as before."""
    before = contents(named)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        eval(call, dict(named))
        return [], "", True
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        kinds = [each.__name__ for each in type(error).__mro__]
        return kinds, str(error), contents(named) == before
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(library):
    """Run all calls in this process, and print how they end."""
    torch = importlib.import_module(library)
    warnings.simplefilter("ignore")
    eval(f"({WARM_UP.strip().replace(chr(10), ', ')})", arguments(torch))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGPROF, stop)
    work = [("", call) for call, *_ in listed()] + with_objects()
    for name, call in work:
        print(json.dumps([name, call]), flush=True)
        named = arguments(torch)
        if name:
            named["E"] = OBJECTS[name]
        print(json.dumps([name, call, *attempt(call, named)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
