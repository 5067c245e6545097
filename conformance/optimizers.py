"""Optimizers: every entry of torch's optim_db takes the same steps, keeps the same state and refuses the same."""

import copy
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.build import Builder
from conformance.compare import Rules, compare, compare_errors, explain
from conformance.libraries import Library, dtype_name
from conformance.outcomes import freeze
from conformance.records import Unrepresentable, record
from conformance.tally import Tally

STEPS = 10
REAL, COMPLEX = ("float32", "float64"), ("complex64", "complex128")
# a layer, its bias as a matrix, since Muon moves nothing else, and a second layer
SHAPES = ((4, 3), (4, 1), (2, 4))
# by how much tolerances are wider: Muon rounds to bfloat16 after sums whose order differs; each step of LBFGS takes 20
# iterations, which amplify what sums round
WIDER = {"Muon": 500, "LBFGS": 30}
# torch corrects the moments in float32 when a step is recorded
WIDER_RECORDED = 100
# uphill the loss grows with the fourth power of the parameters, and ten steps amplify what was rounded
WIDER_UPHILL = 3


def entries() -> list[Any]:
    from torch.testing._internal.common_optimizers import optim_db

    return list(optim_db)


def check_optimizer(info: Any, library: Library) -> dict[str, Any]:
    """All inputs and error inputs of one entry, counted."""
    tally = Tally()
    for given in inputs_of(info):
        for dtype in (*REAL, *(COMPLEX if info.supports_complex else ())):
            if given.kwargs.get("fused") and dtype in COMPLEX:
                continue
            label = f"{given.desc or 'default'}, {dtype}"
            tally.add("steps", label, compare_runs(info, given.kwargs, dtype, library))
    for error in info.optim_error_inputs_func(device="cpu", dtype=torch_dtype("float32")):
        try:
            tally.add("errors", error.optimizer_error_input.desc, check_error(info, error, library))
        except Unrepresentable as reason:
            tally.skip(f"{error.optimizer_error_input.desc}: {reason}")
    return tally.to_json()


def torch_dtype(name: str) -> Any:
    import torch

    return getattr(torch, name)


def inputs_of(info: Any) -> list[Any]:
    """The entry's inputs, each with the forms of a step that the optimizer has on the CPU."""
    from torch.testing._internal import common_optimizers

    return common_optimizers._get_optim_inputs_including_global_cliquey_kwargs("cpu", None, info)


def compare_runs(info: Any, kwargs: dict[str, Any], dtype: str, library: Library) -> str | None:
    """How the parameters or the state differ after the same steps in both libraries."""
    runs = []
    for each in (Library("torch"), library):
        try:
            runs.append(run(info, kwargs, dtype, each))
        except Exception as error:
            return f"{each.name} raises {explain(error)}"
    widen = WIDER_RECORDED if kwargs.get("differentiable") else WIDER.get(info.name, 1)
    widen *= WIDER_UPHILL if kwargs.get("maximize") else 1
    rules = Rules(aliasing=False, scaled=True, widen=widen)
    for name, wanted, given in zip(("parameters: ", "state: "), *runs, strict=True):
        reason = compare(wanted, given, rules, name)
        if reason:
            return reason
    return None


def run(info: Any, kwargs: dict[str, Any], dtype: str, library: Library) -> tuple[Any, Any]:
    """Parameters and state of an optimizer after some steps on a least-squares problem, frozen."""
    builder = Builder(library)
    starts, inputs, targets = problem(dtype, library)
    differentiable = bool(kwargs.get("differentiable"))
    # a step that is recorded cannot change a leaf
    params = [start.requires_grad_().clone() if differentiable else start.requires_grad_() for start in starts]
    made = getattr(library.module.optim, info.name)(params, **builder.build(record(kwargs)))
    closure = closure_of(info, params, inputs, targets, library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(1 if info.step_requires_closure else STEPS):
            if info.step_requires_closure:
                made.step(closure)
            else:
                closure()
                made.step()
    state = made.state_dict()["state"]
    if info.name == "LBFGS":
        # a tensor of one element or a number, as the line search went
        state[0]["t"] = float(state[0]["t"])
        # the latest of 20 gradients: what is left is what was rounded
        state = state if dtype in ("float64", "complex128") else {}
    return freeze([param.detach() for param in params], library, builder), freeze(dict(state), library, builder)


def problem(dtype: str, library: Library) -> tuple[list[Any], Any, Any]:
    """Parameters, inputs and targets, the same ones in every library."""
    random = np.random.RandomState(0)
    arrays = []
    for shape in (*SHAPES, (3, 5), (2, 5)):
        values = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        arrays.append((values if dtype in COMPLEX else values.real).astype(dtype))
    made = [library.module.from_numpy(array.copy()) for array in arrays]
    return made[: len(SHAPES)], *made[len(SHAPES) :]


def closure_of(info: Any, params: list[Any], inputs: Any, targets: Any, library: Library) -> Callable[[], Any]:
    def closure() -> Any:
        first, bias, second = params
        loss = ((second @ (first @ inputs + bias) - targets).abs() ** 2).mean()
        grads = library.module.autograd.grad(loss, params)
        for param, grad in zip(params, grads, strict=True):
            # rows, as an embedding gives them; a library without sparse tensors is given dense ones
            sparse = info.only_supports_sparse_grads and library.name == "torch"
            param.grad = grad.to_sparse(1) if sparse else grad
        return loss

    return closure


def check_error(info: Any, error: Any, library: Library) -> str | None:
    """Whether the call that torch refuses is refused with the same type and matching words."""
    given = error.optimizer_error_input
    params = [torch_randn(2, 3)] if given.params is None else given.params
    known: dict[int, Any] = {}
    # the same tensor twice stays the same one
    built = rebuilt(params, library, known)
    kwargs = rebuilt(copy.deepcopy(given.kwargs), library, known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = getattr(library.module.optim, info.name)(built, **kwargs)
            if error.error_on.name == "STEP_ERROR":
                made.step()
        except Exception as raised:
            if not re.search(error.error_regex, str(raised)):
                return f"torch says {error.error_regex!r}; here {explain(raised)}"
            return compare_errors(error.error_type(), raised)
    return f"torch raises {error.error_type.__name__}; no exception here"


def torch_randn(*shape: int) -> Any:
    import torch

    return torch.randn(*shape)


def rebuilt(value: Any, library: Library, known: dict[int, Any]) -> Any:
    """torch's arguments in the library's terms, with their gradients."""
    if isinstance(value, dict):
        return {name: rebuilt(each, library, known) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(each, library, known) for each in value)
    if not hasattr(value, "data_ptr"):
        return value
    if id(value) not in known:
        if dtype_name(value.layout) != "strided":
            raise Unrepresentable(f"layout {value.layout}")
        made = Builder(library).build(record(value.detach())).requires_grad_(value.requires_grad)
        if value.grad is not None:
            made.grad = Builder(library).build(record(value.grad))
        known[id(value)] = made
    return known[id(value)]
