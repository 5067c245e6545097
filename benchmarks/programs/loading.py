"""A loop over a loader: 60,000 small samples with their labels, shuffled, in batches of 64, without workers."""

from benchmarks.data import Source

COUNT, WIDTH, BATCH = 60_000, 8, 64


class Loop:
    """How many samples came: from a TensorDataset, or from a dataset of the program's own."""

    repeat = 1

    def __init__(self, own=False):
        source = Source()
        self.own = own
        self.x = source.normal(COUNT, WIDTH)
        self.y = source.normal(COUNT)

    def torch(self, library):
        data = library.module.utils.data
        tensors = library.tensor(self.x), library.tensor(self.y)
        dataset = own_dataset(data.Dataset)(*tensors) if self.own else data.TensorDataset(*tensors)
        loader = data.DataLoader(dataset, BATCH, shuffle=True)

        def step():
            count = 0
            for x, _ in loader:
                count += len(x)
            return count

        return step


def own_dataset(base):
    """What most programs write: a sample is made when it is asked for."""

    class Samples(base):
        def __init__(self, x, y):
            self.x, self.y = x, y

        def __len__(self):
            return len(self.x)

        def __getitem__(self, index):
            return self.x[index], self.y[index]

    return Samples
