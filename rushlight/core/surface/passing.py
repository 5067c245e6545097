"""Passing: in which form a call is shown to `__torch_function__`.

What torch writes in Python it hands on with every option by name, at its default or not; all else as it was given.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

# by place: name: what is handed on by position | what by name, with the default
WRITTEN_IN_PYTHON = {
    "": """
        atleast_1d: *tensors |
        atleast_2d: *tensors |
        atleast_3d: *tensors |
        block_diag: *tensors |
        broadcast_tensors: *tensors |
        cartesian_prod: *tensors |
        cdist: x1 x2 | p=2.0 compute_mode='use_mm_for_euclid_dist_if_necessary'
        chain_matmul: *matrices |
        lobpcg: A | k=None B=None X=None n=None iK=None niter=None tol=None largest=None method=None tracker=None \
            ortho_iparams=None ortho_fparams=None ortho_bparams=None
        meshgrid: *tensors | indexing=None
        norm: input | p='fro' dim=None keepdim=False out=None dtype=None
        pca_lowrank: A | q=None center=True niter=2
        split: tensor split_size_or_sections | dim=0
        stft: input n_fft | hop_length=None win_length=None window=None center=True pad_mode='reflect' \
            normalized=False onesided=None return_complex=None align_to_window=None
        svd_lowrank: A | q=6 niter=2 M=None
        tensordot: a b | dims=2 out=None
        unravel_index: indices | shape
        einsum: *args |
        unique: input | sorted=True return_inverse=False return_counts=False dim=None
        unique_consecutive: input | return_inverse=False return_counts=False dim=None
    """,
    "nn.functional": """
        adaptive_avg_pool2d: input output_size |
        adaptive_avg_pool3d: input output_size |
        adaptive_max_pool1d_with_indices: input output_size | return_indices=False
        adaptive_max_pool1d: input output_size | return_indices=False
        adaptive_max_pool2d_with_indices: input output_size | return_indices=False
        adaptive_max_pool2d: input output_size | return_indices=False
        adaptive_max_pool3d_with_indices: input output_size | return_indices=False
        adaptive_max_pool3d: input output_size | return_indices=False
        affine_grid: theta size | align_corners=None
        alpha_dropout: input | p=0.5 training=False inplace=False
        batch_norm: input running_mean running_var | weight=None bias=None training=False momentum=0.1 eps=1e-05
        binary_cross_entropy: input target | weight=None size_average=None reduce=None reduction='mean'
        binary_cross_entropy_with_logits: input target | weight=None size_average=None reduce=None reduction='mean' \
            pos_weight=None
        celu: input | alpha=1.0 inplace=False
        cosine_embedding_loss: input1 input2 target | margin=0 size_average=None reduce=None reduction='mean'
        cross_entropy: input target | weight=None size_average=None ignore_index=-100 reduce=None reduction='mean' \
            label_smoothing=0.0
        linear_cross_entropy: input linear_weight target | linear_bias=None weight=None reduction='mean' \
            ignore_index=None label_smoothing=0.0 options=None
        ctc_loss: log_probs targets input_lengths target_lengths | blank=0 reduction='mean' zero_infinity=False
        dropout: input | p=0.5 training=True inplace=False
        dropout1d: input | p=0.5 training=True inplace=False
        dropout2d: input | p=0.5 training=True inplace=False
        dropout3d: input | p=0.5 training=True inplace=False
        elu: input | alpha=1.0 inplace=False
        embedding: input weight | padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False
        embedding_bag: input weight | offsets=None max_norm=None norm_type=2 scale_grad_by_freq=False mode='mean' \
            sparse=False per_sample_weights=None include_last_offset=False padding_idx=None
        feature_alpha_dropout: input | p=0.5 training=False inplace=False
        fold: input output_size kernel_size | dilation=1 padding=0 stride=1
        fractional_max_pool2d_with_indices: input kernel_size | output_size=None output_ratio=None \
            return_indices=False _random_samples=None
        fractional_max_pool2d: input kernel_size | output_size=None output_ratio=None return_indices=False \
            _random_samples=None
        fractional_max_pool3d_with_indices: input kernel_size | output_size=None output_ratio=None \
            return_indices=False _random_samples=None
        fractional_max_pool3d: input kernel_size | output_size=None output_ratio=None return_indices=False \
            _random_samples=None
        gaussian_nll_loss: input target var | full=False eps=1e-06 reduction='mean'
        glu: input | dim=-1
        grid_sample: input grid | mode='bilinear' padding_mode='zeros' align_corners=None
        group_norm: input num_groups | weight=None bias=None eps=1e-05
        gumbel_softmax: logits | tau=1 hard=False eps=1e-10 dim=-1
        hardswish: input | inplace=False
        hardsigmoid: input | inplace=False
        hardtanh: input | min_val=-1.0 max_val=1.0 inplace=False
        hinge_embedding_loss: input target | margin=1.0 size_average=None reduce=None reduction='mean'
        instance_norm: input | running_mean=None running_var=None weight=None bias=None use_input_stats=True \
            momentum=0.1 eps=1e-05
        interpolate: input | size=None scale_factor=None mode='nearest' align_corners=None \
            recompute_scale_factor=None antialias=False
        kl_div: input target | size_average=None reduce=None reduction='mean' log_target=False
        l1_loss: input target | size_average=None reduce=None reduction='mean'
        layer_norm: input normalized_shape | weight=None bias=None eps=1e-05
        leaky_relu: input | negative_slope=0.01 inplace=False
        local_response_norm: input size | alpha=0.0001 beta=0.75 k=1.0
        log_softmax: input | dim=None _stacklevel=3 dtype=None
        lp_pool1d: input norm_type kernel_size | stride=None ceil_mode=False
        lp_pool2d: input norm_type kernel_size | stride=None ceil_mode=False
        lp_pool3d: input norm_type kernel_size | stride=None ceil_mode=False
        margin_ranking_loss: input1 input2 target | margin=0 size_average=None reduce=None reduction='mean'
        max_pool1d_with_indices: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False \
            return_indices=False
        max_pool1d: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False return_indices=False
        max_pool2d_with_indices: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False \
            return_indices=False
        max_pool2d: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False return_indices=False
        max_pool3d_with_indices: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False \
            return_indices=False
        max_pool3d: input kernel_size | stride=None padding=0 dilation=1 ceil_mode=False return_indices=False
        max_unpool1d: input indices kernel_size | stride=None padding=0 output_size=None
        max_unpool2d: input indices kernel_size | stride=None padding=0 output_size=None
        max_unpool3d: input indices kernel_size | stride=None padding=0 output_size=None
        mse_loss: input target | size_average=None reduce=None reduction='mean' weight=None
        multi_head_attention_forward: query key value embed_dim_to_check num_heads in_proj_weight in_proj_bias \
            bias_k bias_v add_zero_attn dropout_p out_proj_weight out_proj_bias | training=True \
            key_padding_mask=None need_weights=True attn_mask=None is_causal=False use_separate_proj_weight=False \
            q_proj_weight=None k_proj_weight=None v_proj_weight=None static_k=None static_v=None \
            average_attn_weights=True
        multi_margin_loss: input target | p=1 margin=1.0 weight=None size_average=None reduce=None reduction='mean'
        multilabel_margin_loss: input target | size_average=None reduce=None reduction='mean'
        multilabel_soft_margin_loss: input target | weight=None size_average=None reduce=None reduction='mean'
        nll_loss: input target | weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'
        normalize: input | p=2.0 dim=1 eps=1e-12 out=None
        pad: input pad | mode='constant' value=None
        poisson_nll_loss: input target | log_input=True full=False size_average=None eps=1e-08 reduce=None \
            reduction='mean'
        relu: input | inplace=False
        relu6: input | inplace=False
        rms_norm: input normalized_shape | weight=None eps=None
        rrelu: input | lower=0.125 upper=0.3333333333333333 training=False inplace=False
        selu: input | inplace=False
        silu: input | inplace=False
        mish: input | inplace=False
        smooth_l1_loss: input target | size_average=None reduce=None reduction='mean' beta=1.0
        huber_loss: input target | reduction='mean' delta=1.0 weight=None
        soft_margin_loss: input target | size_average=None reduce=None reduction='mean'
        softmax: input | dim=None _stacklevel=3 dtype=None
        softmin: input | dim=None _stacklevel=3 dtype=None
        softsign: input |
        tanhshrink: input |
        threshold: input threshold value | inplace=False
        triplet_margin_loss: anchor positive negative | margin=1.0 p=2 eps=1e-06 swap=False size_average=None \
            reduce=None reduction='mean'
        triplet_margin_with_distance_loss: anchor positive negative | distance_function=None margin=1.0 swap=False \
            reduction='mean'
        unfold: input kernel_size | dilation=1 padding=0 stride=1
    """,
    "nn.init": """
        uniform_:  | tensor a=0.0 b=1.0 generator=None
        normal_:  | tensor mean=0.0 std=1.0 generator=None
        constant_:  | tensor val
        kaiming_uniform_:  | tensor a=0 mode='fan_in' nonlinearity='leaky_relu' generator=None
    """,
    "Tensor": """
        __floordiv__: self other |
        __pow__: self other |
        __ipow__: self other |
        __rfloordiv__: self other |
        __rtruediv__: self other |
        __rlshift__: self other |
        __rrshift__: self other |
        __array__: self | dtype=None
        __repr__: self | tensor_contents=None
        __contains__: self element |
        __rmod__: self other |
        __array_wrap__: self | array
        __deepcopy__: self memo |
        __len__: self |
        __format__: self format_spec |
        __reduce_ex__: self proto |
        __reversed__: self |
        __setstate__: self state |
        backward: self | gradient=None retain_graph=None create_graph=False inputs=None
        dim_order: self |
        is_shared: self |
        module_load: self other | assign=False
        register_hook: self hook |
        register_post_accumulate_grad_hook: self hook |
        resize: self *sizes |
        resize_as: self tensor |
        share_memory_: self |
        storage: self |
        storage_type: self |
        __dlpack__: self | stream=-1 max_version=None dl_device=None copy=None
        __dlpack_device__: self |
        istft: self n_fft | hop_length=None win_length=None window=None center=True normalized=False onesided=None \
            length=None return_complex=False
        lu: self | pivot=True get_infos=False
        __rmatmul__: self other |
        norm: self | p='fro' dim=None keepdim=False dtype=None
        __rpow__: self other |
        __rsub__: self other |
        split: self split_size | dim=0
        stft: self n_fft | hop_length=None win_length=None window=None center=True pad_mode='reflect' \
            normalized=False onesided=None return_complex=None align_to_window=None
        unique: self | sorted=True return_inverse=False return_counts=False dim=None
        unique_consecutive: self | return_inverse=False return_counts=False dim=None
    """,
}


class Form:
    """How one function's arguments are handed on."""

    def __init__(self, text: str):
        first, _, second = text.partition("|")
        self.positional = first.split()
        self.named: dict[str, Any] = {}
        for each in second.split():
            name, is_given, default = each.partition("=")
            self.named[name] = ast.literal_eval(default) if is_given else None
        self.takes_many = bool(self.positional) and self.positional[-1].startswith("*")
        self.names = [*self.positional, *self.named]

    def arrange(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]] | None:
        """The arguments in this form; None for a call that it does not fit."""
        if self.takes_many:
            return args, self.named | kwargs
        if len(args) > len(self.names):
            return None
        given = dict(zip(self.names, args, strict=False)) | kwargs
        if not given.keys() <= set(self.names) or not all(name in given for name in self.positional):
            return None
        return tuple([given[name] for name in self.positional]), {
            name: given.get(name, default) for name, default in self.named.items()
        }


@functools.cache
def forms() -> dict[Any, Form]:
    """The functions that are handed on in a form of their own."""
    top = import_module("rushlight")
    spaces = {"": top, "Tensor": top.Tensor}
    found: dict[Any, Form] = {}
    for place, text in WRITTEN_IN_PYTHON.items():
        for line in text.replace("\\\n", " ").strip().splitlines():
            name, _, form = line.strip().partition(":")
            function = getattr(spaces.get(place) or import_module(f"rushlight.{place}"), name, None)
            if function is not None:
                found[function] = Form(form)
    return found


def is_written_in_python(function: Callable) -> bool:
    """Whether torch hands the function on in Python."""
    return function in forms()


def as_passed(function: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any] | None]:
    """The arguments as torch shows them to `__torch_function__`."""
    if function.__name__ == "einsum" and len(args) == 2 and type(args[1]) in (list, tuple):
        # operands in one list: torch takes them out before it asks anybody
        args = (args[0], *args[1])
    form = forms().get(function)
    arranged = None if form is None else form.arrange(args, kwargs)
    return arranged or (args, kwargs or None)
