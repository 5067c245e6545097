"""Convolution, padding, folding and shuffling layers beside torch, from one seed."""

import warnings

import pytest

import rushlight
from tests.conformance.test_nn import assert_same, build, trace

torch = pytest.importorskip("torch")

# a layer, and the shape of its input
LAYERS = """
Conv1d(4, 6, 3) | 2, 4, 9
Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False) | 2, 4, 9
Conv1d(4, 6, 2, padding='same') | 4, 9
Conv1d(4, 6, 3, padding=2, padding_mode='circular') | 2, 4, 9
Conv2d(3, 5, 3) | 2, 3, 7, 8
Conv2d(3, 5, (3, 2), stride=(2, 1), padding=(1, 0)) | 2, 3, 7, 8
Conv2d(4, 8, 3, padding='same', padding_mode='reflect') | 2, 4, 7, 8
Conv2d(4, 8, 3, padding=1, padding_mode='replicate', groups=4) | 2, 4, 7, 8
Conv2d(4, 8, 3, padding='valid') | 4, 7, 8
Conv3d(2, 3, 2, padding=1, padding_mode='circular') | 2, 2, 4, 4, 4
Conv3d(2, 3, (1, 2, 3), stride=2) | 2, 2, 4, 4, 4
ConvTranspose1d(4, 6, 3, stride=2, output_padding=1) | 2, 4, 5
ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2, dilation=2) | 2, 4, 5, 4
ConvTranspose3d(2, 3, 2, stride=2, bias=False) | 1, 2, 3, 3, 3
Unfold(3) | 2, 3, 5, 5
Fold((4, 5), (2, 2), stride=1) | 2, 8, 12
ZeroPad1d(1) | 2, 3, 4
ZeroPad2d((1, 2, 0, 1)) | 2, 3, 4, 4
ZeroPad3d(2) | 2, 3, 4, 4, 4
ConstantPad1d((1, 2), 2.5) | 2, 3, 4
ConstantPad2d(1, 1) | 2, 3, 4, 4
ConstantPad3d(1, 2.5) | 1, 1, 2, 2, 2
ReflectionPad1d(2) | 2, 3, 4
ReflectionPad2d((1, 2, 0, 1)) | 2, 3, 4, 4
ReflectionPad3d(1) | 2, 3, 4, 4, 4
ReplicationPad1d(2) | 2, 3, 4
ReplicationPad2d((1, 2, 0, 1)) | 2, 3, 4, 4
ReplicationPad3d(1) | 2, 3, 4, 4, 4
CircularPad1d(2) | 2, 3, 4
CircularPad2d((1, 2, 0, 1)) | 2, 3, 4, 4
CircularPad3d(1) | 2, 3, 4, 4, 4
PixelShuffle(2) | 2, 8, 3, 3
PixelUnshuffle(2) | 2, 2, 4, 6
ChannelShuffle(2) | 2, 6, 3, 3
""".strip().splitlines()


def traced(library, text, shape):
    module = build(library, text)
    library.manual_seed(1)
    return trace(library, module, module, library.randn(*shape).requires_grad_())


@pytest.mark.parametrize("line", LAYERS)
def test_layer_is_torchs(line):
    text, shape = line.split(" | ")
    sizes = tuple(map(int, shape.split(",")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(traced(rushlight, text, sizes), traced(torch, text, sizes))


REFUSED = """
Conv2d(3, 4, 3, groups=2)
Conv2d(4, 3, 3, groups=2)
Conv2d(4, 4, 3, groups=0)
Conv2d(4, 4, 3, padding='some')
Conv2d(4, 4, 3, padding='same', stride=2)
Conv2d(4, 4, 3, padding_mode='mirror')
ConvTranspose2d(4, 4, 3, padding_mode='circular')
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSED)
def test_layer_is_refused_as_in_torch(text):
    with pytest.raises(ValueError) as theirs:
        build(torch, text)
    with pytest.raises(ValueError) as ours:
        build(rushlight, text)
    assert str(ours.value)[:18] == str(theirs.value)[:18]


@pytest.mark.parametrize("size", [(9, 9), (10, 10), (1, 4, 10, 9), (12, 10), (1, 1, 1, 9, 9)])
def test_the_output_of_a_transposed_convolution_has_the_size_asked_for(size):
    def run(library):
        module = build(library, "ConvTranspose2d(3, 4, 3, stride=2)")
        try:
            return tuple(module(library.ones(1, 3, 4, 4), output_size=size).shape)
        except ValueError as error:
            return str(error)[:30]

    assert run(rushlight) == run(torch)
