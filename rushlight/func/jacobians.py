"""Jacobians: `jacrev`, `jacfwd` and `hessian`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.func.arguments import Argnums, chosen, replaced
from rushlight.func.gradients import pulled_back
from rushlight.func.mapping import vmap
from rushlight.func.tangents import jvp
from rushlight.utils._pytree import tree_flatten, tree_map, tree_unflatten

__all__ = ["hessian", "jacfwd", "jacrev"]


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """The function that computes the Jacobian of `func`, a row for each output, in reverse mode.

    >>> torch.func.jacrev(torch.sin)(torch.tensor([0.0, 1.0]))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5403]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        found = pulled_back(functools.partial(func, **kwargs) if kwargs else func, args, has_aux, argnums)
        output, back = found[:2]
        require_real("jacrev", "inputs", tree_flatten(chosen(argnums, args))[0])
        outputs, output_spec = tree_flatten(output)
        require_real("jacrev", "outputs", outputs)
        rows = vmap(lambda *seeds: back(tree_unflatten(list(seeds), output_spec)), chunk_size=chunk_size)(
            *basis_of(outputs)
        )
        inputs, input_spec = tree_flatten(rows)
        columns = [each.split([one.numel() for one in outputs], 0) for each in inputs]
        parts = [
            tree_unflatten(
                [column[place].reshape((*one.shape, *column[place].shape[1:])) for column in columns], input_spec
            )
            for place, one in enumerate(outputs)
        ]
        made = tree_unflatten(parts, output_spec)
        return (made, found[2]) if has_aux else made

    return jacobian


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The function that computes the Jacobian of `func`, a column for each input, in forward mode.

    >>> torch.func.jacfwd(torch.sin)(torch.tensor([0.0, 1.0]))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5403]])
    """

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = chosen(argnums, args)
        inputs, input_spec = tree_flatten(wanted)
        require_real("jacfwd", "inputs", inputs)
        aux: list[Any] = []

        def along(*seeds: Tensor) -> Any:
            def of_inputs(*values: Tensor) -> Any:
                return func(*replaced(args, argnums, tree_unflatten(list(values), input_spec)), **kwargs)

            if not has_aux:
                return jvp(of_inputs, tuple(inputs), seeds)[1]
            _, slope, along_with = jvp(of_inputs, tuple(inputs), seeds, has_aux=True)
            aux.append(along_with)
            return slope

        columns = vmap(along, randomness=randomness)(*basis_of(inputs))
        made = tree_map(lambda each: by_input(each, inputs, input_spec), columns)
        return (made, aux[0]) if has_aux else made

    return jacobian


def require_real(name: str, what: str, tensors: list[Any]) -> None:
    """Refuse complex numbers: their derivatives are no matrix of complex numbers."""
    for place, each in enumerate(tensors):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {place}"
            )


def by_input(columns: Tensor, inputs: list[Tensor], spec: Any) -> Any:
    """The derivatives of one output, first by a number of the inputs, as a Jacobian for each input."""
    parts = columns.split([each.numel() for each in inputs], 0)
    return tree_unflatten(
        [part.movedim(0, -1).reshape((*part.shape[1:], *each.shape)) for part, each in zip(parts, inputs, strict=True)],
        spec,
    )


def basis_of(tensors: list[Tensor]) -> list[Tensor]:
    """For each tensor a batch of tensors like it: a one for each element of all of them, zeros elsewhere."""
    total = sum([each.numel() for each in tensors])
    found, start = [], 0
    for each in tensors:
        rows = each.new_zeros(total, each.numel())
        rows.diagonal(-start).fill_(1)
        found.append(rows.view(total, *each.shape))
        start += each.numel()
    return found


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that computes the second derivatives of `func`.

    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
