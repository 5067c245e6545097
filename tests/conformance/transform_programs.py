"""Programs in the manner of functorch's tutorials, as in `module_programs`: samples, ensembles, Jacobians, solvers."""

PROGRAMS = """
# gradients of each sample of a batch
torch.manual_seed(0); func = torch.func
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)); params = dict(net.named_parameters())
xs, ys = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
def loss(params, x, y):
    return nn.functional.cross_entropy(func.functional_call(net, params, (x.unsqueeze(0),)), y.unsqueeze(0))
each = func.vmap(func.grad(loss), in_dims=(None, 0, 0))({k: p.detach() for k, p in params.items()}, xs, ys)
show({k: tuple(g.shape) for k, g in each.items()}); close(*each.values())
nn.functional.cross_entropy(net(xs), ys).backward()
close(*[g.mean(0) - params[k].grad for k, g in each.items()])

# gradients of each sample by a loop agree with vmap
torch.manual_seed(1); w = torch.randn(3, 2); xs, ys = torch.randn(5, 3), torch.randn(5, 2)
loss = lambda w, x, y: ((x @ w).sigmoid() - y).pow(2).mean()
whole = torch.vmap(torch.func.grad(loss), (None, 0, 0))(w, xs, ys)
rows = torch.stack([torch.func.grad(loss)(w, x, y) for x, y in zip(xs, ys)])
show(torch.allclose(whole, rows, atol=1e-6)); close(whole)

# gradients of each sample of a convolutional network
torch.manual_seed(2); func = torch.func
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 2))
params = {k: p.detach() for k, p in net.named_parameters()}; xs, ys = torch.randn(3, 1, 8, 8), torch.tensor([0, 1, 1])
def loss(params, x, y):
    return nn.functional.nll_loss(func.functional_call(net, params, (x[None],)).log_softmax(1), y[None])
slopes, values = func.vmap(func.grad_and_value(loss), (None, 0, 0))(params, xs, ys)
close(values, *slopes.values())

# clipped and noisy gradients
torch.manual_seed(3); w = torch.zeros(4); xs = torch.randn(32, 4); ys = (xs.sum(1) > 0).float()
loss = lambda w, x, y: nn.functional.binary_cross_entropy_with_logits(x @ w, y)
for step in range(5):
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(w, xs, ys)
    factors = (0.5 / each.norm(dim=1)).clamp(max=1)
    w = w - 0.5 * ((each * factors[:, None]).sum(0) + 0.1 * torch.randn(4)) / 32
close(w)

# chunks of a batch give what the batch gives
torch.manual_seed(4); xs = torch.randn(7, 3); w = torch.randn(3, 3)
f = lambda x: (x @ w).tanh().norm()
show(torch.allclose(torch.vmap(torch.func.grad(f), chunk_size=2)(xs), torch.vmap(torch.func.grad(f))(xs), atol=1e-6))
close(torch.vmap(f, chunk_size=3)(xs), torch.func.jacrev(lambda x: (x @ w).tanh(), chunk_size=2)(xs[0]))

# an ensemble of networks on one batch
torch.manual_seed(5); func = torch.func
nets = [nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)) for _ in range(3)]; xs = torch.randn(6, 4)
params, buffers = func.stack_module_state(nets); show({k: tuple(p.shape) for k, p in params.items()}, buffers)
one = lambda params, buffers, x: func.functional_call(nets[0], (params, buffers), (x,))
found = func.vmap(one, in_dims=(0, 0, None))(params, buffers, xs); close(found)
show(all(torch.allclose(found[i], nets[i](xs), atol=1e-6) for i in range(3)))

# an ensemble of networks, each on a batch of its own, trained
torch.manual_seed(6); func = torch.func
nets = [nn.Linear(3, 1) for _ in range(4)]; xs, ys = torch.randn(4, 8, 3), torch.randn(4, 8, 1)
params, buffers = func.stack_module_state(nets); opt = torch.optim.Adam(params.values(), lr=0.1)
for step in range(10):
    opt.zero_grad()
    out = func.vmap(lambda p, b, x: func.functional_call(nets[0], (p, b), (x,)))(params, buffers, xs)
    losses = (out - ys).square().mean((1, 2)); losses.sum().backward(); opt.step()
close(losses, *params.values())

# an ensemble with buffers
torch.manual_seed(7); func = torch.func
nets = [nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval() for _ in range(2)]; xs = torch.randn(5, 3)
for net in nets: net[1].running_mean.copy_(torch.randn(4)); net[1].running_var.copy_(torch.rand(4) + 0.5)
params, buffers = func.stack_module_state(nets); show(sorted(buffers), buffers["1.running_mean"].shape)
close(func.vmap(lambda p, b: func.functional_call(nets[0], (p, b), (xs,)))(params, buffers))

# different dropout for each member, or the same
torch.manual_seed(8); x = torch.ones(6)
close(torch.vmap(lambda s: nn.functional.dropout(x, 0.5) * s, randomness="different")(torch.arange(3.0)))
close(torch.vmap(lambda s: nn.functional.dropout(x, 0.5) * s, randomness="same")(torch.arange(3.0)))
fails(lambda: torch.vmap(lambda s: nn.functional.dropout(x, 0.5) * s)(torch.arange(3.0)), 60)

# bootstrap: one fit for each resample
torch.manual_seed(9); xs = torch.randn(20, 2); ys = xs @ torch.tensor([1.0, -2.0]) + 0.1 * torch.randn(20)
picks = torch.randint(20, (5, 20))
fit = lambda pick: torch.linalg.solve(xs[pick].T @ xs[pick] + 0.1 * torch.eye(2), xs[pick].T @ ys[pick])
close(torch.vmap(fit)(picks))

# Jacobians three ways
torch.manual_seed(10); w, b, x = torch.randn(4, 4), torch.randn(4), torch.randn(4)
predict = lambda w, b, x: nn.functional.linear(x, w, b).tanh()
one = torch.func.jacrev(predict, argnums=2)(w, b, x); two = torch.func.jacfwd(predict, argnums=2)(w, b, x)
v = x.clone().requires_grad_()
rows = torch.stack([torch.autograd.grad(predict(w, b, v)[i], v)[0] for i in range(4)])
show(torch.allclose(one, two, atol=1e-5), torch.allclose(one, rows, atol=1e-5)); close(one)
close(*torch.func.jacrev(predict, argnums=(0, 1))(w, b, x), *torch.func.jacfwd(predict, argnums=(0, 1))(w, b, x))

# Jacobians of a batch
torch.manual_seed(11); w, xs = torch.randn(3, 4), torch.randn(5, 4)
f = lambda x: (w @ x).sin()
close(torch.vmap(torch.func.jacrev(f))(xs), torch.vmap(torch.func.jacfwd(f))(xs))
close(torch.func.jacrev(lambda xs: torch.vmap(f)(xs).sum(0))(xs).movedim(1, 0))

# Hessians, composed four ways
torch.manual_seed(12); x = torch.randn(4, dtype=torch.float64); f = lambda x: (x.sin() * x.roll(1)).sum() + x.prod()
both = (torch.func.jacfwd, torch.func.jacrev)
ways = [torch.func.hessian(f)(x)] + [a(b(f))(x) for a in both for b in both]
show([torch.allclose(ways[0], each) for each in ways]); close(ways[0])
show(torch.allclose(ways[0], ways[0].T))

# Hessians of a batch of points
torch.manual_seed(13); xs = torch.randn(3, 2, dtype=torch.float64)
f = lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
close(torch.vmap(torch.func.hessian(f))(xs))

# products of the Hessian with vectors
torch.manual_seed(14); func = torch.func; x, v = torch.randn(5), torch.randn(5)
f = lambda x: x.sin().pow(2).sum() * x.norm()
fr = func.jvp(func.grad(f), (x,), (v,))[1]
rf = func.vjp(func.grad(f), x)[1](v)[0]; rr = func.grad(lambda x: (func.grad(f)(x) * v).sum())(x)
show(torch.allclose(fr, rf, atol=1e-5), torch.allclose(fr, rr, atol=1e-5)); close(fr)
close(torch.func.vmap(lambda v: func.jvp(func.grad(f), (x,), (v,))[1])(torch.eye(5)))

# the diagonal of a Hessian
x = torch.linspace(-1, 1, 6, dtype=torch.float64); f = lambda x: (x.exp() * x.cumsum(0)).sum()
close(torch.vmap(lambda v: v @ torch.func.jvp(torch.func.grad(f), (x,), (v,))[1])(torch.eye(6, dtype=torch.float64)))

# conjugate gradients with products of the Hessian
torch.manual_seed(15); func = torch.func; a = torch.randn(6, 6, dtype=torch.float64); a = a @ a.T + torch.eye(6)
f = lambda x: 0.5 * x @ a @ x + x.pow(4).sum() / 4; x = torch.ones(6, dtype=torch.float64)
for newton in range(4):
    g = func.grad(f)(x); step, r = torch.zeros_like(x), -g; p = r
    for k in range(6):
        hp = func.jvp(func.grad(f), (x,), (p,))[1]; alpha = (r @ r) / (p @ hp)
        step, after = step + alpha * p, r - alpha * hp; p = after + (after @ after) / (r @ r + 1e-30) * p; r = after
    x = x + step
close(x, func.grad(f)(x))

# Newton's method on a batch of starting points
starts = torch.tensor([-2.0, 0.5, 3.0], dtype=torch.float64); f = lambda x: x ** 3 - 2 * x - 5
def newton(x):
    for _ in range(30): x = x - f(x) / torch.func.grad(f)(x)
    return x
close(torch.vmap(newton)(starts))

# Gauss-Newton on a curve
torch.manual_seed(16); t = torch.linspace(0, 1, 12, dtype=torch.float64)
ys = 2.5 * torch.exp(-1.3 * t) + 0.01 * torch.randn(12, dtype=torch.float64)
residual = lambda p: p[0] * torch.exp(-p[1] * t) - ys; p = torch.tensor([1.0, 1.0], dtype=torch.float64)
for _ in range(6):
    j = torch.func.jacfwd(residual)(p); p = p - torch.linalg.lstsq(j, residual(p)[:, None]).solution[:, 0]
close(p, residual(p).norm())

# directional derivatives along many directions
torch.manual_seed(17); x = torch.randn(3, 4); ways = torch.randn(5, 3, 4); f = lambda x: x.softmax(-1).log().sum(0)
close(torch.vmap(lambda v: torch.func.jvp(f, (x,), (v,))[1])(ways))
value, slope = torch.func.linearize(f, x); close(value, torch.vmap(slope)(ways), slope(ways[0]))

# cotangents of several outputs
torch.manual_seed(18); x = torch.randn(4)
f = lambda x: {"a": x.sin(), "b": (x.cos(), x.sum())}
value, back = torch.func.vjp(f, x); close(value["a"], *value["b"])
close(*back({"a": torch.ones(4), "b": (torch.zeros(4), torch.tensor(2.0))}))
value, back, aux = torch.func.vjp(lambda x: (x * 2, x.detach() + 1), x, has_aux=True); close(aux, *back(x))
fails(lambda: back(torch.ones(3)), 40)

# gradients with several arguments and what goes along
torch.manual_seed(19); a, b = torch.randn(3), torch.randn(3)
f = lambda a, b: ((a * b).sum(), {"sum": a + b})
(ga, gb), aux = torch.func.grad(f, argnums=(0, 1), has_aux=True)(a, b); close(ga, gb, aux["sum"])
(grads, (value, aux)) = torch.func.grad_and_value(f, argnums=1, has_aux=True)(a, b); close(grads, value, aux["sum"])
fails(lambda: torch.func.grad(lambda a: a * 2)(a), 60); fails(lambda: torch.func.grad(f, argnums=2)(a, b), 40)

# samples along other dimensions
torch.manual_seed(20); x, y = torch.randn(3, 5), torch.randn(4, 5, 2)
f = lambda x, y: (x.sum() * y, x)
one, two = torch.vmap(f, in_dims=(1, 1), out_dims=(2, 1))(x, y); show(one.shape, two.shape); close(one, two)
one, two = torch.vmap(f, in_dims=(None, -1), out_dims=(0, None))(x[:, 0], y); show(one.shape, two.shape); close(one)
close(torch.vmap(torch.vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(x, torch.randn(6, 5)))

# trees of samples
torch.manual_seed(21); data = {"x": torch.randn(4, 3), "more": [torch.randn(4), torch.randn(2, 4)]}
f = lambda d, k: {"s": d["x"].sum() * k, "p": (d["more"][0] + d["more"][1].sum(),)}
found = torch.vmap(f, in_dims=({"x": 0, "more": [0, 1]}, None))(data, 2.0); close(found["s"], *found["p"])

# conditions by where
xs = torch.linspace(-2, 2, 7)
f = lambda x: torch.where(x > 0, x.sqrt(), -x)
close(torch.vmap(f)(xs), torch.vmap(torch.func.grad(lambda x: torch.where(x > 0, x ** 2, -x)))(xs))
fails(lambda: torch.vmap(lambda x: x if x > 0 else -x)(xs), 80); fails(lambda: torch.vmap(lambda x: x.item())(xs), 60)
fails(lambda: torch.vmap(lambda x: x.nonzero())(xs.reshape(7, 1)), 40)

# writes inside of a mapped function
xs = torch.arange(12.0).reshape(3, 4)
def f(x):
    y = torch.zeros_like(x); y[0] = x.sum(); y[1:].add_(x[1:]); y.mul_(2); return y
close(torch.vmap(f)(xs), torch.vmap(torch.func.jacrev(f))(xs))

# a function with derivatives of its own
class Cube(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return x ** 3
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs); ctx.save_for_forward(*inputs)
    @staticmethod
    def backward(ctx, grad): return 3 * ctx.saved_tensors[0] ** 2 * grad
    @staticmethod
    def jvp(ctx, tangent): return 3 * ctx.saved_tensors[0] ** 2 * tangent
x = torch.tensor([1.0, 2.0, -1.5])
close(torch.func.grad(lambda x: Cube.apply(x).sum())(x), torch.vmap(torch.func.grad(Cube.apply))(x))
close(torch.vmap(torch.func.grad(torch.func.grad(Cube.apply)))(x))
close(torch.func.jvp(Cube.apply, (x,), (torch.ones(3),))[1], torch.func.jacrev(Cube.apply)(x))

# parameters given to a module, tied and not
torch.manual_seed(22); func = torch.func
class Tied(nn.Module):
    def __init__(self):
        super().__init__(); self.a = nn.Linear(3, 3, bias=False); self.b = nn.Linear(3, 3, bias=False)
        self.b.weight = self.a.weight
    def forward(self, x): return self.b(self.a(x))
net, x = Tied(), torch.randn(2, 3); given = {"a.weight": torch.eye(3) * 2}
close(func.functional_call(net, given, x), func.functional_call(net, given, x, tie_weights=False))
fails(lambda: func.functional_call(net, {"a.weight": torch.eye(3), "b.weight": torch.ones(3, 3)}, x), 40)
fails(lambda: func.functional_call(net, {}, x, strict=True), 40)
close(func.grad(lambda w: func.functional_call(net, {"a.weight": w}, x).sum())(torch.eye(3)))
"""
