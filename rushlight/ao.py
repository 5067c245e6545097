"""torch.ao: quantization, pruning and sparsity, of which only the names that programs import are here."""

from rushlight.core.surface.refusals import make_modules, table

WHY = "quantization is left out; compute in float32, or keep memory small with float16 and bfloat16"
QUANTIZATION = """
    BackendConfig DeQuantStub FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize
    HistogramObserver MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver
    ObserverBase PerChannelMinMaxObserver PlaceholderObserver QConfig QConfigMapping QuantStub QuantType QuantWrapper
    add_quant_dequant convert convert_pt2e default_debug_qconfig default_dynamic_qconfig default_fake_quant
    default_observer default_per_channel_qconfig default_per_channel_weight_observer default_qat_qconfig default_qconfig
    default_weight_fake_quant default_weight_observer disable_fake_quant disable_observer enable_fake_quant
    enable_observer float16_dynamic_qconfig fuse_modules fuse_modules_qat get_default_qat_qconfig get_default_qconfig
    get_default_qconfig_mapping per_channel_dynamic_qconfig prepare prepare_pt2e prepare_qat propagate_qconfig_ quantize
    quantize_dynamic quantize_qat swap_module
"""
NAMES = table(
    f"""
    quantization: {QUANTIZATION}
    quantization.observer: {QUANTIZATION}
    quantization.fake_quantize: {QUANTIZATION}
    quantization.qconfig: {QUANTIZATION}
    quantization.quantize: {QUANTIZATION}
    quantization.quantize_fx: convert_fx convert_to_reference_fx fuse_fx prepare_fx prepare_qat_fx
    quantization.fx:
    quantization.fx._decomposed:
    quantization.stubs: DeQuantStub QuantStub QuantWrapper
    nn:
    nn.intrinsic: BNReLU2d BNReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d
        ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearReLU
    nn.qat: Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear
    nn.quantizable: LSTM LSTMCell MultiheadAttention
    nn.quantized: BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
        DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish
        InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention
        PReLU QFunctional Quantize ReLU6 Sigmoid Softmax
    nn.quantized.dynamic: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d GRU GRUCell LSTM
        LSTMCell Linear RNNCell
    pruning:
    """
)
__all__ = [*"nn pruning quantization".split()]
make_modules("rushlight.ao", NAMES, WHY, ["quantization.quantize"])
