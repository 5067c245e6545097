// The public functions of the losses: straight to their op, where nothing is unusual about a call.
#include <cstring>
#include <vector>

#include "ops/losses.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_sum("sum");

namespace {

// Arguments by their names, and where these stand in the signature of the function, once that is known.
struct Places {
    const char* names;
    std::vector<int> found = {};

    // False with a TypeError where the function has no parameter of a name.
    bool find(const OpInfo& op) {
        found.clear();
        for (const char* start = names; *start != '\0'; start += std::strspn(start, ", ")) {
            Word name{start, static_cast<int>(std::strcspn(start, ","))};
            size_t place = 0, most = op.parameters.size();
            while (place < most && !name.is(op.parameters[place].name)) place++;
            if (place == most) {
                PyErr_Format(PyExc_TypeError, "the kernel of '%s' reads '%.*s', which is no parameter of the function",
                             op.kernel->name, name.length, name.start);
                return false;
            }
            found.push_back(static_cast<int>(place));
            start += name.length;
        }
        return true;
    }
};

// A function: the op that does its work, the arguments that go there, and those that must be None.
struct LossFunction {
    const char* op;
    Places passed, nones;
    Function* function = nullptr;  // of the op, once it has been called
};

LossFunction mse_loss{"_mse_loss", {"input, target, reduction"}, {"size_average, reduce, weight"}};
LossFunction l1_loss{"_l1_loss", {"input, target, reduction"}, {"size_average, reduce, weight"}};
LossFunction smooth_l1_loss{"_smooth_l1_loss", {"input, target, reduction, beta"}, {"size_average, reduce"}};
LossFunction huber_loss{"_huber_loss", {"input, target, reduction, delta"}, {"weight"}};
LossFunction binary_cross_entropy{
    "_binary_cross_entropy", {"input, target, weight, reduction"}, {"weight, size_average, reduce"}};
LossFunction binary_cross_entropy_with_logits{"_binary_cross_entropy_with_logits",
                                              {"input, target, weight, pos_weight, reduction"},
                                              {"weight, size_average, reduce"}};
LossFunction kl_div{"_kl_div", {"input, target, reduction, log_target"}, {"size_average, reduce"}};
LossFunction nll_loss{"_nll_loss", {"input, target, weight, ignore_index, reduction"}, {"size_average, reduce"}};
LossFunction cross_entropy{
    "_cross_entropy", {"input, target, weight, ignore_index, reduction"}, {"size_average, reduce"}};

LossFunction& function_of(const OpInfo& op) { return *static_cast<LossFunction*>(const_cast<void*>(op.kernel->data)); }

bool prepare(OpInfo& op) {
    LossFunction& function = function_of(op);
    return function.passed.find(op) && function.nones.find(op);
}

// The op's result; nullptr if it declines, so that the function words its own errors.
PyObject* call_op(const Call& call) {
    constexpr int MOST = 5;
    LossFunction& function = function_of(*call.op);
    for (int place : function.nones.found) {
        DECLINE_IF(call.arguments[place] != Py_None);
    }
    if (function.function == nullptr) function.function = find_function(function.op);
    DECLINE_IF(function.function == nullptr);
    PyObject* arguments[MOST];
    int count = 0;
    for (int place : function.passed.found) arguments[count++] = call.arguments[place];
    PyObject* found = call_native(function.function, arguments, count, nullptr);
    if (found == nullptr) return declined("its op declined");
    return found;
}

PyObject* pair_loss(const Call& call, PyArrayObject* input, PyArrayObject* target) {
    DECLINE_IF(input == nullptr || target == nullptr);
    DECLINE_IF(!PyArray_SAMESHAPE(input, target) || PyArray_TYPE(input) != PyArray_TYPE(target));
    return call_op(call);
}

NAMES(Pair, input, target);

PyObject* pair_route(Call& call) { return pair_loss(call, call.array(Pair::input), call.array(Pair::target)); }

NAMES(Logits, input, target, pos_weight);

PyObject* logits_route(Call& call) {
    // which has no gradient
    DECLINE_IF(call.is_tensor(Logits::pos_weight) && requires_grad(as_tensor(call[Logits::pos_weight])));
    return pair_loss(call, call.array(Logits::input), call.array(Logits::target));
}

NAMES(Divergence, input, target, reduction);

// Of the reductions that the function knows, Python warns of "mean"; "batchmean" is a sum, divided.
PyObject* divergence_route(Call& call) {
    PyArrayObject *input = call.array(Divergence::input), *target = call.array(Divergence::target);
    PyObject* reduction = call[Divergence::reduction];
    DECLINE_IF(!PyUnicode_CheckExact(reduction) || read_reduction(reduction) == Reduced::MEAN);
    if (PyUnicode_CompareWithASCIIString(reduction, "batchmean") != 0) return pair_loss(call, input, target);
    static Function* const div = find_function("div");
    DECLINE_IF(div == nullptr);
    DECLINE_IF(!call.is_tensor(Divergence::input) || PyArray_NDIM(input) == 0);
    call.arguments[call.op->places[Divergence::reduction]] = word_sum;
    Ref total = Ref::steal(pair_loss(call, input, target));
    Ref size = Ref::steal(PyLong_FromSsize_t(PyArray_DIM(input, 0)));
    if (!total || !size) return nullptr;
    PyObject* arguments[] = {total.get(), size.get()};
    return call_function(div, arguments, 2, nullptr);
}

bool is_zero(PyObject* value) {
    double number;
    return plain_number(value, number) && number == 0;
}

// The loss is the first of the op's results.
PyObject* class_loss(const Call& call, PyArrayObject* input, PyArrayObject* target, PyObject* weight) {
    DECLINE_IF(input == nullptr || target == nullptr);
    // targets of the input's shape are probabilities
    DECLINE_IF(PyArray_NDIM(target) != PyArray_NDIM(input) - 1);
    DECLINE_IF(is_tensor(weight) && requires_grad(as_tensor(weight)));
    Ref results = Ref::steal(call_op(call));
    if (!results) return nullptr;
    DECLINE_IF(!PyTuple_Check(results.get()));
    return Py_NewRef(PyTuple_GET_ITEM(results.get(), 0));
}

NAMES(Likelihood, input, target, weight);

PyObject* likelihood_route(Call& call) {
    return class_loss(call, call.array(Likelihood::input), call.array(Likelihood::target), call[Likelihood::weight]);
}

NAMES(CrossEntropy, input, target, weight, label_smoothing);

PyObject* cross_entropy_route(Call& call) {
    DECLINE_IF(!is_zero(call[CrossEntropy::label_smoothing]));
    return class_loss(call, call.array(CrossEntropy::input), call.array(CrossEntropy::target),
                      call[CrossEntropy::weight]);
}

KERNEL("nn.functional.mse_loss").route(pair_route, Pair::names).with(&mse_loss).preparing(prepare);
KERNEL("nn.functional.l1_loss").route(pair_route, Pair::names).with(&l1_loss).preparing(prepare);
KERNEL("nn.functional.smooth_l1_loss").route(pair_route, Pair::names).with(&smooth_l1_loss).preparing(prepare);
KERNEL("nn.functional.huber_loss").route(pair_route, Pair::names).with(&huber_loss).preparing(prepare);
KERNEL("nn.functional.binary_cross_entropy")
    .route(pair_route, Pair::names)
    .with(&binary_cross_entropy)
    .preparing(prepare);
KERNEL("nn.functional.binary_cross_entropy_with_logits")
    .route(logits_route, Logits::names)
    .with(&binary_cross_entropy_with_logits)
    .preparing(prepare);
KERNEL("nn.functional.kl_div").route(divergence_route, Divergence::names).with(&kl_div).preparing(prepare);
KERNEL("nn.functional.nll_loss").route(likelihood_route, Likelihood::names).with(&nll_loss).preparing(prepare);
KERNEL("nn.functional.cross_entropy")
    .route(cross_entropy_route, CrossEntropy::names)
    .with(&cross_entropy)
    .preparing(prepare);

}  // namespace

}  // namespace rushlight
