"""Methods: their formulas, torch's numbers, AdamTF beside Adam, L-BFGS, and parameters swapped for a while."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.optim.line_search import Point, lowest_between
from rushlight.optim.muon import orthogonal, rounded

# what PyTorch 2.13 gives after three steps on the sum of squares, from [[1, -2], [3, 0.5]] in double precision
RESULTS = [
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1}, [0.7154994733, -1.7076482355, 2.7050095122, 0.2309097543]),
    ("NAdam", {"lr": 0.1, "momentum_decay": 0.1}, [0.7529349686, -1.7477416085, 2.7461178628, 0.2648731646]),
    (
        "NAdam",
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.7270080981, -1.6920196952, 2.6606647478, 0.253994587],
    ),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.5)}, [0.4623033599, -0.9246067198, 1.3869100796, 0.2311516799]),
    (
        "RAdam",
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.4413214937, -0.8826429874, 1.3239644811, 0.2206607468],
    ),
    ("Adadelta", {"weight_decay": 0.1}, [0.9903090445, -1.9903007521, 2.9902979943, 0.4903257142]),
    ("ASGD", {"lr": 0.1, "t0": 1, "lambd": 0.1}, [0.4959493852, -0.9918987705, 1.4878481557, 0.2479746926]),
    ("Rprop", {"lr": 0.7}, [-0.54, 0.548, 0.452, 0.15]),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1}, [0.715618268, -1.1731258342, 2.3538714666, 0.3428628785]),
    ("Muon", {"lr": 0.1}, [0.8620160508, -1.7398842109, 2.595323875, 0.4383510625]),
    ("LBFGS", {"lr": 0.1, "max_iter": 3}, [0.5814055385, -1.1628110769, 1.7442166154, 0.2907027692]),
]


def three_steps(method, options):
    param = torch.tensor([[1.0, -2.0], [3.0, 0.5]], dtype=torch.float64, requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], **options)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return param.flatten().tolist()


@pytest.mark.parametrize(("method", "options", "expected"), RESULTS)
def test_three_steps_give_torchs_numbers(method, options, expected):
    np.testing.assert_allclose(three_steps(method, options), expected, 0, 1e-2 if method == "Muon" else 1e-9)


def adam_of_tensorflow(gradients, lr, beta1, beta2, eps):
    """The last lines of section 2 of the paper, by hand."""
    param = mean = square = 0.0
    for t, grad in enumerate(gradients, 1):
        mean = beta1 * mean + (1 - beta1) * grad
        square = beta2 * square + (1 - beta2) * grad**2
        param -= lr * (1 - beta2**t) ** 0.5 / (1 - beta1**t) * mean / (square**0.5 + eps)
    return param


def path(make, gradients):
    param = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = make([param])
    seen = []
    for grad in gradients:
        param.grad = torch.full((1,), grad, dtype=torch.float64)
        optimizer.step()
        seen.append(param.item())
    return seen


GRADIENTS = [1e-3, -2e-3, 5e-4, 1e-3, 3e-3]


@pytest.mark.parametrize("eps", [1e-8, 1e-4, 0.1])
def test_adam_tf_is_the_formula(eps):
    found = path(lambda params: torch.optim.AdamTF(params, lr=0.01, betas=(0.8, 0.95), eps=eps), GRADIENTS)
    expected = [adam_of_tensorflow(GRADIENTS[: count + 1], 0.01, 0.8, 0.95, eps) for count in range(5)]
    np.testing.assert_allclose(found, expected, 1e-12)


def test_where_adam_tf_parts_from_adam():
    """The same epsilon weighs 1 / sqrt(1 - beta2^t) times as much: 32 times in the first step, less and less later."""
    eps = 1e-4
    ours = path(lambda params: torch.optim.AdamTF(params, lr=0.01, eps=eps), [1e-3] * 3000)
    adam = path(lambda params: torch.optim.Adam(params, lr=0.01, eps=eps), [1e-3] * 3000)
    as_adam = path(lambda params: torch.optim.Adam(params, lr=0.01, eps=eps / (1 - 0.999) ** 0.5), [1e-3])
    assert abs(ours[0] - as_adam[0]) < 1e-15
    assert ours[0] / adam[0] < 0.3
    assert (ours[-1] - ours[-2]) / (adam[-1] - adam[-2]) > 0.99
    # without epsilon they are one
    without = [
        path(lambda params, make=make: make(params, eps=0.0), GRADIENTS)
        for make in (torch.optim.AdamTF, torch.optim.Adam)
    ]
    np.testing.assert_allclose(*without, 1e-12)


def test_adam_tf_takes_the_options_of_adam():
    param = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.AdamTF([param], amsgrad=True, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)
    param.grad = torch.ones(2)
    optimizer.step()
    assert param.tolist() == pytest.approx([1.0 * (1 - 1e-4) + 1e-3] * 2, abs=1e-6)
    assert list(optimizer.state[param]) == ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
    plain = torch.optim.AdamTF([param], weight_decay=0.1)
    plain.step()
    assert plain.param_groups[0]["eps"] == 1e-7


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def solved(**options):
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **options)
    count = 0

    def closure():
        nonlocal count
        count += 1
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss

    for _ in range(10):
        optimizer.step(closure)
    return x, optimizer, count


def test_lbfgs_solves_rosenbrock_in_as_few_evaluations_as_torch():
    x, optimizer, count = solved(line_search_fn="strong_wolfe")
    assert x.tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert count == optimizer.state[x]["func_evals"] == 52


def test_lbfgs_keeps_torchs_state():
    x, optimizer, _ = solved(line_search_fn="strong_wolfe", history_size=3, max_iter=5)
    state = optimizer.state_dict()["state"][0]
    names = ["func_evals", "n_iter", "al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad"]
    assert sorted(state) == sorted([*names, "prev_loss"])
    assert len(state["old_dirs"]) == len(state["old_stps"]) == len(state["ro"]) == len(state["al"]) == 3
    again = torch.optim.LBFGS([x])
    again.load_state_dict(optimizer.state_dict())
    assert again.state[x]["n_iter"] == state["n_iter"]


def test_lbfgs_wants_one_group_and_a_known_search():
    groups = [{"params": torch.ones(1, requires_grad=True)} for _ in range(2)]
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        torch.optim.LBFGS(groups)
    optimizer = torch.optim.LBFGS([torch.ones(1, requires_grad=True)], line_search_fn="golden")
    param = optimizer.param_groups[0]["params"][0]

    def closure():
        param.grad = None
        loss = (param**2).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(closure)
    optimizer.add_param_group(groups[0])
    with pytest.raises(AssertionError, match="Expected exactly one param_group, but got 2"):
        optimizer.step(closure)


def test_the_lowest_point_of_a_cubic():
    """Of t^3 - 3 t, which is lowest at 1; without a lowest point, the middle of the bounds."""
    points = [Point(np.float64(t), t**3 - 3 * t, np.empty(0), np.float64(3 * t**2 - 3)) for t in (0.0, 3.0)]
    assert lowest_between(*points, 0.0, 3.0) == pytest.approx(1.0)
    assert lowest_between(*points[::-1], 0.0, 3.0) == pytest.approx(1.0)
    assert lowest_between(*points, 1.5, 3.0) == 1.5
    steep = [Point(np.float64(t), t, np.empty(0), np.float64(1.0)) for t in (0.0, 1.0)]
    assert lowest_between(steep[0], steep[1]._replace(loss=0.5), 0.0, 1.0) == 0.5


def test_updates_of_muon_are_nearly_orthogonal():
    matrix = np.random.RandomState(0).standard_normal((6, 3)).astype("float32")
    for given in (matrix, matrix.T):
        found = orthogonal(given, (3.4445, -4.7750, 2.0315), 5, 1e-7)
        assert found.shape == given.shape
        sizes = np.linalg.svd(found, compute_uv=False)
        assert sizes.min() > 0.6 and sizes.max() < 1.3
    with pytest.raises(ValueError, match="Number of steps must be less than 100"):
        orthogonal(matrix, (1.0, 0.0, 0.0), 100, 1e-7)
    with pytest.raises(ValueError, match="Coefficients must be a tuple of exactly 3 values"):
        orthogonal(matrix, (1.0, 0.0), 5, 1e-7)


def test_rounding_is_that_of_bfloat16():
    given = torch.randn(1000)
    assert np.array_equal(rounded(given.numpy()), given.bfloat16().float().numpy())


def test_sparse_adam_leaves_rows_alone():
    table = torch.ones(4, 2, requires_grad=True)
    optimizer = torch.optim.SparseAdam([table], lr=0.1)
    table.grad = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 3.0]])
    with pytest.warns(UserWarning, match="SparseAdam was given a dense gradient"):
        optimizer.step()
    assert table[::2].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert table[1, 0].item() == table[3, 0].item() == pytest.approx(0.9)
    table.grad.zero_()
    before = table.tolist()
    optimizer.step()
    assert table.tolist() == before and optimizer.state_dict()["state"][0]["step"] == 2
    number = torch.ones((), requires_grad=True)
    number.grad = torch.ones(())
    with pytest.warns(UserWarning, match="dense gradient"):
        torch.optim.SparseAdam([number]).step()
    assert number.item() < 1


REFUSED = [
    ("Adadelta", {"rho": 1.1}, "Invalid rho value: 1.1"),
    ("Adamax", {"betas": (0.0, 1.0)}, "Invalid beta parameter at index 1: 1.0"),
    ("NAdam", {"momentum_decay": -0.2}, "Invalid momentum_decay value: -0.2"),
    ("Rprop", {"etas": (1.0, 0.5)}, "Invalid eta values: 1.0, 0.5"),
    ("SparseAdam", {"lr": 0.0}, "Invalid learning rate: 0.0"),
    ("SparseAdam", {"eps": 0.0}, "Invalid epsilon value: 0.0"),
    ("Adafactor", {"lr": -1}, "Learning rate should be >= 0 but is: -1"),
    ("Adafactor", {"lr": torch.ones(2)}, "Tensor lr must be 1-element"),
    ("Adafactor", {"beta2_decay": 0.8}, "beta2_decay should be <= 0 but is: 0.8"),
    ("Adafactor", {"eps": (-1.0, 1.0)}, "epsilon1 should be >= 0 but is: -1.0"),
    ("Adafactor", {"eps": (None, -1.0)}, "epsilon2 should be >= 0 but is: -1.0"),
    ("Adafactor", {"d": 0.0}, "Clipping threshold d should be >= 1 but is: 0.0"),
    ("Adafactor", {"weight_decay": -1.0}, "weight_decay should be >= 0 but is: -1.0"),
    ("Muon", {"momentum": -1.0}, "momentum should be >= 0 but is: -1.0"),
    ("Muon", {"weight_decay": -1.0}, "weight decay should be >= 0 but is: -1.0"),
    ("Muon", {"adjust_lr_fn": "mine"}, "Adjust learning rate function mine is not supported"),
]


@pytest.mark.parametrize(("method", "options", "words"), REFUSED)
def test_wrong_options_are_refused(method, options, words):
    with pytest.raises(ValueError) as caught:
        getattr(torch.optim, method)([torch.ones(2, 2, requires_grad=True)], **options)
    assert str(caught.value).startswith(words)


def test_parameters_that_a_method_does_not_move_are_refused():
    numbers = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    numbers.grad = torch.ones(2, 2, dtype=torch.complex64)
    for method in ("Adafactor", "Muon"):
        with pytest.raises(RuntimeError, match=f"{method} does not support complex parameters"):
            getattr(torch.optim, method)([numbers]).step()
    with pytest.raises(
        ValueError, match=r"Complex params at indices \[\[0, 0\]\]: SparseAdam does not support complex"
    ):
        torch.optim.SparseAdam([numbers])
    layer = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"Muon only supports 2D parameters .* give parameter 'bias' to another"):
        torch.optim.Muon(layer.named_parameters())
    optimizer = torch.optim.Muon([layer.weight])
    optimizer.add_param_group({"params": [layer.bias]})
    layer(torch.ones(2)).sum().backward()
    with pytest.raises(ValueError, match=r"Param gradient must be a 2D matrix, .* has 1 dimensions"):
        optimizer.step()
    assert (layer.weight._version, layer.bias._version) == (3, 1)
    with pytest.raises(ValueError, match="more than one parameter group"):
        torch.optim.Muon([{"params": [layer.bias]}, {"params": [layer.bias]}])


def test_a_parameter_without_elements_has_no_size_to_divide_by():
    for method, shape in ((torch.optim.Adafactor, (2, 0)), (torch.optim.Adafactor, (0,)), (torch.optim.Muon, (2, 0))):
        param = torch.ones(shape, requires_grad=True)
        param.grad = torch.ones(shape)
        optimizer = method([param])
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            optimizer.step()
    param = torch.ones(2, 0, requires_grad=True)
    state = torch.optim.Adafactor([param]).state_for(param._array, {})
    assert (state["row_var"].shape, state["col_var"].shape) == ((2, 1), (1, 0))
    lbfgs = torch.optim.LBFGS([param])
    with pytest.raises(
        RuntimeError, match=r"max\(\): Expected reduction dim to be specified for input\.numel\(\) == 0"
    ):
        lbfgs.step(lambda: param.sum().backward())


def test_other_parameters_are_swapped_in_for_a_while():
    param, other = torch.ones(2, requires_grad=True), torch.full((2,), 5.0, requires_grad=True)
    optimizer = torch.optim.Adam([param], lr=0.1)
    param.grad = other.grad = torch.ones(2)
    swap = torch.optim.swap_in_optimizer_params_and_state
    with pytest.raises(RuntimeError, match="requires initialized optimizer state"), swap(optimizer, {}, {}):
        pass
    optimizer.step()
    before, state = param.tolist(), {name: each.tolist() for name, each in optimizer.state[param].items()}
    given = {"state": {0: {"step": torch.tensor(0.0), "exp_avg": torch.zeros(2), "exp_avg_sq": torch.zeros(2)}}}
    given["param_groups"] = [{**optimizer.state_dict()["param_groups"][0], "lr": 1.0}]
    with swap(optimizer, {"other": other}, given):
        optimizer.step()
    assert other.tolist() == pytest.approx([4.0, 4.0]) and given["state"][0]["step"].item() == 1
    assert param.tolist() == before and optimizer.param_groups[0]["lr"] == 0.1
    assert {name: each.tolist() for name, each in optimizer.state[param].items()} == state


@pytest.mark.parametrize(
    ("params", "change", "words"),
    [
        (1, {"state": 3}, "requires what optimizer.state_dict"),
        (1, {"param_groups": []}, "a different number of parameter groups"),
        (1, {"param_groups": [{"params": [0]}]}, "requires the options and the number of parameters of group 0"),
        (2, {}, "requires the explicit parameter state to match"),
        (1, {"state": {7: {}}}, "got extra keys"),
    ],
)
def test_what_does_not_fit_is_not_swapped_in(params, change, words):
    param = torch.ones(2, requires_grad=True)
    param.grad = torch.ones(2)
    optimizer = torch.optim.Adam([param], lr=0.1)
    optimizer.step()
    given = {**optimizer.state_dict(), **change}
    others = {str(number): torch.ones(2) for number in range(params)}
    swap = torch.optim.swap_in_optimizer_params_and_state(optimizer, others, given)
    with pytest.raises(RuntimeError, match=words), swap:
        pass
    assert optimizer.param_groups[0]["params"][0] is param
