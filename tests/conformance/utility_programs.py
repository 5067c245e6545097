"""Programs about `nn.utils` and `torch.func`, as in `module_programs`."""

PROGRAMS = """
# orthogonal weights
P = nn.utils.parametrizations
for shape in ((4, 4), (5, 3), (3, 5)):
    for kind in ("matrix_exp", "cayley", "householder", None):
        for trivial in (True, False):
            torch.manual_seed(0); m = nn.Linear(*shape)
            P.orthogonal(m, orthogonal_map=kind, use_trivialization=trivial)
            close(m.weight); show(m, list(m.state_dict()))
            m(torch.ones(2, shape[0])).square().sum().backward(); close(m.parametrizations.weight.original.grad)
torch.manual_seed(0); m = P.orthogonal(nn.Linear(3, 3)); m.weight = torch.ones(3, 3).triu()
close(m.weight, m.weight @ m.weight.T)
fails(lambda: P.orthogonal(nn.Linear(2, 2), "bias")); fails(lambda: P.orthogonal(nn.Linear(2, 2), "nothing"), 20)
fails(lambda: P.orthogonal(nn.Linear(2, 2), orthogonal_map="odd"))
m = P.orthogonal(nn.Linear(2, 2), orthogonal_map="cayley", use_trivialization=False)
fails(lambda: setattr(m, "weight", torch.ones(2, 2)))
m = P.orthogonal(nn.Linear(2, 2)); fails(lambda: setattr(m, "weight", torch.ones(3, 2)))

# weight norm as a parametrization
P = nn.utils.parametrizations
for dim in (0, 1, None):
    torch.manual_seed(0); m = P.weight_norm(nn.Linear(3, 2), dim=dim); show(m, list(m.state_dict()))
    close(m.weight, m.parametrizations.weight.original0, m.parametrizations.weight.original1)
    m(torch.ones(1, 3)).square().sum().backward(); close(m.parametrizations.weight.original0.grad)
    close(m.parametrizations.weight.original1.grad)
old = {"bias": torch.zeros(2), "weight_g": torch.ones(2, 1), "weight_v": torch.eye(2, 3)}
m = P.weight_norm(nn.Linear(3, 2)); show(m.load_state_dict(old)); close(m.weight)

# spectral norm as a parametrization
P = nn.utils.parametrizations
for dim in (None, 1, -1):
    torch.manual_seed(0); m = P.spectral_norm(nn.Linear(3, 2), dim=dim); show(m, list(m.state_dict()))
    close(m.weight)
    m(torch.ones(1, 3)).square().sum().backward()
    close(m.parametrizations.weight.original.grad, m.parametrizations.weight[0]._u)
    m.eval(); close(m.weight, m.weight)
torch.manual_seed(0); m = P.spectral_norm(nn.Linear(3, 2), "bias"); close(m.bias)
fails(lambda: P.spectral_norm(nn.Linear(2, 2), dim=2))
fails(lambda: P.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
fails(lambda: P.spectral_norm(nn.Linear(2, 2), "nothing"), 20)

# parametrizations of one's own
Z = nn.utils.parametrize
class Symmetric(nn.Module):
    def forward(self, x): return x.triu() + x.triu(1).T
    def right_inverse(self, x): return x.triu()
class Twice(nn.Module):
    def forward(self, x): return x * 2
    def right_inverse(self, x): return x / 2
torch.manual_seed(0); m = nn.Linear(2, 2); w = m.weight
show(Z.register_parametrization(m, "weight", Symmetric()) is m, m, type(m).__name__,
     m.parametrizations.weight.original is w)
close(m.weight); Z.register_parametrization(m, "weight", Twice()); close(m.weight); show(m)
m.weight = torch.ones(2, 2); close(m.weight, m.parametrizations.weight.original)
show(Z.is_parametrized(m), Z.is_parametrized(m, "bias"), Z.is_parametrized(m, "weight"),
     Z.type_before_parametrizations(m).__name__)
with Z.cached(): show(m.weight is m.weight)
show(m.weight is m.weight, [n for n, _ in m.named_parameters()])
import copy, pickle
c = copy.deepcopy(m); close(c.weight); show(c.parametrizations.weight.original is m.parametrizations.weight.original)
fails(lambda: pickle.dumps(m))
t = nn.Linear(2, 2); Z.transfer_parametrizations_and_params(m, t); close(t.weight); show(t)
show(Z.remove_parametrizations(m, "weight"), type(m.weight).__name__, m.weight is w, list(m.state_dict()))
close(m.weight)
m = Z.register_parametrization(nn.Linear(2, 2), "weight", Twice()); o = m.parametrizations.weight.original
Z.remove_parametrizations(m, "weight", leave_parametrized=False); show(m.weight is o)
fails(lambda: Z.remove_parametrizations(m, "weight"), 10)
fails(lambda: Z.register_parametrization(m, "nothing", Twice()), 10)
class Wider(nn.Module):
    def forward(self, x): return torch.cat([x, x])
class Doubled(nn.Module):
    def forward(self, x): return x.double()
class Nothing(nn.Module):
    def forward(self, x): return 3
for bad in (Wider(), Doubled(),
     Nothing()): fails(lambda: Z.register_parametrization(nn.Linear(2, 2), "weight", bad), 60)
m = Z.register_parametrization(nn.Linear(2, 2), "weight", Twice())
for bad in (Wider(), Doubled(), Nothing()): fails(lambda: Z.register_parametrization(m, "weight", bad), 60)
m = Z.register_parametrization(nn.Linear(2, 2), "weight", Wider(), unsafe=True); show(m.weight.shape)
fails(lambda: setattr(m, "weight", torch.ones(4, 2)))
m = nn.Module(); m.register_buffer("b", torch.ones(2)); Z.register_parametrization(m, "b", Twice())
show(m.b, list(m.state_dict()))
fails(lambda: Z.ParametrizationList([], torch.ones(1)))

# old weight norm
torch.manual_seed(0); m = nn.utils.weight_norm(nn.Linear(3, 2))
show(m, list(m.state_dict()), len(m._forward_pre_hooks)); close(m.weight)
x = torch.ones(1, 3); m(x).square().sum().backward(); close(m.weight_g.grad, m.weight_v.grad)
fails(lambda: nn.utils.weight_norm(m)); show(nn.utils.remove_weight_norm(m), list(m.state_dict())); close(m.weight)
fails(lambda: nn.utils.remove_weight_norm(m)); m = nn.utils.weight_norm(nn.Linear(3, 2), dim=None)
show(m.weight_g.shape)
fails(lambda: nn.utils.weight_norm(nn.LazyLinear(2)))

# old spectral norm
torch.manual_seed(0); m = nn.utils.spectral_norm(nn.Linear(3, 2))
show(m, list(m.state_dict()), dict(m.state_dict()._metadata))
x = torch.ones(1, 3)
for _ in range(3): close(m(x))
m(x).square().sum().backward(); close(m.weight_orig.grad, m.weight_u); m.eval(); close(m(x), m(x))
fails(lambda: nn.utils.spectral_norm(m))
show(nn.utils.remove_spectral_norm(m), list(m.state_dict()), len(m._state_dict_hooks)); close(m.weight)
fails(lambda: nn.utils.remove_spectral_norm(m))
fails(lambda: nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
fails(lambda: nn.utils.spectral_norm(nn.Linear(2, 2, bias=False), "bias"))
fails(lambda: nn.utils.spectral_norm(nn.LazyLinear(2)))

# pruning
from importlib import import_module
prune = import_module(torch.__name__ + ".nn.utils.prune")
for act in ("identity(m, 'weight')", "random_unstructured(m, 'weight', 5)", "random_unstructured(m, 'weight', 0.3)",
            "l1_unstructured(m, 'weight', 0.5)", "l1_unstructured(m, 'bias', 1)",
            "random_structured(m, 'weight', 1, 0)",
            "random_structured(m, 'weight', 0.5, 1)", "ln_structured(m, 'weight', 2, 2, 1)",
            "ln_structured(m, 'weight', 0.5, 1, 0)", "ln_structured(m, 'weight', 1, float('inf'), -1)",
            "custom_from_mask(m, 'weight', torch.eye(3, 4))", "random_structured(m, 'weight', 0, 1)",
            "l1_unstructured(m, 'weight', 2, torch.arange(12.0).reshape(3, 4))"):
    torch.manual_seed(0); m = nn.Linear(4, 3); found = eval("prune." + act)
    show(found is m, m, sorted(m.state_dict()))
    close(m.weight, m.bias); m(torch.ones(1, 4)).sum().backward()
    show([n for n, p in m.named_parameters() if p.grad is not None])
    show(prune.is_pruned(m))
torch.manual_seed(0); m = nn.Linear(4, 3)
prune.l1_unstructured(m, "weight", 2); prune.random_unstructured(m, "weight", 3)
prune.ln_structured(m, "weight", 1, 2, 0)
close(m.weight, m.weight_mask)
show(len(m._forward_pre_hooks), type(list(m._forward_pre_hooks.values())[0]).__name__,
     prune.is_pruned(nn.Sequential(m)))
show(len(list(m._forward_pre_hooks.values())[0]), prune.remove(m, "weight") is m, sorted(m.state_dict()))
show(type(m.weight).__name__, prune.is_pruned(m))
close(m.weight)
torch.manual_seed(0); m = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
prune.global_unstructured([(m[0], "weight"), (m[1], "weight")], prune.L1Unstructured, amount=7)
close(m[0].weight, m[1].weight)
prune.global_unstructured([(m[0], "weight"), (m[1], "weight")], prune.RandomUnstructured, amount=0.5)
close(m[0].weight, m[1].weight)
close(prune.L1Unstructured(2).prune(torch.tensor([3.0, -1.0, 2.0])))
n = nn.Linear(4, 3)
fails(lambda: prune.l1_unstructured(n, "weight", 99)); show(sorted(n.state_dict()))
fails(lambda: prune.l1_unstructured(n, "weight", 1.5))
fails(lambda: prune.l1_unstructured(n, "weight", "a")); fails(lambda: prune.remove(n, "weight"), 20)
fails(lambda: prune.ln_structured(n, "bias", 1, 2, 0))
fails(lambda: prune.ln_structured(n, "weight", 1, 2, 5))
fails(lambda: prune.global_unstructured(3, prune.L1Unstructured))
fails(lambda: prune.global_unstructured([(n, "weight")], prune.LnStructured, amount=1, n=2))
fails(lambda: prune.custom_from_mask(n, "weight", torch.ones(2)))
fails(lambda: prune.l1_unstructured(n, "weight", 1, torch.ones(2)), 40); fails(lambda: prune.PruningContainer(3))
show(sorted(n.state_dict()))

# functional_call
torch.manual_seed(0); m = Net(); state = {k: v.detach() * 2 for k, v in m.state_dict().items()}; x = torch.ones(1, 4)
call = torch.func.functional_call
close(call(m, state, x), call(m, {}, (x,)), call(m, {"scale": torch.zeros(2)}, kwargs={"x": x}), m(x))
w = torch.ones(2, requires_grad=True); call(m, {"scale": w}, (x,)).sum().backward(); close(w.grad); show(m.scale.grad)
fails(lambda: call(m, {"scale": w}, x, strict=True), 200); fails(lambda: call(m, {"nothing": w}, x))
fails(lambda: call(m, [state, state], x), 20)
fails(lambda: call(m, 3, x), 30); fails(lambda: call(m, [3], x))
close(call(m, [{"scale": w}, {"steps": torch.ones(1)}], x))
class Counts(nn.Module):
    def __init__(self): super().__init__(); self.register_buffer("n", torch.zeros(1))
    def forward(self, x): self.n = self.n + 1; return x + self.n
c = Counts(); b = {"n": torch.full((1,), 5.0)}; close(call(c, b, x)); show(b["n"], c.n)
t = nn.Module(); t.a = nn.Linear(2, 2); t.b = t.a; t.forward = lambda x: t.b(t.a(x))
close(call(t, {"a.weight": torch.zeros(2, 2)}, torch.ones(1, 2)))
fails(lambda: call(t, {"a.weight": torch.ones(1), "b.weight": torch.zeros(1)}, x))
close(nn.utils.stateless.functional_call(m, state, x))

# skip_init and fusion
torch.manual_seed(0); a = torch.rand(1); torch.manual_seed(0); m = nn.utils.skip_init(nn.Linear, 3, 2)
show(m, torch.rand(1) == a)
fails(lambda: nn.utils.skip_init(int)); fails(lambda: nn.utils.skip_init(nn.ReLU))
torch.manual_seed(0)
w, b = nn.utils.fuse_linear_bn_weights(torch.randn(2, 3), torch.randn(2), torch.randn(2), torch.rand(2), 1e-5,
     torch.randn(2), torch.randn(2))
close(w, b); show(type(w).__name__)
mean, var = torch.randn(2), torch.rand(2); fuse = nn.utils.fuse_conv_bn_weights
w, b = fuse(torch.randn(2, 3, 1, 1), None, mean, var, 1e-5, None, torch.randn(2))
close(w, b)
w, b = fuse(torch.randn(3, 2, 1), None, mean, var, 1e-5, torch.ones(2), None, True)
close(w, b)
fails(lambda: nn.utils.fuse_linear_bn_eval(nn.Linear(2, 2), nn.Linear(2, 2)))
"""
