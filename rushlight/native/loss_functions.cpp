// The public functions of the losses: straight to their op, where nothing is unusual about a call.
#include <algorithm>

#include "losses.h"
#include "parts.h"

namespace rushlight {

namespace {

constexpr int MOST = 5;

// A function: the op that does its work, the arguments that go there, and those that must be None, by position.
struct LossFunction {
    const char* name;
    const char* op;
    int count;
    int passed[MOST];
    int none_count;
    int nones[3];
    Function* function = nullptr;  // of the op, once it has been called
};

LossFunction pair_functions[] = {
    {"nn.functional.mse_loss", "_mse_loss", 3, {0, 1, 4}, 3, {2, 3, 5}},
    {"nn.functional.l1_loss", "_l1_loss", 3, {0, 1, 4}, 3, {2, 3, 5}},
    {"nn.functional.smooth_l1_loss", "_smooth_l1_loss", 4, {0, 1, 4, 5}, 2, {2, 3}},
    {"nn.functional.huber_loss", "_huber_loss", 4, {0, 1, 2, 3}, 1, {4}},
    {"nn.functional.binary_cross_entropy", "_binary_cross_entropy", 4, {0, 1, 2, 5}, 3, {2, 3, 4}},
    {"nn.functional.binary_cross_entropy_with_logits", "_binary_cross_entropy_with_logits", 5, {0, 1, 2, 6, 5}, 3,
     {2, 3, 4}},
    {"nn.functional.kl_div", "_kl_div", 4, {0, 1, 4, 5}, 2, {2, 3}},
};

LossFunction class_functions[] = {
    {"nn.functional.nll_loss", "_nll_loss", 5, {0, 1, 2, 4, 6}, 2, {3, 5}},
    {"nn.functional.cross_entropy", "_cross_entropy", 5, {0, 1, 2, 4, 6}, 2, {3, 5}},
};

// The op's result; nullptr if it declines, so that the function words its own errors.
PyObject* call_op(const Call& call) {
    auto& function = *static_cast<LossFunction*>(const_cast<void*>(call.op->kernel->data));
    for (int i = 0; i < function.none_count; i++) {
        if (call[function.nones[i]] != Py_None) return nullptr;
    }
    if (function.function == nullptr) function.function = find_function(function.op);
    PyObject* arguments[MOST];
    for (int i = 0; i < function.count; i++) arguments[i] = call[function.passed[i]];
    return function.function == nullptr ? nullptr
                                        : call_native(function.function, arguments, function.count, nullptr);
}

PyObject* pair_route(Call& call) {
    PyArrayObject *input = call.array(0), *target = call.array(1);
    if (input == nullptr || target == nullptr || !PyArray_SAMESHAPE(input, target)) return nullptr;
    if (PyArray_TYPE(input) != PyArray_TYPE(target)) return nullptr;
    // a pos_weight, the last argument where there is one, has no gradient
    int last = static_cast<int>(call.op->parameters.size()) - 1;
    if (call.is_tensor(last) && requires_grad(as_tensor(call[last]))) return nullptr;
    return call_op(call);
}

// Of the reductions that the function knows, Python warns of "mean"; "batchmean" is a sum, divided.
PyObject* kl_div(Call& call) {
    PyObject* reduction = call[4];
    if (!PyUnicode_CheckExact(reduction) || read_reduction(reduction) == Reduced::MEAN) return nullptr;
    if (PyUnicode_CompareWithASCIIString(reduction, "batchmean") != 0) return pair_route(call);
    static Function* const div = find_function("div");
    if (div == nullptr || !call.is_tensor(0) || PyArray_NDIM(call.array(0)) == 0) return nullptr;
    static PyObject* const sum = PyUnicode_InternFromString("sum");
    call.arguments[4] = sum;
    Ref total = Ref::steal(pair_route(call));
    Ref size = Ref::steal(PyLong_FromSsize_t(PyArray_DIM(call.array(0), 0)));
    if (!total || !size) return nullptr;
    PyObject* arguments[] = {total.get(), size.get()};
    return call_function(div, arguments, 2, nullptr);
}

bool is_zero(PyObject* value) {
    double number;
    return plain_number(value, number) && number == 0;
}

// The loss is the first of the op's results.
PyObject* class_route(Call& call) {
    PyArrayObject *input = call.array(0), *target = call.array(1), *weight = call.array(2);
    if (input == nullptr || target == nullptr) return nullptr;
    // targets of the input's shape are probabilities
    if (PyArray_NDIM(target) != PyArray_NDIM(input) - 1) return nullptr;
    if (weight != nullptr && requires_grad(as_tensor(call[2]))) return nullptr;
    bool smooths = call.op->parameters.size() == 8;
    if (smooths && !is_zero(call[7])) return nullptr;
    Ref results = Ref::steal(call_op(call));
    return results && PyTuple_Check(results.get()) ? Py_NewRef(PyTuple_GET_ITEM(results.get(), 0)) : nullptr;
}

void add_function(const LossFunction& function, Route route) {
    Kernel kernel;
    kernel.name = function.name;
    kernel.route = route;
    kernel.data = &function;
    add_kernel(kernel);
}

}  // namespace

void register_loss_functions() {
    for (const LossFunction& each : pair_functions) add_function(each, pair_route);
    for (const LossFunction& each : class_functions) add_function(each, class_route);
    add_function(*(std::end(pair_functions) - 1), kl_div);
}

}  // namespace rushlight
