"""Programs of physics-informed networks, tangent kernels, meta-learning and influence, as in `module_programs`."""

PROGRAMS = """
# the derivative of a network in its input
torch.manual_seed(0); func = torch.func; net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).double()
params = {k: p.detach() for k, p in net.named_parameters()}; xs = torch.linspace(-1, 1, 9, dtype=torch.float64)
u = lambda x: func.functional_call(net, params, (x.reshape(1),)).squeeze()
close(torch.vmap(u)(xs), torch.vmap(func.grad(u))(xs), torch.vmap(func.grad(func.grad(u)))(xs))
close(torch.vmap(func.grad(func.grad(func.grad(u))))(xs))

# an ordinary differential equation learned by a network
torch.manual_seed(1); func = torch.func; net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).double()
params = dict(net.named_parameters()); opt = torch.optim.Adam(params.values(), lr=1e-2)
ts = torch.linspace(0, 2, 20, dtype=torch.float64)
def u(params, t): return 1 + t * func.functional_call(net, params, (t.reshape(1),)).squeeze()
def loss(params):
    slope = torch.vmap(func.grad(u, argnums=1), (None, 0))(params, ts)
    return (slope + torch.vmap(u, (None, 0))(params, ts)).square().mean()
for step in range(15):
    opt.zero_grad(); value = loss(params); value.backward(); opt.step()
close(value, torch.vmap(u, (None, 0))(params, ts))

# the residual of Burgers' equation
torch.manual_seed(2); func = torch.func
net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
params = {k: p.detach() for k, p in net.named_parameters()}; pts = torch.rand(7, 2) * 2 - 1
u = lambda p, z: func.functional_call(net, p, (z,)).squeeze(-1)
def residual(p, z):
    g = func.jacrev(u, argnums=1)(p, z); h = func.hessian(u, argnums=1)(p, z)
    return g[1] + u(p, z) * g[0] - 0.01 / torch.pi * h[0, 0]
loss = lambda p: torch.vmap(residual, (None, 0))(p, pts).square().mean()
slopes, value = func.grad_and_value(loss)(params); close(value, *slopes.values())

# the heat equation with forward mode
torch.manual_seed(3); func = torch.func; net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
pts = torch.rand(5, 3)
params = {k: p.detach() for k, p in net.named_parameters()}
u = lambda p, z: func.functional_call(net, p, (z,)).squeeze(-1)
du = func.jacfwd(u, argnums=1); ddu = func.jacfwd(du, argnums=1)
residual = lambda p, z: du(p, z)[2] - ddu(p, z)[:2, :2].trace()
loss = lambda p: torch.vmap(residual, (None, 0))(p, pts).square().mean()
close(torch.vmap(du, (None, 0))(params, pts), torch.vmap(ddu, (None, 0))(params, pts))
close(*func.grad(loss)(params).values())

# the wave equation trained for some steps
torch.manual_seed(4); func = torch.func; net = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 1)).double()
params = dict(net.named_parameters()); opt = torch.optim.SGD(params.values(), lr=1e-2, momentum=0.9)
u = lambda p, z: func.functional_call(net, p, (z,)).squeeze(-1); x = torch.linspace(0, 1, 6, dtype=torch.float64)
seen = []
for step in range(8):
    pts = torch.rand(10, 2, dtype=torch.float64); h = torch.vmap(func.hessian(u, argnums=1), (None, 0))(params, pts)
    start = torch.vmap(u, (None, 0))(params, torch.stack([x, x * 0], 1)) - (torch.pi * x).sin()
    loss = (h[:, 1, 1] - h[:, 0, 0]).square().mean() + start.square().mean()
    opt.zero_grad(); loss.backward(); opt.step(); seen.append(loss.detach())
close(torch.stack(seen))

# the Laplacian by a trace, by directions, and by random vectors
torch.manual_seed(5); func = torch.func; f = lambda x: (x.sin() * x.flip(0)).sum() * x.norm()
x = torch.randn(4, dtype=torch.float64)
along = lambda v: func.jvp(lambda y: func.jvp(f, (y,), (v,))[1], (x,), (v,))[1]
close(func.hessian(f)(x).trace(), torch.vmap(along)(torch.eye(4, dtype=torch.float64)).sum())
noise = torch.randn(50, 4, dtype=torch.float64).sign(); close(torch.vmap(along)(noise).mean())

# divergence and curl of a field
torch.manual_seed(6); field = lambda p: torch.stack([p[1] * p[2], p[0] ** 2 - p[2], (p[0] * p[1]).sin()])
pts = torch.randn(4, 3)
jac = torch.vmap(torch.func.jacfwd(field))(pts)
turn = jac - jac.transpose(1, 2)
close(jac.diagonal(dim1=1, dim2=2).sum(1), torch.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], 1))

# motion from an energy
q, p = torch.tensor([1.0, 0.5], dtype=torch.float64), torch.tensor([0.0, -0.3], dtype=torch.float64)
energy = lambda q, p: 0.5 * p @ p + 0.5 * q @ q + q[0] ** 2 * q[1] - q[1] ** 3 / 3
slopes = torch.func.grad(energy, argnums=(0, 1)); first = energy(q, p)
for step in range(50):
    p = p - 0.01 * slopes(q, p)[0]; q = q + 0.02 * slopes(q, p)[1]; p = p - 0.01 * slopes(q, p)[0]
close(q, p, energy(q, p) - first)

# Lagrange's equations
L = lambda q, v: 0.5 * (v[0] ** 2 + v[1] ** 2 + v[0] * v[1] * q[0].cos()) + q.cos().sum()
q, v = torch.tensor([0.3, -0.2], dtype=torch.float64), torch.tensor([0.1, 0.4], dtype=torch.float64)
func = torch.func
mass = func.hessian(L, argnums=1)(q, v); mixed = func.jacfwd(func.grad(L, argnums=1), argnums=0)(q, v)
close(mass, mixed, torch.linalg.solve(mass, func.grad(L, argnums=0)(q, v) - mixed @ v))

# the sensitivity of a solution to its parameters
def solve(rate):
    y = torch.ones((), dtype=torch.float64)
    for step in range(40): y = y + 0.05 * (rate[0] * y - rate[1] * y ** 2)
    return y
rate = torch.tensor([1.0, 0.5], dtype=torch.float64)
close(solve(rate), torch.func.grad(solve)(rate), torch.func.jacfwd(solve)(rate), torch.func.hessian(solve)(rate))

# an implicit function
func = torch.func; g = lambda y, a: y ** 3 + a[0] * y - a[1]
def root(a):
    y = torch.ones((), dtype=torch.float64)
    for _ in range(40): y = y - g(y, a) / func.grad(g)(y, a)
    return y
a = torch.tensor([2.0, 5.0], dtype=torch.float64); y = root(a)
close(y, -func.grad(g, argnums=1)(y, a) / func.grad(g)(y, a), func.grad(root)(a))

# the tangent kernel of a network, by Jacobians
torch.manual_seed(7); func = torch.func; net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2))
one, two = torch.randn(4, 3), torch.randn(2, 3)
params = {k: p.detach() for k, p in net.named_parameters()}
f = lambda p, x: func.functional_call(net, p, (x.unsqueeze(0),)).squeeze(0)
def jacobian(x): return [j.flatten(2) for j in torch.vmap(func.jacrev(f), (None, 0))(params, x).values()]
kernel = sum(torch.einsum("Naf,Mbf->NMab", a, b) for a, b in zip(jacobian(one), jacobian(two))); show(kernel.shape)
close(kernel)
close(sum(torch.einsum("Naf,Maf->NM", a, b) for a, b in zip(jacobian(one), jacobian(two))))

# the tangent kernel by products with vectors
torch.manual_seed(8); func = torch.func; net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
one, two = torch.randn(2, 2), torch.randn(3, 2)
params = {k: p.detach() for k, p in net.named_parameters()}; f = lambda p, x: func.functional_call(net, p, (x,))
def kernel(x, y):
    def column(v):
        return func.jvp(lambda p: f(p, y), (params,), func.vjp(lambda p: f(p, x), params)[1](v))[1]
    return torch.vmap(column)(torch.eye(3))
found = torch.vmap(torch.vmap(kernel, (None, 0)), (0, None))(one, two); show(found.shape); close(found)

# a fit with the tangent kernel
torch.manual_seed(9); func = torch.func; net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1)).double()
params = {k: p.detach() for k, p in net.named_parameters()}
f = lambda p, x: func.functional_call(net, p, (x.reshape(1, 1),)).squeeze()
xs = torch.linspace(-1, 1, 6, dtype=torch.float64); ys = xs.sin(); new = torch.tensor([0.1, 0.7], dtype=torch.float64)
rows = lambda x: torch.cat([j.flatten(1) for j in torch.vmap(func.grad(f), (None, 0))(params, x).values()], 1)
k = rows(xs) @ rows(xs).T + 0.1 * torch.eye(6, dtype=torch.float64); now = torch.vmap(f, (None, 0))
close(now(params, new) + rows(new) @ rows(xs).T @ torch.linalg.solve(k, ys - now(params, xs)))

# a network made linear around its parameters
torch.manual_seed(10); func = torch.func; net = nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 1))
x = torch.randn(4, 3)
params = {k: p.detach() for k, p in net.named_parameters()}
moved = {k: p + 0.01 * torch.randn_like(p) for k, p in params.items()}
away = {k: moved[k] - params[k] for k in params}
value, slope = func.jvp(lambda p: func.functional_call(net, p, (x,)), (params,), (away,))
close(value + slope); close(value + slope - func.functional_call(net, moved, (x,)))

# one step of meta-learning, and its gradient through the step
torch.manual_seed(11); func = torch.func; net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
params = dict(net.named_parameters())
call = lambda p, x: func.functional_call(net, p, (x,)); xs, ys = torch.randn(3, 8, 1), torch.randn(3, 8, 1)
def task(params, x, y):
    inner = lambda p: (call(p, x[:4]) - y[:4]).square().mean(); slopes = func.grad(inner)(params)
    fast = {k: p - 0.1 * slopes[k] for k, p in params.items()}; return (call(fast, x[4:]) - y[4:]).square().mean()
losses = torch.vmap(task, (None, 0, 0))(params, xs, ys); losses.mean().backward()
close(losses, *[p.grad for p in params.values()])

# several inner steps, all functional
torch.manual_seed(12); func = torch.func; w = torch.randn(4, 2); xs, ys = torch.randn(5, 6, 4), torch.randn(5, 6, 2)
loss = lambda w, x, y: ((x @ w).tanh() - y).square().mean()
def adapted(w, x, y):
    for _ in range(3): w = w - 0.2 * func.grad(loss)(w, x, y)
    return loss(w, x, y)
meta = lambda w: torch.vmap(adapted, (None, 0, 0))(w, xs, ys).mean()
for step in range(4): w = w - 0.5 * func.grad(meta)(w)
close(w, meta(w))

# rates that are learned
torch.manual_seed(13); func = torch.func; w, rates = torch.randn(3), torch.full((3,), 0.1)
x, y = torch.randn(8, 3), torch.randn(8)
loss = lambda w: (x @ w - y).square().mean()
def after(rates):
    v = w
    for _ in range(4): v = v - rates * func.grad(loss)(v)
    return loss(v)
for step in range(5): rates = rates - 0.01 * func.grad(after)(rates)
close(rates, after(rates), func.hessian(after)(rates))

# first order against second order
torch.manual_seed(14); func = torch.func; w = torch.randn(3, dtype=torch.float64)
a = torch.randn(3, 3, dtype=torch.float64)
loss = lambda w: (a @ w).sin().square().sum(); second = lambda w: loss(w - 0.1 * func.grad(loss)(w))
first = lambda w: loss(w - 0.1 * func.grad(loss)(w).detach())
close(func.grad(second)(w), func.grad(first)(w))

# Reptile on sine waves
torch.manual_seed(15); func = torch.func; net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
params = {k: p.detach() for k, p in net.named_parameters()}
loss = lambda p, x, y: (func.functional_call(net, p, (x,)) - y).square().mean()
for outer in range(3):
    phase = torch.rand(4, 1, 1) * 3; x = torch.rand(4, 6, 1) * 4 - 2; y = (x + phase).sin()
    def inner(x, y):
        p = params
        for _ in range(3): g = func.grad(loss)(p, x, y); p = {k: v - 0.1 * g[k] for k, v in p.items()}
        return p
    fast = torch.vmap(inner)(x, y); params = {k: v + 0.5 * (fast[k].mean(0) - v) for k, v in params.items()}
close(*params.values())

# the influence of each sample on a prediction
torch.manual_seed(16); func = torch.func; xs = torch.randn(12, 3, dtype=torch.float64); ys = (xs[:, 0] > 0).double()
test = torch.randn(3, dtype=torch.float64)
one = lambda w, x, y: nn.functional.binary_cross_entropy_with_logits(x @ w, y)
whole = lambda w: torch.vmap(one, (None, 0, 0))(w, xs, ys).mean() + 0.1 * w @ w
w = torch.zeros(3, dtype=torch.float64)
for _ in range(8): w = w - torch.linalg.solve(func.hessian(whole)(w), func.grad(whole)(w))
slopes = torch.vmap(func.grad(one), (None, 0, 0))(w, xs, ys)
at_test = func.grad(lambda w: one(w, test, torch.ones((), dtype=torch.float64)))(w)
close(w, -slopes @ torch.linalg.solve(func.hessian(whole)(w), at_test) / 12)

# influence without the Hessian itself
torch.manual_seed(17); func = torch.func; xs = torch.randn(10, 4, dtype=torch.float64)
ys = torch.randn(10, dtype=torch.float64); w = torch.randn(4, dtype=torch.float64)
one = lambda w, x, y: (x @ w - y) ** 2
whole = lambda w: torch.vmap(one, (None, 0, 0))(w, xs, ys).mean() + 0.5 * w @ w; v = func.grad(whole)(w)
s = v
for _ in range(60): s = v + s - 0.1 * func.jvp(func.grad(whole), (w,), (s,))[1]
close(s * 0.1, torch.linalg.solve(func.hessian(whole)(w), v), torch.vmap(func.grad(one), (None, 0, 0))(w, xs, ys) @ s)

# leaving one out, by the formula and by doing it
torch.manual_seed(18); xs = torch.randn(8, 2, dtype=torch.float64); ys = torch.randn(8, dtype=torch.float64)
eye = torch.eye(2, dtype=torch.float64)
fit = lambda weights: torch.linalg.solve((xs.T * weights) @ xs + 0.1 * eye, xs.T @ (weights * ys))
all_of = torch.ones(8, dtype=torch.float64)
close(torch.func.jacfwd(fit)(all_of), torch.func.jacrev(fit)(all_of))
close(torch.vmap(fit)(1 - torch.eye(8, dtype=torch.float64)) - fit(all_of))

# Fisher's information of a classifier
torch.manual_seed(19); func = torch.func; w = torch.randn(3, 4); xs = torch.randn(6, 3)
scores = lambda w, x: (x @ w).log_softmax(-1)
def fisher(x):
    j = func.jacrev(scores)(w, x).flatten(1); return (j.T * scores(w, x).exp()) @ j
close(torch.vmap(fisher)(xs).mean(0).diagonal(), torch.vmap(func.jacfwd(lambda x: scores(w, x)))(xs))

# the Gauss-Newton product
torch.manual_seed(20); func = torch.func; w, v = torch.randn(3, 4), torch.randn(3, 4)
xs, ys = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
f = lambda w: (xs @ w).tanh(); loss = lambda out: nn.functional.cross_entropy(out, ys)
out, jv = func.jvp(f, (w,), (v,))
hjv = func.jvp(func.grad(loss), (out,), (jv,))[1]
close(func.vjp(f, w)[1](hjv)[0], func.jvp(func.grad(lambda w: loss(f(w))), (w,), (v,))[1])

# adversarial samples, a step for each
torch.manual_seed(21); func = torch.func; net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
xs, ys = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
params = {k: p.detach() for k, p in net.named_parameters()}
loss = lambda x, y: nn.functional.cross_entropy(func.functional_call(net, params, (x[None],)), y[None])
moved = xs + 0.1 * torch.vmap(func.grad(loss))(xs, ys).sign()
close(moved, torch.vmap(loss)(moved, ys) - torch.vmap(loss)(xs, ys))

# what a Gaussian process says, and the gradient of its likelihood
torch.manual_seed(22); xs = torch.linspace(0, 1, 8, dtype=torch.float64); ys = (6 * xs).sin(); func = torch.func
near = lambda log, x, y: (-(x - y) ** 2 / (2 * log[0].exp() ** 2)).exp() * log[1].exp()
kernel = lambda log, a, b: torch.vmap(lambda x: torch.vmap(lambda y: near(log, x, y))(b))(a)
def nll(log):
    c = torch.linalg.cholesky(kernel(log, xs, xs) + 0.01 * torch.eye(8, dtype=torch.float64))
    return 0.5 * torch.linalg.solve_triangular(c, ys[:, None], upper=False).square().sum() + c.diagonal().log().sum()
log = torch.tensor([-1.0, 0.0], dtype=torch.float64)
for step in range(5): log = log - 0.02 * func.grad(nll)(log)
close(log, nll(log), func.hessian(nll)(log))
"""
