// Cross entropy: how unlikely the right classes were, straight from logits, and the gradient.
#include "kernels/reduce.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::ClassRows;

namespace {

// Rows of fewer classes are looked at one number at a time, and only their exponentials all at once.
constexpr int64_t SHORT = 32;
// How many logits of such rows are worked on together, so that they stay in the first cache.
constexpr int64_t BLOCK = 2048;

ALWAYS_INLINE int64_t class_of(const ClassRows& rows, int64_t row) {
    int64_t target = rows.targets[row];
    return static_cast<uint64_t>(target) < static_cast<uint64_t>(rows.classes) ? target : 0;
}

template <class T>
void exp_all(T* x, int64_t count) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) x[i] = math::exp(x[i]);
}

// Rows from `begin` to `end`, each of a few neighbours.
template <class T>
void short_rows(const ClassRows& rows, const T* x, T* probs, T* surprises, int64_t begin, int64_t end) {
    const int64_t classes = rows.classes;
    for (int64_t row = begin; row < end; row++) {
        const T* from = x + row * classes;
        T* to = probs + row * classes;
        T largest = from[0];
        for (int64_t c = 1; c < classes; c++) largest = math::maximum(from[c], largest);
        for (int64_t c = 0; c < classes; c++) to[c] = from[c] - largest;
        surprises[row] = to[class_of(rows, row)];
    }
    exp_all(probs + begin * classes, (end - begin) * classes);
    for (int64_t row = begin; row < end; row++) {
        T* to = probs + row * classes;
        T total = 0;
        for (int64_t c = 0; c < classes; c++) total += to[c];
        T inverse = 1 / total;
        for (int64_t c = 0; c < classes; c++) to[c] *= inverse;
        surprises[row] = math::log(total) - surprises[row];
    }
}

// One row, or columns of several rows: a surprise for each.
template <class T, class Way>
ALWAYS_INLINE void long_rows(const Way& way, const ClassRows& rows, const T* x, T* probs, T* surprises, int64_t row) {
    auto largest = way.template fold<Largest<T>>([=](int64_t at, int64_t) { return x[at]; });
    auto total = way.template fold_costly<Sum<T>>([&](int64_t at, int64_t column) {
        T power = math::exp(x[at] - largest[column]);
        probs[at] = power;
        return power;
    });
    way.once([&](int64_t column) {
        T right = x[class_of(rows, row + column) * rows.inner + column];
        surprises[column] = math::log(T(total[column])) - (right - largest[column]);
        total[column] = 1 / total[column];
    });
    way.each([&](int64_t at, int64_t column) { probs[at] *= T(total[column]); });
}

template <class T>
void cross_entropy_of(const ClassRows& rows, const void* logits, void* probabilities, void* losses, int64_t begin,
                      int64_t end) {
    auto* x = static_cast<const T*>(logits);
    auto* probs = static_cast<T*>(probabilities);
    auto* surprises = static_cast<T*>(losses);
    if (rows.inner == 1 && rows.classes < SHORT) {
        int64_t step = BLOCK / rows.classes;
        for (int64_t row = begin; row < end; row += step) {
            short_rows(rows, x, probs, surprises, row, row + step < end ? row + step : end);
        }
        return;
    }
    for (int64_t row = begin; row < end; row++) {
        int64_t at = row * rows.classes * rows.inner;
        if (rows.inner == 1) {
            long_rows(Along{rows.classes}, rows, x + at, probs + at, surprises + row, row);
            continue;
        }
        for (int64_t column = 0; column < rows.inner; column += TILE) {
            int64_t columns = rows.inner - column < TILE ? rows.inner - column : TILE;
            int64_t number = row * rows.inner + column;
            long_rows(Across{rows.classes, rows.inner, columns}, rows, x + at + column, probs + at + column,
                      surprises + number, number);
        }
    }
}

template <class T>
void less_one_of(const ClassRows& rows, const void* probabilities, const void* scales, bool one_scale, void* result,
                 int64_t begin, int64_t end) {
    auto* probs = static_cast<const T*>(probabilities);
    auto* scale = static_cast<const T*>(scales);
    auto* out = static_cast<T*>(result);
    const int64_t size = rows.classes * rows.inner;
    if (one_scale) {
        const T factor = *scale;
#pragma omp simd
        for (int64_t i = begin * size; i < end * size; i++) out[i] = probs[i] * factor;
    }
    for (int64_t row = begin; row < end; row++) {
        T* to = out + row * size;
        const T* by = one_scale ? scale : scale + row * rows.inner;
        for (int64_t c = 0; !one_scale && c < rows.classes; c++) {
            const T* from = probs + row * size + c * rows.inner;
#pragma omp simd
            for (int64_t j = 0; j < rows.inner; j++) to[c * rows.inner + j] = from[j] * by[j];
        }
        for (int64_t j = 0; j < rows.inner; j++) {
            to[class_of(rows, row * rows.inner + j) * rows.inner + j] -= one_scale ? *by : by[j];
        }
    }
}

}  // namespace

void cross_entropy(Table& table) {
    table.losses.cross_entropy[rushlight::FLOAT32] = cross_entropy_of<float>;
    table.losses.cross_entropy[rushlight::FLOAT64] = cross_entropy_of<double>;
    table.losses.less_one[rushlight::FLOAT32] = less_one_of<float>;
    table.losses.less_one[rushlight::FLOAT64] = less_one_of<double>;
}

}  // namespace LEVEL
