"""__torch_function__ beside torch's: which function is shown, with which arguments, for calls of all kinds."""

import warnings

import pytest

torch = pytest.importorskip("torch")
import rushlight  # noqa: E402

CALLS = """
s + t|t + s|2 + s|s + 2|s - t|2 - s|s * t|2 * s|s / t|2 / s|s // t|2 // s|s % t|2 % s|s ** t|t ** s|2 ** s|s @ t
t @ s|i & j|2 & i|i \\| j|i ^ 2|i << 1|1 << i|i >> 1|s < t|t < s|2 < s|s <= t|s == t|t == s|s != 2|s > t|s >= t|-s
+s|abs(s)|~i|s.clone().__iadd__(2)|s.clone().__imul__(t)|s.clone().__itruediv__(2)|s.clone().__ipow__(2)
t.clone().__iadd__(s)|len(s)|s[0]|s[0, 0].item()|float(s[0, 0])|int(s[0, 0])|bool(s[0, 0])|s.shape|s.size()|s.T
s.mT|s.H|s.grad|s.dtype|s.device|s.requires_grad|s.grad_fn|s.is_leaf|s.data|s.ndim|s.dim()|s.numel()|s.numpy()
s.tolist()|s.to(torch.float64)|s.float()|s.detach()|s.clone()|s.contiguous()|s.sum()|s.add(1)|torch.add(s, 1)
s.sum(dim=0)|torch.sum(s, 0, keepdim=True)|F.relu(s)|torch.relu(s)|s.relu()|F.linear(s, s)|F.dropout(s, 0.0)
F.dropout(s, p=0.0, training=False)|F.softmax(s, 0)|F.log_softmax(s, dim=1)|F.cross_entropy(s, s)
F.mse_loss(s, t)|F.layer_norm(s, (2,))|F.gelu(s)|F.max_pool2d(s[None], 1)|F.avg_pool2d(s[None], 1)
F.pad(s, (1, 1))|F.normalize(s)|F.interpolate(s[None], scale_factor=2)|torch.stack([t, s])|torch.cat([s, s])
torch.cat((t, s), dim=1)|torch.zeros_like(s)|torch.rand_like(s)|s.new_zeros(2)|torch.split(s, 1)|s.split(1)
s.chunk(2)|torch.einsum('ij->i', s)|torch.norm(s)|s.norm()|torch.max(s, 0)|s.max()|s.unique()
torch.linalg.norm(s)|torch.fft.fft(s)|s.view(-1)|s.reshape(-1)|s.permute(1, 0)|s.expand(3, 2, 2)|s.stride()
s.is_contiguous()|1 in s|s.storage_offset()|s.element_size()|s.nbytes|s.real|s.type()|s.zero_()|s.fill_(1)
s.copy_(t)|s.masked_fill(i > 5, 0)|torch.where(s > 0, s, t)|torch.clamp(s, 0, 1)|torch.equal(s, t)
torch.allclose(s, t)|torch.broadcast_tensors(s, t)|torch.nn.Linear(2, 2)(s)|torch.nn.LayerNorm(2)(s)
torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())(s)|torch.Tensor.add(t, s)|s.__setitem__(0, 1)
t.__setitem__(0, s[0])|t.add_(s)|t[s.long() - 1]|torch.unbind(s)|s.softmax(0)
""".replace("\n", "|")


def log_of(torch, text):
    """What a subclass of Tensor is asked during a call."""
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            name = torch.overrides.resolve_name(func) or func.__name__
            kinds = [type(each).__name__ for each in args]
            seen.append((name.replace("torch.functional.", "torch."), kinds, described(kwargs)))
            return super().__torch_function__(func, types, args, kwargs or {})

    names = {"torch": torch, "F": torch.nn.functional, "s": torch.ones(2, 2).as_subclass(Logged), "t": torch.ones(2, 2)}
    names |= {"i": torch.ones(2, 2).int().as_subclass(Logged), "j": torch.ones(2, 2).int()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kind = type(eval(text, names)).__name__
        except Exception as error:
            kind = type(error).__name__
    return seen, kind


def described(kwargs):
    """Options in words; None, which torch hands on where a call has none, is no empty table."""
    return None if kwargs is None else {name: type(value).__name__ for name, value in kwargs.items()}


@pytest.mark.parametrize("text", [each.replace("\\", "|") for each in CALLS.replace("\\|", "\\").split("|") if each])
def test_the_same_is_asked(text):
    assert log_of(rushlight, text) == log_of(torch, text)
