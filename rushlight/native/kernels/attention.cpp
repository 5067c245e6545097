// Attention: products of queries and keys become weights, row by row; and their gradients.
#include "kernels/attention.h"

#include "kernels/math.h"
#include "kernels/table.h"
#include "kernels/tiles.h"

namespace LEVEL {

using rushlight::AttentionRows;
using rushlight::ROW_MULTIPLE;

namespace {

// How many keys a row sees.
ALWAYS_INLINE int64_t seen_by(const AttentionRows& rows, int64_t row) {
    int64_t seen = rows.seen + row * rows.more;
    return seen < rows.columns ? seen : rows.columns;
}

ALWAYS_INLINE int64_t whole_registers(int64_t count) {
    return (count + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE;
}

// A register whose lanes are those `W` further on.
template <int W, class V, int... I>
ALWAYS_INLINE V moved(V values, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(values, values, ((I + W) % int(sizeof...(I)))...);
}

// The lanes of a register put together, in a tree: an `omp simd reduction` takes one after the other, 64 cycles.
template <class T, int W = PER_REGISTER<T> / 2>
ALWAYS_INLINE T sum_across(Vector<T> values) {
    if constexpr (W == 0) {
        return values[0];
    } else {
        constexpr auto lanes = std::make_integer_sequence<int, PER_REGISTER<T>>();
        return sum_across<T, W / 2>(values + moved<W>(values, lanes));
    }
}

template <class T, int W = PER_REGISTER<T> / 2>
ALWAYS_INLINE T largest_across(Vector<T> values) {
    if constexpr (W == 0) {
        return values[0];
    } else {
        constexpr auto lanes = std::make_integer_sequence<int, PER_REGISTER<T>>();
        Vector<T> others = moved<W>(values, lanes);
        return largest_across<T, W / 2>(values > others ? values : others);
    }
}

// Of whole registers.
template <class T>
ALWAYS_INLINE T sum_of(const T* x, int64_t count) {
    Vector<T> sums = {};
    for (int64_t j = 0; j < count; j += PER_REGISTER<T>) sums += load(x + j);
    return sum_across<T>(sums);
}

template <class T>
ALWAYS_INLINE T largest_of(const T* x, int64_t count) {
    Vector<T> largest = load(x);
    for (int64_t j = PER_REGISTER<T>; j < count; j += PER_REGISTER<T>) {
        Vector<T> next = load(x + j);
        largest = next > largest ? next : largest;
    }
    return largest_across<T>(largest);
}

template <class T>
ALWAYS_INLINE T dot(const T* x, const T* y, int64_t count) {
    constexpr int64_t L = PER_REGISTER<T>;
    Vector<T> sums = {};
    int64_t j = 0;
    for (; j + L <= count; j += L) sums = add_product(load(x + j), load(y + j), sums);
    if (j < count) sums = add_product(load_some(x + j, count - j), load_some(y + j, count - j), sums);
    return sum_across<T>(sums);
}

template <class T>
ALWAYS_INLINE void scale_by(T* x, T factor, int64_t count) {
    for (int64_t j = 0; j < count; j += PER_REGISTER<T>) store(x + j, load(x + j) * factor);
}

// What is beyond `seen` in its last registers.
template <class T>
ALWAYS_INLINE void fill_up(T* x, int64_t seen, T value) {
    const int64_t last = whole_registers(seen) - ROW_MULTIPLE;
    const int left = int(seen - last);
    for (int k = 0; k < ROW_MULTIPLE; k++) x[last + k] = k < left ? x[last + k] : value;
}

template <class T>
ALWAYS_INLINE void clear(T* x, int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; j += PER_REGISTER<T>) store(x + j, Vector<T>{});
}

// exp(x) for what is no larger than a rounding; what would not be a normal number is 0: the CPU takes its time for it.
template <class T>
ALWAYS_INLINE T power(T x) {
    constexpr T least = -math::ExponentialRange<T>::near;
    T found = math::exp_near(x < least ? least : x);
    return x < least ? T(0) : found;
}

// The products of a row, scaled, with what is added to them, and minus infinity where a key is not seen: up to whole
// registers, so that no loop has a rest.
template <class T>
ALWAYS_INLINE int64_t mask(const AttentionRows& rows, int64_t row, T* x) {
    const T scale = T(rows.scale);
    const int64_t seen = seen_by(rows, row), count = whole_registers(seen);
    if (rows.added != nullptr) {
        const T* added = static_cast<const T*>(rows.added) + row * rows.added_row;
        for (int64_t j = 0; j < seen; j++) x[j] = x[j] * scale + added[j];
    } else {
        scale_by(x, scale, count);
    }
    if (rows.allowed != nullptr) {
        const bool* allowed = rows.allowed + row * rows.allowed_row;
        for (int64_t j = 0; j < seen; j++) x[j] = allowed[j] ? x[j] : -math::infinity<T>;
    }
    fill_up(x, seen, -math::infinity<T>);
    return count;
}

// Rows whose logarithms are taken together.
constexpr int GROUP = 16;

template <class T>
ALWAYS_INLINE void weigh_group(const AttentionRows& rows, int64_t start, int count) {
    T bases[GROUP], sums[GROUP];
    for (int i = 0; i < count; i++) {
        T* x = static_cast<T*>(rows.weights) + (start + i) * rows.step;
        const int64_t width = mask(rows, start + i, x);
        const T highest = largest_of(x, width);
        // a row that sees nothing; one with NaN goes on
        const T base = highest == -math::infinity<T> ? T(0) : highest;
#pragma omp simd
        for (int64_t j = 0; j < width; j++) x[j] = power(x[j] - base);
        bases[i] = base;
        sums[i] = sum_of(x, width);
    }
    T* totals = static_cast<T*>(rows.totals) + start;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        totals[i] = sums[i] == 0 ? math::infinity<T> : math::log(sums[i]) + bases[i];
        sums[i] = sums[i] == 0 ? T(0) : 1 / sums[i];
    }
    for (int i = 0; i < count; i++) {
        T* x = static_cast<T*>(rows.weights) + (start + i) * rows.step;
        const int64_t seen = seen_by(rows, start + i), width = whole_registers(seen);
        scale_by(x, sums[i], width);
        if (rows.noise != nullptr) {
            const T* noise = static_cast<const T*>(rows.noise) + (start + i) * rows.noise_row;
            for (int64_t j = 0; j < seen; j++) x[j] *= noise[j];
        }
        clear(x, width, rows.columns);
    }
}

template <class T>
void weights(const AttentionRows& rows) {
    for (int64_t row = 0; row < rows.rows; row += GROUP)
        weigh_group<T>(rows, row, int(smaller(GROUP, rows.rows - row)));
}

template <class T>
void slopes(const AttentionRows& rows) {
    const T scale = T(rows.scale);
    for (int64_t row = 0; row < rows.rows; row++) {
        T *x = static_cast<T*>(rows.weights) + row * rows.step, *slope = static_cast<T*>(rows.slopes) + row * rows.step;
        const T* grad = static_cast<const T*>(rows.grad) + row * rows.grad_row;
        const T* output = static_cast<const T*>(rows.output) + row * rows.output_row;
        const T total = static_cast<const T*>(rows.totals)[row], along = dot(grad, output, rows.width);
        const int64_t count = mask(rows, row, x), seen = seen_by(rows, row);
        // beyond what is seen weights are zero, and what is there of slopes may be anything
        fill_up(slope, seen, T(0));
        if (rows.noise == nullptr) {
#pragma omp simd
            for (int64_t j = 0; j < count; j++) {
                T weight = power(x[j] - total);
                x[j] = weight;
                slope[j] = weight * (slope[j] - along) * scale;
            }
        } else {
            const T* noise = static_cast<const T*>(rows.noise) + row * rows.noise_row;
#pragma omp simd
            for (int64_t j = 0; j < seen; j++) {
                T weight = power(x[j] - total);
                x[j] = weight * noise[j];
                slope[j] = weight * (slope[j] * noise[j] - along) * scale;
            }
            fill_up(x, seen, T(0));
        }
        clear(x, count, rows.columns);
        clear(slope, count, rows.columns);
    }
}

template <class T>
void turned(const void* from, int64_t rows, int64_t columns, int64_t row_step, void* to, int64_t to_step) {
    const T* x = static_cast<const T*>(from);
    T* found = static_cast<T*>(to);
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T* row = x + i * row_step;
        int64_t j = 0;
        for (; j + 4 <= columns; j += 4) turn_four(row + j, row_step, found + j * to_step + i, to_step);
        for (; j < columns; j++) {
            for (int k = 0; k < 4; k++) found[j * to_step + i + k] = row[k * row_step + j];
        }
    }
    for (; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) found[j * to_step + i] = x[i * row_step + j];
    }
}

}  // namespace

void attention(Table& table) {
    table.attention.weights[0] = weights<float>;
    table.attention.weights[1] = weights<double>;
    table.attention.slopes[0] = slopes<float>;
    table.attention.slopes[1] = slopes<double>;
    table.attention.turn[0] = turned<float>;
    table.attention.turn[1] = turned<double>;
}

}  // namespace LEVEL
