"""Module: registration, attributes, the tree and what is printed of it."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
        self.head = nn.Linear(8, 2, bias=False)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("steps", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(3), persistent=False)

    def forward(self, x):
        return self.head(self.body(x)) * self.scale


def test_tree_is_printed_with_its_options():
    assert repr(Network()) == (
        "Network(\n"
        "  (body): Sequential(\n"
        "    (0): Linear(in_features=4, out_features=8, bias=True)\n"
        "    (1): Tanh()\n"
        "  )\n"
        "  (head): Linear(in_features=8, out_features=2, bias=False)\n"
        ")"
    )


def test_own_text_stands_above_the_submodules():
    class Described(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.ReLU()

        def extra_repr(self):
            return "one\ntwo"

    assert repr(Described()) == "Described(\n  one\n  two\n  (inner): ReLU()\n)"


def test_names_of_parameters_buffers_and_modules():
    network = Network()
    assert [name for name, _ in network.named_parameters()] == [
        "scale",
        "body.0.weight",
        "body.0.bias",
        "head.weight",
    ]
    assert [name for name, _ in network.named_buffers()] == ["steps", "scratch"]
    assert [name for name, _ in network.named_modules()] == ["", "body", "body.0", "body.1", "head"]
    assert list(network.children()) == [network.body, network.head]
    assert len(list(network.parameters(recurse=False))) == 1


def test_what_is_shared_is_found_once():
    network = nn.Sequential(nn.Linear(2, 2))
    network.again = network[0]
    assert len(list(network.parameters())) == 2
    assert len(list(network.named_parameters(remove_duplicate=False))) == 4
    assert len(list(network.modules())) == 2


def test_attribute_moves_between_the_kinds():
    module = nn.Module()
    module.thing = torch.ones(1)
    assert "thing" in module.__dict__
    module.thing = nn.Parameter(torch.ones(1))
    assert "thing" not in module.__dict__ and "thing" in module._parameters
    module.thing = None
    assert module.thing is None and list(module.parameters()) == []
    del module.thing
    module.thing = nn.ReLU()
    assert "thing" in module._modules
    module.thing = nn.Parameter(torch.ones(1))
    assert list(module.children()) == []


def test_buffer_assigned_as_such_is_registered():
    module = nn.Module()
    module.kept = nn.Buffer(torch.ones(1))
    module.dropped = nn.Buffer(torch.ones(1), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    module.kept = torch.zeros(1)
    assert module.get_buffer("kept").item() == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (nn.Parameter(torch.ones(1)), "cannot assign parameters before"),
        (nn.ReLU(), "cannot assign module before"),
    ],
)
def test_assignment_before_init_is_refused(value, words):
    class Early(nn.Module):
        def __init__(self):
            self.thing = value
            super().__init__()

    with pytest.raises(AttributeError, match=words):
        Early()


def test_registration_before_init_is_refused():
    early = nn.Module.__new__(nn.Module)
    with pytest.raises(AttributeError, match="cannot assign parameter before"):
        early.register_parameter("a", None)
    with pytest.raises(AttributeError, match="cannot assign buffer before"):
        early.register_buffer("a", None)


def test_computed_tensor_is_no_parameter():
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        nn.Linear(1, 1).weight = torch.ones(1)
    computed = (torch.ones(1, requires_grad=True) * 2).as_subclass(nn.Parameter)
    with pytest.raises(ValueError, match="Cannot assign non-leaf Tensor to parameter 'a'"):
        nn.Module().register_parameter("a", computed)


@pytest.mark.parametrize("register", ["register_parameter", "register_buffer", "add_module"])
@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("a.b", KeyError, "can.+t contain"),
        ("", KeyError, "can.+t be empty"),
        ("forward", KeyError, "already exists"),
        (3, TypeError, "should be a string. Got int"),
    ],
)
def test_name_that_cannot_be_registered(register, name, error, words):
    with pytest.raises(error, match=words):
        getattr(nn.Module(), register)(name, None)


def test_value_that_cannot_be_registered():
    module = nn.Sequential(nn.ReLU())
    with pytest.raises(TypeError, match="object to parameter 'a'"):
        module.register_parameter("a", torch.ones(1))
    with pytest.raises(TypeError, match="object to buffer 'a'"):
        module.register_buffer("a", 1)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        module.add_module("a", 1)
    with pytest.raises(TypeError, match="as child module '0'"):
        setattr(module, "0", 1)
    module.register_buffer("b", torch.ones(1))
    with pytest.raises(TypeError, match="as buffer 'b'"):
        module.b = 1


def test_missing_attribute_is_named():
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wieght'"):
        _ = nn.Linear(1, 1).wieght
    with pytest.raises(AttributeError):
        del nn.Linear(1, 1).wieght
    assert "weight" in dir(nn.Linear(1, 1))


def test_dotted_paths_lead_to_what_is_below():
    network = Network()
    assert network.get_submodule("body.0") is network.body[0]
    assert network.get_submodule("") is network
    assert network.get_parameter("body.0.weight") is network.body[0].weight
    assert network.get_buffer("steps") is network.steps
    network.set_submodule("body.1", nn.ReLU())
    assert isinstance(network.body[1], nn.ReLU)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda network: network.get_submodule("body.7"), "Sequential has no attribute `7`"),
        (lambda network: network.get_submodule("head.weight"), "`weight` is not an nn.Module"),
        (lambda network: network.get_parameter("other"), "Network has no attribute `other`"),
        (lambda network: network.get_parameter("steps"), "`steps` is not an nn.Parameter"),
        (lambda network: network.get_buffer("scale"), "`scale` is not a buffer"),
        (lambda network: network.set_submodule("scale", nn.ReLU()), "`scale` is not an nn.Module"),
        (
            lambda network: network.set_submodule("new", nn.ReLU(), strict=True),
            "Network has no attribute `new`",
        ),
    ],
)
def test_dotted_path_to_nothing(call, words):
    with pytest.raises(AttributeError, match=words):
        call(Network())


def test_submodule_is_set_under_a_name_and_as_a_module():
    with pytest.raises(ValueError, match="without a target name"):
        Network().set_submodule("", nn.ReLU())
    with pytest.raises(ValueError, match=r"is not an nn\.Module"):
        Network().set_submodule("head", 3)


def test_train_and_eval_reach_everything():
    network = Network().eval()
    assert not any(module.training for module in network.modules())
    assert all(module.training for module in network.train().modules())
    with pytest.raises(ValueError, match="expected to be boolean"):
        network.train(1)


def test_apply_goes_from_the_leaves_up():
    seen = []
    Network().apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Linear", "Tanh", "Sequential", "Linear", "Network"]


def test_gradients_are_forgotten_or_zeroed():
    network = Network()
    network(torch.ones(3, 4)).sum().backward()
    network.zero_grad(set_to_none=False)
    assert all((each.grad == 0).all() for each in network.parameters())
    network.zero_grad()
    assert all(each.grad is None for each in network.parameters())


def test_frozen_network_records_nothing():
    network = Network().requires_grad_(False)
    assert not network(torch.ones(3, 4)).requires_grad


def test_conversion_keeps_the_parameters_and_their_gradients():
    network = Network()
    weight = network.head.weight
    network(torch.ones(3, 4)).sum().backward()
    network.register_buffer("counts", torch.zeros(2, dtype=torch.int64))
    assert network.double() is network
    assert network.head.weight is weight and weight.dtype is torch.float64 and weight.grad.dtype is torch.float64
    assert network.steps.dtype is torch.float64 and network.counts.dtype is torch.int64
    assert network.to(torch.float16).head.weight.dtype is torch.float16
    assert network.bfloat16().head.weight.dtype is torch.bfloat16
    assert network.half().float().to("cpu").cpu().head.weight.dtype is torch.float32
    assert network.to(torch.ones(1, dtype=torch.float64)).head.weight.dtype is torch.float64
    assert network.type(torch.float32).counts.dtype is torch.float32
    assert network.to_empty(device="cpu").head.weight.shape == (2, 8)


def test_conversion_to_integers_or_a_gpu_is_refused():
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        nn.Linear(1, 1).to(torch.int64)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        nn.Linear(1, 1).cuda()


def test_forward_must_be_defined():
    with pytest.raises(NotImplementedError, match='missing the required "forward"'):
        nn.Module()(1)


def test_deep_copy_shares_nothing():
    network = Network()
    network(torch.ones(3, 4)).sum().backward()
    twin = copy.deepcopy(network)
    assert repr(twin) == repr(network)
    assert twin.scale is not network.scale and twin.scale.grad is None
    with torch.no_grad():
        twin.scale.fill_(7)
    assert network.scale.tolist() == [1, 1]


def test_pickle_round_trip():
    layer = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Dropout(0.1))
    twin = pickle.loads(pickle.dumps(layer.eval()))
    assert repr(twin) == repr(layer) and not twin.training
    x = torch.ones(4, 3)
    assert torch.equal(twin(x), layer(x))
    assert twin[0].weight.requires_grad and isinstance(twin[0].weight, nn.Parameter)


def test_state_of_an_older_pickle_is_completed():
    layer = nn.ReLU.__new__(nn.ReLU)
    layer.__setstate__({"training": False, "inplace": False})
    assert layer(torch.tensor([-1.0])).item() == 0 and not layer.training


def test_arguments_of_a_module_without_init_are_refused_by_its_name():
    class Plain(nn.Module):
        pass

    with pytest.raises(TypeError, match=r"^Plain.__init__\(\) takes 1 positional argument but 2 were given"):
        Plain(3)
    with pytest.raises(TypeError, match=r"^Plain.__init__\(\) got an unexpected keyword argument 'x'"):
        Plain(x=3)


def test_call_super_init_goes_on_to_the_next_base():
    class Mixed:
        def __init__(self, size):
            self.size = size

    class Both(nn.Module, Mixed):
        call_super_init = True

    assert Both(size=5).size == 5


def test_assigned_buffers_go_through_an_overridden_register_buffer():
    seen = []

    class Noted(nn.Module):
        def register_buffer(self, name, tensor, persistent=True):
            seen.append((name, persistent))
            super().register_buffer(name, tensor, persistent)

    class Shorter(nn.Module):
        def register_buffer(self, name, tensor):
            super().register_buffer(name, tensor)

    layer = Noted()
    layer.a = nn.Buffer(torch.ones(1))
    layer.b = nn.Buffer(torch.ones(1), persistent=False)
    layer.a = torch.zeros(1)
    layer.b = None
    assert seen == [("a", True), ("b", False), ("a", True), ("b", False)]
    shorter = Shorter()
    shorter.a = nn.Buffer(torch.ones(1))
    with pytest.raises(RuntimeError, match="Registering a non-persistent buffer on a Module subclass"):
        shorter.b = nn.Buffer(torch.ones(1), persistent=False)


def test_modules_may_be_walked_with_their_duplicates():
    layer = nn.ReLU()
    both = nn.Sequential(layer, layer)
    assert list(both.modules()) == [both, layer]
    assert list(both.modules(remove_duplicate=False)) == [both, layer, layer]


def test_zero_grad_keeps_the_gradient_it_sets_to_zero():
    layer = nn.Linear(2, 1)
    with pytest.warns(UserWarning, match="reference cycle"):
        layer(torch.ones(1, 2)).sum().backward(create_graph=True)
    grad = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad is grad and grad.grad_fn is None and grad.tolist() == [[0, 0]]


def test_a_converted_layer_passes_its_gradient_on():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    x = torch.ones(3, 2, requires_grad=True)
    model(x).sum().backward()
    expected = x.grad.tolist()
    x.grad = None
    result = model(x).sum()
    model.double()
    result.backward()
    assert x.grad.tolist() == expected


@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph=True")
def test_a_conversion_keeps_the_history_of_gradients():
    layer = nn.Linear(2, 2)
    layer(torch.ones(3, 2)).pow(2).sum().backward(create_graph=True)
    grad = layer.weight.grad
    layer.double()
    assert layer.weight.grad is grad
    assert grad.dtype is torch.float64
    assert grad.requires_grad
    assert grad.grad_fn.name() == "torch::autograd::CopyBackwards"


def test_the_fields_of_a_module_come_in_torchs_order():
    class Local(nn.Module):
        pass

    layer = nn.Sequential(Local())
    layer.register_forward_hook(lambda *given: None)
    # the hook before the class of the part
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(layer)
    assert list(nn.Identity().__dict__)[-1] == "_modules"
