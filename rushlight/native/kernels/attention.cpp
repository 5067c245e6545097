// Attention: products of queries and keys become weights, row by row; and their gradients.
#include "attention.h"

#include <cstring>

#include "families.h"
#include "math.h"
#include "tiles.h"

namespace LEVEL {

using rushlight::AttentionRows;
using rushlight::ROW_MULTIPLE;

namespace {

// How many keys a row sees.
ALWAYS_INLINE int64_t seen_by(const AttentionRows& rows, int64_t row) {
    int64_t seen = rows.seen + row * rows.more;
    return seen < rows.columns ? seen : rows.columns;
}

// The products of a row, scaled, with what is added to them, and minus infinity where a key is not seen: up to whole
// registers, so that no loop has a rest.
template <class T>
ALWAYS_INLINE int64_t mask(const AttentionRows& rows, int64_t row, T* x) {
    const T scale = T(rows.scale);
    const int64_t seen = seen_by(rows, row), count = (seen + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE;
    for (int64_t j = seen; j < count; j++) x[j] = -math::infinity<T>;
    if (rows.added != nullptr) {
        const T* added = static_cast<const T*>(rows.added) + row * rows.added_row;
        for (int64_t j = 0; j < seen; j++) x[j] = x[j] * scale + added[j];
    } else {
        for (int64_t j = 0; j < seen; j++) x[j] *= scale;
    }
    if (rows.allowed != nullptr) {
        const bool* allowed = rows.allowed + row * rows.allowed_row;
        for (int64_t j = 0; j < seen; j++) x[j] = allowed[j] ? x[j] : -math::infinity<T>;
    }
    return count;
}

template <class T>
ALWAYS_INLINE void clear(T* x, int64_t begin, int64_t end) {
    if (begin < end) std::memset(x + begin, 0, sizeof(T) * (end - begin));
}

template <class T>
void weights(const AttentionRows& rows) {
    for (int64_t row = 0; row < rows.rows; row++) {
        T* x = static_cast<T*>(rows.weights) + row * rows.step;
        const int64_t count = mask(rows, row, x), seen = seen_by(rows, row);
        T highest = -math::infinity<T>;
#pragma omp simd reduction(max : highest)
        for (int64_t j = 0; j < count; j++) highest = x[j] > highest ? x[j] : highest;
        // a row that sees nothing; one with NaN goes on
        T base = highest == -math::infinity<T> ? T(0) : highest, sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < count; j++) {
            T power = math::exp(x[j] - base);
            x[j] = power;
            sum += power;
        }
        static_cast<T*>(rows.totals)[row] = sum == 0 ? math::infinity<T> : math::log(sum) + base;
        T scale = sum == 0 ? T(0) : 1 / sum;
        if (rows.noise == nullptr) {
            for (int64_t j = 0; j < count; j++) x[j] *= scale;
        } else {
            const T* noise = static_cast<const T*>(rows.noise) + row * rows.noise_row;
            for (int64_t j = 0; j < seen; j++) x[j] *= scale * noise[j];
        }
        clear(x, count, rows.columns);
    }
}

template <class T>
void slopes(const AttentionRows& rows) {
    const T scale = T(rows.scale);
    for (int64_t row = 0; row < rows.rows; row++) {
        T *x = static_cast<T*>(rows.weights) + row * rows.step, *slope = static_cast<T*>(rows.slopes) + row * rows.step;
        const T* grad = static_cast<const T*>(rows.grad) + row * rows.grad_row;
        const T* output = static_cast<const T*>(rows.output) + row * rows.output_row;
        const T total = static_cast<const T*>(rows.totals)[row];
        const int64_t count = mask(rows, row, x), seen = seen_by(rows, row);
        T along = 0;
#pragma omp simd reduction(+ : along)
        for (int64_t j = 0; j < rows.width; j++) along += grad[j] * output[j];
        // beyond what is seen weights are zero, and what is there of slopes may be anything
        clear(slope, seen, count);
        if (rows.noise == nullptr) {
#pragma omp simd
            for (int64_t j = 0; j < count; j++) {
                T weight = math::exp(x[j] - total);
                x[j] = weight;
                slope[j] = weight * (slope[j] - along) * scale;
            }
        } else {
            const T* noise = static_cast<const T*>(rows.noise) + row * rows.noise_row;
#pragma omp simd
            for (int64_t j = 0; j < seen; j++) {
                T weight = math::exp(x[j] - total);
                x[j] = weight * noise[j];
                slope[j] = weight * (slope[j] * noise[j] - along) * scale;
            }
            clear(x, seen, count);
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
        for (; j + 4 <= columns; j += 4) turn(row + j, row_step, found + j * to_step + i, to_step);
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
