"""Programs about containers, parameters and lazy layers, as in `module_programs`."""

PROGRAMS = """
# Sequential
from collections import OrderedDict
s = nn.Sequential(OrderedDict([("a", nn.Linear(2, 3)), ("b", nn.ReLU())]))
show(s, s.a, s[1], s[-1], s[:1], len(s), list(s))
s = nn.Sequential(nn.ReLU(), nn.Tanh()); show(s + nn.Sequential(nn.ELU()), s * 2, 2 * s)
s += nn.Sequential(nn.SiLU()); show(s); s *= 2; show(s)
show(s.append(nn.GELU()), s.insert(1, nn.CELU()), s.extend([nn.Mish()]), s.pop(0), s)
s[0] = nn.Identity(); del s[1]; show(s); del s[1:3]; show(s); show(s.insert(-1, nn.Softsign()))
fails(lambda: s[99]); fails(lambda: s.insert(99, nn.ReLU())); fails(lambda: s.insert(0, 3)); fails(lambda: s + 3)
fails(lambda: s * 0)
fails(lambda: s * "a"); fails(lambda: s.append(3)); fails(lambda: s["0"]); fails(lambda: nn.Sequential(3))
fails(lambda: s.pop(99)); fails(lambda: s.__iadd__(3))
show(nn.Sequential(nn.ReLU(), nn.Tanh()).pop(slice(0, 1)))

# ModuleList
l = nn.ModuleList([nn.ReLU(), nn.Tanh()]); show(l + [nn.ELU()], l[:1], l[-1], len(l), nn.Tanh in [type(x) for x in l])
l.insert(1, nn.SiLU()); l += [nn.GELU()]; l.extend([nn.Mish()]); show(l, l.pop(0), l); l[0] = nn.CELU(); del l[1]
del l[-1]; show(l)
fails(lambda: l[9]); fails(lambda: l.extend(3)); fails(lambda: l.append(3)); fails(lambda: l(torch.ones(1)))
fails(lambda: l.insert(0, 3)); fails(lambda: nn.ModuleList(3))
show([n for n, _ in nn.ModuleList([nn.ReLU(), nn.Tanh()]).named_modules()])

# ModuleDict
d = nn.ModuleDict({"b": nn.ReLU(), "a": nn.Tanh()})
show(d, list(d), list(d.keys()), list(d.values()), list(d.items()), "a" in d, len(d))
d["c"] = nn.ELU(); show(d.pop("a"), d); d.update([("x", nn.SiLU())]); d.update({"y": nn.Mish()})
d.update(nn.ModuleDict({"z": nn.ReLU()})); show(d)
fails(lambda: d["nothing"]); fails(lambda: d.update(3)); fails(lambda: d.update([3]))
fails(lambda: d.update([("a",)])); fails(lambda: d.__setitem__("q", 3)); fails(lambda: d.__setitem__(3, nn.ReLU()))
d.clear(); show(d, len(d)); fails(lambda: d(1)); fails(lambda: d.__setitem__("train", nn.ReLU()))

# ParameterList
l = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(1, 3), 5])
show(l, len(l), type(l[1]).__name__, [n for n, _ in l.named_parameters()])
l.append(torch.ones(1)); l.extend([torch.ones(2, 2)]); l[0] = torch.zeros(1); l += [torch.ones(7)]
show(l, l[-1].shape, l[1:3])
fails(lambda: l[99]); fails(lambda: l.extend(3)); fails(lambda: l()); fails(lambda: l.extend(torch.ones(2)))
fails(lambda: l.__setitem__(99, torch.ones(1)))
show(l.pop() if hasattr(l, "pop") else "no pop"); show(list(l.state_dict()), nn.ParameterList())
show(nn.ParameterList(nn.ParameterList([torch.ones(1)])))

# ParameterDict
d = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1)), "n": 3})
show(d, list(d), list(d.keys()), len(d), [n for n, _ in d.named_parameters()])
show(d.pop("b"), d.popitem(), d.get("zz"), d.get("zz", 1), d.setdefault("q", torch.ones(3)), d.setdefault("q"),
     list(reversed(d)), "q" in d)
d.update({"x": torch.ones(1)})
show(d | nn.ParameterDict({"w": torch.ones(1)}), d.fromkeys(["r", "s"], torch.ones(1)), list(d.copy()),
     list(d.items())[0][0])
d |= nn.ParameterDict({"o": torch.ones(1)}); show(list(d), list(d.state_dict())); fails(lambda: d["nothing"])
fails(lambda: d.pop("nothing")); fails(lambda: d.__setitem__(3, torch.ones(1))); fails(lambda: d(1))
d = nn.ParameterDict({"b": torch.ones(2)}); d.clear(); show(d, len(d)); fails(lambda: d.update(3), 9)
fails(lambda: d.update([3])); fails(lambda: d.update([("a",)])); fails(lambda: d.popitem())
del d; d = nn.ParameterDict([("k", torch.ones(1))]); del d["k"]; show(list(d)); fails(lambda: d.__delitem__("k"))

# Container
c = nn.Container(a=nn.ReLU(), b=nn.Linear(1, 1)); show(c)

# parameters
p = nn.Parameter(torch.ones(2))
show(p, p.data, type(p + 1).__name__, p.requires_grad, isinstance(p, torch.Tensor), nn.Parameter(), p.is_leaf)
fails(lambda: nn.Parameter(3)); fails(lambda: nn.Parameter(torch.ones(1, dtype=torch.int64)))
show(nn.Parameter(torch.ones(1, dtype=torch.int64), requires_grad=False))
show(nn.Parameter(torch.ones(2), False), nn.Parameter(torch.ones(2) * 2).grad_fn)
m = nn.Module()
fails(lambda: setattr(m, "x", nn.Parameter(torch.ones(1))) or m.register_parameter("y",
     nn.Parameter(torch.ones(1)) * 2))
show(isinstance(nn.Parameter(torch.ones(1)), nn.Buffer), isinstance(nn.Buffer(torch.ones(1)), nn.Parameter),
     nn.Buffer(torch.ones(2)))

# uninitialized parameters
p = nn.UninitializedParameter()
show(p, nn.parameter.is_lazy(p), nn.parameter.is_lazy(nn.Parameter()), p.requires_grad, type(p).__name__,
     isinstance(p, nn.Parameter))
fails(lambda: p.shape); fails(lambda: p + 1); fails(lambda: p.sum()); fails(lambda: torch.add(p, 1))
fails(lambda: p.share_memory_())
p.materialize((2, 3)); show(p.shape, type(p).__name__, p.dtype)
b = nn.UninitializedBuffer(); show(b); b.materialize((2,), dtype=torch.float64)
show(b.shape, type(b).__name__, b.dtype)
import copy
q = copy.deepcopy(nn.UninitializedParameter())
show(type(q).__name__, q.dtype,
     nn.UninitializedParameter(requires_grad=False, dtype=torch.float64).to(torch.float32).dtype)

# lazy layers
torch.manual_seed(0); m = nn.LazyLinear(3); show(m, m.has_uninitialized_params(), type(m).__name__)
show([n for n, _ in m.named_parameters()], m.cls_to_become.__name__, list(m.state_dict()))
fails(lambda: [p.shape for p in m.parameters()])
y = m(torch.ones(2, 5))
show(m, type(m).__name__, y, len(m._forward_pre_hooks), len(m._load_state_dict_pre_hooks), list(m.state_dict()))
m = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2, bias=False)); m(torch.ones(1, 7)); show(m)
full = nn.Linear(5, 3); m = nn.LazyLinear(3); m.load_state_dict(full.state_dict())
show(m.weight.shape, type(m).__name__); m(torch.ones(1, 5)); show(m, type(m).__name__)
fails(lambda: full.load_state_dict(nn.LazyLinear(3).state_dict()))
m = nn.LazyLinear(3); m.load_state_dict(nn.LazyLinear(3).state_dict()); show(m.has_uninitialized_params())
m.double(); m(torch.ones(1, 5, dtype=torch.float64)); show(m.weight.dtype)
m = nn.LazyLinear(3); fails(lambda: m.zero_grad()); import copy; c = copy.deepcopy(m); c(torch.ones(1, 2)); show(c, m)
import pickle; p = pickle.loads(pickle.dumps(nn.LazyLinear(3))); p(torch.ones(1, 2)); show(p)
"""
