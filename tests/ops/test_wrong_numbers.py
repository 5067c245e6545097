"""What torch says of wrong numbers and sizes, and the order in memory of results of transposed inputs."""

import pytest

import rushlight as torch

functional = torch.nn.functional
windows = torch.signal.windows
one = torch.ones


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: torch.addr(one(2, 2), one(2, 1), one(2)),
            RuntimeError,
            "addr: Expected 1-D argument vec1, but got 2-D",
        ),
        (
            lambda: torch.addbmm(one(2, 2), one(3, 2, 2), one(4, 2, 2)),
            RuntimeError,
            "batch1 and batch2 must have same number of batches, got 3 and 4",
        ),
        (lambda: torch.isclose(one(2), one(2).double()), RuntimeError, "Float did not match Double"),
        (
            lambda: torch.meshgrid(one(2), one(2).double(), indexing="ij"),
            RuntimeError,
            "meshgrid expects all tensors to have",
        ),
        (
            lambda: functional.softshrink(one(2), -1),
            RuntimeError,
            r"lambda must be in range \[0, 3.40282e\+38\] for input dtype Float, but found -1",
        ),
        (lambda: torch.constant_pad_nd(one(2, 3), (-2, -2)), RuntimeError, r"narrow\(\): length must be non-negative"),
        (
            lambda: functional.pad(one(2, 3, 4), (-3, -3), mode="reflect"),
            RuntimeError,
            r"input \(W: 4\) is too small. Calculated output W: -2",
        ),
        (
            lambda: functional.pad(one(2, 3, 4, 5), (0, 0, -3, -3), mode="replicate"),
            RuntimeError,
            "Trying to create tensor with negative dimension -2",
        ),
        (
            lambda: functional.pad(one(2, 3, 4), (1,), mode="reflect"),
            RuntimeError,
            "Padding length must be divisible by 2",
        ),
        (
            lambda: torch.matrix_power(one(2, 2), 2.5),
            TypeError,
            r"matrix_power\(\): argument 'n' \(position 2\) must be int",
        ),
        (
            lambda: torch.index_put(one(3), torch.tensor([1]), one(1)),
            TypeError,
            r"index_put\(\): argument 'indices' \(position 2\) must be tuple of Tensors, not Tensor",
        ),
        (lambda: one(3, 4).expand(4), RuntimeError, r"expand\(torch.FloatTensor\{\[3, 4\]\}, size=\[4\]\)"),
        (lambda: one(3, 4).bool().expand(4), RuntimeError, r"expand\(CPUBoolType\{\[3, 4\]\}, size=\[4\]\)"),
        (lambda: windows.hann(-1), ValueError, "general_cosine requires non-negative window length, got M=-1"),
        (lambda: windows.nuttall(5, dtype=torch.int64), ValueError, "general_cosine expects float32 or float64 dtypes"),
        (lambda: windows.cosine(5.5), TypeError, r"linspace\(\) received an invalid combination of arguments"),
        (lambda: torch.trapezoid(torch.tensor(1.0)), IndexError, "^Dimension specified as -1 but tensor has no dim"),
        (
            lambda: torch.conv_tbc(one(5, 2, 3), one(2, 4, 4), one(4)),
            RuntimeError,
            r"Input dim 2 \(input channels\) is not",
        ),
        (lambda: torch.conv_tbc(one(5, 2), one(2, 4, 4), one(4)), RuntimeError, "Input must have 3 dims"),
        (lambda: torch.conv_tbc(one(5, 2, 3), one(2, 4), one(4)), RuntimeError, "Weight tensor must have 3 dims"),
        (lambda: torch.conv_tbc(one(5, 2, 3), one(2, 3, 4), one(4, 1)), RuntimeError, "Bias must be 1-D"),
        (
            lambda: torch.conv_tbc(one(5, 2, 3), one(2, 3, 4), one(3)),
            RuntimeError,
            "Bias size must equal dim 2 in the w",
        ),
        (
            lambda: torch.view_as_complex_copy(torch.ones(3, 2, requires_grad=True)),
            RuntimeError,
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype",
        ),
        (lambda: torch.logsumexp(one(2)), TypeError, r'logsumexp\(\) missing 1 required positional arguments: "dim"'),
        (
            lambda: torch.fft.ihfftn(one(2) + 0j),
            RuntimeError,
            "Only supports floating-point dtypes, but found: Complex",
        ),
        (
            lambda: functional.multilabel_soft_margin_loss(one(2, 2), one(2, 2), reduction="other"),
            ValueError,
            "^other is not valid",
        ),
        (lambda: functional.max_pool1d(one(1, 1, 4), 0), RuntimeError, r"max_pool1d\(\) kernel_size must be greater"),
        (
            lambda: functional.max_pool1d(one(1, 1, 4), 2, 0),
            RuntimeError,
            r"max_pool1d\(\) stride must be greater than",
        ),
        (lambda: functional.max_pool1d(one(1, 1, 4), 2, padding=-1), RuntimeError, "padding must be non-negative, but"),
        (
            lambda: functional.max_pool1d(one(1, 1, 4), 2, padding=2),
            RuntimeError,
            "padding should be at most half of k",
        ),
        (
            lambda: functional.max_pool1d(one(1, 1, 4), 2, dilation=0),
            RuntimeError,
            "dilation must be greater than zero",
        ),
        (lambda: functional.max_pool1d(one(1, 1, 4), 9), RuntimeError, r"max_pool1d\(\) Invalid computed output size"),
        (
            lambda: functional.avg_pool1d(one(2, 3, 4), 9),
            RuntimeError,
            r"Given input size: \(3x1x4\). Calculated output",
        ),
    ],
)
def test_wrong_numbers_are_refused_in_torchs_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "strides"),
    [
        (lambda x, y: torch.fill(x, 2.0), (1, 4)),
        (lambda x, y: torch.frexp(x).mantissa, (1, 4)),
        (lambda x, y: torch.angle(x), (1, 4)),
        (lambda x, y: torch.angle(x + 0j), (3, 1)),
        (lambda x, y: functional.logsigmoid(x), (3, 1)),
        (lambda x, y: functional.pad(x, (0, 0)), (1, 4)),
        (lambda x, y: functional.pad(x, (-1, 0)), (1, 4)),
        (lambda x, y: functional.pad(x, (1, 0)), (4, 1)),
        (lambda x, y: functional.kl_div(x, y, reduction="none"), (3, 1)),
        (lambda x, y: functional.kl_div(y, x, reduction="none"), (1, 4)),
        (lambda x, y: functional.binary_cross_entropy_with_logits(x, y, reduction="none"), (3, 1)),
        (lambda x, y: functional.binary_cross_entropy_with_logits(y, x, reduction="none"), (1, 4)),
        (lambda x, y: torch.linalg.matrix_power(x[:3], 0), (3, 1)),
        (lambda x, y: torch.unique(y, dim=1), (1, 4)),
    ],
)
def test_results_of_transposed_inputs_lie_as_in_torch(call, strides):
    x, y = (torch.arange(1.0, 13.0).reshape(3, 4) / 20).T, torch.arange(1.0, 13.0).reshape(4, 3) / 20
    assert call(x, y).stride() == strides
