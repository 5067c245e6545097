"""Programs about tensors and operations at their edges, as in `module_programs`."""

PROGRAMS = """
# classes, sizes and types
class One(torch.Tensor):
    __slots__ = ()
class Two(torch.Tensor):
    pass
x = torch.ones(2).as_subclass(One); fails(lambda: setattr(x, "__class__", Two), 30)
y = torch.ones(2).as_subclass(Two); y.__class__ = Two; show(type(y).__name__); torch.ones(1)._fix_weakref()
show(torch.Size([1, 2]) + (3,), torch.Size([2]) * 2, torch.Size([1, 2, 3])[1:], torch.Size([2, 3]).numel())
fails(lambda: torch.Size([1]) + [2], 50); fails(lambda: torch.Size(["a"]), 30); show((0,) + torch.Size([1]))
x = torch.ones(2); show(x.type(), x.type(torch.DoubleTensor), x.type(torch.int64), x.type("torch.HalfTensor"))
fails(lambda: x.type("torch.Nothing"), 30)
show(torch.tensor([1.0, 2.0]).apply_(lambda v: v + 1), torch.ones(2).map_(torch.full((2,), 3.0), lambda a, b: a + b))
show(torch.ones(2).map2_(torch.ones(2), torch.ones(2), lambda a, b, c: a + b + c))
r = torch.ones(2, requires_grad=True); fails(lambda: r.apply_(abs), 50); fails(lambda: r.map_(r, max), 50)
c = torch.zeros(2, dtype=torch.complex64); c.real = 3; c.imag = torch.tensor([1.0, 2.0]); show(c); f = torch.ones(2)
f.real = 4; show(f)

# writes to overlapping memory
e = lambda: torch.ones(3).expand(2, 3); i = torch.tensor([0])
fails(lambda: e().index_fill_(0, i, 2), 60); fails(lambda: torch.nn.functional.threshold_(e(), 0.5, 2), 60)
fails(lambda: torch.ones(3).int().expand(2, 3).bitwise_left_shift_(1), 60)
fails(lambda: e().scatter_(0, torch.zeros(1, 3, dtype=torch.int64), 2.0), 60)
fails(lambda: e().scatter_add_(0, torch.zeros(1, 3, dtype=torch.int64), torch.ones(1, 3)), 60)
fails(lambda: e().scatter_reduce_(0, torch.zeros(1, 3, dtype=torch.int64), torch.ones(1, 3), "sum"), 60)
fails(lambda: e().index_add_(0, i, torch.ones(1, 3)), 60); fails(lambda: e().index_copy_(0, i, torch.ones(1, 3)), 60)
fails(lambda: e().masked_scatter_(torch.ones(2, 3).bool(), torch.ones(6)), 60); fails(lambda: e().add_(1), 60)
fails(lambda: e().copy_(torch.ones(2, 3)), 60); fails(lambda: e().clamp_(0, 1), 60); fails(lambda: e().cumsum_(0), 60)
fails(lambda: e().put_(i, torch.ones(1)), 60); fails(lambda: e().tril_(), 60); fails(lambda: e().fill_(2).sum(), 60)
x = torch.ones(3); fails(lambda: x[1:].add_(x[:-1]), 60); fails(lambda: x[1:].copy_(x[:-1]), 60)
y = torch.ones(2, 2); fails(lambda: y.add_(y.t()), 60); fails(lambda: torch.add(x[1:], 1, out=x[:-1]), 60)
fails(lambda: torch.sin(x[1:], out=x[:-1]), 60); fails(lambda: x.masked_fill_(x > 0, 2).sum())

# from numbers, arrays and objects
import numpy as np
show(torch.asarray(np.float32(2)), torch.tensor(np.int16(3)), torch.as_tensor(np.bool_(True)),
    torch.tensor(np.float64(1)))
show(torch.asarray([1, 2.5]), torch.asarray(3, dtype=torch.float64), torch.asarray(np.arange(3)).dtype)
a = np.ones(2); t = torch.asarray(a); a[0] = 5; show(t); t = torch.asarray(a, copy=True); a[0] = 6; show(t)
fails(lambda: torch.asarray(a, dtype=torch.int8, copy=False), 40)
class Bad:
    def __len__(self):
        raise ValueError("no length")
    def __getitem__(self, index):
        return 1
class Worse:
    def __len__(self):
        return 2
    def __getitem__(self, index):
        raise KeyError("nothing")
fails(lambda: torch.tensor(Bad()), 20); fails(lambda: torch.tensor(Worse()), 20)
fails(lambda: torch.tensor(object()), 30)
fails(lambda: torch.tensor(["a"]), 30); fails(lambda: torch.tensor([[1], [1, 2]]), 40)
fails(lambda: torch.tensor([[], 1]), 30)
x = torch.arange(3.0); c = x.__dlpack__(); d = torch.from_dlpack(c); d[0] = 9; show(x, x.__dlpack_device__()[1])
show(type(x.__dlpack_device__()[0]).__name__); fails(lambda: torch.from_dlpack(c), 40)
show(torch.from_dlpack(np.arange(2.0)), torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)))
copied = torch.from_dlpack(x, copy=True); copied[1] = 7; show(x)
fails(lambda: torch.ones(1, requires_grad=True).__dlpack__(), 40)
fails(lambda: torch.from_dlpack(x, device="cuda"), 20)

# names from NumPy
x = torch.arange(6.0).view(2, 3)
show(torch.sum(x, axis=0), x.mean(axis=1, keepdims=True), torch.add(x1=x, x2=x)[0], torch.max(x, axis=1)[0])
show(torch.squeeze(a=x[None], axis=0).shape if False else torch.squeeze(x[None], axis=0).shape, x.cumsum(axis=1)[0])
show(torch.stack([x, x], axis=1).shape, torch.concatenate([x, x], axis=1).shape, torch.flip(x, [0])[0])

# operators beside strangers
class Stranger:
    def __radd__(self, other):
        return "radd"
    def __rmul__(self, other):
        return "rmul"
    def __rsub__(self, other):
        return "rsub"
    def __rtruediv__(self, other):
        return "rdiv"
    def __rmatmul__(self, other):
        return "rmatmul"
    def __rpow__(self, other):
        return "rpow"
    def __gt__(self, other):
        return "gt"
    def __rand__(self, other):
        return "rand"
s, x = Stranger(), torch.ones(2)
show(x + s, x * s, x - s, x / s, x @ s, x ** s, x < s, x.int() & s); fails(lambda: x % s, 30)
fails(lambda: x + "a", 30)
show(x.__add__(s), x == s, x != s)

# numbers alone, sums and histograms
show(torch.add(True, True), torch.mul(2, 3.5), torch.add(1, 2), torch.mul(True, 3))
fails(lambda: torch.sub(True, True), 30)
fails(lambda: torch.promote_types(torch.float8_e4m3fn, torch.float32), 50)
show(torch.nansum(torch.tensor([1.5, float("nan"), 2.7]), dtype=torch.int64))
h = torch.histc; show(h(torch.tensor([1.0, 2.0]), 4, 3, 3), h(torch.ones(3), 2))
fails(lambda: h(torch.tensor([1, 2, 2]), 3), 40)
fails(lambda: h(torch.tensor([1.0, float("inf")])), 40); fails(lambda: h(torch.ones(2), 0), 30)
fails(lambda: h(torch.ones(2), 2, 3, 1), 30)
fails(lambda: h(torch.ones(2), 2, 0, float("inf")), 40); fails(lambda: h(torch.ones(2).cfloat()), 30)
fails(lambda: torch.histogramdd(torch.ones(3, 2), [2]), 50); fails(lambda: torch.histogramdd(torch.ones(3), [2]), 50)
fails(lambda: torch.histogram(torch.ones(3), torch.ones(2, 2)), 50)
show(torch.arange(0, 1, 0.1)[-1], torch.arange(1e6, 1e6 + 8, 0.3)[-1], len(torch.arange(0, 1e-1, 1e-3)),
    torch.arange(5, 0, -2))
show(torch.trapezoid(torch.ones(1)), torch.cumulative_trapezoid(torch.ones(1)), torch.trapezoid(torch.ones(2, 1)))
show(torch.ones(2, 2).scatter(0, torch.empty(0, dtype=torch.int64), 1.0))
fails(lambda: torch.zeros([1] * 64).sum(list(range(64)) + [0]), 30)
show(torch.broadcast_shapes((2, 1), (3,)), torch.broadcast_shapes((1,), 4))
fails(lambda: torch.broadcast_shapes((2,), (3,)), 40)
fails(lambda: torch.broadcast_shapes((-1,), (3,)), 40); x = torch.ones(2)
fails(lambda: x.resize_(-1), 36); fails(lambda: x.resize_(2**40, 2**40), 36)
fails(lambda: x.resize_(0, 2**40, 2**40), 27); show(x.resize_(1, 2))

# strides of results and odd indices
x = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1); y = x.clone()
show(y.stride(), (x + 1).stride(), (x + x.contiguous()).stride(), (x.contiguous() + x).stride(), x.sum(0).stride())
show(torch.empty_like(x).stride(), x.mul(2.0).exp().stride(), torch.where(x > 0, x, y).stride(), x.softmax(0).stride())
show(torch.stack([x, x]).stride(), torch.cat([x, x]).stride(), x.cumprod(0).stride(), x.sort(0)[0].stride())
z = torch.arange(4.0).view(2, 2)
show(z[False, :, True].shape, z[True, None, 0].shape, z[False].shape, z[True, False].shape, z[:, True].shape,
    z[[True, False]])
n = torch.tensor(1.0); show(n[torch.tensor(True)], n[torch.tensor(False)], n[None, True].shape)
fails(lambda: n.index_put_((torch.tensor(True),), torch.tensor(5.0), accumulate=True), 60)
n[torch.tensor(False)] = 5.0; show(n); n[torch.tensor(True)] = 6.0; show(n)
fails(lambda: z.__setitem__((torch.tensor([True, False, True]),), 1), 40); fails(lambda: z[0, 0, 0], 30)

# linear algebra and transforms
show(torch.linalg._powsum(torch.tensor([1.0, 2.0]), 2.0)); B = torch.backends.opt_einsum
show(B.is_available(), B.enabled, B.strategy)
x = torch.tensor([1.0, 2.0], requires_grad=True)
fails(lambda: torch.igamma(x, torch.ones(2)).sum().backward(), 50); y = torch.ones(2, requires_grad=True)
g, = torch.autograd.grad(torch.igamma(torch.ones(2), y).sum(), y); close(g)
fails(lambda: torch.igammac(x, y).sum().backward(), 50)
c = torch.tensor([1 + 2j, 3 - 1j]); v = torch.view_as_real(c); v[0, 0] = 9; show(c, v.stride()); d = c.conj()
show(d.is_conj(), d.imag, d.imag.is_neg(), c.real); fails(lambda: torch.view_as_real(d), 60); d.imag[0] = 5; show(c)
fails(lambda: torch.ones(2).imag, 40)
fails(lambda: torch.istft(torch.ones(5, 4), 8), 20); fails(lambda: torch.istft(torch.ones(4, 4).cfloat(), 8), 5)
torch.manual_seed(0); u, s, w = torch.svd_lowrank(torch.arange(12.0).view(4, 3), 2); close(s, (u * s) @ w.T)
torch.manual_seed(0); u, s, w = torch.pca_lowrank(torch.arange(12.0).view(4, 3).sin(), 2); close(s, u.abs(), w.abs())
fails(lambda: torch.segment_reduce(torch.arange(4.0), "odd", lengths=torch.tensor([2, 2])), 20)
show(torch.segment_reduce(torch.arange(4.0), "max", lengths=torch.tensor([2, 2])),
    torch._softmax_backward_data(torch.ones(2), torch.ones(2), 0, torch.float32))
show(torch._safe_softmax(torch.full((2,), -float("inf")), 0),
    torch._chunk_cat([torch.ones(2), torch.ones(3)], 0, 2).shape)
show(torch.ops.aten.slice(torch.arange(5), 0, 1, 4, 2),
    torch.ops.aten._unsafe_masked_index(torch.arange(3.0), torch.tensor([True, False]), [torch.tensor([0, 5])], 7.0))

# determinism
show(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled())
torch.use_deterministic_algorithms(True, warn_only=True)
show(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled(),
    torch.get_deterministic_debug_mode())
torch.use_deterministic_algorithms(False); torch.set_deterministic_debug_mode("error")
show(torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode(0); fails(lambda: torch.set_deterministic_debug_mode("odd"), 40)
fails(lambda: torch.use_deterministic_algorithms(1), 30)
"""
