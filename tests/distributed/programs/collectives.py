"""Every collective on every dtype and layout, for any number of processes, under PyTorch's gloo or Rushlight's MPI.

Each process knows what all give, so it knows what has to come; with RESULTS set, it writes down what came.
"""

import json
import os
import sys

import torch
import torch.distributed as dist

REAL_TORCH = "rushlight" not in sys.modules
INTEGERS = [torch.uint8, torch.int8, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
# gloo does not carry these
RARE = [] if REAL_TORCH else [torch.int16, torch.uint16, torch.uint32, torch.uint64]
ALL = [torch.bool, *INTEGERS, *FLOATS, *COMPLEX, *RARE]
FORMS = {
    "SUM": lambda a, b: a + b,
    "AVG": lambda a, b: a + b,
    "PRODUCT": lambda a, b: a * b,
    "MIN": min,
    "MAX": max,
    "BAND": lambda a, b: a & b,
    "BOR": lambda a, b: a | b,
    "BXOR": lambda a, b: a ^ b,
}
results = {}
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def numbers(owner, kind, count=6, shift=0):
    """What a process gives: small whole numbers, so that every dtype holds every result."""
    values = [(owner + 1 + index + shift) % 4 + 1 for index in range(count)]
    return [bool(value % 2) for value in values] if kind is torch.bool else values


def laid_out(values, kind, layout, shape=(2, 3)):
    """The values as a tensor: in a row, transposed, or with gaps (which gloo reads wrong)."""
    plain = torch.tensor(values, dtype=torch.bool if kind is torch.bool else torch.float64).to(kind).reshape(shape)
    if layout == "row":
        return plain
    if layout == "transposed":
        return plain.t().contiguous().t()
    wide = torch.zeros(shape[0], 2 * shape[1], dtype=kind)
    wide[:, ::2] = plain
    return wide[:, ::2]


def listed(tensor):
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.contiguous())
    return tensor.double().reshape(-1).tolist()


def expect(name, tensor, values):
    """The result has to be what was computed here, and is written down for a comparison of the two libraries."""
    wanted = laid_out(values, tensor.dtype, "row", (len(values),))
    assert listed(tensor) == listed(wanted), f"rank {rank}: {name} gave {tensor.tolist()}, not {wanted.tolist()}"
    results[name] = listed(tensor)


def carried(collective, *arguments):
    """Whether the library takes this dtype: gloo's collectives do not know all of them."""
    try:
        collective(*arguments)
    except RuntimeError as error:
        if REAL_TORCH and "Invalid scalar type" in str(error):
            return False
        raise
    return True


def reduced(kind, op, count=6, shift=0):
    total = numbers(0, kind, count, shift)
    for owner in range(1, size):
        total = [FORMS[op](a, b) for a, b in zip(total, numbers(owner, kind, count, shift), strict=True)]
    if kind is torch.bool:
        return [bool(value) for value in total]
    return [value / size for value in total] if op == "AVG" else total


def ops_for(kind):
    if kind in COMPLEX:
        return ["SUM", "AVG"]
    floating = kind in FLOATS
    return [op for op in FORMS if (floating or op != "AVG") and not (floating and op.startswith("B"))]


def fits(kind, values):
    """Averages of thirds are rounded, and eight bits are few: such results are left to the comparison."""
    return all(float(value) == round(float(value) * 4) / 4 and abs(float(value)) < 128 for value in values)


for kind in ALL:
    for op in ops_for(kind):
        wanted = reduced(kind, op)
        if not fits(kind, wanted):
            continue
        for layout in ("row", "transposed") if REAL_TORCH else ("row", "transposed", "gaps"):
            tensor = laid_out(numbers(rank, kind), kind, layout)
            assert dist.all_reduce(tensor, getattr(dist.ReduceOp, op)) is None
            expect(f"all_reduce {kind} {op} {layout}", tensor, wanted)
        tensor = laid_out(numbers(rank, kind), kind, "row")
        dist.reduce(tensor, size - 1, getattr(dist.ReduceOp, op))
        if rank == size - 1:
            expect(f"reduce {kind} {op}", tensor, wanted)
        output = torch.zeros(2, dtype=kind)
        given = [laid_out(numbers(rank, kind, 2, part), kind, "row", (2,)) for part in range(size)]
        wanted = reduced(kind, op, 2, rank)
        if fits(kind, wanted) and not (REAL_TORCH and op == "AVG"):
            dist.reduce_scatter(output, given, getattr(dist.ReduceOp, op))
            expect(f"reduce_scatter {kind} {op}", output, wanted)
            output = torch.zeros(2, dtype=kind)
            dist.reduce_scatter_tensor(output, torch.cat(given), getattr(dist.ReduceOp, op))
            expect(f"reduce_scatter_tensor {kind} {op}", output, wanted)

for kind in ALL:
    for layout in ("row", "transposed") if REAL_TORCH else ("row", "transposed", "gaps"):
        tensor = laid_out(numbers(rank, kind), kind, layout)
        dist.broadcast(tensor, 1)
        expect(f"broadcast {kind} {layout}", tensor, numbers(1, kind))
        into = [laid_out(numbers(9, kind), kind, layout) for _ in range(size)]
        dist.all_gather(into, laid_out(numbers(rank, kind), kind, layout))
        for owner in range(size):
            expect(f"all_gather {kind} {layout} {owner}", into[owner], numbers(owner, kind))
    flat = torch.zeros(6 * size, dtype=kind)
    dist.all_gather_into_tensor(flat, laid_out(numbers(rank, kind), kind, "row", (6,)))
    expect(f"all_gather_into_tensor {kind}", flat, [each for owner in range(size) for each in numbers(owner, kind)])
    into = [torch.zeros(2, 3, dtype=kind) for _ in range(size)] if rank == 1 else None
    done = carried(dist.gather, laid_out(numbers(rank, kind), kind, "row"), into, 1)
    for owner in range(size if rank == 1 and done else 0):
        expect(f"gather {kind} {owner}", into[owner], numbers(owner, kind))
    tensor = torch.zeros(2, 3, dtype=kind)
    give = [laid_out(numbers(owner, kind, 6, 2), kind, "row") for owner in range(size)] if rank == 0 else None
    if carried(dist.scatter, tensor, give, 0):
        expect(f"scatter {kind}", tensor, numbers(rank, kind, 6, 2))
    into = [torch.zeros(2, dtype=kind) for _ in range(size)]
    give = [laid_out(numbers(rank + other, kind, 2), kind, "row", (2,)) for other in range(size)]
    for owner in range(size if carried(dist.all_to_all, into, give) else 0):
        expect(f"all_to_all {kind} {owner}", into[owner], numbers(owner + rank, kind, 2))
    gives, gets = [other + 1 for other in range(size)], [rank + 1] * size
    flat = torch.zeros(sum(gets), dtype=kind)
    given = laid_out(numbers(rank, kind, sum(gives)), kind, "row", (sum(gives),))
    done = carried(dist.all_to_all_single, flat, given, gets, gives)
    start = sum(gives[:rank])
    wanted = [numbers(owner, kind, sum(gives))[start : start + rank + 1] for owner in range(size)]
    if done:
        expect(f"all_to_all_single {kind}", flat, [each for part in wanted for each in part])
    tensor = torch.zeros(2, 3, dtype=kind)
    messages = [
        dist.P2POp(dist.isend, laid_out(numbers(rank, kind), kind, "row"), (rank + 1) % size),
        dist.P2POp(dist.irecv, tensor, (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(messages):
        work.wait()
    expect(f"ring {kind}", tensor, numbers((rank - 1) % size, kind))

tensor = torch.full((3,), float(rank + 1))
work = dist.all_reduce(tensor, async_op=True)
assert work.wait() is True and work.is_completed() and work.is_success()
assert [each.tolist() for each in work.result()] == [tensor.tolist()]
expect("asynchronous", tensor, [sum(range(1, size + 1))] * 3)
futures = [dist.all_reduce(torch.full((2,), float(rank)), async_op=True).get_future() for _ in range(3)]
doubled = futures[1].then(lambda done: done.value()[0] * 2)
assert doubled.wait().tolist() == [2.0 * sum(range(size))] * 2
assert [each.wait()[0].tolist() for each in futures] == [[sum(range(size))] * 2] * 3

leaf = torch.full((2,), 2.0, requires_grad=True)
product = leaf * 3
dist.all_reduce(leaf)
dist.all_reduce(product)
assert leaf.is_leaf and leaf.requires_grad and product.requires_grad and leaf._version == product._version == 0
expect("a leaf that requires grad", leaf.detach(), [2 * size] * 2)
expect("a result that requires grad", product.detach(), [6 * size] * 2)
for empty in (torch.zeros(0), torch.ones(())):
    dist.all_reduce(empty)
assert empty.item() == size

if rank == 0:
    dist.send(torch.arange(4.0), size - 1)
    # gloo sends only what lies in a row
    turned = torch.arange(4.0).reshape(2, 2).t()
    dist.send(turned.contiguous() if REAL_TORCH else turned, size - 1, tag=7)
    for _ in range(size - 1):
        seen = torch.zeros(1)
        assert dist.recv(seen) == int(seen.item())
elif rank == size - 1:
    first, second = torch.zeros(4), torch.zeros(2, 2)
    assert dist.recv(first, 0) == 0 and dist.recv(second, 0, tag=7) == 0
    expect("send", first, [0, 1, 2, 3])
    expect("send a transpose", second, [0, 2, 1, 3])
if rank:
    dist.send(torch.tensor([float(rank)]), 0)

found = [None] * size
dist.all_gather_object(found, {"rank": rank, "tensor": torch.tensor([rank])})
assert [each["rank"] for each in found] == [each["tensor"].item() for each in found] == list(range(size))
found = [None, None] if rank != 1 else ["words" * 1000, {1: (2, 3)}]
dist.broadcast_object_list(found, 1)
assert found == ["words" * 1000, {1: (2, 3)}]
found = [None] * size if rank == 0 else None
dist.gather_object("x" * rank, found, 0)
assert rank or found == ["x" * owner for owner in range(size)]
found = [None]
dist.scatter_object_list(found, [[owner] * owner for owner in range(size)] if rank == 1 else None, 1)
assert found == [[rank] * rank]
if rank == 0:
    dist.send_object_list([1, "two"], 1)
elif rank == 1:
    found = [None, None]
    assert dist.recv_object_list(found, 0) == 0 and found == [1, "two"]

pair = dist.new_group([1, 0])
if rank < 2:
    assert (
        dist.get_rank(pair) == rank and dist.get_world_size(pair) == 2 and dist.get_process_group_ranks(pair) == [0, 1]
    )
    tensor = torch.tensor([rank + 1.0])
    dist.all_reduce(tensor, group=pair)
    expect("all_reduce of two", tensor, [3])
else:
    assert pair == dist.GroupMember.NON_GROUP_MEMBER == -100 and dist.get_rank(pair) == -1
last = dist.new_group([size - 1])
if rank == size - 1:
    assert dist.get_rank(last) == 0 and dist.get_global_rank(last, 0) == rank and dist.get_group_rank(last, rank) == 0
    tensor = torch.tensor([5.0])
    dist.broadcast(tensor, rank, group=last)
    dist.broadcast(tensor, group_src=0, group=last)
own, everybody = dist.new_subgroups(1)
assert dist.get_world_size(own) == 1 and len(everybody) == size
dist.monitored_barrier()
assert dist.barrier(async_op=True).wait() is True


def complaint(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0]
    return None


two = torch.ones(2)
complaints = {
    "not a tensor": lambda: dist.all_reduce([two]),
    "not a list": lambda: dist.all_gather(two, two),
    "not a tensor to gather": lambda: dist.all_gather([two] * size, 3),
    "no root": lambda: dist.broadcast(two),
    "two roots": lambda: dist.broadcast(two, 0, group_src=0),
    "a root that is not there": lambda: dist.broadcast(two, 77),
    "a reduction's root that is not there": lambda: dist.reduce(two, 77),
    "a complex maximum": lambda: dist.all_reduce(two.to(torch.complex64), dist.ReduceOp.MAX),
    "two dtypes": lambda: dist.all_gather([two.int()] * size, two),
    "a short list": lambda: dist.all_gather([torch.ones(2)] * (size - 1), two),
    "another shape": lambda: dist.all_gather([torch.ones(3)] * size, two),
    "to itself": lambda: dist.send(two, rank),
    "another message": lambda: dist.P2POp(dist.all_reduce, two, 0),
    "no message": lambda: dist.batch_isend_irecv([3]),
    "splits": lambda: dist.all_to_all_single(two, two, [1] * size, [2] * size),
    "too many splits": lambda: dist.all_to_all_single(two, torch.ones(size), [1] * (size + 1), [1] * size),
    "a list too much": lambda: dist.gather(two, [two] * size, (rank + 1) % size),
    "no list": lambda: dist.gather(two, None, rank),
    "no list to scatter": lambda: dist.scatter(two, None, rank),
    "a rank that is not there": lambda: dist.new_group([0, 99]),
    "a rank twice": lambda: dist.new_group([0, 0]),
    "no group": lambda: dist.all_reduce(two, group=3),
    "no timedelta": lambda: dist.new_group([0], timeout=3),
    "a second start": lambda: dist.init_process_group(),
    "too large subgroups": lambda: dist.new_subgroups(size + 1),
    "no place for an object": lambda: dist.scatter_object_list([], [1], 0),
    "no list of objects": lambda: dist.gather_object(1, None, rank),
    "no such group": lambda: dist.destroy_process_group(3),
    "not a reduction": lambda: dist.all_reduce(two, "sum"),
}
results["errors"] = {name: complaint(call) for name, call in complaints.items()}
assert all(results["errors"].values()), [name for name, said in results["errors"].items() if said is None]
dist.barrier()
dist.destroy_process_group()
assert not dist.is_initialized()
for call in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(two), dist.get_backend):
    assert complaint(call)[1].startswith("Default process group has not been initialized")
if "RESULTS" in os.environ:
    with open(f"{os.environ['RESULTS']}.{rank}", "w") as file:
        json.dump(results, file)
print(f"rank {rank} of {size}: {len(results)} results")
