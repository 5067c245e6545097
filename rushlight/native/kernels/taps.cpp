// Taps: sums of a few inputs each along the rows and columns of a plane, and of rows of a table.
#include "kernels/images.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

using rushlight::Taps;

// One row through the taps of its columns.
template <class T>
ALWAYS_INLINE void tap_row(const Taps& taps, const T* row, T* result) {
    int64_t count = taps.outputs;
    const int64_t* places = taps.places;
    const double* weights = taps.weights;
    if (taps.full && taps.most == 1 && weights == nullptr) {
        for (int64_t j = 0; j < count; j++) result[j] = row[places[j]];
        return;
    }
    if (taps.full && taps.most == 2 && weights != nullptr) {
#pragma omp simd
        for (int64_t j = 0; j < count; j++) {
            result[j] = T(weights[j]) * row[places[j]] + T(weights[count + j]) * row[places[count + j]];
        }
        return;
    }
    for (int64_t j = 0; j < count; j++) {
        T total = 0;
        for (int64_t k = 0; k < taps.counts[j]; k++) {
            T value = row[places[k * count + j]];
            total += weights == nullptr ? value : T(weights[k * count + j]) * value;
        }
        result[j] = total;
    }
}

// Whether two outputs along the rows are the same sum.
ALWAYS_INLINE bool repeats(const Taps& taps, int64_t i) {
    return i > 0 && taps.full && taps.most == 1 && taps.weights == nullptr && taps.places[i] == taps.places[i - 1];
}

template <class T>
void tap(const Taps& rows, const Taps& columns, const void* from, void* to, void* spare) {
    auto* plane = static_cast<const T*>(from);
    auto* result = static_cast<T*>(to);
    auto* sums = static_cast<T*>(spare);
    int64_t width = columns.size, made = columns.outputs;
    for (int64_t i = 0; i < rows.outputs; i++, result += made) {
        if (repeats(rows, i)) {
            for (int64_t j = 0; j < made; j++) result[j] = result[j - made];
            continue;
        }
        const T* row = sums;
        if (rows.counts[i] == 1 && rows.weights == nullptr) {
            row = plane + rows.places[i] * width;
        } else {
            for (int64_t x = 0; x < width; x++) sums[x] = 0;
            for (int64_t k = 0; k < rows.counts[i]; k++) {
                const T* each = plane + rows.places[k * rows.outputs + i] * width;
                T weight = rows.weights == nullptr ? T(1) : T(rows.weights[k * rows.outputs + i]);
#pragma omp simd
                for (int64_t x = 0; x < width; x++) sums[x] += weight * each[x];
            }
        }
        if (columns.places == nullptr) {
            for (int64_t j = 0; j < made; j++) result[j] = row[j];
        } else {
            tap_row(columns, row, result);
        }
    }
}

template <class T>
void add_rows(const void* from, const int64_t* rows, int64_t count, int64_t width, const void* weights, double divisor,
              void* to) {
    auto* table = static_cast<const T*>(from);
    auto* result = static_cast<T*>(to);
    auto* given = static_cast<const T*>(weights);
    for (int64_t i = 0; i < count; i++) {
        const T* row = table + rows[i] * width;
        T weight = given == nullptr ? T(1) : given[i];
#pragma omp simd
        for (int64_t j = 0; j < width; j++) result[j] += weight * row[j];
    }
    if (divisor == 1) return;
    for (int64_t j = 0; j < width; j++) result[j] /= T(divisor);
}

template <class T>
void fill_loops(rushlight::ImageLoops& loops, int which) {
    loops.tap[which] = tap<T>;
    loops.add_rows[which] = add_rows<T>;
}

}  // namespace

void taps(Table& table) {
    fill_loops<float>(table.images, 0);
    fill_loops<double>(table.images, 1);
}

}  // namespace LEVEL
