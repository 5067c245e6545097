// Pooling: the maxima and the averages of the windows of a plane, and their gradients.
#include <limits>

#include "families.h"
#include "images.h"

namespace LEVEL {

namespace {

using rushlight::Pool;
using rushlight::Windows;

constexpr int64_t BLOCK = 256;  // columns whose maxima are kept at hand

template <class T>
struct PlaceOf;
template <>
struct PlaceOf<float> { using type = int32_t; };
template <>
struct PlaceOf<double> { using type = int64_t; };

ALWAYS_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
ALWAYS_INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// The first element of a window that is in the plane, where there is such.
ALWAYS_INLINE int64_t first_of(const Pool& pool, int64_t window) {
    int64_t start = window * pool.stride - pool.padding;
    if (start < 0) start += (-start + pool.dilation - 1) / pool.dilation * pool.dilation;
    return smaller(start, pool.size - 1);
}

// One tap of the windows `begin` to `end` of a row: `row` has the tap of window j at j * stride.
template <int STRIDE, class T, class Place>
ALWAYS_INLINE void take_tap(const T* row, int64_t stride, int64_t begin, int64_t end, Place place, T* best, Place* at) {
    int64_t step = STRIDE == 0 ? stride : STRIDE;
#pragma omp simd
    for (int64_t j = begin; j < end; j++) {
        T x = row[j * step];
        bool better = (x > best[j]) | (x != x);
        best[j] = better ? x : best[j];
        at[j] = better ? Place(place + Place(j) * Place(step)) : at[j];
    }
}

// The windows of one row of the result, BLOCK of them at a time, tap by tap.
template <class T>
void max_row(const Pool& rows, const Pool& columns, int64_t window, const T* plane, T* values, int64_t* places) {
    using Place = typename PlaceOf<T>::type;
    T best[BLOCK];
    Place at[BLOCK];
    int64_t first_row = first_of(rows, window) * columns.size;
    for (int64_t from = 0; from < columns.outputs; from += BLOCK) {
        int64_t width = smaller(BLOCK, columns.outputs - from);
        for (int64_t j = 0; j < width; j++) {
            best[j] = -std::numeric_limits<T>::infinity();
            at[j] = Place(first_row + first_of(columns, from + j));
        }
        for (int64_t tall = 0; tall < rows.kernel; tall++) {
            int64_t y = window * rows.stride - rows.padding + tall * rows.dilation;
            if (y < 0 || y >= rows.size) continue;
            for (int64_t wide = 0; wide < columns.kernel; wide++) {
                int64_t x = from * columns.stride - columns.padding + wide * columns.dilation;
                int64_t begin = x < 0 ? (-x + columns.stride - 1) / columns.stride : 0;
                int64_t end = x >= columns.size ? 0 : smaller(width, (columns.size - 1 - x) / columns.stride + 1);
                if (begin >= end) continue;
                // from the first window that has the tap, so that no pointer leaves the plane
                const T* row = plane + y * columns.size + x + begin * columns.stride;
                Place place = Place(y * columns.size + x + begin * columns.stride);
                int64_t count = end - begin;
                if (columns.stride == 1) {
                    take_tap<1>(row, 1, 0, count, place, best + begin, at + begin);
                } else if (columns.stride == 2) {
                    take_tap<2>(row, 2, 0, count, place, best + begin, at + begin);
                } else {
                    take_tap<0>(row, columns.stride, 0, count, place, best + begin, at + begin);
                }
            }
        }
        for (int64_t j = 0; j < width; j++) {
            values[from + j] = best[j];
            places[from + j] = at[j];
        }
    }
}

// Windows of 2 x 2 side by side, the most usual ones, in one pass.
template <class T>
void max_pairs(int64_t width, int64_t outputs, int64_t at, const T* plane, T* values, int64_t* places) {
    using Place = typename PlaceOf<T>::type;
    const T *above = plane + at, *below = above + width;
#pragma omp simd
    for (int64_t j = 0; j < outputs; j++) {
        T a = above[2 * j], b = above[2 * j + 1], c = below[2 * j], d = below[2 * j + 1];
        Place place = 0;
        bool better = (b > a) | (b != b);
        a = better ? b : a;
        place = better ? Place(1) : place;
        better = (c > a) | (c != c);
        a = better ? c : a;
        place = better ? Place(width) : place;
        better = (d > a) | (d != d);
        a = better ? d : a;
        place = better ? Place(width + 1) : place;
        values[j] = a;
        places[j] = at + 2 * j + place;
    }
}

template <class T>
void max_pool(const Pool& rows, const Pool& columns, const void* from, void* to, int64_t* places) {
    auto* plane = static_cast<const T*>(from);
    auto* values = static_cast<T*>(to);
    auto is_pair = [](const Pool& pool) {
        return pool.kernel == 2 && pool.stride == 2 && pool.padding == 0 && pool.dilation == 1 &&
               2 * pool.outputs <= pool.size;
    };
    bool pairs = is_pair(rows) && is_pair(columns);
    for (int64_t i = 0; i < rows.outputs; i++) {
        int64_t done = i * columns.outputs;
        if (pairs) {
            max_pairs(columns.size, columns.outputs, 2 * i * columns.size, plane, values + done, places + done);
        } else {
            max_row(rows, columns, i, plane, values + done, places + done);
        }
    }
}

template <class T>
void max_windows(const Windows& rows, const Windows& columns, const void* from, void* to, int64_t* places) {
    auto* plane = static_cast<const T*>(from);
    auto* values = static_cast<T*>(to);
    for (int64_t i = 0; i < rows.outputs; i++) {
        for (int64_t j = 0; j < columns.outputs; j++) {
            int64_t at = rows.starts[i] * columns.size + columns.starts[j];
            T best = plane[at];
            for (int64_t y = rows.starts[i]; y < rows.starts[i] + rows.counts[i]; y++) {
                for (int64_t x = columns.starts[j]; x < columns.starts[j] + columns.counts[j]; x++) {
                    T value = plane[y * columns.size + x];
                    if (value > best || value != value) {
                        best = value;
                        at = y * columns.size + x;
                    }
                }
            }
            *values++ = best;
            *places++ = at;
        }
    }
}

template <class T>
void scatter(const void* from, const int64_t* places, int64_t count, void* to) {
    auto* values = static_cast<const T*>(from);
    auto* plane = static_cast<T*>(to);
    for (int64_t i = 0; i < count; i++) plane[places[i]] += values[i];
}

template <int KERNEL, int STRIDE, class T>
ALWAYS_INLINE void sum_alike(const Windows& columns, const T* row, T* result) {
    int64_t kernel = KERNEL == 0 ? columns.kernel : KERNEL, stride = STRIDE == 0 ? columns.stride : STRIDE;
    if (KERNEL != 0) {
#pragma omp simd
        for (int64_t j = 0; j < columns.outputs; j++) {
            T total = row[j * stride];
            for (int64_t k = 1; k < kernel; k++) total += row[j * stride + k];
            result[j] = total;
        }
        return;
    }
    for (int64_t j = 0; j < columns.outputs; j++) {
        T total = 0;
        for (int64_t k = 0; k < kernel; k++) total += row[j * stride + k];
        result[j] = total;
    }
}

// The sums of the windows of one row.
template <class T>
ALWAYS_INLINE void sum_row(const Windows& columns, const T* row, T* result) {
    if (columns.kernel == 2 && columns.stride == 2) return sum_alike<2, 2>(columns, row, result);
    if (columns.kernel == 3 && columns.stride == 2) return sum_alike<3, 2>(columns, row, result);
    if (columns.kernel != 0) return sum_alike<0, 0>(columns, row, result);
    for (int64_t j = 0; j < columns.outputs; j++) {
        T total = 0;
        for (int64_t k = 0; k < columns.counts[j]; k++) total += row[columns.starts[j] + k];
        result[j] = total;
    }
}

template <class T>
void averages(const Windows& rows, const Windows& columns, double divisor, const void* from, void* to, void* spare) {
    auto* plane = static_cast<const T*>(from);
    auto* result = static_cast<T*>(to);
    auto* sums = static_cast<T*>(spare);
    int64_t width = columns.size;
    for (int64_t i = 0; i < rows.outputs; i++, result += columns.outputs) {
        const T* row = plane + rows.starts[i] * width;
        int64_t count = rows.counts[i];
        if (count != 1) {
            for (int64_t x = 0; x < width; x++) sums[x] = count > 0 ? row[x] : T(0);
            for (int64_t k = 1; k < count; k++) {
#pragma omp simd
                for (int64_t x = 0; x < width; x++) sums[x] += row[k * width + x];
            }
            row = sums;
        }
        sum_row(columns, row, result);
        double whole = rows.divisors == nullptr ? divisor : rows.divisors[i];
        if (columns.divisors == nullptr) {
            for (int64_t j = 0; j < columns.outputs; j++) result[j] /= T(whole);
        } else {
#pragma omp simd
            for (int64_t j = 0; j < columns.outputs; j++) result[j] /= T(whole * columns.divisors[j]);
        }
    }
}

template <class T>
void average_slopes(const Windows& rows, const Windows& columns, double divisor, const void* from, void* to,
                    void* spare) {
    auto* grad = static_cast<const T*>(from);
    auto* plane = static_cast<T*>(to);
    auto* shares = static_cast<T*>(spare);
    int64_t width = columns.size;
    for (int64_t at = 0; at < rows.size * width; at++) plane[at] = 0;
    for (int64_t i = 0; i < rows.outputs; i++, grad += columns.outputs) {
        double whole = rows.divisors == nullptr ? divisor : rows.divisors[i];
        for (int64_t x = 0; x < width; x++) shares[x] = 0;
        for (int64_t j = 0; j < columns.outputs; j++) {
            T share = grad[j] / T(columns.divisors == nullptr ? whole : whole * columns.divisors[j]);
            T* first = shares + columns.starts[j];
            for (int64_t k = 0; k < columns.counts[j]; k++) first[k] += share;
        }
        T* row = plane + rows.starts[i] * width;
        for (int64_t k = 0; k < rows.counts[i]; k++) {
#pragma omp simd
            for (int64_t x = 0; x < width; x++) row[k * width + x] += shares[x];
        }
    }
}

// One row through the taps of its columns.
template <class T>
ALWAYS_INLINE void tap_row(const rushlight::Taps& taps, const T* row, T* result) {
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
ALWAYS_INLINE bool repeats(const rushlight::Taps& taps, int64_t i) {
    return i > 0 && taps.full && taps.most == 1 && taps.weights == nullptr && taps.places[i] == taps.places[i - 1];
}

template <class T>
void tap(const rushlight::Taps& rows, const rushlight::Taps& columns, const void* from, void* to, void* spare) {
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
    loops.max_pool[which] = max_pool<T>;
    loops.max_windows[which] = max_windows<T>;
    loops.scatter[which] = scatter<T>;
    loops.averages[which] = averages<T>;
    loops.average_slopes[which] = average_slopes<T>;
    loops.tap[which] = tap<T>;
    loops.add_rows[which] = add_rows<T>;
}

}  // namespace

void pooling(Table& table) {
    fill_loops<float>(table.images, 0);
    fill_loops<double>(table.images, 1);
}

}  // namespace LEVEL
