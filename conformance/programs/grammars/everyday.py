"""Everyday lines: conversions, NumPy, files, choices by mask, products by letters, parts written in loops."""

from __future__ import annotations

from typing import Any

from conformance.programs.grammars.chance import overlaps_itself
from conformance.programs.scope import Scope

CONVERSIONS = "float double half long int short bool bfloat16 cpu byte char".split()
PARSED = (
    ("i,i->", 1, 1),
    ("i,j->ij", 1, 1),
    ("ij->ji", 2, 0),
    ("ij->j", 2, 0),
    ("ii->i", 2, 0),
    ("ij,kj->ik", 2, 2),
    ("ij,ij->i", 2, 2),
    ("ij,j->i", 2, 1),
    ("...j,...j->...", 2, 2),
    ("ij,jk", 2, 2),
    ("bij,bkj->bik", 3, 3),
    ("bij,j->bi", 3, 1),
    ("b i j -> j", 3, 0),
)
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def statement(scope: Scope) -> str | None:
    """A line of somebody's program about a tensor that is there."""
    name = scope.tensor()
    return None if name is None else scope.choose(*FORMS)(scope, name, scope.value(name))


def converted(scope: Scope, name: str, tensor: Any) -> str:
    dtype = f"torch.{scope.dtype()}"
    other = scope.tensor() or name
    return f"{scope.fresh()} = " + scope.choose(
        f"{name}.{scope.choose(*CONVERSIONS)}()",
        f"{name}.to('cpu')",
        f"{name}.to(torch.device('cpu'), {dtype})",
        f"{name}.to(device='cpu', dtype={dtype}, copy={scope.chance(0.5)})",
        f"{name}.to({other})",
        f"{name}.type({dtype})",
        f"{name}.type('torch.DoubleTensor')",
        f"{name}.type()",
        f"{name}.type_as({other})",
        f"torch.as_tensor({name}, dtype={dtype})",
        f"torch.tensor({name}.tolist())",
        f"torch.tensor({name}.tolist(), dtype={dtype}).to({name}.device)",
        f"torch.FloatTensor({name}.detach().float().tolist())",
        f"torch.LongTensor([{scope.integer(0, 3)}, 2])",
        f"torch.Tensor({scope.integer(0, 2)}, 3).zero_()",
        f"torch.autograd.Variable({name}, requires_grad={scope.chance(0.5)})",
        f"{name}.numpy()",
        f"torch.from_numpy({name}.detach().numpy())",
        f"torch.tensor({name}.detach().numpy())",
        f"{name}.detach().cpu().numpy().tolist()",
        f"{name}.item()",
        f"float({name}.sum())",
        f"repr({name})",
        f"{name}.bool().any().item()",
    )


def asked(scope: Scope, name: str, tensor: Any) -> str:
    """What a program asks of a tensor before it goes on."""
    return f"{scope.fresh('p')} = " + scope.choose(
        f"{name}.shape + (1,)",
        f"list({name}.shape[:-1])",
        f"{name}.size(-1)",
        f"{name}.shape.numel()",
        f"({name}.ndim, {name}.numel(), {name}.nelement(), {name}.element_size())",
        f"({name}.is_contiguous(), {name}.is_floating_point(), {name}.is_cuda, {name}.is_leaf)",
        f"(torch.is_tensor({name}), {name}.dtype == torch.float32, {name}.device.type)",
        f"len({name})",
        f"[each.shape for each in {name}]",
        f"str({name}.dtype)",
        f"torch.finfo({name}.dtype).eps",
        f"torch.equal({name}, {name}.clone())",
        f"torch.allclose({name}, {name}.clone())",
        f"f'{{{name}.float().mean():.3f}}'",
        f"sum({name})",
        f"sorted({name}.flatten().tolist())",
    )


def chosen(scope: Scope, name: str, tensor: Any) -> str:
    other = scope.operand(tensor)
    number, second = scope.number(), scope.number()
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.where({name} > 0, {number}, {second})",
        f"torch.where({name} > 0, {name}, {number})",
        f"torch.where({name} > 0, {number}, {name})",
        f"torch.where({name} > {number}, {name}, {other})",
        f"torch.where({name} > 0)",
        f"{name}.where({name} > 0, torch.zeros_like({name}))",
        f"{name}.masked_fill({name} > 0, {number})",
        f"{name}.masked_fill({name} == 0, float('-inf'))",
        f"{name}[{name} > 0]",
        f"torch.masked_select({name}, {name} > {number})",
        f"({name} > 0).float().mean()",
        f"({name} > 0).nonzero(as_tuple={scope.chance(0.5)})",
        f"{name}.clip({number}, 2)",
        f"{name}.clamp(min={number}).max()",
        f"~({name} > 0) & ({name} < {number})",
        f"torch.isfinite({name}).all()",
        f"torch.nan_to_num({name} / 0)",
    )


def lettered(scope: Scope, name: str, tensor: Any) -> str | None:
    """A product by letters of tensors that fit, or nearly."""
    letters, one, two = scope.choose(*PARSED)
    first = scope.tensor(lambda each: each.dim() == one and not each.dtype.is_complex)
    second = scope.tensor(lambda each: each.dim() == two and not each.dtype.is_complex)
    if first is None or (two and second is None):
        return None
    return f"{scope.fresh()} = torch.einsum('{letters}', {first}{f', {second}' if two else ''})"


def gathered(scope: Scope, name: str, tensor: Any) -> str | None:
    """Sums and choices by index."""
    if not tensor.dim() or not tensor.numel():
        return None
    dim = scope.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    vector = f"torch.tensor({[scope.integer(0, size - 1) for _ in range(size)]})"
    spread = f"{vector}.reshape({[-1 if place == dim else 1 for place in range(tensor.dim())]}).expand({name}.shape)"
    own = f", include_self={scope.chance(0.5)}"
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.scatter_reduce({name}, {dim}, {spread}, {name}, '{scope.choose(*REDUCTIONS)}'{own})",
        f"torch.zeros_like({name}).scatter_add({dim}, {spread}, {name})",
        f"torch.zeros_like({name}).scatter_({dim}, {spread}, 1)",
        f"torch.zeros_like({name}).index_add({dim}, {vector}, {name})",
        f"{name}.index_reduce({dim}, {vector}, {name}, '{scope.choose('prod', 'mean', 'amax', 'amin')}'{own})",
        f"{name}.gather({dim}, {spread})",
        f"torch.take_along_dim({name}, {name}.argsort(dim={dim}, stable=True), {dim})",
        f"{name}.index_select({dim}, {vector})",
        f"{name}.argmax({dim}, keepdim=True)",
        f"F.one_hot({vector}, {size})",
        f"torch.bincount({vector}, minlength={scope.integer(0, 5)})",
        f"{name}.repeat_interleave({scope.integer(1, 2)}, {dim})",
        f"{name}.unique(return_counts={scope.chance(0.5)})",
        f"{name}.cummax({dim})",
        f"{name}.diff(dim={dim})",
        f"{name}.float().quantile(0.3, {dim})",
    )


def looped(scope: Scope, name: str, tensor: Any) -> str | None:
    """Parts of a tensor written one after another."""
    if not tensor.dim() or overlaps_itself(tensor):
        return None
    number = scope.number()
    body = scope.choose(
        f"for row in {name}:\n    row.mul_({number})",
        f"for i in range(len({name})):\n    {name}[i] = {name}[i - 1] * {number}",
        f"for i in range(len({name}) - 1, -1, -1):\n    {name}[i] += {number}",
        f"for i, row in enumerate({name}.unbind(-1)):\n    row.add_(i)",
        f"for i in range({name}.shape[-1]):\n    {name}[..., i].copy_({name}[..., 0].clone() + i)",
        f"for part in {name}.chunk(2):\n    part -= part.amax()",
        f"for i in reversed(range(len({name}))):\n    {name}[i:].clamp_(max={number})",
        f"for i in range(2):\n    {name}.view(-1)[i::2] *= {number}",
    )
    if scope.chance(0.3):
        return "with torch.no_grad():\n    " + body.replace("\n", "\n    ")
    result = scope.fresh()
    folded = f"{result} = torch.zeros({name}.shape[1:])\nfor row in {name}:\n    {result} = {result} * 0.9 + row"
    listed = f"p = []\nfor row in {name}:\n    p.append(row * {number})\n{result} = torch.stack(p)"
    return scope.choose(body, body, folded, listed)


def created(scope: Scope, name: str, tensor: Any) -> str:
    """New tensors after the pattern of one that is there."""
    other = scope.tensor() or name
    return f"{scope.fresh()} = " + scope.choose(
        f"{name}.new_zeros(2, 3)",
        f"{name}.new_tensor([1, 2])",
        f"{name}.new_full((2,), 3)",
        f"{name}.new_ones({name}.shape)",
        f"torch.zeros_like({name}, dtype=torch.{scope.dtype()})",
        f"torch.ones({name}.shape, dtype={name}.dtype, device={name}.device)",
        f"torch.arange({scope.integer(0, 5)}, {scope.integer(5, 9)}, {scope.choose('1', '0.5', '2')})",
        f"torch.arange({name}.numel()).view({name}.shape)",
        "torch.linspace(0, 1, 5)",
        f"torch.eye({scope.integer(1, 3)}, dtype={name}.dtype)",
        "torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij')",
        "torch.triu(torch.ones(3, 3), diagonal=1).bool()",
        f"torch.cat([{name}.flatten(), {other}.flatten()])",
        f"torch.stack([each.sum() for each in {name}])",
        f"torch.tensor([each.sum() for each in {name}])",
        f"torch.concat(({name}, {name}), dim={scope.dim(tensor)})",
        f"{name}[None].expand(2, *{name}.shape).reshape(-1)",
        f"{name}.flatten({scope.choose('1', '0, 1', 'start_dim=-2')})",
        f"{name}.unflatten(0, (-1, 1))",
        f"torch.tile({name}, (2,))",
        f"{name}.softmax(-1).log()",
        f"torch.nn.Parameter({name}.clone())",
        f"copy.deepcopy({name})",
        f"pickle.loads(pickle.dumps({name}))",
    )


def filed(scope: Scope, name: str, tensor: Any) -> str:
    """A tensor written to a file and read again, alone or in a table."""
    what = scope.choose(name, f"{{'a': {name}, 'b': [{name}, 1]}}", f"[{name}, {name}.T]", f"nn.Parameter({name})")
    target = scope.fresh("p" if "[" in what or "{" in what else "x")
    return f"file = io.BytesIO()\ntorch.save({what}, file)\nfile.seek(0)\n{target} = torch.load(file)"


def indexed(scope: Scope, name: str, tensor: Any) -> str | None:
    """The less common indices: lists of bools, arrays, nothing at all."""
    if not tensor.dim():
        return f"{scope.fresh()} = {name}[{scope.choose('None', '...', '()', 'True', 'None, ...')}]"
    flags = [scope.chance(0.5) for _ in range(tensor.shape[0])]
    place = scope.integer(-tensor.shape[0], max(tensor.shape[0] - 1, 0))
    index = scope.choose(
        f"{flags}",
        f"torch.tensor({flags}, dtype=torch.bool), None",
        f"..., None, {scope.choose('0', '[0]', '-1:')}",
        f"None, {place}, ...",
        f"[{place}, 0]",
        f"[{place}], ..., None",
        f"np.array([{place}])",
        f"np.int64({place})",
        f"torch.tensor({place}), None",
        f"torch.tensor([{place}], dtype=torch.int32)",
        f"torch.tensor([{place}], dtype=torch.uint8)",
        f"({place}, ...)",
        f"slice(None, None, 2), {scope.choose('...', 'None')}",
        f"{name} > 0" if scope.chance(0.5) else f"{name}.sum(-1) > 0",
        "...",
        f"{place}.0",
    )
    if scope.chance(0.4) and not overlaps_itself(tensor):
        return f"{name}[{index}] = {scope.number()}"
    return f"{scope.fresh()} = {name}[{index}]"


FORMS = (converted, converted, asked, chosen, chosen, lettered, gathered, gathered, looped, created, created, filed)
FORMS += (indexed, indexed)
