// Losses of an input and a target of one shape, forward and gradient.
// See ops/losses.py, binary_losses.py and likelihood_losses.py.
#include "losses.h"

#include <atomic>
#include <cstring>

#include "kernels/table.h"
#include "numbers.h"
#include "operands.h"
#include "parts.h"
#include "products.h"
#include "sums.h"
#include "threads.h"

namespace rushlight {

namespace {

// An op of this kind: where its parameters stand.
struct PairOp {
    PairLoss loss;
    int reduction;
    int option = -1;
    int weights = 0;  // how many parameters from the third on must be None
    bool by_flag = false;  // whether the option is a flag: log_target
};

// The places of what the gradients read.
enum Reads { INPUT, TARGET, REDUCTION, OPTION, WEIGHT, POS_WEIGHT };

const PairOp squares{SQUARED_DISTANCES, 2};
const PairOp distances{DISTANCES, 2};
const PairOp smooth_distances{SMOOTH_DISTANCES, 2, 3};
const PairOp huber_distances{HUBER_DISTANCES, 2, 3};
const PairOp surprises{SURPRISES, 3, -1, 1};
const PairOp logit_surprises{LOGIT_SURPRISES, 4, -1, 2};
const PairOp divergences{DIVERGENCES, 2, 3, 0, true};

// Which loops, and their option; false for options that Python has to look at.
bool read_option(const PairOp& op, PyObject* value, PairLoss& loss, double& option) {
    loss = op.loss;
    option = 0;
    if (op.by_flag) {
        if (value == Py_True) loss = LOG_DIVERGENCES;
        return value == Py_True || value == Py_False;
    }
    return !table().losses.pairs[op.loss].has_option || (plain_number(value, option) && option > 0);
}

void add_value(Operands& operands, double number, int dtype) {
    Operand& operand = operands.items[operands.count++];
    operand.array = nullptr;
    operand.dtype = operand.own = dtype;
    operand.single = true;
    if (dtype == FLOAT32) {
        auto shortened = static_cast<float>(number);
        std::memcpy(operand.value, &shortened, sizeof shortened);
    } else {
        std::memcpy(operand.value, &number, sizeof number);
    }
}

PyArrayObject* values_of(PairLoss loss, PyArrayObject* input, PyArrayObject* target, int dtype, double option) {
    const PairLoops& loops = table().losses.pairs[loss];
    Operands operands;
    if (!operands.add(input, dtype) || !operands.add(target, dtype)) return nullptr;
    if (loops.has_option) add_value(operands, option, dtype);
    if (!operands.broadcast()) return nullptr;
    if (loss == LOGIT_SURPRISES && !operands.in_rows()) return nullptr;  // in the target's order, which Python knows
    PyArrayObject* result = operands.new_result(dtype);
    if (result != nullptr) operands.run(loops.values[dtype], result, dtype);
    return result;
}

// Whether all elements are probabilities: Python words the error.
bool is_probable(PyArrayObject* array, int dtype) {
    auto check = table().losses.is_probable[dtype];
    std::atomic<bool> good{true};
    parallel(PyArray_SIZE(array), 1 << 15, [&](int64_t begin, int64_t end) {
        if (!check(PyArray_BYTES(array) + begin * SIZES[dtype], end - begin)) good = false;
    });
    return good;
}

PyObject* forward(Call& call) {
    const auto& op = *static_cast<const PairOp*>(call.op->kernel->data);
    PyArrayObject *input = call.array(0), *target = call.array(1);
    if (input == nullptr || target == nullptr || !PyArray_SAMESHAPE(input, target)) return nullptr;
    int dtype = dtype_of(input);
    Reduced reduced = read_reduction(call[op.reduction]);
    PairLoss loss;
    double option;
    if (!is_real(dtype) || dtype_of(target) != dtype || reduced == Reduced::OTHER) return nullptr;
    if (!is_none(call, 2, op.weights) || !read_option(op, op.option < 0 ? nullptr : call[op.option], loss, option)) {
        return nullptr;
    }
    // in the target's order, which Python finds
    bool in_rows = PyArray_IS_C_CONTIGUOUS(input) && PyArray_IS_C_CONTIGUOUS(target);
    if (reduced == Reduced::NONE && !in_rows && (&op == &logit_surprises || &op == &divergences)) return nullptr;
    if (reduced == Reduced::NONE && loss != SURPRISES) {
        return as_object(values_of(loss, input, target, dtype, option));
    }
    Ref x = Ref::steal(as_object(contiguous(input))), y = Ref::steal(as_object(contiguous(target)));
    if (!x || !y) return nullptr;
    if (loss == SURPRISES && (!is_probable(x.array(), dtype) || !is_probable(y.array(), dtype))) return nullptr;
    if (reduced == Reduced::NONE) return as_object(values_of(loss, input, target, dtype, option));
    auto part = table().losses.pairs[loss].total[dtype];
    const char *from = PyArray_BYTES(x.array()), *with = PyArray_BYTES(y.array());
    int64_t size = SIZES[dtype], count = PyArray_SIZE(input);
    double total = sum_of_parts(count, [&](int64_t begin, int64_t end) {
        return part(from + begin * size, with + begin * size, option, end - begin);
    });
    return as_object(single_array(reduced == Reduced::MEAN ? total / static_cast<double>(count) : total, dtype));
}

// The gradient of the input, or of the target. One of them may be missing where the formula does not read it.
PyArrayObject* slopes_of(PairLoss loss, int which, PyArrayObject* grad, PyArrayObject* input, PyArrayObject* target,
                         Reduced reduced, double option) {
    if (input == nullptr) input = target;
    if (target == nullptr) target = input;
    if (input == nullptr || !PyArray_SAMESHAPE(input, target)) return nullptr;
    int dtype = dtype_of(grad);
    if (!is_real(dtype) || dtype_of(input) != dtype || dtype_of(target) != dtype) return nullptr;
    const PairLoops& loops = table().losses.pairs[loss];
    Operands operands;
    if (reduced == Reduced::NONE) {
        if (!operands.add(grad, dtype)) return nullptr;
    } else {
        if (PyArray_NDIM(grad) != 0) return nullptr;
        double scale = first_number(grad, dtype);
        double share = reduced == Reduced::MEAN ? 1 / std::max<double>(1, PyArray_SIZE(input)) : 1;
        // rounded as Python rounds a tensor times a number
        add_value(operands, dtype == FLOAT32 ? static_cast<float>(scale) * static_cast<float>(share) : scale * share,
                  dtype);
    }
    if (!operands.add(input, dtype) || !operands.add(target, dtype)) return nullptr;
    if (loops.has_option) add_value(operands, option, dtype);
    if (!operands.broadcast()) return nullptr;
    PyArrayObject* result = operands.new_result(dtype);
    if (result != nullptr) operands.run(loops.slopes[which][dtype], result, dtype);
    return result;
}

bool backward(Gradient& gradient) {
    const auto& op = *static_cast<const PairOp*>(gradient.plan->op->kernel->data);
    PairLoss loss;
    double option;
    Reduced reduced = read_reduction(gradient.option(REDUCTION));
    if (gradient.grad() == nullptr || reduced == Reduced::OTHER) return false;
    if (!read_option(op, gradient.option(OPTION), loss, option)) return false;
    for (int weight : {WEIGHT, POS_WEIGHT}) {
        if (gradient.option(weight) != nullptr && gradient.option(weight) != Py_None) return false;
    }
    for (int k = 0; k < gradient.plan->input_count; k++) {
        gradient.found[k] = slopes_of(loss, gradient.plan->inputs[k], gradient.grad(), gradient.array(INPUT),
                                      gradient.array(TARGET), reduced, option);
        if (gradient.found[k] == nullptr) return false;
    }
    return true;
}

// _difference_share(outer, input, target, reduction): the gradient of the squares as an op.
PyObject* difference_share(Call& call) {
    PyArrayObject *outer = call.array(0), *input = call.array(1), *target = call.array(2);
    Reduced reduced = read_reduction(call[3]);
    if (outer == nullptr || input == nullptr || target == nullptr || reduced == Reduced::OTHER) return nullptr;
    return as_object(slopes_of(SQUARED_DISTANCES, 0, outer, input, target, reduced, 0));
}

void add_pair_kernel(const char* name, const PairOp& op, const char* option = "reduction") {
    Kernel kernel;
    kernel.name = name;
    kernel.forward = forward;
    kernel.backward = backward;
    const char* reads[] = {"input", "target", "reduction", option, "weight", "pos_weight"};
    std::copy(std::begin(reads), std::end(reads), kernel.reads);
    kernel.data = &op;
    add_kernel(kernel);
}

}  // namespace

Reduced read_reduction(PyObject* value) {
    // by the order of Reduced; words in a program are interned, so that mostly the address tells
    static PyObject* const words[] = {PyUnicode_InternFromString("mean"), PyUnicode_InternFromString("sum"),
                                      PyUnicode_InternFromString("none")};
    for (int i = 0; i < 3; i++) {
        if (value == words[i]) return static_cast<Reduced>(i);
    }
    for (int i = 0; value != nullptr && PyUnicode_CheckExact(value) && i < 3; i++) {
        if (PyUnicode_Compare(value, words[i]) == 0) return static_cast<Reduced>(i);
    }
    return Reduced::OTHER;
}

void register_losses() {
    add_pair_kernel("_mse_loss", squares);
    add_pair_kernel("_l1_loss", distances);
    add_pair_kernel("_smooth_l1_loss", smooth_distances, "beta");
    add_pair_kernel("_huber_loss", huber_distances, "delta");
    add_pair_kernel("_binary_cross_entropy", surprises);
    add_pair_kernel("_binary_cross_entropy_with_logits", logit_surprises);
    add_pair_kernel("_kl_div", divergences, "log_target");
    add_kernel({"_difference_share", difference_share});
}

}  // namespace rushlight
