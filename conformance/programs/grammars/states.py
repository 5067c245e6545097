"""States: copies, pickles and state dicts of modules and optimizers that are half built, hooked or parametrized."""

from __future__ import annotations

from typing import Any

from conformance.programs.scope import Scope

LAYERS = (
    "nn.Linear(3, 2)",
    "nn.Linear(3, 3, bias=False)",
    "nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))",
    "nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))",
    "nn.ModuleDict({'one': nn.Linear(3, 3), 'two': nn.LayerNorm(3)})",
    "nn.ParameterDict({'one': nn.Parameter(torch.ones(2)), 'two': torch.zeros(3)})",
    "nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(3))])",
    "Block(3)",
    "Shared(3)",
    "Heads(3, nn.Tanh())",
    "nn.Embedding(5, 3, padding_idx=0)",
    "nn.GRU(3, 2)",
    "nn.MultiheadAttention(4, 2)",
    "nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))",
    "nn.utils.weight_norm(nn.Linear(3, 2))",
    "nn.utils.spectral_norm(nn.Linear(3, 2))",
    "optim.swa_utils.AveragedModel(nn.Linear(3, 2))",
    "optim.swa_utils.AveragedModel(nn.Linear(3, 2), multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))",
)
OPTIMIZERS = (
    "SGD({0}, lr=0.1, momentum=0.9)",
    "Adam({0}, lr=0.01, amsgrad=True)",
    "AdamW([{{'params': list({0})[:1]}}, {{'params': list({0})[1:], 'lr': 0.2}}], lr=0.01)",
    "RMSprop({0}, lr=0.01, centered=True)",
    "Adadelta({0})",
    "NAdam({0}, lr=0.01)",
    "Rprop({0}, lr=0.01)",
    "ASGD({0}, lr=0.01)",
)
SCHEDULERS = (
    "StepLR({0}, 2)",
    "OneCycleLR({0}, 0.5, total_steps=9)",
    "CosineAnnealingWarmRestarts({0}, 2)",
    "ReduceLROnPlateau({0}, patience=0)",
    "CyclicLR({0}, 0.1, 0.5, cycle_momentum=False)",
    "LambdaLR({0}, lambda epoch: 0.9**epoch)",
)


def statement(scope: Scope) -> str | None:
    """A module, or something done to what it holds."""
    modules = kinds(scope, scope.torch.nn.Module)
    if not modules or scope.chance(0.12):
        return made(scope)
    return scope.random.choices(FORMS, WEIGHTS)[0](scope, scope.choose(*modules))


def kinds(scope: Scope, kind: Any) -> list[str]:
    return scope.names(lambda value: isinstance(value, kind))


def made(scope: Scope) -> str:
    return f"{scope.fresh('m')} = {scope.choose(*LAYERS)}"


def through_file(text: str, name: str, options: str = "") -> str:
    return f"file = io.BytesIO()\ntorch.save({text}, file)\nfile.seek(0)\n{name} = torch.load(file{options})"


def copied(scope: Scope, name: str) -> str:
    new = scope.fresh("m")
    return scope.choose(
        f"{new} = copy.deepcopy({name})",
        f"{new} = copy.copy({name})",
        f"{new} = pickle.loads(pickle.dumps({name}))",
        through_file(name, new, ", weights_only=False"),
        f"{new} = {name}.to(torch.float64)",
        f"{new} = copy.deepcopy({name}).requires_grad_(False)",
        f"{new} = nn.Sequential({name}, {name})",
    )


def used(scope: Scope, name: str) -> str:
    """A step forth and back, with an optimizer if there is one for it."""
    call = scope.choose(
        f"{name}(torch.randn(2, 3)).sum()",
        f"{name}(torch.ones(4, 3)).pow(2).mean()",
        f"sum(each.pow(2).sum() for each in {name}.parameters())",
    )
    lines = [f"loss = {call}", "loss.backward()"]
    optimizers = kinds(scope, scope.torch.optim.Optimizer)
    if optimizers and scope.chance(0.6):
        lines.append(f"{scope.choose(*optimizers)}.step()")
    return "\n".join(lines)


def stated(scope: Scope, name: str) -> str:
    """State dicts, changed on the way, loaded with all the options."""
    kept = scope.names(lambda value: isinstance(value, dict) and "_metadata" in dir(value))
    if kept and scope.chance(0.5):
        options = scope.choose("", ", strict=False", ", assign=True", ", strict=False, assign=True")
        source = scope.choose(*kept)
        source = scope.choose(
            source,
            source,
            f"{{key: each * 2 for key, each in {source}.items()}}",
            f"{{key: each.double() for key, each in {source}.items()}}",
            f"dict(list({source}.items())[:1])",
            f"{{**{source}, 'extra': torch.zeros(1)}}",
            f"{{'module.' + key: each for key, each in {source}.items()}}",
        )
        return f"{scope.fresh('p')} = {name}.load_state_dict({source}{options})"
    new = scope.fresh("o")
    return scope.choose(
        f"{new} = {name}.state_dict()",
        f"{new} = {name}.state_dict(prefix='a.', keep_vars=True)",
        f"{new} = copy.deepcopy({name}.state_dict())",
        through_file(f"{name}.state_dict()", new),
    )


def driven(scope: Scope, name: str) -> str:
    """Optimizers and schedulers, their states kept, copied and loaded into others."""
    optimizers = kinds(scope, scope.torch.optim.Optimizer)
    if not optimizers or scope.chance(0.25):
        return f"{scope.fresh('o')} = optim.{scope.choose(*OPTIMIZERS).format(f'{name}.parameters()')}"
    optimizer, other = scope.choose(*optimizers), scope.choose(*optimizers)
    schedulers = scope.names(lambda value: hasattr(value, "get_last_lr"))
    if not schedulers or scope.chance(0.2):
        return f"{scope.fresh('v')} = optim.lr_scheduler.{scope.choose(*SCHEDULERS).format(optimizer)}"
    scheduler = scope.choose(*schedulers)
    metric = "1.0" if "Plateau" in type(scope.value(scheduler)).__name__ else ""
    return scope.choose(
        f"{optimizer}.load_state_dict({other}.state_dict())",
        f"{optimizer}.load_state_dict(copy.deepcopy({other}.state_dict()))",
        f"{scope.fresh('o')} = copy.deepcopy({optimizer})",
        f"{scope.fresh('o')} = pickle.loads(pickle.dumps({optimizer}))",
        f"{optimizer}.zero_grad(set_to_none={scope.chance(0.5)})",
        f"{optimizer}.step()",
        f"{scheduler}.step({metric})",
        f"{scheduler}.step({metric})",
        f"{scheduler}.load_state_dict({scheduler}.state_dict())",
        f"{scope.fresh('p')} = sorted(key for key in {scheduler}.state_dict() if key != 'lr_lambdas')",
        f"{scope.fresh('p')} = [(group['lr'], group.get('initial_lr')) for group in {optimizer}.param_groups]",
        f"{scope.fresh('v')} = copy.deepcopy({scheduler})",
    )


def hooked(scope: Scope, name: str) -> str:
    label = f"'{scope.fresh('h')}'"
    handle = scope.fresh("v")
    return scope.choose(
        f"{handle} = {name}.register_forward_hook(module_hook({label}))",
        f"{handle} = {name}._register_state_dict_hook(lambda *given: seen.append({label}))",
        f"{handle} = {name}.register_state_dict_post_hook(lambda *given: seen.append({label}))",
        f"{handle} = {name}.register_load_state_dict_pre_hook(lambda *given: seen.append((len(given), {label})))",
        f"{handle} = {name}.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())",
        f"{handle} = next({name}.parameters()).register_hook(watch({label}))",
        f"{handle} = next({name}.parameters()).register_post_accumulate_grad_hook(counting({label}))",
    )


def changed(scope: Scope, name: str) -> str:
    first = f"next(iter({name}.parameters()))"
    return scope.choose(
        f"{name}.register_buffer('{scope.choose('extra', 'other')}', torch.ones(2), persistent={scope.chance(0.5)})",
        f"{name}.register_parameter('own', {scope.choose('None', 'nn.Parameter(torch.ones(2))')})",
        f"{name}.extra = torch.zeros(2)",
        f"{name}.extra = None",
        f"{name}.own = nn.Parameter(torch.zeros(3))",
        f"{name}.inner = {scope.choose('nn.Linear(3, 3)', 'None')}",
        f"{name}.eval()",
        f"{name}.half()",
        f"nn.utils.prune.random_unstructured({name}, 'weight', 1)",
        f"nn.utils.prune.remove({name}, 'weight')",
        f"nn.utils.remove_weight_norm({name})",
        f"nn.utils.parametrize.register_parametrization({name}, 'weight', nn.Softplus())",
        f"nn.utils.parametrize.remove_parametrizations({name}, 'weight', leave_parametrized={scope.chance(0.5)})",
        f"with torch.no_grad():\n    {first}.add_(1)",
        f"{first}.grad = None",
        f"{first}.data = torch.zeros_like({first}.data)",
        f"{name}.update_parameters({name}.module)",
        f"{scope.fresh('p')} = (list({name}.state_dict()), [each for each, _ in {name}.named_buffers()])",
        f"{scope.fresh('p')} = [(key, each.requires_grad) for key, each in {name}.named_parameters()]",
        f"{scope.fresh('p')} = {name}.get_submodule('{scope.choose('0', 'first', 'module', '')}')",
        f"{scope.fresh('p')} = sum(each.numel() for each in {name}.parameters())",
    )


def viewed(scope: Scope, name: str) -> str | None:
    """Tensors that share memory, through files, copies and pickles together."""
    one, two = scope.tensor(), scope.tensor()
    if one is None or two is None:
        return None
    new = scope.fresh("p")
    return scope.choose(
        f"{new} = copy.deepcopy([{one}, {two}])",
        f"{new} = copy.deepcopy({one})",
        through_file(f"[{one}, {two}, {one}]", new),
        f"{scope.fresh()} = copy.copy({one})",
        f"{scope.fresh()} = pickle.loads(pickle.dumps({one}))",
        f"{scope.fresh()} = nn.Parameter({one}, requires_grad={scope.chance(0.5)})",
        f"{scope.fresh()} = {one}[:1]",
        f"{scope.fresh()} = {one}.detach().requires_grad_()",
    )


FORMS = (copied, used, stated, driven, hooked, changed, viewed)
WEIGHTS = (2, 4, 3, 4, 1.5, 3, 1)
