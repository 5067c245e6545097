"""Programs with torch's interface: what torch, eager or compiled, and Rushlight differ in."""


class TorchLike:
    """A module with torch's interface, and how its optimizer and its functions are to be used."""

    def __init__(self, module, fused=False, compiled=False):
        self.module = module
        self.fused = fused
        self.compiled = compiled

    def tensor(self, array):
        return self.module.from_numpy(array.copy())

    def leaf(self, array):
        return self.tensor(array).requires_grad_()

    def network(self, layers, activation="Tanh"):
        """`nn.Sequential` of linear layers with these weights and an activation between them."""
        nn = self.module.nn
        modules = []
        for weight, bias in layers:
            outputs, inputs = weight.shape
            linear = nn.Linear(inputs, outputs)
            with self.module.no_grad():
                linear.weight.copy_(self.tensor(weight))
                linear.bias.copy_(self.tensor(bias))
            modules += [linear, getattr(nn, activation)()]
        return nn.Sequential(*modules[:-1])

    def load(self, model, weights):
        """The model with these weights, given by name."""
        with self.module.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(self.tensor(weights[name]))
        return model

    def optimizer(self, name, parameters, **options):
        options |= {"fused": True} if self.fused else {}
        optimizer = getattr(self.module.optim, name)(parameters, **options)
        if self.compiled:
            optimizer.step = self.module.compile(optimizer.step)
        return optimizer

    def adam(self, parameters, lr, **options):
        return self.optimizer("Adam", parameters, lr=lr, **options)

    def step_of_adam(self, parameters, lr, norm=None):
        """A function that takes a step; with a largest norm of all gradients, given as the library likes it best."""
        clips_itself = self.module.__name__ == "rushlight"
        optimizer = self.adam(parameters, lr, **({"clip_norm": norm} if clips_itself else {}))
        if norm is None or clips_itself:
            return optimizer.step
        clip = self.module.nn.utils.clip_grad_norm_

        def step():
            clip(parameters, norm)
            optimizer.step()

        return step

    def compile(self, function):
        """The function itself, or compiled where compiling is what is measured."""
        return self.module.compile(function) if self.compiled else function
