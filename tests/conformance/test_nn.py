"""Networks beside torch: from one seed the same text, weights, outputs, gradients and weights after three steps."""

import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

BATCH, FEATURES = 5, 4

LAYERS = """
Linear(4, 3)
Linear(4, 3, bias=False)
Identity()
Bilinear(4, 4, 3)
Bilinear(4, 4, 3, bias=False)
LayerNorm(4)
LayerNorm(4, eps=0.1, bias=False)
LayerNorm([5, 4], elementwise_affine=False)
RMSNorm(4)
RMSNorm(4, eps=0.1)
Dropout()
Dropout(0.2)
Dropout(1.0)
Dropout(0.0)
Dropout1d(0.3)
AlphaDropout(0.3)
FeatureAlphaDropout(0.3)
Flatten()
Flatten(0)
Unflatten(1, (2, 2))
CELU(0.5)
ELU()
ELU(2.0)
GELU()
GELU('tanh')
GLU()
Hardshrink()
Hardsigmoid()
Hardswish()
Hardtanh()
Hardtanh(-0.5, 2.0)
LeakyReLU()
LeakyReLU(0.2)
LogSigmoid()
LogSoftmax(1)
Mish()
PReLU()
PReLU(4, 0.1)
RReLU()
ReLU()
ReLU6()
SELU()
SiLU()
Sigmoid()
Softmax(dim=1)
Softmin(dim=0)
Softplus()
Softplus(2.0, 1.0)
Softshrink(0.3)
Softsign()
Tanh()
Tanhshrink()
Threshold(0.1, 20.0)
CosineSimilarity()
PairwiseDistance(1.0, keepdim=True)
Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
Sequential(nn.Linear(4, 8, bias=False), nn.ReLU(inplace=True), nn.Dropout(), nn.LayerNorm(8), nn.Linear(8, 2))
Sequential(nn.Sequential(nn.Linear(4, 4), nn.ELU(inplace=True)), nn.Sequential(), nn.Flatten(0))
""".strip().splitlines()

LOSSES = """
L1Loss()
L1Loss(reduction='none')
MSELoss()
MSELoss(reduction='sum')
SmoothL1Loss()
SmoothL1Loss(beta=0.3)
HuberLoss(delta=0.5)
KLDivLoss(reduction='batchmean')
KLDivLoss(reduction='sum', log_target=True)
PoissonNLLLoss()
PoissonNLLLoss(log_input=False, full=True)
BCEWithLogitsLoss()
BCEWithLogitsLoss(torch.arange(1.0, 5), pos_weight=torch.arange(4.0))
MultiLabelSoftMarginLoss(torch.arange(1.0, 5))
CrossEntropyLoss()
CrossEntropyLoss(torch.arange(1.0, 5), label_smoothing=0.1)
""".strip().splitlines()

CLASS_LOSSES = """
NLLLoss()
NLLLoss(torch.arange(1.0, 5), ignore_index=2)
CrossEntropyLoss()
CrossEntropyLoss(reduction='none')
CrossEntropyLoss(torch.arange(1.0, 5), ignore_index=1)
CrossEntropyLoss(label_smoothing=0.2)
CrossEntropyLoss(torch.arange(1.0, 5), ignore_index=3, label_smoothing=0.2)
MultiMarginLoss()
MultiMarginLoss(2, 0.5, torch.arange(1.0, 5))
""".strip().splitlines()


def build(library, text):
    library.manual_seed(0)
    return eval("nn." + text, {"nn": library.nn, "torch": library})


def numbers(library, positive=False):
    library.manual_seed(1)
    found = library.rand(BATCH, FEATURES) if positive else library.randn(BATCH, FEATURES)
    return found.requires_grad_()


def plain(tensor):
    return None if tensor is None else tensor.detach().numpy().copy()


def inputs_of(library, text):
    two = text.startswith(("Bilinear", "Cosine", "Pairwise"))
    first = numbers(library)
    return (first, first.detach().tanh()) if two else (first,)


def trace(library, module, run, *inputs, lr=0.1):
    """What a network prints, holds and does: everything that must be the same in both libraries."""
    found = [repr(module), {name: plain(value) for name, value in module.state_dict().items()}]
    optimizer = library.optim.SGD(module.parameters(), lr) if list(module.parameters()) else None
    for step in range(3):
        library.manual_seed(step)
        for each in inputs:
            each.grad = None
        output = run(*inputs)
        loss = (output * output).sum() if output.ndim else output
        module.zero_grad()
        loss.backward()
        found += [plain(output), *[plain(each.grad) for each in inputs]]
        found += [(name, plain(each.grad)) for name, each in module.named_parameters()]
        if optimizer is not None:
            optimizer.step()
    return [*found, {name: plain(value) for name, value in module.state_dict().items()}]


def assert_same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert list(ours) == list(theirs)
        assert_same(list(ours.values()), list(theirs.values()))
    elif isinstance(ours, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, two in zip(ours, theirs, strict=True):
            assert_same(one, two)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype
        # sums of terms of both signs are as good as their largest
        largest = max(1, np.abs(theirs).max(initial=0))
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6 * largest)
    else:
        assert ours == theirs


def traced(library, text):
    module = build(library, text)
    inputs = inputs_of(library, text)
    return trace(library, module, module, *inputs)


@pytest.mark.parametrize("text", LAYERS)
def test_layer_is_torchs(text):
    assert_same(traced(rushlight, text), traced(torch, text))


def traced_loss(library, text, target):
    module = build(library, text)
    input = numbers(library, positive="log_input=False" in text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(library, module, lambda given: module(given, target(library)), input)


@pytest.mark.parametrize("text", LOSSES)
def test_loss_is_torchs(text):
    def target(library):
        return numbers(library, positive=True).detach()

    assert_same(traced_loss(rushlight, text, target), traced_loss(torch, text, target))


@pytest.mark.parametrize("text", CLASS_LOSSES)
def test_loss_of_class_numbers_is_torchs(text):
    def target(library):
        return library.tensor([3, 1, 0, 2, 1])

    assert_same(traced_loss(rushlight, text, target), traced_loss(torch, text, target))


@pytest.mark.parametrize(
    "text",
    [
        "Embedding(6, 3)",
        "Embedding(6, 3, padding_idx=-1)",
        "Embedding(6, 3, max_norm=1.0, scale_grad_by_freq=True)",
        "Sequential(nn.Embedding(6, 3, padding_idx=0), nn.Flatten(), nn.Linear(6, 1))",
    ],
)
def test_embedding_is_torchs(text):
    def traced(library):
        module = build(library, text)
        where = library.tensor([[0, 5], [2, 2], [1, 5]])
        return trace(library, module, lambda: module(where))

    assert_same(traced(rushlight), traced(torch))


SHAPES = [(3,), (3, 4), (20, 30), (4, 3, 5, 5), (30, 20)]
INITIALISERS = {
    "uniform_": {"a": -0.3, "b": 2.0},
    "normal_": {"mean": 1.0, "std": 0.2},
    "trunc_normal_": {"std": 0.7, "a": -1.0, "b": 0.5},
    "constant_": {"val": 0.3},
    "ones_": {},
    "zeros_": {},
    "eye_": {},
    "dirac_": {},
    "xavier_uniform_": {"gain": 2.0},
    "xavier_normal_": {},
    "kaiming_uniform_": {"a": 0.1, "mode": "fan_out"},
    "kaiming_normal_": {"nonlinearity": "relu"},
    "orthogonal_": {"gain": 1.5},
    "sparse_": {"sparsity": 0.3},
}


@pytest.mark.parametrize("bounds", [(-2.0, 2.0), (-1.0, 0.5), (1.0, 2.0)])
def test_truncated_normal_is_torchs(bounds):
    def drawn(library):
        library.manual_seed(0)
        tensor = library.nn.init.trunc_normal_(library.empty(5, 7), 0.0, 1.0, *bounds)
        return [plain(tensor), plain(library.rand(1))]

    assert_same(drawn(rushlight), drawn(torch))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", INITIALISERS)
def test_initialiser_is_torchs(name, shape):
    def drawn(library):
        library.manual_seed(0)
        tensor = library.empty(shape, requires_grad=True)
        try:
            getattr(library.nn.init, name)(tensor, **INITIALISERS[name])
        except ValueError as error:
            return str(error)
        return [plain(tensor), plain(library.rand(1))]

    assert_same(drawn(rushlight), drawn(torch))


def test_generator_is_used_by_initialisers():
    def drawn(library):
        tensor = library.empty(4, 5)
        library.nn.init.kaiming_normal_(tensor, generator=library.Generator().manual_seed(3))
        return plain(tensor)

    assert_same(drawn(rushlight), drawn(torch))


@pytest.mark.parametrize("norm_type", [2.0, 1.0, 3.0, 0.0, float("inf"), -float("inf")])
@pytest.mark.parametrize("max_norm", [0.1, 100])
def test_clipped_norm_is_torchs(norm_type, max_norm):
    def clipped(library):
        network = build(library, "Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))")
        network(numbers(library)).sum().backward()
        total = library.nn.utils.clip_grad_norm_(network.parameters(), max_norm, norm_type)
        return [plain(total), *[plain(each.grad) for each in network.parameters()]]

    assert_same(clipped(rushlight), clipped(torch))


def deep(library):
    nn = library.nn
    network = nn.Sequential(nn.Linear(4, 2), nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))
    network.register_buffer("scale", library.ones(2))
    network.register_buffer("scratch", library.ones(2), persistent=False)
    network.weights = nn.ParameterList([library.ones(2), library.ones(2, 3)])
    network.named = nn.ParameterDict({"b": library.ones(1), "a": library.ones(2)})
    network.heads = nn.ModuleDict({"policy": nn.Linear(2, 2), "value": nn.Sequential(nn.Linear(2, 1), nn.GELU())})
    network.shared = network[0]
    return network


def test_tree_is_torchs():
    def described(library):
        network = deep(library)
        state = network.state_dict()
        return [
            repr(network),
            list(state),
            dict(state._metadata),
            [name for name, _ in network.named_parameters()],
            [name for name, _ in network.named_parameters(remove_duplicate=False)],
            [name for name, _ in network.named_buffers()],
            [name for name, _ in network.named_modules()],
            [name for name, _ in network.named_modules(remove_duplicate=False)],
            [name for name, _ in network.named_children()],
            [name for name, _ in network.named_parameters(prefix="net", recurse=False)],
        ]

    assert_same(described(rushlight), described(torch))


MISTAKES = {
    "missing and unexpected": lambda library, network: network.load_state_dict({"0.weight": library.ones(2), "x": 1}),
    "no dictionary": lambda library, network: network.load_state_dict([1]),
    "no tensor": lambda library, network: network.load_state_dict(network.state_dict() | {"0.bias": 1}),
    "no parameter": lambda library, network: setattr(network[0], "weight", library.ones(2)),
    "no module": lambda library, network: setattr(network, "0", 3),
    "no buffer": lambda library, network: setattr(network, "scale", 3),
    "no such attribute": lambda library, network: network.other,
    "no such attribute to delete": lambda library, network: delattr(network, "other"),
    "no such submodule": lambda library, network: network.get_submodule("0.other"),
    "not a submodule": lambda library, network: network.get_submodule("scale"),
    "no such parameter": lambda library, network: network.get_parameter("0.other"),
    "not a parameter": lambda library, network: network.get_parameter("scale"),
    "not a buffer": lambda library, network: network.get_buffer("0.weight"),
    "dot in a name": lambda library, network: network.register_parameter("a.b", None),
    "empty name": lambda library, network: network.register_buffer("", None),
    "name that is no text": lambda library, network: network.add_module(3, None),
    "taken name": lambda library, network: network.register_parameter("forward", None),
    "plain tensor as parameter": lambda library, network: network.register_parameter("new", library.ones(1)),
    "number as buffer": lambda library, network: network.register_buffer("new", 3),
    "number as module": lambda library, network: network.add_module("new", 3),
    "integers": lambda library, network: network.to(library.int64),
    "mode": lambda library, network: network.train(1),
    "forward": lambda library, network: library.nn.Module()(1),
    "parameter too early": lambda library, network: library.nn.Module.__new__(library.nn.Module).__setattr__(
        "a", library.nn.Parameter(library.ones(1))
    ),
    "module too early": lambda library, network: library.nn.Module.__new__(library.nn.Module).__setattr__("a", network),
    "index": lambda library, network: network.heads["value"][4],
    "probability": lambda library, network: library.nn.Dropout(2),
    "nonlinearity": lambda library, network: library.nn.init.calculate_gain("other"),
    "padding": lambda library, network: library.nn.Embedding(3, 4, padding_idx=3),
    "non-finite": lambda library, network: library.nn.utils.clip_grad_norm_(
        [with_grad(library, float("nan"))], 1.0, error_if_nonfinite=True
    ),
}


def with_grad(library, value):
    parameter = library.nn.Parameter(library.ones(1))
    parameter.grad = library.tensor([value])
    return parameter


@pytest.mark.parametrize("mistake", MISTAKES)
def test_error_is_torchs(mistake):
    def raised(library):
        with pytest.raises(Exception) as caught:
            MISTAKES[mistake](library, deep(library))
        return type(caught.value), str(caught.value).replace("rushlight", "torch")

    ours, theirs = raised(rushlight), raised(torch)
    assert ours[0] is theirs[0]
    assert ours[1].startswith(theirs[1][:60])
