// Losses of an input and a target of one shape, forward and gradient.
// See ops/losses/losses.py, binary_losses.py and likelihood_losses.py.
#include "ops/losses.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "kernels/table.h"
#include "loops/copy.h"
#include "loops/operands.h"
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
enum class Extra { NONE, NUMBER, FLAG };

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
constexpr PairOp surprises{SURPRISES, "input, target, reduction, weight"};
constexpr PairOp logit_surprises{LOGIT_SURPRISES, Weighted::names};
constexpr PairOp divergences{DIVERGENCES, "input, target, reduction, log_target", Extra::FLAG};

// Which loops a call or a gradient runs, and their option.
struct Chosen {
    PairLoss loss;
    double option = 0;

    Chosen(const PairOp& op, const Readings& readings) : loss(op.loss) {
        if (op.extra == Extra::NUMBER) option = readings.number(Pair::option);
        if (op.extra == Extra::FLAG && readings.flag(Pair::option)) loss = LOG_DIVERGENCES;
    }
    // a beta or delta that is no length
    bool is_odd(const PairOp& op) const { return op.extra == Extra::NUMBER && !(option > 0); }
};

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

bool forward(Call& call) {
    const auto& op = *static_cast<const PairOp*>(call.op->kernel->data);
    PyArrayObject *input = call.array(Pair::input), *target = call.array(Pair::target);
    int dtype = dtype_of(input);
    Reduced reduced = read_reduction(call[Pair::reduction]);
    Chosen chosen(op, call);
    DECLINE_IF(reduced == Reduced::OTHER || chosen.is_odd(op));
    // in the target's order, which Python finds
    bool in_rows = PyArray_IS_C_CONTIGUOUS(input) && PyArray_IS_C_CONTIGUOUS(target);
    DECLINE_IF(reduced == Reduced::NONE && !in_rows && (&op == &logit_surprises || &op == &divergences));
    if (reduced == Reduced::NONE && chosen.loss != SURPRISES) {
        return call.give(values_of(chosen.loss, input, target, dtype, chosen.option));
    }
    // two transposed ones meet in memory as they do in C order
    bool alike = PyArray_IS_F_CONTIGUOUS(input) && PyArray_IS_F_CONTIGUOUS(target);
    Ref x = alike ? Ref::borrow(as_object(input)) : in_c_order(input);
    Ref y = alike ? Ref::borrow(as_object(target)) : in_c_order(target);
    DECLINE_IF(chosen.loss == SURPRISES && (!is_probable(x.array(), dtype) || !is_probable(y.array(), dtype)));
    if (reduced == Reduced::NONE) return call.give(values_of(chosen.loss, input, target, dtype, chosen.option));
    auto part = table().losses.pairs[chosen.loss].total[dtype];
    const char *from = PyArray_BYTES(x.array()), *with = PyArray_BYTES(y.array());
    int64_t size = SIZES[dtype], count = PyArray_SIZE(input);
    double total = sum_of_parts(count, [&](int64_t begin, int64_t end) {
        return part(from + begin * size, with + begin * size, chosen.option, end - begin);
    });
    // as in torch, a sum beyond the largest number has no mean
    bool is_mean = reduced == Reduced::MEAN && (dtype != FLOAT32 || std::isfinite(static_cast<float>(total)));
    return call.give(single_array(is_mean ? total / static_cast<double>(count) : total, dtype));
}

// The gradient of the input, or of the target. One of them may be missing where the formula does not read it.
PyArrayObject* slopes_of(PairLoss loss, int which, PyArrayObject* grad, PyArrayObject* input, PyArrayObject* target,
                         Reduced reduced, double option) {
    if (input == nullptr) input = target;
    if (target == nullptr) target = input;
    DECLINE_IF(input == nullptr || !have_same_shape(input, target));
    int dtype = dtype_of(grad);
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
    PyArrayObject *input = gradient.array(Pair::input), *target = gradient.array(Pair::target);
    Reduced reduced = read_reduction(gradient.option(Pair::reduction));
    Chosen chosen(op, gradient);
    DECLINE_IF(reduced == Reduced::OTHER || chosen.is_odd(op));
    auto slope = [&](int which) {
        return slopes_of(chosen.loss, which, gradient.grad(), input, target, reduced, chosen.option);
    };
    return gradient.fill(Pair::input, [&] { return slope(0); }) &&
           gradient.fill(Pair::target, [&] { return slope(1); });
}

NAMES(DifferenceShare, outer, input, target, reduction);

// The gradient of the squares as an op.
bool difference_share(Call& call) {
    Reduced reduced = read_reduction(call[DifferenceShare::reduction]);
    DECLINE_IF(reduced == Reduced::OTHER);
    return call.give(slopes_of(SQUARED_DISTANCES, 0, call.array(DifferenceShare::outer),
                               call.array(DifferenceShare::input), call.array(DifferenceShare::target), reduced, 0));
}

KERNEL("_mse_loss")
    .forward(forward, squares.names)
    .takes(tensor(Pair::input).floats(), tensor(Pair::target).floats().shaped(Pair::input))
    .gradient(backward, squares.names)
    .given(tensor(GRADIENT).floats(), tensor(Pair::input).floats().like(GRADIENT),
           tensor(Pair::target).floats().like(GRADIENT))
    .with(&squares);
KERNEL("_l1_loss").as("_mse_loss").with(&distances);
KERNEL("_smooth_l1_loss")
    .as("_mse_loss")
    .forward(forward, smooth_distances.names)
    .takes(number(Pair::option))
    .gradient(backward, smooth_distances.names)
    .given(number(Pair::option))
    .with(&smooth_distances);
KERNEL("_huber_loss")
    .as("_smooth_l1_loss")
    .forward(forward, huber_distances.names)
    .gradient(backward, huber_distances.names)
    .with(&huber_distances);
KERNEL("_binary_cross_entropy")
    .as("_mse_loss")
    .forward(forward, surprises.names)
    .takes(none(Weighted::weight))
    .gradient(backward, surprises.names)
    .given(none(Weighted::weight))
    .with(&surprises);
KERNEL("_binary_cross_entropy_with_logits")
    .as("_binary_cross_entropy")
    .forward(forward, logit_surprises.names)
    .takes(none(Weighted::pos_weight))
    .gradient(backward, logit_surprises.names)
    .given(none(Weighted::pos_weight))
    .with(&logit_surprises);
KERNEL("_kl_div")
    .as("_mse_loss")
    .forward(forward, divergences.names)
    .takes(flag(Pair::option))
    .gradient(backward, divergences.names)
    .given(flag(Pair::option))
    .with(&divergences);
KERNEL("_difference_share")
    .forward(difference_share, DifferenceShare::names)
    .takes(tensor(DifferenceShare::outer).floats(), tensor(DifferenceShare::input).like(DifferenceShare::outer),
           tensor(DifferenceShare::target).like(DifferenceShare::outer));

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
