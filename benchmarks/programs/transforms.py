"""Function transforms at work: gradients of each sample, an ensemble, a Hessian, a physics-informed loss."""

from benchmarks.data import Source

LR = 1e-2


class PerSample:
    """The gradient of a network 8-64-64-4 for each of 256 samples: `vmap(grad(loss))`."""

    repeat = 1

    def __init__(self):
        source = Source()
        self.layers = source.layers(8, 64, 64, 4)
        self.inputs, self.targets = source.normal(256, 8), source.integers(4, 256)

    def torch(self, library):
        torch = library.module
        func, cross_entropy = torch.func, torch.nn.functional.cross_entropy
        model = library.network(self.layers)
        params = {name: each.detach() for name, each in model.named_parameters()}
        inputs, targets = library.tensor(self.inputs), library.tensor(self.targets)

        def loss(params, sample, target):
            output = func.functional_call(model, params, (sample.unsqueeze(0),))
            return cross_entropy(output, target.unsqueeze(0))

        gradients = library.compile(func.vmap(func.grad(loss), in_dims=(None, 0, 0)))
        return lambda: gradients(params, inputs, targets)["2.weight"][3, 5, 7].item()


class Ensemble:
    """A step of sixteen networks 8-64-64-4 at once: `stack_module_state`, `vmap`, backward and SGD."""

    repeat = 1

    def __init__(self):
        source = Source()
        self.networks = [source.layers(8, 64, 64, 4) for _ in range(16)]
        self.inputs, self.targets = source.normal(64, 8), source.normal(64, 4)

    def torch(self, library):
        func = library.module.func
        models = [library.network(layers) for layers in self.networks]
        params, buffers = func.stack_module_state(models)
        optimizer = library.optimizer("SGD", list(params.values()), lr=LR)
        inputs, targets = library.tensor(self.inputs), library.tensor(self.targets)

        def one(params, buffers, inputs):
            return func.functional_call(models[0], (params, buffers), (inputs,))

        outputs_of = library.compile(func.vmap(one, in_dims=(0, 0, None)))

        def step():
            optimizer.zero_grad()
            losses = ((outputs_of(params, buffers, inputs) - targets) ** 2).mean((1, 2))
            losses.sum().backward()
            optimizer.step()
            return losses[0].item()

        return step


class Hessian:
    """The Hessian of Rosenbrock's function of 30 variables."""

    repeat = 1

    def __init__(self):
        self.point = Source().normal(30)

    def torch(self, library):
        def function(x):
            return 100 * ((x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x[:-1]) ** 2).sum()

        hessian = library.compile(library.module.func.hessian(function))
        point = library.tensor(self.point)
        return lambda: hessian(point)[4, 5].item()


class Physics:
    """A physics-informed loss at 1,000 points and its gradient: first and second derivatives by `jacfwd`."""

    repeat = 1

    def __init__(self):
        source = Source()
        self.layers = source.layers(3, 32, 32, 1)
        self.points = source.uniform(0, 1, 1000, 3)

    def torch(self, library):
        func = library.module.func
        model = library.network(self.layers)
        params = {name: each.detach() for name, each in model.named_parameters()}
        points = library.tensor(self.points)

        def height(params, point):
            return func.functional_call(model, params, (point,)).squeeze(-1)

        slope = func.jacfwd(height, argnums=1)
        curvature = func.jacfwd(slope, argnums=1)

        def residual(params, point):
            # the heat equation in two dimensions; time is the last coordinate
            bends = curvature(params, point)
            return slope(params, point)[2] - (bends[0, 0] + bends[1, 1])

        def loss(params):
            return (func.vmap(residual, in_dims=(None, 0))(params, points) ** 2).mean()

        gradient = library.compile(func.grad_and_value(loss))
        return lambda: gradient(params)[1].item()
