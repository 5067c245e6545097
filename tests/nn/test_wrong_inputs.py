"""What layers say of inputs that they do not take, in the order in which torch looks at them; and what they notice."""

import re

import pytest

import rushlight as torch
from rushlight import nn


@pytest.mark.parametrize(
    ("layer", "kind", "words"),
    [
        (nn.Tanh(), TypeError, "tanh(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.Sigmoid(), TypeError, "sigmoid(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.ReLU(True), TypeError, "relu_(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.ELU(inplace=True), TypeError, "elu_(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.Dropout(inplace=True), TypeError, "dropout_(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.LogSigmoid(), TypeError, "log_sigmoid(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.Embedding(5, 3), TypeError, "embedding(): argument 'indices' (position 2) must be Tensor, not tuple"),
        (nn.Unfold(1), TypeError, "im2col(): argument 'input' (position 1) must be Tensor, not tuple"),
        (nn.Conv1d(3, 2, 1), TypeError, "conv1d() received an invalid combination of arguments - got (tuple, "),
        (nn.Softmin(-1), TypeError, "bad operand type for unary -: 'tuple'"),
        (nn.Softmax(-1), AttributeError, "'tuple' object has no attribute 'softmax'"),
        (nn.LogSoftmax(-1), AttributeError, "'tuple' object has no attribute 'log_softmax'"),
        (nn.Softsign(), AttributeError, "'tuple' object has no attribute 'abs'"),
        (nn.GLU(), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.GroupNorm(1, 3), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.BatchNorm1d(3), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.InstanceNorm1d(3), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.GRU(3, 3), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.LSTMCell(3, 3), AttributeError, "'tuple' object has no attribute 'dim'"),
        (nn.LPPool1d(2, 2), AttributeError, "'tuple' object has no attribute 'pow'"),
    ],
)
def test_what_a_layer_says_of_a_pair_of_tensors(layer, kind, words):
    with pytest.raises(kind, match=f"^{re.escape(words)}"):
        layer((torch.ones(2, 3), torch.ones(2, 3)))


@pytest.mark.parametrize(
    ("layer", "input", "words"),
    [
        (nn.Conv1d(3, 2, 1), torch.ones(3).double(), "Input type (double) and bias type (float) should be the same"),
        (nn.Conv1d(3, 2, 1).half(), torch.ones(3, 4), "Input type (float) and bias type (c10::Half) should be"),
        (nn.Conv1d(3, 2, 1, bias=False), torch.ones(1, 2, 4).double(), "Given groups=1, weight of size [2, 3, 1]"),
        (nn.Conv1d(3, 2, 1, bias=False), torch.ones(1, 3, 4).double(), "expected scalar type Double but found Float"),
        (nn.ConvTranspose1d(3, 2, 1), torch.ones(2, 4).double(), "Given transposed=1, weight of size [3, 2, 1]"),
        (nn.LayerNorm(3).half(), torch.ones(2, 3), "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (nn.LayerNorm(3).half(), torch.ones(4), "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (nn.LayerNorm(3), torch.ones(2, 3).double(), "mixed dtype (CPU): all inputs must share same datatype."),
        (nn.LayerNorm(3).bfloat16(), torch.ones(3).half(), "mixed dtype (CPU): expect parameter to have scalar type"),
    ],
)
def test_which_of_dtypes_and_sizes_a_layer_looks_at_first(layer, input, words):
    with pytest.raises(RuntimeError, match=f"^{re.escape(words)}"):
        layer(input)


def test_layers_refuse_dtypes_before_they_compare_them():
    with pytest.raises(NotImplementedError, match="\"batch_norm\" not implemented for 'Long'"):
        nn.BatchNorm1d(3)(torch.ones(2, 3).long())
    with pytest.raises(NotImplementedError, match="\"softplus_cpu\" not implemented for 'Long'"):
        nn.Softplus()(torch.ones(2, 3).long())
    words = "All tensors must have the same dtype, got input1: double, input2: double, weight: float, bias: float"
    with pytest.raises(RuntimeError, match=words):
        nn.Bilinear(3, 3, 2)(torch.ones(2, 4).double(), torch.ones(2, 4).double())
    assert nn.LayerNorm(3)(torch.ones(2, 3).half()).dtype is torch.float16


def test_prelu_counts_its_weights_before_it_looks_at_their_shape():
    with pytest.raises(RuntimeError, match=r"Mismatch of parameter numbers .* = 9 and channel size = 3"):
        torch.prelu(torch.ones(5, 3), torch.ones(3, 3))
    with pytest.raises(RuntimeError, match="prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2"):
        torch.prelu(torch.ones(5, 3), torch.ones(1, 3))
    with pytest.raises(RuntimeError, match="Not allow zero-dim input tensor"):
        torch.prelu(torch.tensor(1.0), torch.ones(2))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", ["weight", "running_mean", "running_var"])
def test_a_write_to_what_a_batch_norm_knows_is_noticed(name, training):
    layer = nn.BatchNorm1d(3).train(training)
    result = layer(torch.rand(4, 3)).sum()
    layer(torch.rand(4, 3))  # moving the running statistics is no write
    with torch.no_grad():
        getattr(layer, name).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        (nn.LayerNorm(3), "weight"),
        (nn.LayerNorm(3), "bias"),
        (nn.GroupNorm(1, 3), "weight"),
        (nn.PReLU(), "weight"),
        (nn.Conv1d(3, 2, 1), "weight"),
    ],
)
def test_a_write_to_a_parameter_is_noticed_though_the_input_has_no_gradient(layer, name):
    result = layer(torch.rand(3, 3)).sum()
    with torch.no_grad():
        getattr(layer, name).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


@pytest.mark.parametrize(
    ("layer", "dtype", "node", "is_view"),
    [
        (nn.GRU(3, 4, batch_first=True), torch.float32, "TransposeBackward1", False),
        (nn.RNN(3, 4, batch_first=True), torch.float64, "TransposeBackward1", False),
        (nn.LSTM(3, 4, batch_first=True), torch.float32, "TransposeBackward0", True),
        (nn.LSTM(3, 4), torch.float32, "MkldnnRnnLayerBackward0", False),
        (nn.LSTM(3, 4), torch.float64, "StackBackward0", False),
        (nn.LSTM(3, 4, proj_size=2), torch.float32, "StackBackward0", False),
    ],
)
def test_the_node_that_a_recurrent_layer_ends_with(layer, dtype, node, is_view):
    output = layer.to(dtype)(torch.ones(2, 4, 3, dtype=dtype))[0]
    assert output.grad_fn.name() == node
    assert (output._base is not None) is is_view
