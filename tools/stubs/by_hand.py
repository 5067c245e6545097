"""What the registry cannot tell: options that no sample gives, and functions whose result depends on an argument."""

# The types of parameters by name, whatever the samples show.
BY_NAME = {
    "axis": "_int | Sequence[_int] | None",
    "correction": "Number | None",
    "device": "Device",
    "dtype": "_dtype | None",
    "distance_function": "Callable[[Tensor, Tensor], Tensor] | None",
    "generator": "Generator | None",
    "indices_or_sections": "_int | Sequence[_int] | Tensor",
    "keepdims": "_bool | None",
    "layout": "_layout | None",
    "max_norm": "_float | None",
    "memory_format": "_memory_format | None",
    "options": "LinearCrossEntropyOptions | None",
    "out_dtype": "_dtype | None",
    "sections": "_int | None",
    "size_average": "_bool | None",
    "split_size": "_int | Sequence[_int]",
    "tracker": "Callable[..., None] | None",
}
# What no sample gives.
UNSEEN = {"indices": "Sequence[_int] | None", "reduce": "_bool | None"}
# and of one function: "function.parameter"
BY_PLACE = {
    "argmax.dim": "_int | None",
    "argmin.dim": "_int | None",
    "einsum.args": "Any",
    "float_power.input": "Tensor | Number | _complex",
    "gradient.spacing": "Number | Sequence[Number] | Sequence[Tensor] | None",
    "isin.elements": "Tensor | Number",
    "isin.test_elements": "Tensor | Number",
    "linalg.lstsq.rcond": "_float | None",
    "linalg.pinv.atol": "_float | Tensor | None",
    "linalg.pinv.rcond": "_float | Tensor | None",
    "linalg.pinv.rtol": "_float | Tensor | None",
    "linalg.svd.driver": "str | None",
    "linalg.svdvals.driver": "str | None",
    "lobpcg.X": "Tensor | None",
    "lobpcg.iK": "Tensor | None",
    "lobpcg.method": "str | None",
    "lobpcg.n": "_int | None",
    "lobpcg.niter": "_int | None",
    "lobpcg.ortho_bparams": "dict[str, _bool] | None",
    "lobpcg.ortho_fparams": "dict[str, _float] | None",
    "lobpcg.ortho_iparams": "dict[str, _int] | None",
    "lobpcg.tol": "_float | None",
    "max.other": "Tensor | None",
    "min.other": "Tensor | None",
    "nan_to_num.posinf": "_float | None",
    "nn.functional.grouped_mm.bias": "Tensor | None",
    "nn.functional.huber_loss.weight": "Tensor | None",
    "nn.functional.l1_loss.weight": "Tensor | None",
    "nn.functional.mse_loss.weight": "Tensor | None",
    "nn.functional.multi_head_attention_forward.in_proj_bias": "Tensor | None",
    "nn.functional.multi_head_attention_forward.out_proj_bias": "Tensor | None",
    "nn.functional.multi_head_attention_forward.static_k": "Tensor | None",
    "nn.functional.multi_head_attention_forward.static_v": "Tensor | None",
    "pow.input": "Tensor | Number | _complex",
    "remainder.input": "Tensor | Number | _complex",
    "split.split_size_or_sections": "_int | Sequence[_int]",
    "svd_lowrank.M": "Tensor | None",
    "tensor_split.indices": "Tensor | Sequence[_int] | None",
    "tile.dims": "_int | Sequence[_int]",
    "xlogy.input": "Tensor | Number",
}
# Options that may be any number although their defaults and samples are whole ones.
NUMBERS = set("alpha beta dx fill_value margin max min ord p threshold value".split())
# Windows over one or more dimensions take a number for all of them or one for each.
EACH_DIM = set("dilation kernel_size output_padding padding stride".split())

# Results by name, where the samples of an op do not show all of it.
RESULTS = {
    "broadcast_shapes": "Size",
    "einsum": "Tensor",
    "nn.functional.multi_head_attention_forward": "tuple[Tensor, Tensor | None]",
}
# Sequences whose length does not depend on the arguments.
PAIRS = {
    "std_mean": 2,
    "var_mean": 2,
    "native_dropout": 2,
    "lobpcg": 2,
    "svd_lowrank": 3,
    "pca_lowrank": 3,
    "native_layer_norm": 3,
    "native_group_norm": 3,
    "native_batch_norm": 3,
    "lstm_cell": 2,
    "lstm": 3,
    "gru": 2,
    "rnn_tanh": 2,
    "rnn_relu": 2,
}

EXTREME = """
({first}) -> Tensor
({first}, *, out: Tensor | None = None) -> Tensor
({first}, other: Tensor, *, out: Tensor | None = None) -> Tensor
({first}, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> results.{name}
"""
MIDDLE = """
({first}) -> Tensor
({first}, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> results.{name}
"""
AT_LEAST = """
({first}) -> Tensor
(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]
(*tensors: Tensor) -> tuple[Tensor, ...]
"""
UNIQUE = """
({first}, {options}return_inverse: Literal[False] = False, return_counts: Literal[False] = False, \
dim: _int | None = None) -> Tensor
({first}, {options}return_inverse: _bool = False, return_counts: _bool = False, \
dim: _int | None = None) -> Any
"""
POOL = """
({first}, {size}, {rest}, return_indices: Literal[False] = False{more}) -> Tensor
({first}, {size}, {rest}, *, return_indices: Literal[True]{more}) -> tuple[Tensor, Tensor]
({first}, {size}, {rest}, return_indices: _bool = False{more}) -> Any
"""
WINDOWS = {
    "size": "kernel_size: _int | Sequence[_int]",
    "rest": "stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, "
    "dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False",
    "more": "",
}
FRACTIONS = {
    "size": "kernel_size: _int | Sequence[_int]",
    "rest": "output_size: _int | Sequence[_int] | None = None, output_ratio: _float | Sequence[_float] | None = None",
    "more": ", _random_samples: Tensor | None = None",
}

# Overloads, first fit first; `{first}` is the input, or `self` for a method.
OVERLOADS = {
    "max": EXTREME,
    "min": EXTREME,
    "median": MIDDLE,
    "nanmedian": MIDDLE,
    "nonzero": """
({first}, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor
({first}, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]
""",
    "where": """
(condition: Tensor) -> tuple[Tensor, ...]
(condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor
""",
    "atleast_1d": AT_LEAST,
    "atleast_2d": AT_LEAST,
    "atleast_3d": AT_LEAST,
    "unique": UNIQUE.replace("{options}", "sorted: _bool = True, "),
    "unique_consecutive": UNIQUE.replace("{options}", ""),
    "lu": """
({first}, pivot: _bool = True, get_infos: Literal[False] = False) -> tuple[Tensor, Tensor]
({first}, pivot: _bool = True, *, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]
""",
    "repeat_interleave": """
({first}, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None) -> Tensor
(repeats: Tensor, *, output_size: _int | None = None) -> Tensor
""",
}
OVERLOADS |= {
    f"nn.functional.{kind}max_pool{dims}d": POOL.format_map({"first": "{first}", **options})
    for dims in (1, 2, 3)
    for kind, options in (("", WINDOWS), ("fractional_", FRACTIONS))
    if (kind, dims) != ("fractional_", 1)
}
OVERLOADS |= {
    f"nn.functional.adaptive_max_pool{dims}d": """
({first}, output_size: _int | Sequence[_int | None], return_indices: Literal[False] = False) -> Tensor
({first}, output_size: _int | Sequence[_int | None], return_indices: Literal[True]) -> tuple[Tensor, Tensor]
({first}, output_size: _int | Sequence[_int | None], return_indices: _bool = False) -> Any
"""
    for dims in (1, 2, 3)
}
# Methods whose annotations cannot say it, or that read better than the functions beside them; one line an overload.
METHODS = {
    "abs_": "(self) -> Tensor",
    "absolute_": "(self) -> Tensor",
    "as_subclass": "(self, cls: builtins.type[_Kind]) -> _Kind",
    "as_strided_": "(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor",
    "bernoulli_": "(self, p: Tensor | _float = 0.5, *, generator: Generator | None = None) -> Tensor",
    "broadcast_to": "(self, *size: _int) -> Tensor\n(self, size: Sequence[_int]) -> Tensor",
    "conj_physical_": "(self) -> Tensor",
    "fill_": "(self, value: Tensor | Number | _complex) -> Tensor",
    "float_power_": "(self, exponent: Tensor | Number | _complex) -> Tensor",
    "index_put_": "(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor",
    "item": "(self) -> Number",
    "nonzero": """
(self, *, as_tuple: Literal[False] = False) -> Tensor
(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]
""",
    "repeat_interleave": "(self, repeats: Tensor | _int, dim: _int | None = None, *, "
    "output_size: _int | None = None) -> Tensor",
    "resize_": """
(self, *size: _int, memory_format: _memory_format | None = None) -> Tensor
(self, size: Sequence[_int], *, memory_format: _memory_format | None = None) -> Tensor
""",
    "square_": "(self) -> Tensor",
    "squeeze_": "(self, dim: _int | Sequence[_int] | None = None) -> Tensor",
    "to": """
(self, dtype: _dtype, non_blocking: _bool = False, copy: _bool = False, *, \
memory_format: _memory_format | None = None) -> Tensor
(self, device: Device = None, dtype: _dtype | None = None, non_blocking: _bool = False, copy: _bool = False, *, \
memory_format: _memory_format | None = None) -> Tensor
(self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, \
memory_format: _memory_format | None = None) -> Tensor
""",
    "tolist": "(self) -> list[Any]",
    "true_divide_": "(self, other: Tensor | Number | _complex) -> Tensor",
    "type": """
(self, dtype: None = None, non_blocking: _bool = False) -> str
(self, dtype: str | _dtype | builtins.type, non_blocking: _bool = False) -> Tensor
""",
    "view": "(self, *shape: _int) -> Tensor\n(self, size: Sequence[_int]) -> Tensor\n(self, dtype: _dtype) -> Tensor",
    "where": "(self, condition: Tensor, other: Tensor | Number) -> Tensor",
}
METHODS |= dict.fromkeys("eig lstsq solve symeig".split(), "(self, *args: Any, **kwargs: Any) -> NoReturn")
PROPERTIES = {"real": "Tensor", "imag": "Tensor"}
# What parameters of functions that are no ops mean where their annotation is Any; `None` joins by their default.
NOTED = {
    "device": "Device",
    "dtype": "_dtype",
    "fill_value": "Number | _complex",
    "high": "_int",
    "memory_format": "_memory_format",
    "layout": "_layout",
    "size": "Sequence[_int]",
    "sizes": "_int | Sequence[_int]",
    "stride": "Sequence[_int]",
}

# How tensors are made: what ends the signature of each function that makes one.
MADE = (
    "dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, "
    "requires_grad: _bool = False"
)
INTO = f"out: Tensor | None = None, {MADE}"
DRAWN = f"generator: Generator | None = None, {INTO}"
LIKE = f"generator: Generator | None = None, {MADE}, memory_format: _memory_format | None = None"
TENSORS = "Tensor | GradientEdge | Sequence[Tensor | GradientEdge]"
# Functions that are no ops: those whose annotations cannot say it, those made of methods, and Python's under torch's
# names.
FUNCTIONS = {
    "arange": f"""
(end: Number | Tensor, *, {INTO}) -> Tensor
(start: Number | Tensor, end: Number | Tensor, step: Number | Tensor = 1, *, {INTO}) -> Tensor
""",
    "autograd.grad": "\n".join(
        f"(outputs: {TENSORS}, inputs: {inputs}, grad_outputs: Tensor | Sequence[Tensor | None] | None = None, "
        "retain_graph: _bool | None = None, create_graph: _bool = False, only_inputs: _bool = True, "
        "allow_unused: _bool | None = None, is_grads_batched: _bool = False, materialize_grads: _bool = False) "
        f"-> {result}"
        for inputs, result in ((TENSORS, "tuple[Tensor, ...]"), ("Mapping[Any, Tensor]", "dict[Any, Tensor]"))
    ),
    "empty_permuted": f"(size: Sequence[_int], physical_layout: Sequence[_int], *, {MADE}) -> Tensor",
    "fill_": "(input: Tensor, value: Tensor | Number | _complex) -> Tensor",
    "index_put_": "(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor",
    "is_tensor": "(obj: Any) -> TypeIs[Tensor]",
    "linspace": f"""
(start: Number | _complex | Tensor, end: Number | _complex | Tensor, steps: _int, *, {INTO}) -> Tensor
""",
    "logspace": f"""
(start: Number | _complex | Tensor, end: Number | _complex | Tensor, steps: _int, base: _float = 10.0, *, \
{INTO}) -> Tensor
""",
    "normal": """
(mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor
(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor
(mean: _float, std: _float, size: Sequence[_int], *, {DRAWN}) -> Tensor
""".replace("{DRAWN}", DRAWN),
    "randint": f"""
(high: _int, size: Sequence[_int], *, {DRAWN}) -> Tensor
(low: _int, high: _int, size: Sequence[_int], *, {DRAWN}) -> Tensor
""",
    "randint_like": f"""
(input: Tensor, high: _int, *, {LIKE}) -> Tensor
(input: Tensor, low: _int, high: _int, *, {LIKE}) -> Tensor
""",
    "range": f"(start: Number = 0, end: Number | None = None, step: Number = 1, *, {INTO}) -> Tensor",
    "scalar_tensor": f"(s: Number | _complex | Tensor, *, {MADE}) -> Tensor",
    "as_strided_": "(input: Tensor, size: Sequence[_int], stride: Sequence[_int], "
    "storage_offset: _int | None = None) -> Tensor",
    "conj_physical_": "(input: Tensor) -> Tensor",
    "detach": "(input: Tensor) -> Tensor",
    "detach_": "(input: Tensor) -> Tensor",
    "get_device": "(input: Tensor) -> _int",
    "is_inference": "(input: Tensor) -> _bool",
    "is_same_size": "(input: Tensor, other: Tensor) -> _bool",
    "square_": "(input: Tensor) -> Tensor",
    "sym_float": "(a: Any) -> _float",
    "sym_int": "(a: Any) -> _int",
    "sym_sqrt": "(a: Any) -> _float",
}
