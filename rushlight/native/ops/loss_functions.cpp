// The public functions of the losses: straight to their op, where nothing is unusual about a call.
#include "ops/losses.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_sum("sum");

namespace {

// A function: the op that does its work, which takes the first of the arguments that are read, in their order.
struct LossFunction {
    Inner op;
    int passed;
};

LossFunction mse_loss{Inner("_mse_loss"), 3}, l1_loss{Inner("_l1_loss"), 3},
    smooth_l1_loss{Inner("_smooth_l1_loss"), 4};
LossFunction huber_loss{Inner("_huber_loss"), 4}, binary_cross_entropy{Inner("_binary_cross_entropy"), 4};
LossFunction binary_cross_entropy_with_logits{Inner("_binary_cross_entropy_with_logits"), 5},
    kl_div{Inner("_kl_div"), 4};
LossFunction nll_loss{Inner("_nll_loss"), 5}, cross_entropy{Inner("_cross_entropy"), 5};

NAMES(Distance, input, target, reduction, size_average, reduce, weight);
NAMES(Smooth, input, target, reduction, beta, size_average, reduce);
NAMES(Huber, input, target, reduction, delta, weight);
NAMES(Binary, input, target, weight, reduction, size_average, reduce);
NAMES(Logits, input, target, weight, pos_weight, reduction, size_average, reduce);
NAMES(Divergence, input, target, reduction, log_target, size_average, reduce);
NAMES(Likelihood, input, target, weight, ignore_index, reduction, size_average, reduce);
NAMES(CrossEntropy, input, target, weight, ignore_index, reduction, size_average, reduce, label_smoothing);

// The op's result; nullptr if it declines, so that the function words its own errors.
PyObject* call_op(Call& call) {
    constexpr int MOST = 5;
    auto& function = *static_cast<LossFunction*>(const_cast<void*>(call.op->kernel->data));
    PyObject* arguments[MOST];
    for (int i = 0; i < function.passed; i++) arguments[i] = call.arguments[call.op->places[i]];
    PyObject* found = function.op.call(arguments, function.passed);
    if (found == nullptr) return declined("its op declined");
    return found;
}

PyObject* logits_route(Call& call) {
    // which has no gradient
    DECLINE_IF(call.is_tensor(Logits::pos_weight) && requires_grad(as_tensor(call[Logits::pos_weight])));
    return call_op(call);
}

// Of the reductions that the function knows, Python warns of "mean"; "batchmean" is a sum, divided.
PyObject* divergence_route(Call& call) {
    PyArrayObject* input = call.array(Divergence::input);
    PyObject* reduction = call[Divergence::reduction];
    DECLINE_IF(!PyUnicode_CheckExact(reduction) || read_reduction(reduction) == Reduced::MEAN);
    if (PyUnicode_CompareWithASCIIString(reduction, "batchmean") != 0) return call_op(call);
    static Inner div("div");
    DECLINE_IF(PyArray_NDIM(input) == 0);
    call.arguments[call.op->places[Divergence::reduction]] = word_sum;
    Ref total = Ref::steal(call_op(call)), size = Ref::steal(PyLong_FromSsize_t(PyArray_DIM(input, 0)));
    if (!total || !size) return nullptr;
    return div.either(total.get(), size.get());
}

// The loss is the first of the op's results.
PyObject* class_route(Call& call) {
    // targets of the input's shape are probabilities
    DECLINE_IF(PyArray_NDIM(call.array(Likelihood::target)) != PyArray_NDIM(call.array(Likelihood::input)) - 1);
    DECLINE_IF(call.is_tensor(Likelihood::weight) && requires_grad(as_tensor(call[Likelihood::weight])));
    Ref results = Ref::steal(call_op(call));
    if (!results) return nullptr;
    DECLINE_IF(!PyTuple_Check(results.get()));
    return Py_NewRef(PyTuple_GET_ITEM(results.get(), 0));
}

PyObject* cross_entropy_route(Call& call) {
    DECLINE_IF(call.number(CrossEntropy::label_smoothing) != 0);
    return class_route(call);
}

constexpr TensorWant input = tensor(Distance::input), target = tensor(Distance::target);

KERNEL("nn.functional.mse_loss")
    .route(call_op, Distance::names)
    .takes(input, target.shaped(Distance::input))
    .takes(none(Distance::size_average), none(Distance::reduce), none(Distance::weight))
    .with(&mse_loss);
KERNEL("nn.functional.l1_loss").as("nn.functional.mse_loss").with(&l1_loss);
KERNEL("nn.functional.smooth_l1_loss")
    .route(call_op, Smooth::names)
    .takes(input, target.shaped(Smooth::input), none(Smooth::size_average), none(Smooth::reduce))
    .with(&smooth_l1_loss);
KERNEL("nn.functional.huber_loss")
    .route(call_op, Huber::names)
    .takes(input, target.shaped(Huber::input), none(Huber::weight))
    .with(&huber_loss);
KERNEL("nn.functional.binary_cross_entropy")
    .route(call_op, Binary::names)
    .takes(input, target.shaped(Binary::input), none(Binary::weight), none(Binary::size_average), none(Binary::reduce))
    .with(&binary_cross_entropy);
KERNEL("nn.functional.binary_cross_entropy_with_logits")
    .route(logits_route, Logits::names)
    .takes(input, target.shaped(Logits::input), none(Logits::weight), none(Logits::size_average), none(Logits::reduce))
    .with(&binary_cross_entropy_with_logits);
KERNEL("nn.functional.kl_div")
    .route(divergence_route, Divergence::names)
    .takes(input, target.shaped(Divergence::input), none(Divergence::size_average), none(Divergence::reduce))
    .with(&kl_div);
KERNEL("nn.functional.nll_loss")
    .route(class_route, Likelihood::names)
    .takes(input, target, none(Likelihood::size_average), none(Likelihood::reduce))
    .with(&nll_loss);
KERNEL("nn.functional.cross_entropy")
    .route(cross_entropy_route, CrossEntropy::names)
    .takes(input, target, none(CrossEntropy::size_average), none(CrossEntropy::reduce))
    .takes(number(CrossEntropy::label_smoothing))
    .with(&cross_entropy);

}  // namespace

}  // namespace rushlight
