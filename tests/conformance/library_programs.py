"""Programs about the finer rules of nn, optim, distributions and utils, as in `module_programs`."""

PROGRAMS = """
# dictionaries of hooks and modules
m = Net(); shared = nn.Sequential(m.head, m.head)
show(len(list(shared.modules())), len(list(shared.modules(remove_duplicate=False))))
show([name for name in vars(m) if name.startswith("_")])
h = m.register_forward_hook(lambda *a, **k: None, always_call=True, with_kwargs=True)
show(len(m._forward_hooks_always_called), len(m._forward_hooks_with_kwargs), len(m._forward_hooks),
    h.hooks_dict_ref() is m._forward_hooks)
h.remove(); show(len(m._forward_hooks_always_called), len(m._forward_hooks_with_kwargs))
show(type(nn.modules.module._global_forward_hooks).__name__, type(nn.modules.module._global_backward_hooks).__name__)
import collections
kept = nn.modules.module._global_forward_pre_hooks; seen = []
nn.modules.module._global_forward_pre_hooks = collections.OrderedDict({0: lambda module,
    given: seen.append(type(module).__name__)})
m(torch.ones(1, 4)); nn.modules.module._global_forward_pre_hooks = kept; show(seen)
fails(lambda: m.register_buffer("scale", torch.ones(1)), 40); fails(lambda: m.register_buffer("a.b", None), 40)
fails(lambda: m.register_buffer("forward", None), 40); fails(lambda: m.register_buffer("", None), 40)
class Noted(nn.Module):
    def register_buffer(self, *args, **kwargs):
        seen.append((len(args), sorted(kwargs))); super().register_buffer(*args, **kwargs)
seen.clear(); n = Noted(); n.register_buffer("x", torch.ones(1)); n.x = torch.zeros(1); show(seen)
import gc, weakref
n = Net(); n._register_state_dict_hook(lambda *a: None); n.register_state_dict_pre_hook(lambda *a: None)
w = weakref.ref(n); del n; show(w() is None)
show(nn.modules.activation.MultiheadAttention is nn.MultiheadAttention, callable(nn.grad.conv2d_input),
    nn._reduction.get_enum("sum"))
d = {"module.a": 1, "b": 2}; nn.modules.utils.consume_prefix_in_state_dict_if_present(d, "module."); show(sorted(d))
show(type(Net()._replicate_for_data_parallel()).__name__)

# swapping and assigning
F = torch.__future__; show(F.get_overwrite_module_params_on_conversion(), F.get_swap_module_params_on_conversion())
F.set_swap_module_params_on_conversion(True); m = nn.Linear(2, 2); w = m.weight; m.double()
show(m.weight is w, w.dtype)
F.set_swap_module_params_on_conversion(False); F.set_overwrite_module_params_on_conversion(True); m.float()
show(m.weight is w)
F.set_overwrite_module_params_on_conversion(False)
a, b = torch.ones(2), torch.zeros(3, dtype=torch.int64); torch.utils.swap_tensors(a, b); show(a, b)
m = nn.Linear(2, 3); s = {"weight": torch.ones(2, 3).t(), "bias": torch.zeros(3)}; m.load_state_dict(s, assign=True)
show(m.weight.stride(), m.weight.requires_grad, type(m.weight).__name__); m = nn.Linear(2, 3); m.load_state_dict(s)
show(m.weight.stride())

# empty batches and refused sizes
layer = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)
show(layer(torch.ones(3, 0, 4), torch.ones(2, 0, 4)).shape); mha = nn.MultiheadAttention(4, 2, batch_first=True)
show(mha(*[torch.ones(0, 3, 4)] * 3)[0].shape); R = nn.utils.rnn
fails(lambda: R.pack_padded_sequence(torch.ones(3, 2, 1), [2, 0]), 60)
fails(lambda: R.pack_sequence([torch.ones(0, 2)]), 40)
fails(lambda: nn.LSTMCell(3, 2)(torch.ones(1, 4)), 40)
fails(lambda: nn.GRUCell(3, 2)(torch.ones(1, 3), torch.ones(1, 5)), 40)
fails(lambda: torch.gru_cell(torch.ones(1, 3), torch.ones(1, 2), torch.ones(5, 3), torch.ones(5, 2)), 10)
f = nn.functional; fails(lambda: f.affine_grid(torch.ones(1, 2, 3), (1, 1, 2)), 40)
fails(lambda: f.affine_grid(torch.ones(1, 2, 3).int(), (1, 1, 2, 2)), 40)
fails(lambda: f.affine_grid(torch.ones(2, 3), (1, 1, 2, 2)), 40)
fails(lambda: f.affine_grid(torch.ones(1, 2, 3), (1, 1, 0, 2)), 40)
fails(lambda: f.interpolate(torch.ones(1, 1, 2, 2), scale_factor=1e18), 10)
fails(lambda: f.interpolate(torch.ones(1, 1, 2), mode="lanczos", size=3), 20)
fails(lambda: nn.FractionalMaxPool2d(2)(torch.ones(1, 1, 3, 3)), 40)
fails(lambda: nn.FractionalMaxPool2d(2, output_size=(1, 1), output_ratio=0.5), 40)
fails(lambda: nn.FractionalMaxPool2d(2, output_ratio=2.0), 40)
fails(lambda: f.fractional_max_pool2d(torch.ones(1, 3, 3), 4, output_size=2), 20)
close(f.pdist(torch.arange(6.0).view(3, 2), float("inf")), f.lp_pool1d(torch.arange(4.0).view(1, 4), 2.0, 2))
show(f.pixel_shuffle(torch.ones(0, 4, 2, 2), 2).shape, f.pixel_unshuffle(torch.ones(1, 1, 4, 0), 2).shape)
fails(lambda: f.pixel_shuffle(torch.ones(1, 3, 2, 2), 2), 40)
show(nn.InstanceNorm1d(2)._get_no_batch_dim(), nn.InstanceNorm3d(2)._get_no_batch_dim())
m = nn.utils.spectral_norm(nn.Linear(3, 2)); old = m.state_dict(); show(sorted(old)); m.load_state_dict(old)
mean, var = torch.batch_norm_update_stats(torch.arange(6.0).view(3, 2), torch.zeros(2), torch.ones(2), 0.1)
close(mean, var)
import importlib; P = importlib.import_module(nn.__name__ + '.utils.prune')
show(P._validate_pruning_amount_init(0.5), P._compute_nparams_toprune(0.5, 7))
fails(lambda: P._validate_pruning_amount_init(-1), 40)
fails(lambda: P._validate_pruning_amount(8, 7), 40); fails(lambda: P._validate_structured_pruning(torch.ones(2)), 40)
show(P._validate_pruning_dim(torch.ones(2, 2), 1))
q = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
close(f.scaled_dot_product_attention(q.transpose(0, 1), q.transpose(0, 1), q.transpose(0, 1)))

# optimizers and schedules
show(torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING[:40]); p = nn.Parameter(torch.ones(2))
o = torch.optim.SGD([p], lr=0.1)
s = torch.optim.lr_scheduler.CyclicLR(o, 0.1, 0.5, mode="exp_range", cycle_momentum=False)
show(hasattr(s, "_scale_fn_ref"), s.scale_fn(2.0))
U = torch.utils._foreach_utils
show(U._get_fused_kernels_supported_devices()[:1],
    len(U._group_tensors_by_device_and_dtype([[torch.ones(2), torch.ones(1).double()]])))
for method in ("Adam", "AdamW", "SGD", "Adagrad"):
    p = nn.Parameter(torch.ones(2)); o = getattr(torch.optim, method)([p], lr=0.1, fused=True); p.grad = torch.ones(2)
    o.found_inf = torch.tensor(1.0); o.grad_scale = None
    o.step(); show(p.data); o.found_inf = torch.tensor(0.0); o.step(); close(p)
p = torch.ones(2, requires_grad=True); q = p.clone(); o = torch.optim.NAdam([q], lr=0.1, differentiable=True)
q.grad = (p * 2); o.step(); o.step(); q.sum().backward(); close(p.grad)

# transforms and families
D = torch.distributions; t = D.ExpTransform(cache_size=0); x = torch.tensor([0.5]); y = t(x)
show(t.inv(y) is x, t._cache_size)
t = D.ExpTransform(cache_size=1); y = t(x)
show(t(x) is t(x), t.inv(y) is x, t.with_cache(0)._cache_size, t.with_cache(1) is t)
K = D.kl; close(K._kl_expfamily_expfamily(D.Normal(0.0, 1.0), D.Normal(1.0, 2.0)))
close(D.dirichlet._Dirichlet_backward(torch.tensor([0.3, 0.7]), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])))
for a in (0.5, 1.5, 4.0):
    for b in (0.7, 2.0, 8.0):
        for name in ("Kumaraswamy", "VonMises", "Weibull"):
            d = getattr(D, name)(torch.tensor(a), torch.tensor(b)); torch.manual_seed(1); v = d.sample((4,))
            close(v, d.log_prob(v), d.mean, d.variance)
c = D.ContinuousBernoulli(logits=torch.tensor([-5.0, 3.0, 12.0])); close(c.mean)
c = D.ContinuousBernoulli(logits=torch.tensor([-5.0, 3.0])); close(c.log_prob(torch.tensor([0.2, 0.5])))

# small helpers
import importlib
show(callable(importlib.import_module(torch.__name__ + "._utils").try_import),
    importlib.import_module(torch.__name__ + "._utils").try_import("no_such_module"))
show(importlib.import_module(torch.__name__ + "._utils").try_import("math").pi,
    callable(importlib.import_module(torch.__name__ + ".utils.collect_env").get_pretty_env_info))
show(importlib.import_module(torch.__name__ + ".utils._traceback").format_traceback_short.__name__)

# trees
T = torch.utils._pytree
Point = collections.namedtuple("Point",
    "x y") if "collections" in dir() else __import__("collections").namedtuple("Point", "x y")
tree = {"b": [1, (2, None)], "a": Point(3, {"c": 4})}; leaves, spec = T.tree_flatten(tree)
show(leaves, spec, T.tree_unflatten(leaves, spec) == tree)
show(T.treespec_loads(T.treespec_dumps(T.tree_structure([1, (2, 3)]))) == T.tree_structure([1, (2, 3)]),
    spec.num_leaves, spec.num_nodes)
show(T.tree_map(lambda v: v * 2, [1, (2,)]), T.tree_leaves([1, {"a": 2}]), T.tree_all(bool, [1, 0]),
    T.tree_any(bool, [1, 0]))
show([(T.keystr(path), v) for path, v in T.tree_leaves_with_path(tree)]); fails(lambda: T.tree_unflatten([1], spec), 40)
show(T._broadcast_to_and_flatten(0, spec), T.tree_map_only(int, str, [1, "a", 2.0]),
    T.tree_map(lambda a, b: a + b, [1, 2], [3, 4]))
fails(lambda: T.tree_map(lambda a, b: a + b, [1, 2], [3]), 40)
class Box:
    def __init__(self, inner):
        self.inner = inner
T.register_pytree_node(Box, lambda box: ([box.inner], None), lambda inner, _: Box(*inner))
show(T.tree_leaves(Box([1, 2])), T.tree_structure(Box(1)))
fails(lambda: T.register_pytree_node(Box, None, None), 10)
import dataclasses
@dataclasses.dataclass
class Pair:
    one: int
    two: int
T.register_dataclass(Pair); show(T.tree_leaves(Pair(1, [2])), T.tree_map(lambda v: v + 1, Pair(1, 2)))
show(T.tree_leaves(__import__("time").gmtime(0))[:3],
    T.LeafSpec() if not hasattr(T, "treespec_leaf") else T.treespec_leaf())
"""
