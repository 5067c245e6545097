"""Training: whole loops over models of several layers, with schedules, clipped gradients, averages and files."""

from __future__ import annotations

from conformance.programs.scope import Scope

# what a model takes, and the model; before a norm there is no bias, whose gradient would be rounding errors alone
MODELS = {
    "torch.randn(4, 3)": (
        "nn.Sequential(nn.Linear(3, 5), nn.{0}(), nn.Linear(5, 2))",
        "nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.{0}(), nn.Dropout(0.2), nn.Linear(4, 2))",
        "nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.{0}(), nn.Linear(4, 2))",
        "nn.Sequential(Block(3), nn.{0}(), Block(3, bias=False), nn.Linear(3, 2))",
        "nn.Sequential(collections.OrderedDict(body=Block(3), head=nn.Linear(3, 2)))",
        "Heads(3, nn.{0}())",
        "Shared(3)",
        "nn.Sequential(nn.LazyLinear(4), nn.{0}(), nn.LazyLinear(2))",
        "nn.Sequential(nn.RMSNorm(3), nn.Linear(3, 6), nn.GLU(), nn.Linear(3, 2))",
    ),
    "torch.randn(2, 1, 6, 6)": (
        "nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.{0}(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 2))",
        "nn.Sequential(nn.Conv2d(1, 2, 3, bias=False), nn.BatchNorm2d(2), nn.{0}(), nn.AdaptiveAvgPool2d(1), "
        "nn.Flatten())",
        "nn.Sequential(nn.Conv2d(1, 4, 3, stride=2), nn.GroupNorm(2, 4), nn.{0}(), nn.Flatten(), nn.Linear(16, 2))",
        "nn.Sequential(nn.ZeroPad2d(1), nn.Conv2d(1, 2, 2, bias=False), nn.InstanceNorm2d(2), nn.{0}(), "
        "nn.AvgPool2d(7), nn.Flatten())",
        "nn.Sequential(nn.Conv2d(1, 2, 3), nn.ConvTranspose2d(2, 1, 3), nn.{0}(), nn.Flatten(), nn.Linear(36, 2))",
        "nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(1, 2, 3, 2), nn.Dropout2d(0.3), nn.Flatten(), "
        "nn.Linear(50, 2))",
    ),
    "torch.randint(7, (4, 3))": (
        "nn.Sequential(nn.Embedding(7, 3), nn.Flatten(), nn.Linear(9, 2))",
        "Reader(7, 3, nn.GRU)",
        "Reader(7, 3, nn.LSTM)",
        "Reader(7, 3, nn.RNN)",
        "nn.Sequential(nn.EmbeddingBag(7, 3), nn.{0}(), nn.Linear(3, 2))",
        "nn.Sequential(nn.Embedding(7, 4, padding_idx=0), "
        "nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True, bias=False), nn.Flatten(), nn.Linear(12, 2))",
    ),
}
ACTIVATIONS = "ReLU Tanh Sigmoid GELU ELU LeakyReLU SiLU Softplus Mish SELU PReLU Hardswish".split()
LOSSES = (
    "nn.CrossEntropyLoss(){0}, torch.arange(len({1})) % 2)",
    "nn.CrossEntropyLoss(label_smoothing=0.1){0}, torch.arange(len({1})) % 2)",
    "nn.NLLLoss()(F.log_softmax({1}, -1), torch.arange(len({1})) % 2)",
    "nn.MSELoss(){0}, torch.ones_like({1}))",
    "nn.SmoothL1Loss(){0}, torch.zeros_like({1}))",
    "nn.BCEWithLogitsLoss(){0}, torch.ones_like({1}))",
    "nn.BCELoss()(torch.sigmoid({1}), torch.ones_like({1}))",
    "nn.KLDivLoss(reduction='batchmean')(F.log_softmax({1}, -1), torch.full_like({1}, 0.5))",
    "nn.L1Loss(){0}, torch.full_like({1}, 9.0))",
    "-D.Categorical(logits={1}).log_prob(torch.arange(len({1})) % 2).mean()",
    "-D.Normal({1}, 1.0).log_prob(torch.ones(())).sum(-1).mean() - 0.01 * D.Normal({1}, 1.0).entropy().mean()",
    "(1 - {1}.gather(1, torch.zeros(len({1}), 1, dtype=torch.long))).pow(2).mean()",
)
OPTIMIZERS = (
    "SGD({0}, lr=0.05)",
    "SGD({0}, lr=0.05, momentum=0.9, weight_decay=1e-3)",
    "Adam({0}, lr=0.01)",
    "Adam({0}, lr=0.01, betas=(0.5, 0.9), weight_decay=1e-2)",
    "AdamW({0}, lr=0.01, amsgrad=True)",
    "RMSprop({0}, lr=0.01, alpha=0.9)",
    "Adagrad({0}, lr=0.1, lr_decay=0.1)",
    "RAdam({0}, lr=0.01, decoupled_weight_decay=True)",
    "NAdam({0}, lr=0.01)",
)
SCHEDULERS = (
    "StepLR({0}, 1, gamma=0.5)",
    "CosineAnnealingLR({0}, T_max=4, eta_min=1e-3)",
    "LambdaLR({0}, lambda epoch: 1 / (epoch + 1))",
    "OneCycleLR({0}, max_lr=0.1, total_steps=20)",
    "LinearLR({0}, 0.1, total_iters=3)",
    "ConstantLR({0}, 0.5, 2)",
    "ExponentialLR({0}, 0.8)",
    "MultiplicativeLR({0}, lambda epoch: 0.9)",
    "SequentialLR({0}, [optim.lr_scheduler.ConstantLR({0}), optim.lr_scheduler.ExponentialLR({0}, 0.9)], [2])",
    "ChainedScheduler([optim.lr_scheduler.ConstantLR({0}), optim.lr_scheduler.ExponentialLR({0}, 0.9)])",
)


def statement(scope: Scope) -> str | None:
    """A model or a part of its life."""
    found = sorted(name for name in scope.kept if name.startswith("m") and name in scope.namespace)
    if not found or (len(found) < 3 and scope.chance(0.1)):
        return modelled(scope)
    name = scope.choose(*found)
    optimizers = sorted(each for each, model in scope.kept.items() if model == name and each in scope.namespace)
    if not optimizers:
        return optimized(scope, name)
    return scope.random.choices(FORMS, WEIGHTS)[0](scope, name, scope.choose(*optimizers))


def modelled(scope: Scope) -> str:
    given = scope.choose(*MODELS)
    name = scope.fresh("m")
    scope.kept[name] = given
    text = f"{name} = {scope.choose(*MODELS[given]).format(scope.choose(*ACTIVATIONS))}"
    return f"{text}\n{name}({given})" if "Lazy" in text else text


def optimized(scope: Scope, name: str) -> str:
    optimizer = scope.fresh("o")
    scope.kept[optimizer] = name
    parameters = scope.choose(
        f"{name}.parameters()",
        f"{name}.parameters()",
        f"[each for each in {name}.parameters() if each.requires_grad]",
        f"[{{'params': [each for each in {name}.parameters() if each.dim() > 1], 'weight_decay': 0.1}}, "
        f"{{'params': [each for each in {name}.parameters() if each.dim() < 2], 'lr': 0.02}}]",
    )
    return f"{optimizer} = optim.{scope.choose(*OPTIMIZERS).format(parameters)}"


def loss(scope: Scope, output: str = "output") -> str:
    return scope.choose(*LOSSES).format(f"({output}", output)


def looped(scope: Scope, name: str, optimizer: str) -> str:
    """A few steps, with what people put into the loop."""
    losses = scope.fresh("p")
    scheduler = [each for each, owner in scope.kept.items() if owner == optimizer and each in scope.namespace]
    clip = scope.choose(
        None,
        None,
        f"total = torch.nn.utils.clip_grad_norm_({name}.parameters(), {scope.choose('0.5', '1.0, 1')})",
        f"torch.nn.utils.clip_grad_value_({name}.parameters(), 0.1)",
        f"for each in {name}.parameters():\n        "
        "if each.grad is not None:\n            each.grad.data.clamp_(-1, 1)",
    )
    zero = scope.choose(f"{optimizer}.zero_grad()", f"{name}.zero_grad()", f"{optimizer}.zero_grad(set_to_none=False)")
    lines = [f"output = {name}({scope.kept[name]})", f"loss = {loss(scope)}", zero, "loss.backward()", clip]
    lines += [f"{optimizer}.step()", f"{losses}.append(loss.item())"]
    lines += [f"{scheduler[0]}.step()"] if scheduler else []
    head = [f"{name}.train()", f"{losses} = []", f"for step in range({scope.integer(1, 4)}):"]
    return "\n".join(head) + "\n    " + "\n    ".join(each for each in lines if each)


def accumulated(scope: Scope, name: str, optimizer: str) -> str:
    lines = [f"output = {name}({scope.kept[name]})", f"(({loss(scope)}) / 2).backward()"]
    body = "\n    ".join(["for step in range(2):", *lines])
    return f"{optimizer}.zero_grad()\n{body}\n{optimizer}.step()"


def evaluated(scope: Scope, name: str, optimizer: str) -> str:
    mode = scope.choose("torch.no_grad()", "torch.inference_mode()", "torch.set_grad_enabled(False)")
    call = f"{scope.fresh()} = {name}({scope.kept[name]})"
    after = scope.choose("", ".argmax(-1)", ".softmax(-1)", ".max(1)[0]", ".mean().item()", ".tolist()")
    return f"{name}.eval()\nwith {mode}:\n    {call}{after}\n{name}.train()"


def scheduled(scope: Scope, name: str, optimizer: str) -> str:
    kept = [each for each, owner in scope.kept.items() if owner == optimizer and each in scope.namespace]
    if kept:
        return f"{scope.fresh('p')} = " + scope.choose(
            f"{kept[0]}.get_last_lr()",
            f"[group['lr'] for group in {optimizer}.param_groups]",
            f"{kept[0]}.state_dict()['last_epoch']",
        )
    scheduler = scope.fresh("v")
    scope.kept[scheduler] = optimizer
    return f"{scheduler} = optim.lr_scheduler.{scope.choose(*SCHEDULERS).format(optimizer)}"


def saved(scope: Scope, name: str, optimizer: str) -> str:
    """States through a file and back, into the same objects or copies of them."""
    table = f"{{'model': {name}.state_dict(), 'optimizer': {optimizer}.state_dict(), 'epoch': 3}}"
    file = f"file = io.BytesIO()\ntorch.save({table}, file)\nfile.seek(0)\nkept = torch.load(file)\n"
    renamed = "{'a.' + key: each for key, each in kept['model'].items()}"
    return file + scope.choose(
        f"{scope.fresh('p')} = {name}.load_state_dict(kept['model'])\n{optimizer}.load_state_dict(kept['optimizer'])",
        f"{scope.fresh('m')} = copy.deepcopy({name})\n{optimizer}.load_state_dict(kept['optimizer'])",
        f"{scope.fresh('p')} = [(key, tuple(each.shape)) for key, each in kept['model'].items()]",
        f"{scope.fresh('p')} = {name}.load_state_dict({renamed}, strict=False)",
        f"{scope.fresh('p')} = {name}.load_state_dict({renamed})",
        f"{scope.fresh('p')} = kept['optimizer']['param_groups']",
    )


def averaged(scope: Scope, name: str, optimizer: str) -> str:
    """A second model that follows the first."""
    other = scope.fresh("m")
    pairs = f"for one, two in zip({other}.parameters(), {name}.parameters()):\n    "
    return f"{other} = copy.deepcopy({name})\n{looped(scope, name, optimizer)}\n" + scope.choose(
        f"{pairs}one.data.copy_(0.9 * one.data + 0.1 * two.data)",
        f"with torch.no_grad():\n    {pairs.replace(chr(10), chr(10) + '    ')}one.mul_(0.9).add_(two, alpha=0.1)",
        f"{other}.load_state_dict({name}.state_dict())",
        f"flat = nn.utils.parameters_to_vector({name}.parameters())\n"
        f"nn.utils.vector_to_parameters(flat * 0.5, {other}.parameters())",
        f"{pairs}one.data.lerp_(two.data, 0.1)",
    )


def changed(scope: Scope, name: str, optimizer: str) -> str:
    return scope.choose(
        f"for each in list({name}.parameters())[:1]:\n    each.requires_grad = {scope.chance(0.5)}",
        f"for module in {name}.modules():\n    if isinstance(module, nn.Linear):\n        "
        f"nn.init.{scope.choose('xavier_normal_', 'orthogonal_', 'kaiming_uniform_', 'zeros_')}(module.weight)",
        f"{name}.apply(lambda module: nn.init.constant_(module.bias, 0.1) if isinstance(module, nn.Linear) else None)",
        f"for group in {optimizer}.param_groups:\n    group['lr'] *= 0.5",
        f"{scope.fresh('p')} = sum(each.numel() for each in {name}.parameters())",
        f"{scope.fresh('p')} = [name for name, _ in {name}.named_children()]",
        f"{scope.fresh('p')} = {{name: tuple(each.shape) for name, each in {name}.named_buffers()}}",
        f"{scope.fresh('p')} = sum(each.grad.norm() ** 2 for each in {name}.parameters() if each.grad is not None)",
        f"{scope.fresh('p')} = repr({name}) + repr({optimizer})",
        f"with torch.no_grad():\n    for each in {name}.parameters():\n        each -= 0.1 * each.sign()",
        f"{name}.to(torch.float32).share_memory()",
    )


def penalized(scope: Scope, name: str, optimizer: str) -> str:
    """A gradient that enters the loss itself."""
    given = scope.kept[name]
    if "randint" in given:
        return looped(scope, name, optimizer)
    x = scope.fresh()
    lines = [f"{x} = {given}.requires_grad_()", f"output = {name}({x})"]
    lines += [f"slope, = torch.autograd.grad(output.sum(), {x}, create_graph=True)"]
    lines += [f"loss = {loss(scope)} + (slope.flatten(1).norm(2, dim=1) - 1).pow(2).mean()"]
    return "\n".join([*lines, f"{optimizer}.zero_grad()", "loss.backward()", f"{optimizer}.step()"])


def loaded(scope: Scope, name: str, optimizer: str) -> str:
    """One pass over a loader of batches."""
    options = scope.choose(
        "", ", shuffle=True", ", drop_last=True", ", shuffle=True, generator=torch.Generator().manual_seed(3)"
    )
    batches, sizes = f"torch.utils.data.DataLoader(data, batch_size=2{options})", scope.fresh("p")
    step = f"{optimizer}.zero_grad()\n    loss.backward()\n    {optimizer}.step()"
    target = scope.choose("data", "torch.utils.data.random_split(data, [1, len(data) - 1])[1]")
    return (
        f"given = {scope.kept[name]}\ndata = torch.utils.data.TensorDataset(given, torch.arange(len(given)) % 2)\n"
        f"data = {target}\n{name}.eval()\n{sizes} = []\nfor inputs, labels in {batches}:\n"
        f"    loss = F.cross_entropy({name}(inputs), labels)\n"
        f"    {sizes}.append((len(labels), loss.item()))\n    {step}"
    )


FORMS = (looped, accumulated, evaluated, scheduled, saved, averaged, changed, penalized, loaded)
WEIGHTS = (5, 1, 2, 2, 1.5, 1, 2, 1, 1.5)
