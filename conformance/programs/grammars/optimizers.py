"""Optimizers: groups, closures, schedulers, states kept and loaded."""

from __future__ import annotations

from conformance.programs.scope import Scope, is_wanting

OPTIMIZERS = (
    "SGD({0}, lr=0.1)",
    "SGD({0}, lr=0.1, momentum=0.9)",
    "SGD({0}, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "Adam({0}, lr=0.1)",
    "Adam({0}, lr=0.1, amsgrad=True, weight_decay=0.1)",
    "AdamW({0}, lr=0.1)",
    "RMSprop({0}, lr=0.1, momentum=0.5, centered=True)",
    "Adagrad({0}, lr=0.1)",
    "Adadelta({0})",
    "Adamax({0})",
    "NAdam({0})",
    "RAdam({0})",
    "ASGD({0})",
    "Rprop({0})",
    "SGD({0}, lr=0.1, maximize=True)",
    "Adam({0}, lr=torch.tensor(0.1))",
    "Adafactor({0})",
    "LBFGS({0}, max_iter=3)",
    "Adam({0}, lr=-1)",
    "Muon({0})",
)
SCHEDULERS = (
    "StepLR({0}, 2)",
    "ExponentialLR({0}, 0.9)",
    "CosineAnnealingLR({0}, 5)",
    "LambdaLR({0}, lambda epoch: 0.9**epoch)",
    "MultiStepLR({0}, [1, 3])",
    "OneCycleLR({0}, 0.5, total_steps=6)",
    "CyclicLR({0}, 0.1, 0.5, cycle_momentum=False)",
    "LinearLR({0})",
    "ReduceLROnPlateau({0}, patience=0)",
    "CosineAnnealingWarmRestarts({0}, 2)",
    "PolynomialLR({0}, 4)",
)


def statement(scope: Scope) -> str | None:
    found = scope.names(lambda value: isinstance(value, scope.torch.optim.Optimizer))
    if not found or scope.chance(0.1):
        return made(scope)
    return scope.random.choices(FORMS, WEIGHTS)[0](scope, scope.choose(*found))


def leaves(scope: Scope) -> list[str]:
    return scope.tensors(is_wanting)


def made(scope: Scope) -> str:
    found = leaves(scope)
    if not found:
        return f"{scope.fresh()} = {scope.literal((2, 3), 'float32')}.requires_grad_()"
    chosen = [scope.choose(*found) for _ in range(scope.integer(1, 3))]
    if scope.chance(0.9):
        chosen = sorted(set(chosen))
    text = f"[{', '.join(chosen)}]"
    if scope.chance(0.3) and len(chosen) > 1:
        text = f"[{{'params': [{chosen[0]}], 'lr': 0.05}}, {{'params': {chosen[1:]}}}]".replace(
            "'" + chosen[0] + "'", chosen[0]
        )
        for each in chosen[1:]:
            text = text.replace(f"'{each}'", each)
    modules = scope.names(lambda value: isinstance(value, scope.torch.nn.Module))
    if modules and scope.chance(0.3):
        text = f"{scope.choose(*modules)}.parameters()"
    return f"{scope.fresh('o')} = optim.{scope.choose(*OPTIMIZERS).format(text)}"


def loss(scope: Scope) -> str:
    """A number that depends on one or two leaves."""
    found = leaves(scope) or ["torch.ones(())"]
    return " + ".join(term(scope, scope.choose(*found)) for _ in range(scope.integer(1, 2)))


def squares(scope: Scope) -> str:
    """A loss that has a minimum: without one the steps of L-BFGS grow until rounding decides where they lead."""
    found = leaves(scope) or ["torch.ones(())"]
    chosen = [(scope.choose(*found), scope.number()) for _ in range(scope.integer(1, 2))]
    return " + ".join(f"({leaf} * {factor} + 1).pow(2).sum()" for leaf, factor in chosen)


def term(scope: Scope, leaf: str) -> str:
    return f"({leaf} * {scope.number()} + 1).{scope.choose('pow(2).sum()', 'tanh().sum()', 'exp().mean()')}"


def backward(scope: Scope, name: str) -> str:
    return f"({loss(scope)}).backward()"


def step(scope: Scope, name: str) -> str:
    newton = "LBFGS" in type(scope.value(name)).__name__
    if newton or scope.chance(0.1):
        # where one loss has converged L-BFGS remembers rounding errors: along another one they are all there is
        value = scope.kept.setdefault(name, squares(scope)) if newton else loss(scope)
        lines = ["def closure():", f"{name}.zero_grad()", f"value = {value}", "value.backward()", "return value"]
        return "\n    ".join(lines) + f"\n{scope.fresh()} = {name}.step(closure)"
    return f"{name}.step()"


def cleared(scope: Scope, name: str) -> str:
    return f"{name}.zero_grad({scope.choose('', '', 'set_to_none=False')})"


def scheduled(scope: Scope, name: str) -> str:
    found = scope.names(lambda value: hasattr(value, "get_last_lr"))
    if found and scope.chance(0.75):
        chosen = scope.choose(*found)
        metric = "1.0" if "Plateau" in type(scope.value(chosen)).__name__ else ""
        return scope.choose(
            f"{chosen}.step({metric})",
            f"{chosen}.step({metric})",
            f"{scope.fresh('p')} = {chosen}.get_last_lr()",
            f"{scope.fresh('p')} = {chosen}.state_dict()['last_epoch']",
        )
    return f"{scope.fresh('v')} = optim.lr_scheduler.{scope.choose(*SCHEDULERS).format(name)}"


def stated(scope: Scope, name: str) -> str:
    kept = scope.names(lambda value: isinstance(value, dict) and "param_groups" in value)
    if kept and scope.chance(0.5):
        return f"{name}.load_state_dict({scope.choose(*kept)})"
    return scope.choose(
        f"{scope.fresh('p')} = copy.deepcopy({name}.state_dict())",
        f"{scope.fresh('p')} = {name}.state_dict()",
        f"{scope.fresh('p')} = repr({name})",
    )


def grouped(scope: Scope, name: str) -> str:
    found = leaves(scope)
    if found and scope.chance(0.5):
        return f"{name}.add_param_group({{'params': {scope.choose(*found)}, 'lr': 0.02}})"
    return scope.choose(
        f"{name}.param_groups[0]['lr'] = 0.3",
        f"{name}.param_groups[0]['weight_decay'] = 0.1",
        f"{scope.fresh('p')} = len({name}.param_groups)",
        f"{scope.fresh('v')} = {name}.register_step_post_hook(lambda *given: seen.append('stepped'))",
    )


FORMS = (backward, step, cleared, scheduled, stated, grouped)
WEIGHTS = (6, 6, 2, 3, 1.5, 1)
