// Optimizer steps: each method's formula over one parameter's arrays. See step_for in optim/*.py.
//
// Same operations in the same order as there, each rounded to the parameter's dtype, so that the weights are equal to
// the last bit. A running mean moves by `weight * (grad - mean)`.
#include "kernels/optim.h"

#include <math.h>

#include "kernels/table.h"

namespace LEVEL {

using rushlight::OptimLoops;
using rushlight::StepArrays;
using rushlight::StepNumbers;

namespace {

ALWAYS_INLINE float root_of(float x) { return sqrtf(x); }
ALWAYS_INLINE double root_of(double x) { return sqrt(x); }

// The larger one; NaN if either is, as np.maximum.
template <class T>
ALWAYS_INLINE T larger(T one, T other) {
    return one > other || one != one ? one : other;
}

// The gradient, turned to maximize or made smaller, and with the decay of the weights if there is one: zero times
// infinity would be NaN.
template <bool decays, class T>
ALWAYS_INLINE T full_gradient(T grad, T param, T scale, T decay) {
    T scaled = scale * grad;
    return decays ? scaled + decay * param : scaled;
}

template <class T, bool decays, bool remembers, bool nesterov>
void sgd_loop(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    T* __restrict params = static_cast<T*>(arrays.param);
    const T* __restrict grads = static_cast<const T*>(arrays.grad);
    T* __restrict buffers = static_cast<T*>(arrays.state[0]);
    const T scale = T(numbers.scale), decay = T(numbers.decay), rate = T(numbers.rate);
    const T momentum = T(numbers.keep_mean), weight = T(numbers.new_mean);
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        T grad = full_gradient<decays>(grads[i], params[i], scale, decay);
        if (remembers) {
            T buffer = buffers[i] * momentum + weight * grad;
            buffers[i] = buffer;
            grad = nesterov ? grad + momentum * buffer : buffer;
        }
        params[i] -= rate * grad;
    }
}

template <class T, bool decays>
void sgd(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    if (arrays.state[0] == nullptr) return sgd_loop<T, decays, false, false>(numbers, arrays, begin, end);
    if (numbers.nesterov) return sgd_loop<T, decays, true, true>(numbers, arrays, begin, end);
    sgd_loop<T, decays, true, false>(numbers, arrays, begin, end);
}

template <class T, bool decays, bool amsgrad>
void adam_loop(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    T* __restrict params = static_cast<T*>(arrays.param);
    const T* __restrict grads = static_cast<const T*>(arrays.grad);
    T* __restrict means = static_cast<T*>(arrays.state[0]);
    T* __restrict squares = static_cast<T*>(arrays.state[1]);
    T* __restrict largest = static_cast<T*>(arrays.state[2]);
    const T scale = T(numbers.scale), decay = T(numbers.decay), shrink = T(numbers.shrink), rate = T(numbers.rate);
    const T eps = T(numbers.eps), new_mean = T(numbers.new_mean);
    const T keep_square = T(numbers.keep_square), new_square = T(numbers.new_square);
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        T param = params[i] * shrink;
        T grad = full_gradient<decays>(grads[i], param, scale, decay);
        T mean = means[i] + new_mean * (grad - means[i]);
        T square = squares[i] * keep_square + new_square * grad * grad;
        means[i] = mean;
        squares[i] = square;
        if (amsgrad) square = largest[i] = larger(largest[i], square);
        params[i] = param - rate * mean / (root_of(square) + eps);
    }
}

template <class T, bool decays>
void adam(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    if (arrays.state[2] != nullptr) return adam_loop<T, decays, true>(numbers, arrays, begin, end);
    adam_loop<T, decays, false>(numbers, arrays, begin, end);
}

template <class T, bool decays, bool remembers, bool centered>
void rmsprop_loop(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    T* __restrict params = static_cast<T*>(arrays.param);
    const T* __restrict grads = static_cast<const T*>(arrays.grad);
    T* __restrict squares = static_cast<T*>(arrays.state[0]);
    T* __restrict buffers = static_cast<T*>(arrays.state[1]);
    T* __restrict means = static_cast<T*>(arrays.state[2]);
    const T scale = T(numbers.scale), decay = T(numbers.decay), rate = T(numbers.rate), eps = T(numbers.eps);
    const T momentum = T(numbers.keep_mean), keep_square = T(numbers.keep_square), weight = T(numbers.new_square);
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        T grad = full_gradient<decays>(grads[i], params[i], scale, decay);
        T square = squares[i] * keep_square + weight * grad * grad;
        squares[i] = square;
        if (centered) {
            T mean = means[i] + weight * (grad - means[i]);
            means[i] = mean;
            square -= mean * mean;
        }
        T root = root_of(square) + eps;
        if (remembers) {
            T buffer = buffers[i] * momentum + grad / root;
            buffers[i] = buffer;
            params[i] -= rate * buffer;
        } else {
            params[i] -= rate * grad / root;
        }
    }
}

template <class T, bool decays>
void rmsprop(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    bool remembers = arrays.state[1] != nullptr, centered = arrays.state[2] != nullptr;
    if (remembers && centered) return rmsprop_loop<T, decays, true, true>(numbers, arrays, begin, end);
    if (remembers) return rmsprop_loop<T, decays, true, false>(numbers, arrays, begin, end);
    if (centered) return rmsprop_loop<T, decays, false, true>(numbers, arrays, begin, end);
    rmsprop_loop<T, decays, false, false>(numbers, arrays, begin, end);
}

using Step = void (*)(const StepNumbers&, const StepArrays&, int64_t, int64_t);

// The arrays from element `begin` on.
template <class T>
ALWAYS_INLINE StepArrays from(const StepArrays& arrays, int64_t begin) {
    StepArrays rest;
    rest.param = static_cast<T*>(arrays.param) + begin;
    rest.grad = static_cast<const T*>(arrays.grad) + begin;
    for (int i = 0; i < StepArrays::STATES; i++) {
        if (arrays.state[i] != nullptr) rest.state[i] = static_cast<T*>(arrays.state[i]) + begin;
    }
    return rest;
}

// A step whose gradient is bounded first, in blocks that stay in the nearest cache: no second pass over memory.
template <class T>
void bounded(Step step, const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    constexpr int64_t BLOCK = 512;
    T block[BLOCK];
    const T scale = T(numbers.scale), bound = T(numbers.bound);
    StepNumbers others = numbers;
    others.scale = 1;
    for (; begin < end; begin += BLOCK) {
        const int64_t count = end - begin < BLOCK ? end - begin : BLOCK;
        StepArrays part = from<T>(arrays, begin);
        const T* grads = static_cast<const T*>(part.grad);
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            T grad = scale * grads[i];
            grad = grad > bound ? bound : grad;
            block[i] = grad < -bound ? -bound : grad;
        }
        part.grad = block;
        step(others, part, 0, count);
    }
}

// One loop for steps with decay of the weights, another for those without.
template <class T, Step with, Step without>
void either(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) {
    Step step = numbers.decay != 0 ? with : without;
    if (numbers.bound == INFINITY) return step(numbers, arrays, begin, end);
    bounded<T>(step, numbers, arrays, begin, end);
}

// Sixteen sums side by side, whatever the width of the CPU's registers: the same order of additions everywhere.
template <class T>
double dot_loop(const void* one, const void* other, int64_t count) {
    constexpr int LANES = 16;
    const T* x = static_cast<const T*>(one);
    const T* y = static_cast<const T*>(other);
    double sums[LANES] = {};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) sums[lane] += double(x[i + lane]) * double(y[i + lane]);
    }
    for (int lane = 0; i < count; i++, lane++) sums[lane] += double(x[i]) * double(y[i]);
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) sums[lane] += sums[lane + width];
    }
    return sums[0];
}

template <class T>
void scale_loop(void* values, double factor, int64_t count) {
    T* x = static_cast<T*>(values);
    const T by = T(factor);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) x[i] *= by;
}

template <class T>
void fill_for(OptimLoops& loops, int type) {
    loops.step[rushlight::SGD][type] = either<T, sgd<T, true>, sgd<T, false>>;
    loops.step[rushlight::ADAM][type] = either<T, adam<T, true>, adam<T, false>>;
    loops.step[rushlight::RMSPROP][type] = either<T, rmsprop<T, true>, rmsprop<T, false>>;
    loops.dot[type] = dot_loop<T>;
    loops.scale[type] = scale_loop<T>;
}

}  // namespace

void optim(Table& table) {
    fill_for<float>(table.optim, 0);
    fill_for<double>(table.optim, 1);
}

}  // namespace LEVEL
