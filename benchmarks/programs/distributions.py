"""A distribution at work, with its arguments checked: made from parameters, drawn from, and asked for a log_prob."""

from benchmarks.data import Source


class Draw:
    """The three calls for one observation, with 4 logits or with the mean and scale of 4 actions."""

    repeat = 20

    def __init__(self, family):
        self.family = family
        source = Source()
        self.parameters = [(source.normal(1, 4), abs(source.normal(1, 4)) + 0.1) for _ in range(self.repeat)]

    def torch(self, library):
        torch = library.module
        torch.manual_seed(0)
        Family = getattr(torch.distributions, self.family)
        parameters = [tuple(map(library.tensor, each)) for each in self.parameters]
        if self.family == "Categorical":
            make = [lambda first=first: Family(logits=first) for first, _ in parameters]
        else:
            make = [lambda both=both: Family(*both) for both in parameters]

        def step():
            for made in make:
                policy = made()
                log_prob = policy.log_prob(policy.sample())
            return log_prob.sum().item()

        return step


class Many:
    """A thousand numbers of each family that draws by rejection, one after the other."""

    repeat = 1

    def torch(self, library):
        torch = library.module
        torch.manual_seed(0)
        size = torch.full((1000,), 2.5)
        made = [
            torch.distributions.Gamma(size, size),
            torch.distributions.Poisson(size),
            torch.distributions.Binomial(20, size / 9),
        ]
        return lambda: sum(each.sample().sum().item() for each in made)
