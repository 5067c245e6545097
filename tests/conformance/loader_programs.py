"""Random loaders: datasets, samplers and options that are drawn once and built in both libraries."""

import random
from collections import namedtuple

import numpy as np

SIZES = (1, 2, 5, 8, 13, 20)
SAMPLERS = ("none", "shuffle", "shuffle", "random", "subset", "weighted", "batches", "shares", "stream")
Pair = namedtuple("Pair", "left right")


class Rows:
    """A dataset of many kinds of samples; each tells about the streams of random numbers where it was made."""

    def __init__(self, library, size, kind):
        self.library, self.size, self.kind = library, size, kind

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if not -self.size <= index < self.size:
            raise IndexError(index)
        return sample(load(self.library), index, self.kind)


class Batched(Rows):
    """The same, a batch at a time."""

    def __getitems__(self, indices):
        return [self[each] for each in indices]


def sample(torch, index, kind):
    number = torch.full((2,), float(index))
    if kind == "streams":
        info = torch.utils.data.get_worker_info()
        who = (-1, -1) if info is None else (info.id, info.num_workers)
        if info is None:
            return {"index": index, "who": who}
        seeds = torch.initial_seed() % 2**53, info.seed % 2**53
        drawn = (*seeds, random.random(), float(np.random.rand()), torch.rand(1).item())
        return {"index": index, "who": who, "drawn": drawn}
    return {
        "tuple": lambda: (number, index, float(index) / 3),
        "dict": lambda: {"x": number, "y": [index, str(index)]},
        "array": lambda: (np.full((2, 2), index, np.float32), np.float64(index), np.int16(index)),
        "named": lambda: Pair(number, (torch.tensor(index), b"bytes")),
        "number": lambda: index,
        "tensor": lambda: number.view(1, 2),
    }[kind]()


KINDS = ("streams", "tuple", "dict", "array", "named", "number", "tensor")


def load(name):
    """A library with its data package, by its name."""
    from importlib import import_module

    import_module(f"{name}.utils.data")
    return import_module(name)


def stream_class(name):
    """An iterable dataset of a library, whose workers take shares of it."""
    data = load(name).utils.data

    class Stream(data.IterableDataset):
        def __init__(self, size, kind, shared):
            self.size, self.kind, self.shared = size, kind, shared

        def __iter__(self):
            info = data.get_worker_info()
            start, step = (info.id, info.num_workers) if info is not None and self.shared else (0, 1)
            for index in range(start, self.size, step):
                yield sample(load(name), index, self.kind)

    class Measured(Stream):
        def __len__(self):
            return self.size

    return Stream, Measured


def draw(rng):
    """The choices that make a loader, as plain data."""
    size = rng.choice(SIZES)
    chosen = {
        "size": size,
        "kind": rng.choice(KINDS),
        "workers": rng.choice((0, 0, 0, 1, 2, 4)),
        "seed": rng.randrange(1000),
        "generator": rng.choice((None, None, rng.randrange(1000))),
        "sampler": rng.choice(SAMPLERS),
        "batch_size": rng.choice((None, 1, 2, 3, 7)),
        "drop_last": rng.random() < 0.3,
        "replacement": rng.random() < 0.5,
        "count": rng.randrange(1, 50),
        "batched": rng.random() < 0.3,
        "shared": rng.random() < 0.7,
        "measured": rng.random() < 0.5,
        "replicas": rng.randrange(1, 5),
        "epochs": 3,
        "give_up": rng.choice((None, None, 1, 2)),
        "draw_between": rng.random() < 0.5,
    }
    if chosen["workers"]:
        chosen["options"] = {
            "persistent_workers": rng.random() < 0.4,
            "prefetch_factor": rng.choice((None, 1, 2, 3)),
        }
    return chosen


def sampler_of(torch, dataset, chosen, generator):
    """The options of a loader that say in which order it goes."""
    data = torch.utils.data
    size, name = chosen["size"], chosen["sampler"]
    batch = {"batch_size": chosen["batch_size"]}
    if chosen["batch_size"] is not None:
        batch["drop_last"] = chosen["drop_last"]
    if name == "shuffle":
        return {"shuffle": True, **batch}
    if name == "random":
        sampler = data.RandomSampler(dataset, chosen["replacement"], chosen["count"], generator)
    elif name == "subset":
        sampler = data.SubsetRandomSampler(list(range(0, size, 2)), generator)
    elif name == "weighted":
        count = chosen["count"] if chosen["replacement"] else size
        weights = [1 + index % 3 for index in range(size)]
        sampler = data.WeightedRandomSampler(weights, count, chosen["replacement"], generator)
    elif name == "batches":
        inner = data.RandomSampler(dataset, generator=generator)
        return {"batch_sampler": data.BatchSampler(inner, chosen["batch_size"] or 4, chosen["drop_last"])}
    elif name == "shares":
        replicas = chosen["replicas"]
        sampler = data.DistributedSampler(
            dataset, replicas, chosen["seed"] % replicas, chosen["replacement"], chosen["seed"], chosen["drop_last"]
        )
    else:
        return batch
    return {"sampler": sampler, **batch}


def plain(value):
    """A batch as plain data that can be compared: types, dtypes, strides and numbers."""
    if hasattr(value, "dtype") and hasattr(value, "stride"):
        return "tensor", str(value.dtype), tuple(value.shape), tuple(value.stride()), value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(each) for each in value]
    return type(value).__name__, value


def run(name, streams, chosen, method=None):
    """Everything that can be seen of a loader: its batches in each epoch, and the random numbers drawn between."""
    torch = load(name)
    torch.manual_seed(chosen["seed"])
    generator = None
    if chosen["generator"] is not None:
        generator = torch.Generator()
        generator.manual_seed(chosen["generator"])
    if chosen["sampler"] == "stream":
        dataset = streams[chosen["measured"]](chosen["size"], chosen["kind"], chosen["shared"])
        order = sampler_of(torch, dataset, chosen, generator)
    else:
        dataset = (Batched if chosen["batched"] else Rows)(name, chosen["size"], chosen["kind"])
        order = sampler_of(torch, dataset, chosen, generator)
    options = {**order, **chosen.get("options", {})}
    if method is not None:
        options["multiprocessing_context"] = method
    loader = torch.utils.data.DataLoader(dataset, num_workers=chosen["workers"], generator=generator, **options)
    seen = []
    for epoch in range(chosen["epochs"]):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        for number, batch in enumerate(loader):
            seen.append(plain(batch))
            if chosen["draw_between"]:
                seen.append(torch.rand(1).item())
                if generator is not None:
                    seen.append(torch.rand(1, generator=generator).item())
            if number == chosen["give_up"]:
                break
        seen.append(torch.rand(1).item())
    try:
        seen.append(len(loader))
    except TypeError:
        seen.append("no length")
    return seen
