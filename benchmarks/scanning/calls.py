"""One call in one library, ready to be repeated: a function, method, module or optimizer step, and backward."""

import functools

from benchmarks.scanning.data import Maker
from conformance.module_samples import SAMPLES

SEED = 0


class Call:
    """What to repeat, the tensors that it reads, and what to do before each time, if anything."""

    def __init__(self, run, tensors, before=None):
        self.run = run
        self.tensors = tensors
        self.before = before
        # of the first one, before any call
        self.strides = tensors[0].stride() if tensors else ()


def tensors_of(value):
    """Every tensor in a result."""
    if hasattr(value, "data_ptr"):
        return [value]
    if isinstance(value, dict):
        return tensors_of(list(value.values()))
    if isinstance(value, list | tuple):
        return [found for each in value for found in tensors_of(each)]
    return []


def call_of(library, subject, arguments, way):
    """The call of a subject in one of the ways: forward, backward, method, in place or step."""
    library.seed(SEED)
    if subject.kind == "optimizer":
        return step_of(library, subject, arguments)
    maker = Maker(library, way == "backward")
    args, kwargs = maker.build(arguments[0]), maker.build(arguments[1])
    if subject.kind == "module":
        function = module_of(library, subject.making, args, maker)
        leaves = [*function.parameters(), *maker.tensors] if way == "backward" else []
        tensors = [*function.parameters(), *function.buffers(), *maker.tensors]
    else:
        function, leaves, tensors = find(library, subject.name, way), maker.tensors, maker.tensors
    run = functools.partial(function, *args, **kwargs)
    if way == "backward":
        return Call(backward_of(library, run, [each for each in leaves if each.requires_grad]), tensors)
    if way == "in place":
        start = args[0].clone()
        return Call(run, tensors, lambda: args[0].copy_(start))
    if subject.kind == "module":
        return Call(without_grad(library, run), tensors)
    return Call(run, tensors)


def find(library, name, way):
    """The function of this name, or Tensor's method or in-place method."""
    if way in ("method", "in place"):
        found = library.find_method(name + ("_" if way == "in place" else ""))
    else:
        found = library.find_function(name)
    if found is None:
        raise AttributeError(f"{library.name} has no {way} {name}")
    return found


def module_of(library, making, args, maker):
    """The module, trained, in the dtype of its input."""
    if making[0] == "own":
        module = SAMPLES[making[1]][making[2]][0](library.module.nn)
    else:
        module = made_of(library, making, maker)
    floats = [each for each in tensors_of(args) if each.is_floating_point()]
    return module.to(floats[0].dtype) if floats else module


def made_of(library, making, maker):
    """A module from its class and arguments; modules among these likewise."""
    _, kind, args, kwargs = making
    built = lambda value: (
        made_of(library, value, maker)
        if isinstance(value, tuple) and value[:1] == ("module",)
        else type(maker)(library).build(value)
    )
    made = getattr(library.module.nn, kind)
    return made(*map(built, args), **{name: built(value) for name, value in kwargs.items()})


def without_grad(library, run):
    def forward():
        with library.module.no_grad():
            return run()

    return forward


def backward_of(library, run, leaves):
    """The call with its graph recorded, then the gradients of all that it reads."""
    module = library.module
    results = [each for each in tensors_of(run()) if each.requires_grad]
    if not results or not leaves:
        raise TypeError("the result has no gradient")
    grads = [module.ones_like(each) for each in results]

    def both():
        results = [each for each in tensors_of(run()) if each.requires_grad]
        return module.autograd.grad(results, leaves, grads, allow_unused=True)

    return both


def step_of(library, subject, arguments):
    maker = Maker(library)
    params = [each.requires_grad_() for each in maker.build(arguments[0])]
    for each in params:
        # of the parameter's own layout, and small: parameters stay where they are
        each.grad = (each * 1e-3).detach()
    optimizer = library.module.optim.__dict__[subject.name.rsplit(".", 1)[-1]](params, **subject.making[0])

    def closure():
        return params[0].sum()

    needs = subject.name.endswith("LBFGS")
    return Call(
        functools.partial(optimizer.step, closure) if needs else optimizer.step, [*params, *(p.grad for p in params)]
    )
