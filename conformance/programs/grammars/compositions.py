"""Compositions: random functions of a vector and a matrix, under compositions of grad, vjp, jvp, vmap and kin."""

from __future__ import annotations

from conformance.programs.scope import Scope

SIZE, BATCH = 3, 2

# expressions by what they give; {v}, {m} and {s} stand for a vector, a matrix and a number that are there
VECTORS = (
    "{v}.sin()", "{v}.tanh()", "{v}.exp()", "{v} * {v}", "{v} + {v}", "{v} - {s}", "{v} / (1 + {v} * {v})",
    "{v} * {n}", "{n} - {v}", "{v}.pow(2)", "{v} ** 3", "{v}.abs()", "{v}.sigmoid()", "F.relu({v})", "F.gelu({v})",
    "F.silu({v})", "F.softplus({v})", "{m} @ {v}", "{v} @ {m}", "{m}.mv({v})", "{m}.sum({d})", "{m}.mean({d})",
    "{m}.prod({d})", "{m}.diagonal()", "{m}.diag()", "{v}.softmax(0)", "{v}.log_softmax(-1)", "{v}.cumsum(0)",
    "{v}.cumprod(0)", "{v}.flip(0)", "{v}.roll(1)", "{m}[{i}]", "{m}[:, {i}]", "{m}[[0, 1, 2], [0, 2, 1]]",
    "{v}[[2, 0, 1]]", "{v}[torch.tensor([1, 1, 0])]", "{v}.index_select(0, torch.tensor([2, 2, 0]))",
    "{v}.gather(0, torch.tensor([1, 0, 2]))", "{v}.scatter_add(0, torch.tensor([0, 0, 1]), {v})",
    "{v}.scatter(0, torch.tensor([2, 0, 1]), {v})", "{v}.index_add(0, torch.tensor([1, 0, 1]), {v})",
    "torch.where({v} > 0, {v}, {v})", "torch.where({v} > {s}, {v}, 0.5)", "{v}.clamp(min=0.1)", "{v}.clamp(-1, {v})",
    "{v}.masked_fill({v} > 0, 0.5)", "torch.maximum({v}, {v})", "torch.cat([{v}[1:], {v}[:1]])",
    "torch.stack([{s}, {s}, {s}])", "{v}.sort().values", "{v}.sort(descending=True)[0]", "{m}.amax({d})",
    "{m}.max({d}).values", "{m}.logsumexp({d})", "{m}.norm(dim={d})", "{m}.var({d})", "{m}.std({d})",
    "torch.linalg.vector_norm({m}, dim={d})", "F.layer_norm({v}, (3,))", "F.layer_norm({v}, (3,), {v}, {v})",
    "F.linear({v}, {m})", "F.linear({v}, {m}, {v})", "torch.einsum('ij,j->i', {m}, {v})",
    "torch.einsum('ij,ij->j', {m}, {m})", "torch.addmv({v}, {m}, {v})", "torch.lerp({v}, {v}, 0.25)",
    "torch.addcmul({v}, {v}, {v}, value=0.5)", "torch.atan2({v}, {v} + 3)", "torch.hypot({v}, {v} + 2)",
    "{v}.detach()", "{v}.unsqueeze(0).squeeze(0)", "{v}.view(3, 1).expand(3, 2).sum(1)", "{v}.reshape(1, 3)[0]",
    "{v}.double().to({v}.dtype)", "torch.zeros_like({v}) + {v}", "{v}.new_ones(3) * {v}", "{v}.clone()",
    "F.conv1d({v}.view(1, 1, 3), {m}[:1].view(1, 1, 3), padding=1).view(3)",
    "F.avg_pool1d({v}.view(1, 1, 3), 2, 1, 0).sum() * {v}", "F.max_pool1d({v}.view(1, 1, 3), 3, 1, 1).view(3)",
    "F.pad({v}, (1, 1))[1:4]", "F.pad({v}, (1, 0), value=2.0)[:3]", "F.normalize({v}, dim=0)",
    "F.batch_norm({m}, None, None, training=True)[{i}]", "F.group_norm({m}[None], 1)[0, {i}]",
    "F.embedding(torch.tensor([0, 2]), {m}).sum(0)", "{v}.repeat(2)[2:5]", "torch.outer({v}, {v})[{i}]",
    "torch.linalg.solve({m} + 4 * torch.eye(3, dtype={m}.dtype), {v})", "{v}.movedim(0, -1)", "{m}.T[{i}]",
    "torch.take_along_dim({m}, {m}.argmax(1, keepdim=True), 1)[:, 0]", "{v}.nan_to_num()", "{v}.erf()",
    "{v}.log1p().nan_to_num()",
    "torch.cross({v}, {v}, dim=0)", "{v}.trapz(dim=0) + {v}", "{v}.diff(append={v}[:1])", "{v}.float()",
    "{v}.to(torch.float64)",
)  # fmt: skip
MATRICES = (
    "{m}.tanh()", "{m} * {m}", "{m} + {v}", "{m} * {v}.unsqueeze(1)", "{m} @ {m}", "{m}.mm({m})", "{m}.T", "{m}.mT",
    "torch.outer({v}, {v})", "{v}.diag()", "torch.diag_embed({v})", "{m}.tril()", "{m}.triu(1)", "{m}.softmax({d})",
    "{m}.flip({d})", "{m}[[2, 0, 1]]", "{m}[:, [1, 0, 2]]", "torch.stack([{v}, {v}, {v}], {d})",
    "{v}.expand(3, 3)", "F.linear({m}, {m}, {v})", "torch.addmm({m}, {m}, {m})", "{m}.cumsum({d})",
    "F.layer_norm({m}, (3,))", "F.batch_norm({m}, None, None, {v}, {v}, training=True)", "{m}.roll(1, {d})",
    "{m}.transpose(0, 1).contiguous()", "{m}.reshape(9).view(3, 3)", "{m}.permute(1, 0)", "torch.cdist({m}, {m} + 1)",
    "{m}.masked_fill(torch.eye(3, dtype=torch.bool), 0.0)", "torch.where({m} > {s}, {m}, {m})",
    "{m}.index_fill(0, torch.tensor([1]), 0.5)",
    "F.conv2d({m}.view(1, 1, 3, 3), {m}.view(1, 1, 3, 3), padding=1)[0, 0]", "torch.kron({v}, {v}).view(3, 3)",
    "F.scaled_dot_product_attention({m}, {m}, {m})", "torch.linalg.inv({m} + 4 * torch.eye(3, dtype={m}.dtype))",
    "torch.matrix_exp({m} * 0.1)", "{m}.select(0, {i}).outer({v})", "{m}.unfold(0, 3, 1)[0]",
    "torch.baddbmm({m}[None], {m}[None], {m}[None])[0]",
)  # fmt: skip
NUMBERS = (
    "{v}.sum()", "{v}.mean()", "{m}.sum()", "{m}.mean()", "{v}.prod()", "{v} @ {v}", "{v}.dot({v})", "{v}[{i}]",
    "{m}[{i}, {i}]", "{s} * {s}", "{s}.sin()", "{s} + {n}", "{v}.norm()", "{m}.norm()", "{v}.max()",
    "{v}.logsumexp(0)",
    "{m}.trace()", "torch.linalg.det({m})", "torch.logdet({m} @ {m}.T + 4 * torch.eye(3, dtype={m}.dtype))",
    "F.mse_loss({v}, {v})", "F.smooth_l1_loss({v}, {v})", "F.cross_entropy({v}, torch.tensor({i}))",
    "F.cross_entropy({m}, torch.tensor([0, 2, 1]))", "F.nll_loss({m}.log_softmax(1), torch.tensor([1, 1, 0]))",
    "F.binary_cross_entropy_with_logits({v}, {v}.detach().sigmoid())", "{v}.var()", "{v}.std()", "{v}.median()",
    "{v}.amin()", "{v}.unbind(0)[{i}]", "{v}.split(1)[{i}].squeeze()", "torch.vdot({v}, {v})",
    "F.cosine_similarity({v}, {v}, 0)",
    "F.kl_div({v}.log_softmax(0), {v}.softmax(0), reduction='sum')", "{v}.abs().amax()",
    "torch.einsum('i,ij,j->', {v}, {m}, {v})",
)  # fmt: skip
WRITES = (
    "t = {v}.clone()\n    t[{i}] = {s}\n    v = t",
    "t = {v} * 1\n    t.mul_({v})\n    v = t",
    "t = {v} + 0\n    t[1:] += {v}[:2]\n    v = t",
    "t = torch.zeros_like({v})\n    t.copy_({v})\n    v = t",
    "t = {m}.clone()\n    t[{i}] = {v}\n    m = t",
    "t = {m} * 1\n    t.diagonal().add_({v})\n    m = t",
    "t = {m}.clone()\n    t.view(-1)[::4].mul_(2)\n    m = t",
    "t = {v}.clone()\n    t.view(3, 1).squeeze(1).sin_()\n    v = t",
    "t = {v}.clone()\n    t.relu_()\n    v = t",
    "t = {m}.clone()\n    t.T[{i}].mul_({v})\n    m = t",
    "t = {v}.clone()\n    t.index_add_(0, torch.tensor([0, 2]), {v}[:2])\n    v = t",
    "t = {v}.clone()\n    t.masked_fill_(t > 0, 0.25)\n    v = t",
    "t = {v}.clone()\n    t.scatter_(0, torch.tensor([1]), {v}[:1])\n    v = t",
    "t = {v}.clone()\n    t.clamp_(max=1.0)\n    v = t",
    "t = {v}.clone()\n    t.exp_().add_({v}, alpha=2)\n    v = t",
    "t = torch.zeros(3, dtype={v}.dtype)\n    t[0] = {s}\n    v = v + t",
    "t = {m}.clone()\n    t.index_put_((torch.tensor([0, 1]), torch.tensor([2, 0])), {v}[:2])\n    m = t",
    "t = {v}.clone()\n    t.fill_({s})\n    v = v * t",
    "t = {v}.clone()\n    t.zero_()\n    v = v + t",
    "with torch.no_grad():\n        t = {v} * 2\n    v = v + t",
    "t = {v}.clone()\n    t -= {s}\n    v = t",
    "a, b = {v}.clone().chunk(2)\n    v = torch.cat([b, a]) * {v}",
)  # fmt: skip
# what is drawn by chance, each with the option of vmap that allows it, or not
DRAWS = (
    "{v} + torch.rand(3)", "{v} * torch.randn_like({v})", "F.dropout({v}, 0.5)",
    "{v} + torch.bernoulli({v}.sigmoid().detach())",
    "{v}[torch.randperm(3)]", "{v} + torch.empty(3).uniform_()", "{v} + torch.randint(0, 5, (3,))",
    "torch.normal({v}, 1.0)",
)  # fmt: skip
# what torch refuses inside of some transforms
REFUSED = (
    "v = v * v.sum().item()",
    "if s > 0:\n        v = v * 2",
    "v = v[v > 0].sum() * v",
    "{captured}.mul_({v})",
    "{captured}.add_(1)",
    "{captured}[0] = {s}",
    "{captured}[0] = 1.0",
    "{captured}.copy_({v})",
    "{captured}.zero_()",
    "v = v + {captured}.requires_grad_().sum()",
    "v = v * float(s)",
    "v = v.nonzero().sum() * v",
    "v.requires_grad_()",
    "p.mul_(2)",
    "q.T.mul_(2)",
    "p[0] = {s}",
    "{captured}.data.mul_(2)",
    "v = v * torch.tensor(v.tolist())",
    "v = v * {captured}",
    "v = v * {captured}.detach().clone().mul_(2)",
)  # fmt: skip


def data(scope: Scope) -> str:
    """A vector, a matrix, or a batch of them."""
    shape = scope.choose((SIZE,), (SIZE, SIZE), (BATCH, SIZE), (BATCH, SIZE, SIZE), (SIZE, BATCH), (SIZE, SIZE, BATCH))
    dtype = "float64" if scope.chance(0.15) else "float32"
    ends = ".requires_grad_()" if scope.chance(0.15) else ""
    return f"{scope.fresh()} = {scope.literal(shape, dtype)}{ends}"


def filled(scope: Scope, text: str) -> str:
    """An expression with names in its places."""
    for mark, options in (("{v}", ("v", "p", "v")), ("{m}", ("m", "q", "m")), ("{s}", ("s",))):
        while mark in text:
            text = text.replace(mark, scope.choose(*options), 1)
    while "{n}" in text:
        text = text.replace("{n}", scope.number(), 1)
    text = text.replace("{d}", scope.choose("0", "1", "-1")).replace("{i}", scope.choose("0", "1", "2", "-1"))
    captured = scope.tensor(lambda tensor: tuple(tensor.shape) == (SIZE,))
    return text.replace("{captured}", captured or "torch.ones(3)")


def line(scope: Scope) -> str:
    """One line of a function's body, or a few."""
    kind = scope.random.choices(("v", "m", "s", "write", "draw", "refused"), (10, 6, 4, 4, 0.6, 0.5))[0]
    if kind == "write":
        return filled(scope, scope.choose(*WRITES))
    if kind == "refused":
        return filled(scope, scope.choose(*REFUSED))
    if kind == "draw":
        return "v = " + filled(scope, scope.choose(*DRAWS))
    table = {"v": VECTORS, "m": MATRICES, "s": NUMBERS}[kind]
    return f"{kind} = {filled(scope, scope.choose(*table))}"


def function(scope: Scope, gives: str) -> str:
    """The definition of a function `f` of a vector and a matrix, which gives a number, a vector or a matrix."""
    lines = ["def f(p, q):", "v, m = p, q", "s = v.sum()"]
    lines += [line(scope) for _ in range(scope.integer(1, 4))]
    ends = {
        "s": ("s + v.sum()", "(v * v).sum() + m.sum()", "s * v.mean()", "v @ m @ v", "v.sum()"),
        "v": ("v", "v + s", "m @ v", "v * m.sum(0)", "p * v"),
        "m": ("m", "m * v", "torch.outer(v, p)", "m + s", "m @ q"),
    }
    return "\n    ".join([*lines, f"return {scope.choose(*ends[gives])}"])


def arguments(scope: Scope, batched: bool) -> tuple[str, str, str] | None:
    """A vector and a matrix, or a batch of one of them or of both, and the in_dims for them."""
    if not batched:
        vector = scope.tensor(lambda tensor: tuple(tensor.shape) == (SIZE,))
        matrix = scope.tensor(lambda tensor: tuple(tensor.shape) == (SIZE, SIZE))
        return (vector, matrix, "") if vector and matrix else None
    first, second = scope.choose((True, True), (True, False), (True, False), (False, True))
    vector, one = batch(scope, (SIZE,)) if first else (scope.tensor(lambda each: tuple(each.shape) == (SIZE,)), "None")
    matrix, two = (
        batch(scope, (SIZE, SIZE)) if second else (scope.tensor(lambda each: tuple(each.shape) == (SIZE, SIZE)), "None")
    )
    return (vector, matrix, f"({one}, {two})") if vector and matrix else None


def batch(scope: Scope, sample: tuple[int, ...]) -> tuple[str | None, str]:
    """A tensor with a batch of samples, and the dimension that counts them."""
    if scope.chance(0.7):
        return scope.tensor(lambda tensor: tuple(tensor.shape) == (BATCH, *sample)), "0"
    last = scope.choose(str(len(sample)), "-1")
    return scope.tensor(lambda tensor: tuple(tensor.shape) == (*sample, BATCH)), last


# what is made of `f`, by what that gives; each is a function of a vector and a matrix again, and what it gives
MADE = {
    "s": (
        ("torch.func.grad(f)", "v"),
        ("torch.func.grad(f, argnums=1)", "m"),
        ("lambda p, q: torch.func.grad(f, argnums=(0, 1))(p, q)[1]", "m"),
        ("lambda p, q: torch.func.grad_and_value(f)(p, q)[0]", "v"),
        ("lambda p, q: torch.func.grad(lambda *a: (f(*a), a[0] * 2), has_aux=True)(p, q)[1]", "v"),
        ("torch.func.hessian(f)", "m"),
        ("torch.func.jacrev(torch.func.grad(f))", "m"),
        ("torch.func.jacfwd(torch.func.jacfwd(f))", "m"),
        ("lambda p, q: torch.func.vjp(f, p, q)[1](p.sum())[0]", "v"),
        ("lambda p, q: torch.func.jvp(f, (p, q), (p, q))[1]", "s"),
        ("torch.func.jacfwd(f)", "v"),
        ("torch.func.jacrev(f, argnums=1)", "m"),
    ),
    "v": (
        ("lambda p, q: f(p, q).sum()", "s"),
        ("torch.func.jacrev(f)", "m"),
        ("torch.func.jacfwd(f)", "m"),
        ("lambda p, q: torch.func.jvp(f, (p, q), (p, q))[1]", "v"),
        ("lambda p, q: torch.func.jvp(lambda p: f(p, q), (p,), (p * 2,))[1]", "v"),
        ("lambda p, q: torch.func.vjp(f, p, q)[1](p)[0]", "v"),
        ("lambda p, q: torch.func.vjp(f, p, q)[1](p)[1]", "m"),
        ("lambda p, q: torch.vmap(f, in_dims=(None, 0))(p, q.expand(3, 3, 3))[0]", "v"),
        ("lambda p, q: torch.vmap(f, in_dims=(0, None))(q, q)", "m"),
        ("lambda p, q: torch.vmap(f, in_dims=(1, None), out_dims=1)(q, q)", "m"),
    ),
    "m": (
        ("lambda p, q: f(p, q).sum()", "s"),
        ("lambda p, q: f(p, q)[0]", "v"),
        ("lambda p, q: torch.func.jvp(f, (p, q), (p, q))[1]", "m"),
        ("lambda p, q: torch.func.vjp(f, p, q)[1](q)[0]", "v"),
        ("lambda p, q: torch.func.jacfwd(f)(p, q).sum(0)", "m"),
        ("lambda p, q: torch.func.jacrev(f)(p, q).sum(0)", "m"),
    ),
}


def statement(scope: Scope) -> str | None:
    """A function, one to three transforms of it, and a call: of the function alone or over a batch."""
    gives = scope.choose("s", "s", "v", "m")
    lines = [function(scope, gives)]
    for _ in range(scope.random.choices((0, 1, 2, 3), (1, 6, 4, 1))[0]):
        made, gives = scope.choose(*MADE[gives])
        lines.append(f"f = {made.replace('lambda p, q:', 'lambda p, q, f=f:')}")
    batched = scope.chance(0.5)
    given = arguments(scope, batched)
    if given is None:
        return None
    vector, matrix, dims = given
    if batched:
        options = scope.choose(
            "", "", ", randomness='different'", ", randomness='same'", ", chunk_size=1", ", out_dims=-1"
        )
        lines.append(f"f = torch.vmap(f, in_dims={dims}{options})")
    lines.append(f"{scope.fresh()} = f({vector}, {matrix})")
    return "\n".join(lines)
