"""Programs about autograd's finer rules, as in `module_programs`."""

PROGRAMS = """
# inputs of backward and grad as dicts, edges and nodes
x = torch.tensor([1.0, 2.0], requires_grad=True); y = torch.tensor([3.0], requires_grad=True)
g = torch.autograd.grad((x * y).sum(), {"x": x, "y": y}); show(type(g).__name__, sorted(g)); close(g["x"], g["y"])
fails(lambda: torch.autograd.grad((x * y).sum(), {})); fails(lambda: torch.autograd.backward((x * y).sum(), inputs={}))
fails(lambda: torch.autograd.backward((x * y).sum(), inputs=[]), 60)
torch.autograd.backward((x * y).sum(), inputs={"only": x}); show(x.grad, y.grad)
edge = torch.autograd.graph.get_gradient_edge(x); show(type(edge).__name__, type(edge.node).__name__, edge.output_nr)
close(*torch.autograd.grad((x * 3).sum(), edge))
z = x.exp(); edge = torch.autograd.graph.get_gradient_edge(z); show(edge.node.name(), edge.output_nr)
close(*torch.autograd.grad((z * 2).sum(), [edge, x]))
z = x.exp(); close(*torch.autograd.grad((z * 2).sum(), torch.autograd.graph.GradientEdge(z.grad_fn, 0)))
z = x.exp(); torch.autograd.backward(torch.autograd.graph.GradientEdge(z.grad_fn, 0), torch.ones(2)); close(x.grad)
fails(lambda: torch.autograd.grad(x.sum(), y), 60)

# gradients that are materialized
x = torch.ones(2, requires_grad=True); y = torch.ones(3, requires_grad=True)
show(torch.autograd.grad(x.sum(), [x, y], materialize_grads=True))
show(torch.autograd.grad(x.sum(), [x, y], allow_unused=True))
fails(lambda: torch.autograd.grad(x.sum(), [x, y], allow_unused=False, materialize_grads=True), 60)
g = torch.autograd.grad((x * 2).sum(), x, create_graph=True)[0]
show(torch.autograd.grad(g.sum(), x, materialize_grads=True) if g.requires_grad else g.requires_grad)

# graph utilities
G = torch.autograd.graph
with G.allow_mutation_on_saved_tensors():
    a = torch.ones(2, requires_grad=True); b = a.clone(); c = b.sin().exp(); d = c * c; c.mul_(0)
    d.sum().backward(); close(a.grad)
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); seen = []
h = G.register_multi_grad_hook([a, b], lambda grads: seen.append([g is None for g in grads]))
(a * 2).sum().backward(); (a * b).sum().backward(); h.remove(); (a * b).sum().backward(); show(seen)
seen = []; G.register_multi_grad_hook((a, b), lambda g: seen.append(tuple(g.shape)), mode="any")
(a * b).sum().backward(); show(seen); fails(lambda: G.register_multi_grad_hook([a], print, mode="odd"))
with G.save_on_cpu():
    a.grad = None; (a.exp() * b).sum().backward(); close(a.grad)
with G.disable_saved_tensors_hooks("not here"):
    fails(lambda: G.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__())
y = a.exp(); node = y.grad_fn; show(node._saved_result.shape, type(node._raw_saved_result).__name__)
node._raw_saved_result.register_hooks(lambda t: (seen.append("pack"), t)[1], lambda t: (seen.append("unpack"), t)[1])
y.sum().backward(); show(seen); fails(lambda: node._saved_result, 50)
m = (a * b); show(m.grad_fn._saved_self is not None, sorted(n for n in dir(m.grad_fn) if n.startswith("_saved")))
one, two = a * 1, a * 2; show(one.grad_fn._sequence_nr() < two.grad_fn._sequence_nr())
fails(lambda: one.grad_fn(), 10)

# custom functions
F = torch.autograd.Function; seen = []
class Keyed(F):
    @staticmethod
    def forward(ctx, x, scale=2.0):
        ctx.scale = scale; return x * scale
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None
x = torch.ones(2, requires_grad=True); fails(lambda: Keyed.apply(x, scale=3.0), 60)
Keyed.apply(x, 3.0).sum().backward(); close(x.grad)
fails(lambda: Keyed()(x), 60); fails(lambda: Keyed.forward(None, x), 40)
class Forward(F):
    @staticmethod
    def forward(ctx, x):
        return x * 2
y = Forward.apply(x); show(y.requires_grad); fails(lambda: y.sum().backward(), 60)
class Split(F):
    @staticmethod
    def forward(x, scale=4.0):
        return x * scale, (x > 0)
    @staticmethod
    def setup_context(ctx, inputs, output):
        seen.append(len(inputs)); ctx.mark_non_differentiable(output[1]); ctx.set_materialize_grads(False)
    @staticmethod
    def backward(ctx, grad, other):
        seen.append((grad is None, other is None)); return grad, None
y, mask = Split.apply(x, 5.0); show(mask.requires_grad, y.requires_grad); y.sum().backward(); show(seen)
class Viewed(F):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)
    @staticmethod
    def backward(ctx, grad):
        return grad.view(2, 1)
v = Viewed.apply(torch.ones(2, 1, requires_grad=True).clone()); fails(lambda: v.add_(1), 60); v.sum().backward()
show(v)
show(torch.autograd.function.once_differentiable.__name__, torch.autograd.function.InplaceFunction.__name__)
class Once(F):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * 2
g, = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True); show(g.requires_grad)
fails(lambda: g.sum().backward(), 50)

# hooks in order
seen = []
def noted(name):
    return lambda grad: seen.append((name, tuple(grad.shape), float(grad.sum())))
x = torch.ones(3, requires_grad=True); y = x * 2; y.retain_grad(); y.register_hook(noted("before"))
y.mul_(3); y.register_hook(noted("after")); y.sum().backward(); show(seen, y.grad, y.retains_grad)
seen.clear(); x = torch.ones(3, requires_grad=True); b = x * 1; b.register_hook(noted("base")); v = b[:2]
v.register_hook(noted("view")); v.mul_(2); b.register_hook(noted("new base")); b.sum().backward(); show(seen)
seen.clear(); x = torch.ones(2, requires_grad=True); x.register_hook(noted("pre"))
x.register_post_accumulate_grad_hook(lambda t: seen.append(("post", t.grad.tolist())))
x.register_hook(lambda g: g * 5); (x * 2).sum().backward(); show(seen, x.grad)
a, b = (torch.ones(2, 2, requires_grad=True) * 2).unbind(); a.retain_grad(); b.retain_grad()
(a + b * 2).sum().backward(); show(a.grad, b.grad)
class Hook:
    def __call__(self, grad):
        seen.append("object")
seen.clear(); x = torch.ones(2, requires_grad=True); h = x.register_hook(Hook()); (x * 1).sum().backward(); show(seen)
h.remove(); h.remove(); (x * 1).sum().backward(); show(seen)
x = torch.ones(2, requires_grad=True); holder = []
def leaving(grad):
    holder[0].remove(); seen.append("left")
seen.clear(); holder.append(x.register_hook(leaving)); x.sum().backward(); x.sum().backward(); show(seen)
x = torch.ones(2, requires_grad=True); y = x * 2; seen.clear(); y.register_hook(noted("middle"))
torch.autograd.grad((y * 3).sum(), x); show(seen)
fails(lambda: torch.ones(2).register_hook(print), 60); fails(lambda: y.register_post_accumulate_grad_hook(print), 60)

# anomalies
x = torch.tensor([-1.0], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=False):
    x.sqrt().sum().backward(); show(x.grad)
def failing():
    with torch.autograd.detect_anomaly():
        x.sqrt().sum().backward()
fails(failing, 40)
show(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    show(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

# reentrant backward, deeply
class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.depth = int(x.item()); return x - 1
    @staticmethod
    def backward(ctx, grad):
        if ctx.depth > 0:
            with torch.enable_grad():
                inner = torch.tensor(float(ctx.depth - 1), requires_grad=True); Nested.apply(inner).backward()
        return grad
Nested.apply(torch.tensor(400.0, requires_grad=True)).backward(); show("ended")

# inference mode
@torch.inference_mode(mode=False)
def recorded(x):
    return (x * 2).requires_grad
show(recorded(torch.ones(2, requires_grad=True)))
x = torch.ones(2, requires_grad=True); a = torch.ones(2)
with torch.inference_mode():
    i = torch.ones(2); v = a[:1]; d = x.detach(); w = i[:1]; show(v.is_inference(), d.is_inference(), w.is_inference())
    a.add_(1); i.add_(1); show(x.view(2, 1).is_inference(), (x * 2).is_inference(), (x * 2).requires_grad)
    show(torch.is_inference_mode_enabled(), i.requires_grad)
show(i[:1].is_inference(), (i + 1).is_inference(), i.clone().is_inference(), i.is_leaf)
fails(lambda: i.add_(1), 50); fails(lambda: i.requires_grad_(), 50); fails(lambda: i._version, 50)
fails(lambda: i.fill_(1), 50); fails(lambda: (x * i).sum(), 50); fails(lambda: i.resize_(1), 50)
fails(lambda: w.mul_(2), 50)
fails(lambda: x.copy_(i), 50); show((x.detach() * i))

# modes on functions and generators
@torch.no_grad()
def counted():
    for _ in range(2):
        yield torch.is_grad_enabled()
show(list(counted()), torch.is_grad_enabled())
@torch.set_grad_enabled(False)
def switched():
    return torch.is_grad_enabled()
show(switched(), torch.is_grad_enabled())
@torch.enable_grad()
def enabled():
    return torch.is_grad_enabled()
with torch.no_grad():
    show(enabled(), torch.is_grad_enabled())

# checkpoints
C = torch.utils.checkpoint; calls = []
def layer(x):
    calls.append(1); return x.exp()
x = torch.ones(2, requires_grad=True); C.checkpoint(layer, x, use_reentrant=False).sum().backward(); close(x.grad)
with C.set_checkpoint_early_stop(False):
    C.checkpoint(layer, x, use_reentrant=False).sum().backward()
show(len(calls)); x.grad = None
C.checkpoint_sequential([layer, layer, torch.sin], 2, x, use_reentrant=False).sum().backward(); close(x.grad)
fails(lambda: C.checkpoint(layer, x, use_reentrant=True, determinism_check="none"), 60)
fails(lambda: C.checkpoint(layer, x, use_reentrant=False, determinism_check="odd").sum().backward(), 40)
x.grad = None
C.checkpoint(lambda x: C.checkpoint(layer, x, use_reentrant=False) * 2, x, use_reentrant=False).sum().backward()
close(x.grad)
import contextlib
entered = []
@contextlib.contextmanager
def around(name):
    entered.append(name); yield
C.checkpoint(layer, x, use_reentrant=False, context_fn=lambda: (around("forward"), around("again"))).sum().backward()
show(entered)

# nested anomalies, classes under a mode, hooks that come and go
import warnings
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x.clone()
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        with torch.enable_grad():
            y = (x * 1).sqrt(); return torch.autograd.grad(y.sum(), x)[0]
x = torch.tensor([-1.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        fails(lambda: Deep.apply(x).sum().backward(), 50)
show(sum("Anomaly Detection has been enabled" in str(each.message) for each in caught),
    any("forward call" in str(each.message) for each in caught))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always"); torch.no_grad()(type("Made", (), {}))
show([type(each.message).__name__ for each in caught])
class Boxed(torch.autograd.Function):
    boxed_grads_call = True
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, grads):
        total = grads[0] * 2 + grads[1] * 3; grads.clear(); return total
y = torch.ones(2, requires_grad=True); a, b = Boxed.apply(y); (a + b).sum().backward(); show(y.grad)
H = torch.autograd.graph.saved_tensors_hooks; seen = []; inner = []
def enter(grad):
    with H(lambda t: (seen.append("pack"), t)[1], lambda t: t):
        with torch.enable_grad():
            (grad.detach().requires_grad_() * grad.detach()).exp()
x = torch.ones(2, requires_grad=True); y = x.exp(); y.register_hook(enter); (y * 2).sum().backward()
show(len(seen) > 0, x.grad is not None)
show(torch.types._TensorOrTensors is not None, nn.functional.grad.conv1d_input is nn.grad.conv1d_input)
C = nn.functional.LinearCrossEntropyOptions if hasattr(nn.functional, "LinearCrossEntropyOptions") else None
show(hasattr(C, "_adjust"))

# numerical checks
P = torch.autograd.gradcheck; x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
show(P(torch.sin, (x,)), P(torch.sin, (x,), fast_mode=True), P(torch.sin, (x,), check_batched_grad=False))
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 3
fails(lambda: P(Wrong.apply, (x,)), 60); show(P(Wrong.apply, (x,), raise_exception=False))
fails(lambda: P(torch.sin, (torch.ones(2),)), 60)
show(torch.autograd.gradgradcheck(torch.sin, (x,)))
import importlib
M = importlib.import_module(torch.__name__ + ".autograd.gradcheck")
close(*M.get_numerical_jacobian(lambda given: torch.sin(given[0]), (x,), target=(x,), eps=1e-6))
jacobian, again, sizes, kinds = M.get_analytical_jacobian((x,), torch.sin(x)); close(*jacobian)
show(again, sizes, kinds)
close(*[each for row in M._get_numerical_jacobian(lambda v: v * v, (x,), eps=1e-6) for each in row])

# functional forms
A = torch.autograd.functional; x = torch.tensor([1.0, 2.0])
show(A.jacobian(lambda x: x * x, x), A.hessian(lambda x: (x ** 3).sum(), x))
show(A.vjp(lambda x: x * x, x, torch.ones(2)), A.jvp(lambda x: x * x, x, torch.ones(2)))
show(A.hvp(lambda x: (x ** 3).sum(), x, torch.ones(2)), A.vhp(lambda x: (x ** 3).sum(), x, torch.ones(2)))
fails(lambda: A.hessian(lambda x: x, x), 60); fails(lambda: A.vjp(lambda x: x, x), 60)
fails(lambda: A.jacobian(lambda x: x.detach(), x, strict=True), 60)
fails(lambda: A.jacobian(lambda x: 1, x), 60); fails(lambda: A.jvp(lambda x: x, x, torch.ones(3)), 60)
fails(lambda: A.hessian(lambda x: x.sum(), x, strict=True), 60)

# what has no derivative, and what may be deleted
x = torch.ones(2, requires_grad=True)
fails(lambda: torch.nextafter(x, torch.ones(2)).sum().backward(), 50)
fails(lambda: torch.heaviside(x, torch.ones(2)).sum().backward(), 48)
x.sum().backward(); del x.grad; show(x.grad)
fails(lambda: delattr(x, "data"), 40); fails(lambda: delattr(x, "requires_grad"), 28)
fails(lambda: delattr(x, "shape"), 20)
"""
