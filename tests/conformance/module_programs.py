"""Programs about modules, parameters and hooks; each must print the same with torch and with Rushlight.

They are given `torch`, `nn`, `show` (prints a value), `close` (compares numbers), `fails` (prints the type of an
exception and its first words) and `Net`, a small network.
"""

PROGRAMS = """
# buffers
m = nn.Module()
m.a = nn.Buffer(torch.zeros(2)); m.b = nn.Buffer(torch.ones(1), persistent=False); m.c = nn.Buffer(torch.ones(1))
m.c = torch.zeros(3); m.register_buffer("d", None)
show(list(m.state_dict()), [n for n, _ in m.named_buffers()], sorted(m._non_persistent_buffers_set), type(m.a).__name__)
m.c = None
show(list(m.state_dict()), m.d, isinstance(m.a, nn.Buffer), isinstance(torch.zeros(1), nn.Buffer))
m.b = nn.Buffer(torch.ones(1))
show(list(m.state_dict()))
fails(lambda: setattr(m, "a", 3))
fails(lambda: m.register_buffer("a.b", torch.zeros(1)))
fails(lambda: m.register_buffer("", torch.zeros(1)))
fails(lambda: m.register_buffer("forward", torch.zeros(1)))
fails(lambda: m.register_buffer(3, torch.zeros(1)))
fails(lambda: m.register_buffer("x", 3))
del m.a
show(hasattr(m, "a"), repr(m))

# parameters by name
m = nn.Module()
m.w = nn.Parameter(torch.zeros(2))
fails(lambda: setattr(m, "w", torch.zeros(2)))
fails(lambda: setattr(m, "w", 3))
m.w = None
show(list(m.named_parameters()), m.w, list(m.state_dict()))
fails(lambda: m.register_parameter("a.b", nn.Parameter(torch.zeros(1))))
fails(lambda: m.register_parameter("", nn.Parameter(torch.zeros(1))))
fails(lambda: m.register_parameter("train", nn.Parameter(torch.zeros(1))))
fails(lambda: m.register_parameter("y", torch.zeros(1)))
fails(lambda: m.register_parameter(2, None))
fails(lambda: m.add_module("a.b", nn.ReLU()))
fails(lambda: m.add_module("", nn.ReLU()))
fails(lambda: m.add_module("x", 3))
fails(lambda: m.add_module(3, nn.ReLU()))
m.register_module("r", nn.ReLU())
fails(lambda: setattr(m, "r", 3))
m.r = None
show(repr(m), list(m.children()))

# a name moves from kind to kind
m = nn.Module()
m.x = nn.Parameter(torch.ones(1)); show(sorted(m.__dict__["_parameters"]))
fails(lambda: setattr(m, "x", nn.ReLU()))
m.x = None; del m.x; m.x = nn.ReLU(); show(list(m._parameters), list(m._modules))
m.x = nn.Parameter(torch.ones(1)); show(list(m._parameters), list(m._modules))
del m.x
m.x = 3; m.x = nn.ReLU(); show("x" in m.__dict__, m.x)
del m.x
m.register_buffer("x", torch.ones(1)); m.x = nn.Parameter(torch.ones(1)); show(list(m._buffers), list(m._parameters))
fails(lambda: delattr(m, "nothing"))
fails(lambda: m.nothing)

# assigned before Module.__init__
class Early(nn.Module):
    def __init__(self, value):
        self.value = value
        super().__init__()
fails(lambda: Early(nn.Parameter(torch.ones(1))))
fails(lambda: Early(nn.ReLU()))
fails(lambda: Early(nn.Buffer(torch.ones(1))))
show(Early(3).value)

# super().__init__ with arguments
class Odd(nn.Module):
    def __init__(self):
        super().__init__(3)
fails(lambda: Odd(), 0)
class Named(nn.Module):
    def __init__(self):
        super().__init__(x=3)
fails(lambda: Named(), 0)
fails(lambda: nn.Module()(3))

# walks and duplicates
m = nn.Module(); shared = nn.Linear(2, 2)
m.a = shared; m.b = shared; m.c = nn.Sequential(shared, nn.ReLU()); m.w = shared.weight
show([n for n, _ in m.named_modules()], [n for n, _ in m.named_modules(remove_duplicate=False)])
show([n for n, _ in m.named_parameters()], [n for n, _ in m.named_parameters(remove_duplicate=False)])
show([n for n, _ in m.named_parameters("p", recurse=False)], [n for n, _ in m.named_children()])
show(len(list(m.parameters())), len(list(m.modules())), list(m.state_dict()))
show([n for n, _ in m.named_modules(prefix="q")], [n for n, _ in m.named_buffers()])

# paths
m = Net()
show(m.get_submodule("body.0"), m.get_submodule("") is m, tuple(m.get_parameter("body.0.weight").shape),
     m.get_buffer("steps"))
fails(lambda: m.get_submodule("body.7")); fails(lambda: m.get_submodule("scale"))
fails(lambda: m.get_parameter("body.0")); fails(lambda: m.get_parameter("body.0.x"))
fails(lambda: m.get_buffer("scale"))
fails(lambda: m.get_buffer("nothing")); fails(lambda: m.get_submodule("body.0.weight.x"))
m.set_submodule("body.1", nn.ReLU()); show(m)
m.set_submodule("body.2", nn.ReLU()); show(m)
fails(lambda: m.set_submodule("", nn.ReLU())); fails(lambda: m.set_submodule("body.x", nn.ReLU(), strict=True))
fails(lambda: m.set_submodule("nothing.x", nn.ReLU())); fails(lambda: m.set_submodule("body.1", 3))
fails(lambda: m.set_submodule("scale", nn.ReLU()))

# state dicts
m = Net()
s = m.state_dict(prefix="net."); show(list(s), type(s).__name__, sorted(s._metadata.items()))
show([v.requires_grad for v in m.state_dict().values()],
     [v.requires_grad for v in m.state_dict(keep_vars=True).values()])
show(m.load_state_dict(m.state_dict()))
s = m.state_dict(); del s["scale"]; s["more"] = torch.ones(1); s["body.0.bias"] = torch.ones(3)
fails(lambda: m.load_state_dict(s), 400)
fails(lambda: m.load_state_dict(s, strict=False), 400)
s.pop("body.0.bias")
show(m.load_state_dict(s, strict=False))
fails(lambda: m.load_state_dict([1])); fails(lambda: m.load_state_dict({"scale": 3}, strict=False), 200)
given = {"scale": torch.zeros(2)}
show(m.load_state_dict(given, strict=False).missing_keys, m.scale)
fresh = torch.full((2,), 5.0); old = m.scale
m.load_state_dict({"scale": fresh}, strict=False, assign=True)
show(m.scale.data_ptr() == fresh.data_ptr(), isinstance(m.scale, nn.Parameter), m.scale.requires_grad, m.scale is old)
m.load_state_dict({"steps": torch.ones(1)}, strict=False); show(m.steps)
fails(lambda: m.load_state_dict({"steps": torch.ones(1, 4)}, strict=False), 200)

# extra state and versions
class Extra(nn.Module):
    _version = 3
    def __init__(self):
        super().__init__(); self.number = 1
    def get_extra_state(self): return {"n": self.number}
    def set_extra_state(self, state): self.number = state["n"]
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        show(prefix, local_metadata)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)
m = nn.Sequential(Extra()); m[0].number = 7
s = m.state_dict(); show(dict(s), dict(s._metadata))
other = nn.Sequential(Extra()); show(other.load_state_dict(s), other[0].number)
fails(lambda: other.load_state_dict({}), 200)
fails(lambda: nn.Sequential(nn.ReLU()).load_state_dict(s), 200)

# state dict hooks
m = Net(); out = []
h1 = m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: out.append(("pre", prefix, keep_vars)))
h2 = m.register_state_dict_post_hook(lambda module, state, prefix, about: out.append((prefix, len(state), about)))
h3 = m.body.register_load_state_dict_pre_hook(lambda module, state, prefix, about, strict, *rest: out.append(
    ("load pre", type(module).__name__, prefix, strict, len(rest))))
h4 = m.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
s = m.state_dict(); s.pop("scale"); show(m.load_state_dict(s)); show(out)
for h in (h1, h2, h3, h4): h.remove()
fails(lambda: m.load_state_dict(s))
m.register_state_dict_post_hook(lambda *a: 3)
fails(lambda: m.state_dict())
m.register_load_state_dict_post_hook(lambda module, keys: 3)
fails(lambda: Net().load_state_dict(s))

# apply, train, eval, requires_grad_
m = Net(); names = []
show(m.apply(lambda module: names.append(type(module).__name__)) is m, names)
m.eval(); show([each.training for each in m.modules()])
m.body.train(); show([each.training for each in m.modules()])
fails(lambda: m.train("yes"))
m.requires_grad_(False); show([p.requires_grad for p in m.parameters()])
m.requires_grad_(); m(torch.ones(1, 4)).sum().backward(); show([p.grad is None for p in m.parameters()])
m.zero_grad(False); show([float(p.grad.abs().sum()) for p in m.parameters()])
m.zero_grad(); show([p.grad is None for p in m.parameters()])

# to and friends
m = Net(); w = m.scale
show(m.to(torch.float64) is m, m.scale is w, m.scale.dtype, m.steps.dtype, m.scratch.dtype)
m.register_buffer("count", torch.zeros(1, dtype=torch.int64))
show(m.half().count.dtype, m.half().scale.dtype, m.float().scale.dtype, m.bfloat16().scale.dtype,
     m.double().scale.dtype)
show(m.type(torch.float32).count.dtype, m.to("cpu") is m, m.to(torch.zeros(1, dtype=torch.float64)).scale.dtype)
fails(lambda: m.to(torch.int32)); fails(lambda: m.to("nowhere"))
m(torch.ones(1, 4, dtype=torch.float64)).sum().backward(); m.float(); show(m.scale.grad.dtype)
show(m.to(device="cpu", dtype=torch.float64, non_blocking=True).scale.dtype, m.cpu() is m)
show(tuple(m.to_empty(device="cpu").scale.shape))

# forward hooks in order
m = nn.Linear(2, 2); out = []
m.register_forward_pre_hook(lambda module, args: out.append("pre 1"))
first = {"with_kwargs": True, "prepend": True}
m.register_forward_pre_hook(lambda module, args, kwargs: out.append(("pre 2", sorted(kwargs))), **first)
m.register_forward_hook(lambda module, args, output: out.append("post 1"))
h = m.register_forward_hook(lambda module, args, kwargs, output: out.append(("post 2", sorted(kwargs))), **first)
m(torch.ones(1, 2)); m(input=torch.ones(1, 2)); h.remove(); m(torch.ones(1, 2)); show(out)
show(len(m._forward_hooks), len(m._forward_pre_hooks))

# forward hooks that replace
m = nn.Identity()
m.register_forward_pre_hook(lambda module, args: args[0] + 1)
m.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
m.register_forward_hook(lambda module, args, output: output + 100)
show(m(torch.zeros(1)))
m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
fails(lambda: m(torch.zeros(1)))

# always_call
class Bad(nn.Module):
    def forward(self, x): raise ValueError("bad")
m = Bad(); out = []
m.register_forward_hook(lambda module, args, output: out.append(("always", output)), always_call=True)
m.register_forward_hook(lambda module, args, output: out.append("never"))
fails(lambda: m(1)); show(out)

# global hooks
from importlib import import_module
every = import_module(torch.__name__ + ".nn.modules.module"); out = []; name = lambda module: type(module).__name__
hs = [every.register_module_forward_pre_hook(lambda module, args: out.append(("pre", name(module))))]
hs.append(every.register_module_forward_hook(lambda module, args, output: out.append(("post", name(module)))))
hs.append(every.register_module_full_backward_hook(lambda module, gi, go: out.append(("back", name(module), len(gi)))))
hs.append(every.register_module_full_backward_pre_hook(lambda module, go: out.append(("back pre", name(module)))))
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU()); x = torch.ones(1, 2, requires_grad=True)
m(x).sum().backward(); show(out)
for h in hs: h.remove()
m(x); show(len(out))
hs = [every.register_module_parameter_registration_hook(lambda module, name, value: out.append(("p", name)))]
hs.append(every.register_module_buffer_registration_hook(lambda module, name, value: out.append(("b", name))))
hs.append(every.register_module_module_registration_hook(lambda module, name, value: out.append(("m", name))))
out.clear(); Net(); show(out)
for h in hs: h.remove()
out.clear(); Net(); show(out)
h = every.register_module_parameter_registration_hook(lambda module, name, value: nn.Parameter(value * 0 + 7))
show(nn.ParameterList([nn.Parameter(torch.ones(2))])[0]); h.remove()
h = every.register_module_module_registration_hook(lambda module, name, value: nn.Tanh())
show(nn.Sequential(nn.ReLU())); h.remove()

# full backward hooks
m = nn.Linear(2, 3); out = []
shapes = lambda grads: [None if g is None else tuple(g.shape) for g in grads]
m.register_full_backward_hook(lambda module, gi, go: out.append((shapes(gi), shapes(go))))
m.register_full_backward_pre_hook(lambda module, go: out.append(shapes(go)))
x = torch.ones(4, 2, requires_grad=True); m(x).sum().backward(); show(out, x.grad.shape)
out.clear(); m(torch.ones(4, 2, requires_grad=True)).sum().backward(); show(out)
m = nn.Linear(2, 3); m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 0,))
x = torch.ones(4, 2, requires_grad=True)
m(x).sum().backward(); show(float(x.grad.sum()), type(m(x).grad_fn).__name__)
m = nn.Linear(2, 3); m.register_full_backward_pre_hook(lambda module, go: (go[0] * 0,)); m(x).sum().backward()
show(float(m.weight.grad.sum()))
fails(lambda: m.register_backward_hook(print) and m.register_full_backward_hook(print))
m = nn.ReLU(); m.register_full_backward_hook(print); fails(lambda: m.register_backward_hook(print))

# old backward hooks
m = nn.Linear(2, 3); out = []
m.register_backward_hook(lambda module, gi, go: out.append((len(gi), len(go))))
m(torch.ones(4, 2, requires_grad=True)).sum().backward(); show(out)

# hooks with dictionaries as outputs
class Dict(nn.Module):
    def forward(self, x): return {"y": x * 2, "z": [x]}
m = Dict(); out = []
m.register_forward_hook(lambda module, args, output: out.append(sorted(output)))
m.register_full_backward_hook(lambda module, gi, go: out.append("back"))
m(torch.ones(1, requires_grad=True))["y"].sum().backward(); show(out)

# the hooks of a copy
import copy
m = nn.Linear(2, 2); out = []
h = m.register_forward_hook(lambda module, args, output: out.append(1))
c = copy.deepcopy(m); h.remove(); c(torch.ones(1, 2)); m(torch.ones(1, 2)); show(out)
with m.register_forward_hook(lambda module, args, output: out.append(2)): m(torch.ones(1, 2))
m(torch.ones(1, 2)); show(out)

# deepcopy and pickle
import copy, pickle
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 2), nn.Tanh()); m.eval(); m[0].weight.grad = torch.ones(2, 2)
c = copy.deepcopy(m)
show(c, c.training, c[0].weight.grad, c[0].weight is m[0].weight, bool((c[0].weight == m[0].weight).all()))
p = pickle.loads(pickle.dumps(m))
show(p, p.training, bool((p[0].weight == m[0].weight).all()), type(p[0].weight).__name__)
tied = nn.Module(); tied.a = nn.Linear(2, 2); tied.b = tied.a
c = copy.deepcopy(tied); show(c.a is c.b, c.a is tied.a)
p = copy.copy(m); show(p[0] is m[0])

# the printed tree
class Wordy(nn.Module):
    def __init__(self, text, *parts):
        super().__init__(); self.text = text
        for i, p in enumerate(parts): self.add_module(f"part{i}", p)
    def extra_repr(self): return self.text
show(Wordy("one")); show(Wordy("one\\ntwo")); show(Wordy("one", nn.ReLU()))
show(Wordy("one\\ntwo", Wordy("x\\ny", nn.ReLU()), None))
show(nn.Sequential()); show(nn.ModuleList([nn.Linear(1, 1)] * 3 + [nn.ReLU()])); show(nn.ModuleDict({"a": nn.ReLU()}))
show(nn.ModuleList([nn.Sequential(nn.ReLU(), nn.Linear(2, 2)) for _ in range(2)])); show(nn.ModuleList())

# dir and attributes
m = Net()
show([n for n in dir(m) if n in ("body", "scale", "steps", "forward", "0")], hasattr(m, "body"),
     "weight" in dir(m.body[0]))
show(m.training, m._get_name(), m.__class__.__name__, m._version)
fails(lambda: Net().sclae)

# functions of nn.utils
torch.manual_seed(0); m = nn.Linear(2, 2)
v = nn.utils.parameters_to_vector(m.parameters()); show(v.shape, v.requires_grad)
nn.utils.vector_to_parameters(torch.arange(6.0), m.parameters()); show(m.weight, m.bias)
fails(lambda: nn.utils.vector_to_parameters([1], m.parameters()))
m(torch.ones(1, 2)).sum().backward()
show(nn.utils.get_total_norm([p.grad for p in m.parameters()]), nn.utils.clip_grad_norm_(m.parameters(), 1.0),
     m.weight.grad)
nn.utils.clip_grad_value_(m.parameters(), 0.1); show(m.weight.grad)
"""


def programs(texts: str) -> list[tuple[str, str]]:
    """Title and text of each."""
    found = []
    for text in texts.strip().split("\n\n"):
        title, _, code = text.partition("\n")
        found.append((title.removeprefix("# "), code))
    return found
