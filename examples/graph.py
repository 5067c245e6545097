"""The graph that autograd keeps: its leaves, the functions of its backward, and what each of them saved.

Nothing is declared in advance. Python runs, and every operation on a tensor that requires a gradient leaves a node: how
to go back (`grad_fn`), to which nodes (`next_functions`), and the values that it needs for that (`_saved_...`). The
gradients end up in the leaves. A loop that runs another number of times makes another graph.

    python examples/graph.py                 x * y, then a recurrence of three steps: printed, and drawn
    python examples/graph.py --steps 5       five steps: the same lines of code, more nodes

The program is plain PyTorch: with `import torch` as its first import it prints the same.
"""

import rushlight as torch  # isort: skip

import argparse
from collections import namedtuple

COLORS = {"leaf": "#d8e8c8", "function": "#f3e3c3"}
# One box of the picture: what kind it is, what is written in it, and the boxes that it points at.
Box = namedtuple("Box", "kind text targets")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the numbers in the recurrence")
    parser.add_argument("--steps", type=int, default=3, help="of the recurrence")
    parser.add_argument("--plot", default="graph.png", metavar="FILE", help="where the picture goes")
    return parser.parse_args()


def describe(**tensors):
    """What a tensor knows of its place in the graph."""
    for name, tensor in tensors.items():
        made_by = tensor.grad_fn.name() if tensor.grad_fn is not None else None
        grad = None if not tensor.is_leaf or tensor.grad is None else tensor.grad.item()
        print(f"{name}: {tensor.item():.4f}  requires_grad {tensor.requires_grad!s:5}", end="  ")
        print(f"is_leaf {tensor.is_leaf!s:5}  grad_fn {made_by}  grad {grad}")


def show_a_product():
    """Two leaves and a product, before and after backward."""
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0, requires_grad=True)
    z = x * y
    describe(x=x, y=y, z=z)
    print(f"z's node saved x = {z.grad_fn._saved_self.item()} and y = {z.grad_fn._saved_other.item()}")
    z.backward()
    print("after z.backward():")
    describe(x=x, y=y)
    try:
        z.grad_fn._saved_self  # noqa: B018
    except RuntimeError:
        print("what z's node saved is gone: backward has freed it\n")


def show_a_cut():
    """`detach` takes a value out of the graph: of x ** 2 + x ** 3, only the first term is seen by backward."""
    x = torch.ones(3, requires_grad=True)
    r = (x**2 + x.detach() ** 3).sum()
    print(f"d(x ** 2 + x.detach() ** 3) = {gradient(r, x)}, d(x ** 2) = {gradient((x**2).sum(), x)}\n")


def gradient(output, leaf):
    return torch.autograd.grad(output, leaf)[0].tolist()


def make_recurrence(steps):
    """A loss after some steps of state = tanh(weight * state + step), and the names of its leaves."""
    weight = torch.randn(2, requires_grad=True)
    bias = torch.zeros(2, requires_grad=True)
    state = torch.ones(2)
    for _ in range(steps):
        state = torch.tanh(weight * state + bias)
    return state.square().mean(), {id(weight): "weight", id(bias): "bias"}


def saved_tensors(node):
    """The tensors that a node has kept for its backward, by name."""
    found = {name.removeprefix("_saved_"): getattr(node, name) for name in dir(node) if name.startswith("_saved_")}
    return {name: value for name, value in sorted(found.items()) if isinstance(value, torch.Tensor)}


def collect(loss, names):
    """The boxes of a graph by the nodes they stand for, walked from the loss to its leaves."""
    boxes, waiting = {}, [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node in boxes:
            continue
        following = [target for target, _ in node.next_functions if target is not None]
        if hasattr(node, "variable"):
            leaf = node.variable
            boxes[node] = Box("leaf", f"{names[id(leaf)]}\n{numbers(leaf)}", following)
        else:
            lines = [f"{name} {numbers(value)}" for name, value in saved_tensors(node).items()]
            boxes[node] = Box("function", "\n".join([node.name(), *lines]), following)
        waiting.extend(following)
    return boxes


def numbers(tensor):
    return " ".join(f"{value:.2f}" for value in tensor.detach().flatten().tolist())


def print_boxes(boxes):
    for box in boxes.values():
        first, *rest = box.text.splitlines()
        saved = f"  saved {', '.join(rest)}" if rest and box.kind == "function" else ""
        print(f"{box.kind:8} {first}{saved}")
    functions = sum(box.kind == "function" for box in boxes.values())
    print(f"{functions} functions, {len(boxes) - functions} leaves")


def find_depths(boxes, root):
    """How many arrows each box is from the loss, by the longest way."""
    depths, waiting = {root: 0}, [root]
    while waiting:
        node = waiting.pop()
        for target in boxes[node].targets:
            if depths.get(target, -1) <= depths[node]:
                depths[target] = depths[node] + 1
                waiting.append(target)
    return depths


def draw(boxes, root, file):
    """The functions from the loss downwards, with what they saved; the leaves beside them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    depths = find_depths(boxes, root)
    leaves = [node for node, box in boxes.items() if box.kind == "leaf"]
    deepest = max(depths.values())
    places = {node: (0.0, -float(depth)) for node, depth in depths.items()}
    for number, leaf in enumerate(leaves):
        places[leaf] = (2.2 * (-1) ** number, -deepest / 2)
    figure, axes = pyplot.subplots(figsize=(8, 0.75 * deepest + 1.5), layout="constrained")
    for node, box in boxes.items():
        for target in box.targets:
            arrow = {"arrowstyle": "-|>", "color": "#777777", "shrinkA": 16, "shrinkB": 26}
            axes.annotate("", places[target], places[node], arrowprops=arrow)
        frame = {"boxstyle": "round,pad=0.35", "facecolor": COLORS[box.kind], "edgecolor": "#999999"}
        axes.text(*places[node], box.text, ha="center", va="center", fontsize=8, bbox=frame)
    axes.set(title="The way back: from the loss to its leaves", xlim=(-3, 3), ylim=(-deepest - 0.6, 0.6))
    axes.axis("off")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    show_a_product()
    show_a_cut()
    loss, names = make_recurrence(arguments.steps)
    boxes = collect(loss, names)
    print_boxes(boxes)
    draw(boxes, loss.grad_fn, arguments.plot)
    print(f"picture: {arguments.plot}")


if __name__ == "__main__":
    main()
