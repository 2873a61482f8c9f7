"""Tables of torch's operators: which names count, how modules are called, and the kind of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from datasets_app.syntax.task_kinds import TaskKind


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of torch that create, move or view tensors, or change settings: not operators of a task.
NOT_OPERATORS = words(
    """
    arange as_tensor clone contiguous cuda cpu detach device dtype empty empty_like enable_grad expand
    eye finfo flatten from_numpy full full_like get_default_dtype iinfo inference_mode is_tensor
    linspace manual_seed no_grad ones ones_like permute rand rand_like randint randint_like randn
    randn_like randperm reshape set_grad_enabled size squeeze tensor to transpose unflatten unsqueeze
    view zeros zeros_like normal empty_strided apply unbind is_available synchronize chunk split narrow
    swapaxes movedim broadcast_to meshgrid checkpoint compile mark_non_differentiable save_for_backward
    register_buffer is_floating_point Size Generator
    """
)

# Methods that compute when called on a tensor.
TENSOR_METHODS = words(
    """
    abs add addcdiv addcmul addmm all amax amin any argmax argmin argsort baddbmm bmm ceil clamp clamp_
    clip cos cosh cross cumprod cumsum cumsum_ diff div dot einsum eq erf erfc exp exp_ expm1 floor fmod
    gather gather_ gt index_add index_add_ index_copy index_select inner isnan kthvalue le lerp log
    log10 log1p log2 log_softmax logcumsumexp logical_and logical_not logical_or logsumexp lt
    masked_fill masked_fill_ masked_select matmul max maximum mean median min minimum mm mode mul mul_
    mv nansum ne neg norm outer pow prod quantile reciprocal relu relu_ remainder repeat_interleave roll
    round rsqrt scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ searchsorted
    sigmoid sign sin sinh softmax sort sqrt square std sub sum take take_along_dim tan tanh topk trace
    tril triu trunc unfold unique var where xlogy add_ sub_ div_ cummax cummin flip
    """
)

# Modules that only contain others, or do nothing.
CONTAINERS = words(
    """
    Module Sequential ModuleList ModuleDict Parameter ParameterList ParameterDict Identity Flatten
    Unflatten Tensor Function Size Generator Event Stream UninitializedParameter LongTensor FloatTensor
    """
)
MODULES = {
    "RMSNorm": "rms_norm",
    "LSTM": "lstm",
    "GRU": "gru",
    "RNN": "rnn",
    "LSTMCell": "lstm",
    "GRUCell": "gru",
    "RNNCell": "rnn",
    "GELU": "gelu",
    "ReLU": "relu",
    "ReLU6": "relu6",
    "ELU": "elu",
    "SELU": "selu",
    "CELU": "celu",
    "SiLU": "silu",
    "GLU": "glu",
    "PReLU": "prelu",
    "LeakyReLU": "leaky_relu",
    "MultiheadAttention": "multi_head_attention",
    "TransformerEncoderLayer": "transformer_layer",
    "TransformerDecoderLayer": "transformer_layer",
    "TransformerEncoder": "transformer_layer",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy",
    "KLDivLoss": "kl_div",
    "NLLLoss": "nll_loss",
    "CTCLoss": "ctc_loss",
    "EmbeddingBag": "embedding_bag",
}
# A class that matches this is one of torch.nn even if it was imported by its own name.
MODULE_NAME = re.compile(
    r"(Lazy)?(Conv|ConvTranspose|BatchNorm|InstanceNorm|MaxPool|AvgPool|AdaptiveMaxPool|AdaptiveAvgPool|LPPool|"
    r"FractionalMaxPool|Dropout|ReflectionPad|ReplicationPad|ZeroPad|ConstantPad|MaxUnpool)[123]d$|"
    r"(LayerNorm|GroupNorm|LocalResponseNorm|SyncBatchNorm|Linear|Bilinear|Embedding|Softmax|LogSoftmax|Softmin|"
    r"Softplus|Softsign|Sigmoid|Tanh|Hardtanh|Hardswish|Hardsigmoid|Mish|Threshold|Dropout|Upsample|PixelShuffle|"
    r"CosineSimilarity|PairwiseDistance|Unfold|Fold|\w+Loss)$"
)

# The kind of an operator, by the first pattern that its whole name matches: special ones come first.
KINDS: list[tuple[TaskKind, str]] = [
    (TaskKind.LOSS, r".*_loss|cross_entropy|binary_cross_entropy.*|kl_div|.*_similarity_loss"),
    (TaskKind.RAGGED, r".*nested.*|pad_packed_sequence|pack_padded_sequence|pad_sequence|segment_reduce"),
    (
        TaskKind.ATTENTION,
        r"scaled_dot_product_attention|multi_head_attention.*|flex_attention|transformer_layer",
    ),
    (TaskKind.CONVOLUTION, r"(lazy_)?conv(_transpose)?[123]d|fold|unfold"),
    (TaskKind.SCAN, r"cumsum|cumprod|cummax|cummin|logcumsumexp|associative_scan"),
    (TaskKind.NETWORK, r"lstm|gru|rnn|pretrained_model"),
    (
        TaskKind.MATMUL,
        r"(lazy_)?linear|bilinear|matmul|mm|bmm|addmm|baddbmm|addbmm|einsum|mv|dot|outer|inner|tensordot|chain_matmul|"
        r"multi_dot|kron|addmv",
    ),
    (TaskKind.NORMALISATION, r".*_norm([123]d)?|(lazy_)?(batch|instance|sync_batch)_norm.*|normalize"),
    (TaskKind.POOLING, r".*_(pool|unpool)[123]d|.*pool[123]d|interpolate|upsample|pixel_shuffle"),
    (TaskKind.ATTENTION, r"(log_)?softmax|softmin|gumbel_softmax"),
    (
        TaskKind.GATHER,
        r"embedding(_bag)?|gather|scatter.*|"
        r"index_.*|take.*|repeat_interleave|masked_select|searchsorted|one_hot",
    ),
    (
        TaskKind.REDUCTION,
        r"sum|mean|max|min|amax|amin|prod|argmax|argmin|std|var|std_mean|var_mean|norm|vector_norm|"
        r"matrix_norm|logsumexp|all|any|median|mode|topk|sort|argsort|kthvalue|nansum|quantile|trace|cosine_similarity|"
        r"pairwise_distance|cdist|unique|histc|bincount",
    ),
]
# The kind of a program with several operators is the earliest of theirs in this list.
WEIGHT = [
    TaskKind.LOSS,
    TaskKind.RAGGED,
    TaskKind.CONVOLUTION,
    TaskKind.MATMUL,
    TaskKind.SCAN,
    TaskKind.POOLING,
    TaskKind.NORMALISATION,
    TaskKind.ATTENTION,
    TaskKind.GATHER,
    TaskKind.REDUCTION,
    TaskKind.ELEMENTWISE,
]
FUSED_ATTENTION = words(
    "scaled_dot_product_attention multi_head_attention multi_head_attention_forward flex_attention"
)
HEAVY = {TaskKind.CONVOLUTION, TaskKind.MATMUL, TaskKind.NETWORK}
NETWORK_FROM = 4  # number of convolutions and matrix products that make a network


def module_operator(name: str) -> str | None:
    """Return the operator of a torch.nn module; None for containers and custom classes."""
    if name in CONTAINERS:
        return None
    if name in MODULES:
        return MODULES[name]
    return snake(name) if MODULE_NAME.match(name) else None


def snake(name: str) -> str:
    """Return max_pool2d for MaxPool2d."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def operator_kind(name: str) -> TaskKind:
    """Return the kind of one operator; operators in no table are elementwise."""
    return next((kind for kind, pattern in KINDS if re.fullmatch(pattern, name)), TaskKind.ELEMENTWISE)


def kind_of(calls: Sequence[str]) -> TaskKind:
    """Return the kind of a program from its operators, one name per call."""
    if not calls:
        return TaskKind.OTHER
    kinds = [operator_kind(name) for name in calls]
    heavy = sum(kind in HEAVY for kind in kinds)
    if heavy >= NETWORK_FROM or TaskKind.NETWORK in kinds or "transformer_layer" in calls:
        return TaskKind.NETWORK
    if FUSED_ATTENTION & set(calls) or is_attention(calls, kinds):
        return TaskKind.ATTENTION
    first = next((kind for kind in WEIGHT if kind in kinds), TaskKind.OTHER)
    return TaskKind.NORMALISATION if first == TaskKind.REDUCTION and is_normalisation(calls) else first


def is_attention(calls: Sequence[str], kinds: Sequence[TaskKind]) -> bool:
    """Return whether there are two matrix products with a softmax between them, in any spelling."""
    softmax = "softmax" in calls or ("exp" in calls and "sum" in calls)
    return softmax and kinds.count(TaskKind.MATMUL) >= 2


def is_normalisation(calls: Sequence[str]) -> bool:
    """Return whether a written-out mean or variance is divided by its root."""
    return "rsqrt" in calls and bool({"mean", "var", "std"} & set(calls))
