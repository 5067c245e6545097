// Attention: products of queries and keys become weights, row by row; and their gradients.
#include "attention.h"

#include <cstring>

#include "families.h"
#include "math.h"

namespace LEVEL {

using rushlight::AttentionRows;

namespace {

// How many keys a row sees.
ALWAYS_INLINE int64_t seen_by(const AttentionRows& rows, int64_t row) {
    int64_t seen = rows.seen + row * rows.more;
    return seen < rows.columns ? seen : rows.columns;
}

// What is added to the products of a row, and minus infinity where a key is not allowed.
template <class T>
ALWAYS_INLINE void mask(const AttentionRows& rows, int64_t row, T* x, int64_t seen) {
    if (rows.added != nullptr) {
        const T* added = static_cast<const T*>(rows.added) + row * rows.added_row;
        for (int64_t j = 0; j < seen; j++) x[j] += added[j];
    }
    if (rows.allowed != nullptr) {
        const bool* allowed = rows.allowed + row * rows.allowed_row;
        for (int64_t j = 0; j < seen; j++) x[j] = allowed[j] ? x[j] : -math::infinity<T>;
    }
}

template <class T>
ALWAYS_INLINE void clear(T* x, int64_t begin, int64_t end) {
    if (begin < end) std::memset(x + begin, 0, sizeof(T) * (end - begin));
}

template <class T>
void weights(const AttentionRows& rows) {
    for (int64_t row = 0; row < rows.rows; row++) {
        T* x = static_cast<T*>(rows.weights) + row * rows.columns;
        T& total = static_cast<T*>(rows.totals)[row];
        int64_t seen = seen_by(rows, row);
        mask(rows, row, x, seen);
        T highest = -math::infinity<T>;
#pragma omp simd reduction(max : highest)
        for (int64_t j = 0; j < seen; j++) highest = x[j] > highest ? x[j] : highest;
        // a row that sees nothing; one with NaN goes on
        bool blind = highest == -math::infinity<T>;
        T base = blind ? T(0) : highest, sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < seen; j++) {
            T power = math::exp(x[j] - base);
            x[j] = power;
            sum += power;
        }
        total = sum == 0 ? math::infinity<T> : math::log(sum) + base;
        T scale = sum == 0 ? T(0) : 1 / sum;
        if (rows.noise == nullptr) {
            for (int64_t j = 0; j < seen; j++) x[j] *= scale;
        } else {
            const T* noise = static_cast<const T*>(rows.noise) + row * rows.noise_row;
            for (int64_t j = 0; j < seen; j++) x[j] *= scale * noise[j];
        }
        clear(x, seen, rows.columns);
    }
}

template <class T>
void slopes(const AttentionRows& rows) {
    const T scale = T(rows.scale);
    for (int64_t row = 0; row < rows.rows; row++) {
        T *x = static_cast<T*>(rows.weights) + row * rows.columns, *slope = static_cast<T*>(rows.slopes) + row * rows.columns;
        const T* grad = static_cast<const T*>(rows.grad) + row * rows.grad_row;
        const T* output = static_cast<const T*>(rows.output) + row * rows.output_row;
        const T total = static_cast<const T*>(rows.totals)[row];
        int64_t seen = seen_by(rows, row);
        mask(rows, row, x, seen);
        T along = 0;
#pragma omp simd reduction(+ : along)
        for (int64_t j = 0; j < rows.width; j++) along += grad[j] * output[j];
        if (rows.noise == nullptr) {
#pragma omp simd
            for (int64_t j = 0; j < seen; j++) {
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
        }
        clear(x, seen, rows.columns);
        clear(slope, seen, rows.columns);
    }
}

}  // namespace

void attention(Table& table) {
    table.attention.weights[0] = weights<float>;
    table.attention.weights[1] = weights<double>;
    table.attention.slopes[0] = slopes<float>;
    table.attention.slopes[1] = slopes<double>;
}

}  // namespace LEVEL
