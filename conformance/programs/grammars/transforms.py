"""Transforms: functions of a program differentiated, mapped, checkpointed, with tensors of the program inside."""

from __future__ import annotations

from typing import Any

from conformance.programs.scope import Scope

# what a function makes of its argument `v`; {0} is something else of the program that fits
BODIES = (
    "v.sin()",
    "v * v",
    "v.exp() * {0}",
    "torch.tanh(v) + {0}",
    "v.clone().mul_(2)",
    "v.clone().add_({0})",
    "torch.where(v > 0, v, {0})",
    "v.relu() ** 2",
    "v.cumsum(-1)",
    "v.softmax(-1)",
    "v.logsumexp(-1)",
    "torch.cat([v, v * 2])",
    "torch.stack([v, {0} * v])",
    "v.reshape(-1)",
    "v.mT.contiguous()",
    "v[0] * v[-1]",
    "v[..., :1] - v",
    "v.mean(-1, keepdim=True) * v",
    "v.sort(-1)[0]",
    "v.abs().sqrt()",
    "v.prod()",
    "v.amax(-1)",
    "v @ v.mT",
    "F.gelu(v)",
    "F.softplus(v) / 2",
    "v.index_select(0, torch.tensor([0, 0]))",
    "v.index_put((torch.tensor([0, 0]),), torch.ones(()), accumulate=True)",
    "v.scatter_add(0, torch.zeros_like(v, dtype=torch.long), v)",
    "v.masked_fill(v > 0, 0.5)",
    "v.detach() * v",
    "torch.zeros_like(v).copy_(v * 3)",
    "(v * v).unbind(0)[0]",
    "v.new_ones(2) * v.sum()",
    "v.pow(3) + v.pow(2)",
    "v.norm()",
    "v.clamp(-1, 1)",
    "torch.einsum('...i,...i->...', v, v)",
)

# torch's tangents may be zeros without memory, which nobody can look at
COPY = "tangent.clone()"


def statement(scope: Scope) -> str | None:
    """A transform of a function, applied to a tensor that is there."""
    # where a tensor of inference mode has tangents, torch loses them
    name = scope.tensor(lambda each: each.is_floating_point() and each.numel() < 40 and not each.is_inference())
    return None if name is None else scope.choose(*FORMS)(scope, name, scope.value(name))


def body(scope: Scope, tensor: Any) -> str:
    text = scope.choose(*BODIES)
    return text.format(scope.operand(tensor)) if "{0}" in text else text


def total(scope: Scope, tensor: Any) -> str:
    return f"({body(scope, tensor)}).{scope.choose('sum()', 'pow(2).sum()', 'mean()')}"


def differentiated(scope: Scope, name: str, tensor: Any) -> str:
    inner = total(scope, tensor)
    return scope.choose(
        f"{scope.fresh()} = torch.func.grad(lambda v: {inner})({name})",
        f"{scope.fresh()} = torch.func.grad(lambda v: {inner})({name})",
        f"{scope.fresh('p')} = torch.func.grad_and_value(lambda v: {inner})({name})",
        f"{scope.fresh('p')} = torch.func.grad(lambda v: ({inner}, v * 2), has_aux=True)({name})",
        f"{scope.fresh('p')} = torch.func.grad(lambda v, w: ({inner}) * w.sum(), argnums=(0, 1))({name}, {name} * 2)",
        f"{scope.fresh()} = torch.func.grad(lambda v: torch.func.grad(lambda v: {inner})(v).pow(2).sum())({name})",
    )


def jacobian(scope: Scope, name: str, tensor: Any) -> str:
    inner = body(scope, tensor)
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.func.jacrev(lambda v: {inner})({name})",
        f"torch.func.jacfwd(lambda v: {inner})({name})",
        f"torch.func.hessian(lambda v: ({inner}).sum())({name})",
        f"torch.func.jacrev(torch.func.jacfwd(lambda v: ({inner}).sum()))({name})",
        f"torch.autograd.functional.jacobian(lambda v: {inner}, {name}, create_graph={scope.chance(0.5)})",
        f"torch.autograd.functional.hessian(lambda v: ({inner}).sum(), {name})",
        f"torch.autograd.functional.hvp(lambda v: ({inner}).sum(), {name}, torch.ones_like({name}))[1]",
    )


def products(scope: Scope, name: str, tensor: Any) -> str:
    inner, made = body(scope, tensor), scope.fresh()
    return scope.choose(
        f"{made}, pull = torch.func.vjp(lambda v: {inner}, {name})\n{scope.fresh()}, = pull(torch.ones_like({made}))",
        f"{made}, tangent = torch.func.jvp(lambda v: {inner}, ({name},), (torch.ones_like({name}),))\n"
        f"{scope.fresh()} = {COPY}",
        f"{made}, {scope.fresh()} = torch.autograd.functional.vjp(lambda v: {inner}, {name}, {name} * 0 + 1)",
        f"{made}, {scope.fresh()} = torch.autograd.functional.jvp(lambda v: {inner}, {name}, torch.ones_like({name}))",
    )


def mapped(scope: Scope, name: str, tensor: Any) -> str:
    # not a view of it: one of a tensor that was made in inference mode may be refused
    sample = tensor.data[0] if tensor.dim() and tensor.shape[0] else tensor
    inner = body(scope, sample)
    options = scope.choose("", "", ", in_dims=-1", ", out_dims=-1", ", in_dims=1, out_dims=1", ", chunk_size=1")
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.vmap(lambda v: {inner}{options})({name})",
        f"torch.vmap(lambda v: {inner}{options})({name})",
        f"torch.vmap(lambda v, w: ({inner}) * w, in_dims=(0, None))({name}, {scope.number()})",
        f"torch.vmap(lambda v, w: ({inner}) + w)({name}, {name})",
        f"torch.vmap(torch.func.grad(lambda v: ({inner}).sum()))({name})",
        f"torch.vmap(torch.vmap(lambda v: {inner}))({name})",
        f"torch.vmap(lambda v: {inner} + torch.randn(()), randomness='{scope.choose('same', 'different', 'error')}')"
        f"({name})",
        f"torch.func.grad(lambda x: torch.vmap(lambda v: {inner})(x).sum())({name})",
    )


def forward(scope: Scope, name: str, tensor: Any) -> str:
    """Tangents carried along by hand."""
    inner, dual = body(scope, tensor), "torch.autograd.forward_ad"
    return (
        f"with {dual}.dual_level():\n    v = {dual}.make_dual({name}, torch.ones_like({name}))\n"
        f"    {scope.fresh()}, tangent = {dual}.unpack_dual({inner})\n"
        f"    {scope.fresh()} = None if tangent is None else {COPY}"
    )


def saved(scope: Scope, name: str, tensor: Any) -> str:
    """What a graph keeps, packed by a program's own functions or computed again."""
    inner, new = body(scope, tensor), scope.fresh()
    made = f"v = {name}\n    {new} = {inner}"
    return scope.choose(
        f"with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept * 2, lambda kept: kept / 2):\n    {made}",
        f"with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept.numpy(force=True), torch.from_numpy):\n"
        f"    {made}",
        f"with torch.autograd.graph.save_on_cpu():\n    {made}",
        f"{new} = torch.utils.checkpoint.checkpoint(lambda v: {inner}, {name}, use_reentrant={scope.chance(0.5)})",
        f"with torch.autograd.graph.saved_tensors_hooks(lambda kept: seen.append(tuple(kept.shape)) or kept, "
        f"lambda kept: kept):\n    {made}",
    )


def twice(scope: Scope, name: str, tensor: Any) -> str | None:
    """A gradient that is differentiated again, the tensor written to in between through a view."""
    wanted = scope.tensor(lambda each: each.requires_grad and each.is_floating_point())
    if wanted is None:
        return None
    new, slope = scope.fresh(), scope.fresh()
    write = scope.choose("", f"{new}.view(-1)[:1].mul_(2)\n", f"{new}[:1] = 0.5\n", f"{new}.add_({new})\n")
    return (
        f"v = {wanted}\n{new} = {body(scope, scope.value(wanted))}\n{write}"
        f"{slope}, = torch.autograd.grad({new}.pow(2).sum(), {wanted}, create_graph=True)\n"
        + scope.choose(
            f"{slope}.pow(2).sum().backward()",
            f"{slope}.sum().backward(retain_graph=True)",
            f"{scope.fresh()}, = torch.autograd.grad({slope}.sum(), {wanted}, allow_unused=True)",
        )
    )


def several(scope: Scope, name: str, tensor: Any) -> str | None:
    """Hooks on several tensors, edges of the graph, modes inside of modes."""
    one, two = (scope.tensor(lambda each: each.requires_grad) for _ in range(2))
    if one is None or two is None:
        return None
    return scope.choose(
        f"{scope.fresh('v')} = torch.autograd.graph.register_multi_grad_hook([{one}, {two}], "
        f"lambda grads: seen.append([each is None for each in grads]), mode='all')",
        f"{scope.fresh('v')} = torch.autograd.graph.register_multi_grad_hook([{one}, {two}], "
        f"lambda grad: seen.append(tuple(grad.shape)), mode='any')",
        f"{scope.fresh()}, = torch.autograd.grad({one}.sum(), torch.autograd.graph.get_gradient_edge({two}), "
        f"retain_graph=True, allow_unused=True)",
        f"with torch.no_grad():\n    with torch.enable_grad():\n        {scope.fresh()} = {one} * 2\n"
        f"    {scope.fresh()} = {one} * 3",
        f"with torch.inference_mode():\n    with torch.inference_mode(False):\n        {scope.fresh()} = {one} * 2\n"
        f"    {scope.fresh()} = {one} * 3",
        f"with torch.inference_mode():\n    with torch.no_grad():\n        {scope.fresh()} = {one}[:1]",
        f"{one}.register_hook(lambda grad: grad.clamp(-0.5, 0.5))",
        f"{one}.register_hook(lambda grad: grad[:1])",
    )


def called(scope: Scope, name: str, tensor: Any) -> str:
    """A layer as a function of its parameters: gradients sample by sample, ensembles."""
    layer = scope.choose(
        "nn.Linear(3, 2)", "nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))", "nn.LayerNorm(3)"
    )
    head = f"layer = {layer}\ntable = {{key: each.detach() for key, each in layer.named_parameters()}}\n"
    loss = "lambda table, v: torch.func.functional_call(layer, table, (v,)).pow(2).sum()"
    return head + scope.choose(
        f"{scope.fresh('p')} = torch.func.grad({loss})(table, torch.randn(4, 3))",
        f"{scope.fresh('p')} = torch.vmap(torch.func.grad({loss}), (None, 0))(table, torch.randn(4, 3))",
        f"{scope.fresh('p')} = torch.func.jacrev({loss})(table, torch.randn(2, 3))",
        f"{scope.fresh('p')} = torch.func.stack_module_state([{layer}, {layer}])[0]",
        f"stacked, _ = torch.func.stack_module_state([layer, {layer}])\n"
        f"{scope.fresh()} = torch.vmap(lambda table, v: torch.func.functional_call(layer, table, (v,)), (0, None))"
        f"(stacked, torch.ones(2, 3))",
    )


FORMS = (
    differentiated,
    differentiated,
    jacobian,
    products,
    mapped,
    mapped,
    forward,
    saved,
    saved,
    twice,
    twice,
    several,
    several,
    called,
)
