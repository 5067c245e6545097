// Losses of an input and a target of one shape, forward and gradient.
// See ops/losses/losses.py, binary_losses.py and likelihood_losses.py.
#include "ops/losses.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/table.h"
#include "loops/operands.h"
#include "loops/products.h"
#include "loops/sums.h"
#include "memory/threads.h"
#include "seam/names.h"
#include "seam/numbers.h"

namespace rushlight {

const Interned word_mean("mean");
const Interned word_sum("sum");
const Interned word_none("none");

namespace {

// What an op and its gradient read: these three; then an option, or weights, which must be None.
NAMES(Pair, input, target, reduction, option);
NAMES(Weighted, input, target, reduction, weight, pos_weight);
enum class Extra { NONE, NUMBER, FLAG, WEIGHT, WEIGHTS };

// An op of this kind, and its own words for what is read.
struct PairOp {
    PairLoss loss;
    const char* names = "input, target, reduction";
    Extra extra = Extra::NONE;
};

constexpr PairOp squares{SQUARED_DISTANCES};
constexpr PairOp distances{DISTANCES};
constexpr PairOp smooth_distances{SMOOTH_DISTANCES, "input, target, reduction, beta", Extra::NUMBER};
constexpr PairOp huber_distances{HUBER_DISTANCES, "input, target, reduction, delta", Extra::NUMBER};
constexpr PairOp surprises{SURPRISES, "input, target, reduction, weight", Extra::WEIGHT};
constexpr PairOp logit_surprises{LOGIT_SURPRISES, Weighted::names, Extra::WEIGHTS};
constexpr PairOp divergences{DIVERGENCES, "input, target, reduction, log_target", Extra::FLAG};

// Which loops, and their option, for both a Call and a Gradient; false for what Python has to look at.
template <class Find>
bool read_extra(const PairOp& op, PairLoss& loss, double& option, Find find) {
    auto is_given = [](PyObject* weight) { return weight != nullptr && weight != Py_None; };
    loss = op.loss;
    option = 0;
    if (op.extra == Extra::NUMBER) {
        DECLINE_IF(!plain_number(find(Pair::option), option) || !(option > 0));
    } else if (op.extra == Extra::FLAG) {
        PyObject* flag = find(Pair::option);
        DECLINE_IF(flag != Py_True && flag != Py_False);
        if (flag == Py_True) loss = LOG_DIVERGENCES;
    } else if (op.extra != Extra::NONE) {
        DECLINE_IF(is_given(find(Weighted::weight)));
        DECLINE_IF(op.extra == Extra::WEIGHTS && is_given(find(Weighted::pos_weight)));
    }
    return true;
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
    DECLINE_IF(!operands.add(input, dtype) || !operands.add(target, dtype));
    if (loops.has_option) add_value(operands, option, dtype);
    DECLINE_IF(!operands.broadcast());
    DECLINE_IF(loss == LOGIT_SURPRISES && !operands.in_rows());  // in the target's order, which Python knows
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
    PyArrayObject *input = call.array(Pair::input), *target = call.array(Pair::target);
    DECLINE_IF(input == nullptr || target == nullptr);
    DECLINE_IF(!PyArray_SAMESHAPE(input, target));
    int dtype = dtype_of(input);
    Reduced reduced = read_reduction(call[Pair::reduction]);
    PairLoss loss;
    double option;
    DECLINE_IF(!is_real(dtype) || dtype_of(target) != dtype);
    DECLINE_IF(reduced == Reduced::OTHER);
    if (!read_extra(op, loss, option, [&](auto name) { return call[name]; })) return nullptr;
    // in the target's order, which Python finds
    bool in_rows = PyArray_IS_C_CONTIGUOUS(input) && PyArray_IS_C_CONTIGUOUS(target);
    DECLINE_IF(reduced == Reduced::NONE && !in_rows && (&op == &logit_surprises || &op == &divergences));
    if (reduced == Reduced::NONE && loss != SURPRISES) {
        return as_object(values_of(loss, input, target, dtype, option));
    }
    Ref x = Ref::steal(as_object(contiguous(input))), y = Ref::steal(as_object(contiguous(target)));
    if (!x || !y) return nullptr;
    DECLINE_IF(loss == SURPRISES && (!is_probable(x.array(), dtype) || !is_probable(y.array(), dtype)));
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
    DECLINE_IF(input == nullptr || !PyArray_SAMESHAPE(input, target));
    int dtype = dtype_of(grad);
    DECLINE_IF(!is_real(dtype) || dtype_of(input) != dtype || dtype_of(target) != dtype);
    const PairLoops& loops = table().losses.pairs[loss];
    Operands operands;
    if (reduced == Reduced::NONE) {
        DECLINE_IF(!operands.add(grad, dtype));
    } else {
        DECLINE_IF(PyArray_NDIM(grad) != 0);
        double scale = first_number(grad, dtype);
        double share = reduced == Reduced::MEAN ? 1 / std::max<double>(1, PyArray_SIZE(input)) : 1;
        // rounded as Python rounds a tensor times a number
        add_value(operands, dtype == FLOAT32 ? static_cast<float>(scale) * static_cast<float>(share) : scale * share,
                  dtype);
    }
    DECLINE_IF(!operands.add(input, dtype) || !operands.add(target, dtype));
    if (loops.has_option) add_value(operands, option, dtype);
    DECLINE_IF(!operands.broadcast());
    PyArrayObject* result = operands.new_result(dtype);
    if (result != nullptr) operands.run(loops.slopes[which][dtype], result, dtype);
    return result;
}

bool backward(Gradient& gradient) {
    const auto& op = *static_cast<const PairOp*>(gradient.plan->op->kernel->data);
    PairLoss loss;
    double option;
    Reduced reduced = read_reduction(gradient.option(Pair::reduction));
    DECLINE_IF(gradient.grad() == nullptr);
    DECLINE_IF(reduced == Reduced::OTHER);
    if (!read_extra(op, loss, option, [&](auto name) { return gradient.option(name); })) return false;
    for (Pair::Name each : {Pair::input, Pair::target}) {
        int place = gradient.place_of(each);
        if (place < 0) continue;
        gradient.found[place] = slopes_of(loss, each == Pair::target, gradient.grad(), gradient.array(Pair::input),
                                          gradient.array(Pair::target), reduced, option);
        if (gradient.found[place] == nullptr) return false;
    }
    return true;
}

NAMES(DifferenceShare, outer, input, target, reduction);

// The gradient of the squares as an op.
PyObject* difference_share(Call& call) {
    PyArrayObject *outer = call.array(DifferenceShare::outer), *input = call.array(DifferenceShare::input);
    PyArrayObject* target = call.array(DifferenceShare::target);
    Reduced reduced = read_reduction(call[DifferenceShare::reduction]);
    DECLINE_IF(outer == nullptr || input == nullptr || target == nullptr);
    DECLINE_IF(reduced == Reduced::OTHER);
    return as_object(slopes_of(SQUARED_DISTANCES, 0, outer, input, target, reduced, 0));
}

KERNEL("_mse_loss").forward(forward, squares.names).gradient(backward, squares.names).with(&squares);
KERNEL("_l1_loss").forward(forward, distances.names).gradient(backward, distances.names).with(&distances);
KERNEL("_smooth_l1_loss")
    .forward(forward, smooth_distances.names)
    .gradient(backward, smooth_distances.names)
    .with(&smooth_distances);
KERNEL("_huber_loss")
    .forward(forward, huber_distances.names)
    .gradient(backward, huber_distances.names)
    .with(&huber_distances);
KERNEL("_binary_cross_entropy").forward(forward, surprises.names).gradient(backward, surprises.names).with(&surprises);
KERNEL("_binary_cross_entropy_with_logits")
    .forward(forward, logit_surprises.names)
    .gradient(backward, logit_surprises.names)
    .with(&logit_surprises);
KERNEL("_kl_div").forward(forward, divergences.names).gradient(backward, divergences.names).with(&divergences);
KERNEL("_difference_share").forward(difference_share, DifferenceShare::names);

}  // namespace

Reduced read_reduction(PyObject* value) {
    // by the order of Reduced; words in a program are interned, so that mostly the address tells
    static PyObject* const words[] = {word_mean, word_sum, word_none};
    for (int i = 0; i < 3; i++) {
        if (value == words[i]) return static_cast<Reduced>(i);
    }
    for (int i = 0; value != nullptr && PyUnicode_CheckExact(value) && i < 3; i++) {
        if (PyUnicode_Compare(value, words[i]) == 0) return static_cast<Reduced>(i);
    }
    return Reduced::OTHER;
}

}  // namespace rushlight
