"""Modules: built, nested, hooked, called, saved, copied, put into other modes."""

from __future__ import annotations

from conformance.programs.scope import Scope

LAYERS = (
    "nn.Linear({0}, {0})",
    "nn.Linear({0}, {0}, bias=False)",
    "nn.LayerNorm({0})",
    "nn.Tanh()",
    "nn.ReLU()",
    "nn.ReLU(inplace=True)",
    "nn.Dropout(0.3)",
    "nn.Identity()",
    "Block({0})",
    "nn.GELU()",
    "nn.Softmax(dim=-1)",
    "nn.Sigmoid()",
    "nn.BatchNorm1d({0})",
    "nn.ELU()",
    "nn.Linear({0}, {0}).double()",
    "nn.PReLU()",
    "nn.Bilinear({0}, {0}, 2)",
    "nn.GRUCell({0}, {0})",
    "nn.LSTM({0}, {0})",
    "nn.GRU({0}, {0}, batch_first=True)",
    "nn.MultiheadAttention({0}, 1)",
    "nn.TransformerEncoderLayer({0}, 1, 8, dropout=0.0)",
    "nn.Embedding(5, {0})",
    "nn.Conv1d({0}, 2, 1)",
    "nn.Flatten()",
    "nn.Unflatten(-1, ({0}, 1))",
)
LOSSES = (
    "F.mse_loss({0}, torch.zeros_like({0}))",
    "F.cross_entropy({0}, torch.zeros({0}.shape[0], dtype=torch.int64))",
    "F.smooth_l1_loss({0}, {0}.detach() + 1)",
    # of its plain sum the gradient is made of rounding errors
    "F.softmax({0}, -1).pow(2).sum()",
    "F.normalize({0}, dim=-1).sum()",
    "F.binary_cross_entropy_with_logits({0}, torch.ones_like({0}))",
)
SIZE = 3


def statement(scope: Scope) -> str | None:
    found = scope.names(lambda value: isinstance(value, scope.torch.nn.Module))
    if not found or scope.chance(0.12):
        return made(scope)
    return scope.random.choices(FORMS, WEIGHTS)[0](scope, scope.choose(*found))


def made(scope: Scope) -> str:
    layers = [scope.choose(*LAYERS).format(SIZE) for _ in range(scope.integer(1, 3))]
    if len(layers) == 1:
        return f"{scope.fresh('m')} = {layers[0]}"
    return f"{scope.fresh('m')} = nn.Sequential({', '.join(layers)})"


def called(scope: Scope, name: str) -> str:
    given = scope.tensor(lambda tensor: tensor.dim() and tensor.shape[-1] == SIZE and tensor.dtype.is_floating_point)
    given = (
        given
        if given is not None and scope.chance(0.6)
        else f"torch.randn({scope.choose((2, 3), (3,), (2, 4, 3), (0, 3), (5, 3))})"
    )
    if isinstance(scope.value(name), scope.torch.nn.MultiheadAttention):
        given = ", ".join([given] * 3)
    return f"{scope.fresh()} = {name}({given})"


def hooked(scope: Scope, name: str) -> str:
    label = f"'{scope.fresh('h')}'"
    kind = scope.choose(
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_forward_hook",
    )
    target = name if scope.chance(0.5) else f"{name}[0]"
    options = (
        scope.choose("", "", ", with_kwargs=True", ", prepend=True")
        if "forward" in kind
        else scope.choose("", ", prepend=True")
    )
    return f"{scope.fresh('v')} = {target}.{kind}(module_hook({label}){options})"


def changed(scope: Scope, name: str) -> str:
    return f"{name}." + scope.choose(
        "train()",
        "eval()",
        "zero_grad()",
        "zero_grad(set_to_none=False)",
        "requires_grad_(False)",
        "requires_grad_()",
        "double()",
        "float()",
        "half()",
        "apply(lambda module: seen.append(type(module).__name__))",
        "train(False)",
        "to(torch.float64)",
    )


def copied(scope: Scope, name: str) -> str:
    return f"{scope.fresh('m')} = " + scope.choose(
        f"copy.deepcopy({name})",
        f"pickle.loads(pickle.dumps({name}))",
        f"nn.Sequential({name}, nn.Linear({SIZE}, {SIZE}))",
        f"nn.ModuleList([{name}, nn.Tanh()])",
    )


def stated(scope: Scope, name: str) -> str:
    kept = scope.names(lambda value: isinstance(value, dict) and type(value).__name__ == "OrderedDict")
    if kept and scope.chance(0.6):
        options = scope.choose("", "", ", strict=False", ", assign=True")
        return f"{scope.fresh('p')} = {name}.load_state_dict({scope.choose(*kept)}{options})"
    return f"{scope.fresh('o')} = {scope.choose('', 'copy.deepcopy')}({name}.state_dict())"


def looked(scope: Scope, name: str) -> str:
    return f"{scope.fresh('p')} = " + scope.choose(
        f"[each for each, _ in {name}.named_modules()]",
        f"[each for each, _ in {name}.named_parameters()]",
        f"repr({name})",
        f"[each.grad is None for each in {name}.parameters()]",
        f"list({name}.state_dict())",
        f"nn.utils.parameters_to_vector({name}.parameters())",
        f"torch.nn.utils.clip_grad_norm_({name}.parameters(), 1.0)",
        f"torch.func.functional_call({name}, dict({name}.named_parameters()), torch.ones(2, {SIZE}))",
        f"{name}.get_parameter('weight')",
        f"{name}.weight",
    )


def parametrized(scope: Scope, name: str) -> str:
    target = name if scope.chance(0.5) else f"{name}[0]"
    return scope.choose(
        f"nn.utils.parametrizations.weight_norm({target})",
        f"nn.utils.parametrizations.spectral_norm({target})",
        f"nn.utils.parametrizations.orthogonal({target})",
        f"nn.utils.parametrize.remove_parametrizations({target}, 'weight')",
        f"nn.utils.prune.l1_unstructured({target}, 'weight', 2)",
        f"{target}.weight = nn.Parameter(torch.ones({SIZE}, {SIZE}))",
        f"{target}.weight = torch.ones({SIZE}, {SIZE})",
        f"{target}.weight.data.fill_(0.5)",
        f"{target}.bias = None",
        f"del {target}.bias",
        f"{target}.extra = nn.Linear({SIZE}, 1)",
        f"{target}.register_buffer('extra', torch.zeros(2))",
    )


def trained(scope: Scope, name: str) -> str | None:
    given = scope.tensor(lambda tensor: tensor.requires_grad and tensor.dim() > 1)
    if given is None:
        return None
    return scope.choose(*LOSSES).format(given) + scope.choose(
        ".backward()", ".backward()", ".backward(retain_graph=True)"
    )


def sequences(scope: Scope, name: str) -> str:
    lengths = scope.choose([3, 2], [2, 3], [1, 1], [3, 0])
    given = f"torch.randn(3, 2, {SIZE}), {lengths}, enforce_sorted={scope.chance(0.5)}"
    return f"{scope.fresh('p')} = nn.utils.rnn.pack_padded_sequence({given})"


FORMS = (called, trained, hooked, changed, copied, stated, looked, parametrized, sequences)
WEIGHTS = (8, 4, 3, 3, 2, 2, 2, 2, 0.5)
