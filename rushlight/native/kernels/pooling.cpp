// Pooling: the maxima and the averages of the windows of a plane, and their gradients.
#include <limits>

#include "kernels/images.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

using rushlight::Pool;
using rushlight::Windows;

constexpr int64_t BLOCK = 256;  // columns whose maxima are kept at hand

template <class T>
struct PlaceOf;
template <>
struct PlaceOf<float> {
    using type = int32_t;
};
template <>
struct PlaceOf<double> {
    using type = int64_t;
};
template <>
struct PlaceOf<int64_t> {
    using type = int64_t;
};

// What nothing is smaller than.
template <class T>
constexpr T lowest() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();
}

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

// One tap of windows over columns that were folded before: of equals the first in the plane counts, of NaNs the last.
template <int STRIDE, class T, class Place>
ALWAYS_INLINE void take_folded(const T* folded, const Place* from, int64_t stride, int64_t count, T* best, Place* at) {
    int64_t step = STRIDE == 0 ? stride : STRIDE;
#pragma omp simd
    for (int64_t j = 0; j < count; j++) {
        T x = folded[j * step];
        Place place = from[j * step];
        bool better =
            (x > best[j]) | ((x == best[j]) & (place < at[j])) | ((x != x) & ((best[j] == best[j]) | (place > at[j])));
        best[j] = better ? x : best[j];
        at[j] = better ? place : at[j];
    }
}

// The windows of one row of the result that is more than one element high: first down the columns, then along the row,
// which takes kernel + kernel steps instead of kernel * kernel. False where too many columns would be looked at.
template <class T>
bool max_row_apart(const Pool& rows, const Pool& columns, int64_t window, const T* plane, T* values, int64_t* places) {
    using Place = typename PlaceOf<T>::type;
    constexpr int64_t SPAN = 1024, LANES = 16;
    int64_t reach = (columns.kernel - 1) * columns.dilation, width = columns.size;
    int64_t top = window * rows.stride - rows.padding, first = first_of(rows, window);
    if (reach >= SPAN || (first - top) % rows.dilation != 0 || first - top > (rows.kernel - 1) * rows.dilation)
        return false;
    int64_t block = smaller(BLOCK, (SPAN - 1 - reach) / columns.stride / LANES * LANES);
    if (block < LANES) return false;
    T folded[SPAN], best[BLOCK];
    Place from[SPAN], at[BLOCK];
    for (int64_t begin = 0; begin < columns.outputs; begin += block) {
        int64_t count = smaller(block, columns.outputs - begin), whole = (count + LANES - 1) / LANES * LANES;
        int64_t left = begin * columns.stride - columns.padding, span = (whole - 1) * columns.stride + reach + 1;
        int64_t low = larger(-left, 0), high = larger(low, smaller(span, width - left));
        // around the plane there is nothing larger than anything, so that every window has all its taps
        for (int64_t x = 0; x < span; x++) {
            folded[x] = lowest<T>();
            from[x] = std::numeric_limits<Place>::max();
        }
        const T* row = plane + first * width + left + low;
        Place place = Place(first * width + left + low);
        for (int64_t x = low; x < high; x++) {
            folded[x] = row[x - low];
            from[x] = Place(place + Place(x - low));
        }
        int64_t bottom = smaller(rows.size, top + (rows.kernel - 1) * rows.dilation + 1);
        for (int64_t y = first + rows.dilation; y < bottom; y += rows.dilation) {
            take_tap<1>(plane + y * width + left + low, 1, 0, high - low, Place(y * width + left + low), folded + low,
                        from + low);
        }
        for (int64_t j = 0; j < whole; j++) {
            best[j] = lowest<T>();
            at[j] = Place(first * width + first_of(columns, begin + j));
        }
        for (int64_t wide = 0; wide < columns.kernel; wide++) {
            const T* tap = folded + wide * columns.dilation;
            const Place* its = from + wide * columns.dilation;
            if (columns.stride == 1) {
                take_folded<1>(tap, its, 1, whole, best, at);
            } else if (columns.stride == 2) {
                take_folded<2>(tap, its, 2, whole, best, at);
            } else {
                take_folded<0>(tap, its, columns.stride, whole, best, at);
            }
        }
        for (int64_t j = 0; j < count; j++) {
            values[begin + j] = best[j];
            places[begin + j] = at[j];
        }
    }
    return true;
}

// The windows of a volume that have one row of it, which begins at `start`, among their taps: `width` windows of a row
// of the result, the one at `from` first.
template <class T, class Place>
void take_row(const Pool& columns, int64_t from, int64_t width, const T* volume, int64_t start, T* best, Place* at) {
    for (int64_t wide = 0; wide < columns.kernel; wide++) {
        int64_t x = from * columns.stride - columns.padding + wide * columns.dilation;
        int64_t begin = x < 0 ? (-x + columns.stride - 1) / columns.stride : 0;
        int64_t end = x >= columns.size ? 0 : smaller(width, (columns.size - 1 - x) / columns.stride + 1);
        if (begin >= end) continue;
        // from the first window that has the tap, so that no pointer leaves the row
        int64_t place = start + x + begin * columns.stride, count = end - begin;
        const T* row = volume + place;
        if (columns.stride == 1) {
            take_tap<1>(row, 1, 0, count, Place(place), best + begin, at + begin);
        } else if (columns.stride == 2) {
            take_tap<2>(row, 2, 0, count, Place(place), best + begin, at + begin);
        } else {
            take_tap<0>(row, columns.stride, 0, count, Place(place), best + begin, at + begin);
        }
    }
}

// The windows of one row of the result, BLOCK of them at a time, tap by tap.
template <class T>
void max_row(const Pool& depth, const Pool& rows, const Pool& columns, int64_t slab, int64_t window, const T* volume,
             T* values, int64_t* places) {
    using Place = typename PlaceOf<T>::type;
    T best[BLOCK];
    Place at[BLOCK];
    int64_t first_row = (first_of(depth, slab) * rows.size + first_of(rows, window)) * columns.size;
    for (int64_t from = 0; from < columns.outputs; from += BLOCK) {
        int64_t width = smaller(BLOCK, columns.outputs - from);
        for (int64_t j = 0; j < width; j++) {
            best[j] = lowest<T>();
            at[j] = Place(first_row + first_of(columns, from + j));
        }
        for (int64_t deep = 0; deep < depth.kernel; deep++) {
            int64_t z = slab * depth.stride - depth.padding + deep * depth.dilation;
            if (z < 0 || z >= depth.size) continue;
            for (int64_t tall = 0; tall < rows.kernel; tall++) {
                int64_t y = window * rows.stride - rows.padding + tall * rows.dilation;
                if (y < 0 || y >= rows.size) continue;
                take_row(columns, from, width, volume, (z * rows.size + y) * columns.size, best, at);
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
void max_plane(const Pool& flat, const Pool& rows, const Pool& columns, const T* plane, T* values, int64_t* places) {
    auto is_pair = [](const Pool& pool) {
        return pool.kernel == 2 && pool.stride == 2 && pool.padding == 0 && pool.dilation == 1 &&
               2 * pool.outputs <= pool.size;
    };
    bool pairs = is_pair(rows) && is_pair(columns);
    for (int64_t i = 0; i < rows.outputs; i++) {
        int64_t done = i * columns.outputs;
        if (pairs) {
            max_pairs(columns.size, columns.outputs, 2 * i * columns.size, plane, values + done, places + done);
        } else if (rows.kernel == 1 || !max_row_apart(rows, columns, i, plane, values + done, places + done)) {
            max_row(flat, rows, columns, 0, i, plane, values + done, places + done);
        }
    }
}

template <class T>
void max_pool(const Pool& depth, const Pool& rows, const Pool& columns, const void* from, void* to, int64_t* places) {
    auto* volume = static_cast<const T*>(from);
    auto* values = static_cast<T*>(to);
    if (depth.size == 1 && depth.kernel == 1 && depth.outputs == 1) {
        return max_plane(depth, rows, columns, volume, values, places);
    }
    for (int64_t slab = 0; slab < depth.outputs; slab++) {
        for (int64_t i = 0; i < rows.outputs; i++) {
            max_row(depth, rows, columns, slab, i, volume, values, places);
            values += columns.outputs;
            places += columns.outputs;
        }
    }
}

// The largest element of a box that begins at `at` and its place, which `at` becomes.
template <class T>
ALWAYS_INLINE T max_box(const T* volume, int64_t slabs, int64_t slab, int64_t rows, int64_t row, int64_t columns,
                        int64_t& at) {
    int64_t start = at;
    T best = volume[start];
    for (int64_t z = 0; z < slabs; z++) {
        for (int64_t y = 0; y < rows; y++) {
            int64_t first = start + z * slab + y * row;
            for (int64_t place = first; place < first + columns; place++) {
                T value = volume[place];
                if (value > best || value != value) {
                    best = value;
                    at = place;
                }
            }
        }
    }
    return best;
}

template <class T>
void max_windows(const Windows& depth, const Windows& rows, const Windows& columns, const void* from, void* to,
                 int64_t* places) {
    auto* volume = static_cast<const T*>(from);
    auto* values = static_cast<T*>(to);
    int64_t row = columns.size, slab = rows.size * row;
    for (int64_t s = 0; s < depth.outputs; s++) {
        for (int64_t i = 0; i < rows.outputs; i++) {
            for (int64_t j = 0; j < columns.outputs; j++) {
                int64_t at = depth.starts[s] * slab + rows.starts[i] * row + columns.starts[j];
                *values++ = max_box(volume, depth.counts[s], slab, rows.counts[i], row, columns.counts[j], at);
                *places++ = at;
            }
        }
    }
}

template <class T>
void scatter(const void* from, const int64_t* places, int64_t count, void* to) {
    auto* values = static_cast<const T*>(from);
    auto* plane = static_cast<T*>(to);
    for (int64_t i = 0; i < count; i++) plane[places[i]] += values[i];
}

template <class T>
void put(const void* from, const int64_t* places, int64_t count, void* to) {
    auto* values = static_cast<const T*>(from);
    auto* plane = static_cast<T*>(to);
    for (int64_t i = 0; i < count; i++) plane[places[i]] = values[i];
}

template <class T>
void take(const void* from, const int64_t* places, int64_t count, void* to) {
    auto* plane = static_cast<const T*>(from);
    auto* values = static_cast<T*>(to);
    for (int64_t i = 0; i < count; i++) values[i] = plane[places[i]];
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

// `divisor` is that of the windows along other dimensions where rows have divisors, and the whole one otherwise.
template <class T>
void average_plane(const Windows& rows, const Windows& columns, double divisor, const T* plane, T* result, T* sums) {
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
        double whole = rows.divisors == nullptr ? divisor : divisor * rows.divisors[i];
        if (columns.divisors == nullptr) {
            for (int64_t j = 0; j < columns.outputs; j++) result[j] /= T(whole);
        } else {
#pragma omp simd
            for (int64_t j = 0; j < columns.outputs; j++) result[j] /= T(whole * columns.divisors[j]);
        }
    }
}

template <class T>
void averages(const Windows& depth, const Windows& rows, const Windows& columns, double divisor, const void* from,
              void* to, void* spare) {
    auto* volume = static_cast<const T*>(from);
    auto* result = static_cast<T*>(to);
    auto *sums = static_cast<T*>(spare), *slab = sums + columns.size;
    int64_t size = rows.size * columns.size;
    for (int64_t s = 0; s < depth.outputs; s++, result += rows.outputs * columns.outputs) {
        const T* plane = volume + depth.starts[s] * size;
        int64_t count = depth.counts[s];
        if (count != 1) {
            for (int64_t x = 0; x < size; x++) slab[x] = count > 0 ? plane[x] : T(0);
            for (int64_t k = 1; k < count; k++) {
#pragma omp simd
                for (int64_t x = 0; x < size; x++) slab[x] += plane[k * size + x];
            }
            plane = slab;
        }
        average_plane(rows, columns, depth.divisors == nullptr ? divisor : depth.divisors[s], plane, result, sums);
    }
}

template <class T>
void plane_slopes(const Windows& rows, const Windows& columns, double divisor, const T* grad, T* plane, T* shares) {
    int64_t width = columns.size;
    for (int64_t at = 0; at < rows.size * width; at++) plane[at] = 0;
    for (int64_t i = 0; i < rows.outputs; i++, grad += columns.outputs) {
        double whole = rows.divisors == nullptr ? divisor : divisor * rows.divisors[i];
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

template <class T>
void average_slopes(const Windows& depth, const Windows& rows, const Windows& columns, double divisor, const void* from,
                    void* to, void* spare) {
    auto* grad = static_cast<const T*>(from);
    auto* volume = static_cast<T*>(to);
    auto *shares = static_cast<T*>(spare), *slab = shares + columns.size;
    int64_t size = rows.size * columns.size;
    bool flat = depth.size == 1 && depth.outputs == 1 && depth.counts[0] == 1;
    if (!flat) {
        for (int64_t at = 0; at < depth.size * size; at++) volume[at] = 0;
    }
    for (int64_t s = 0; s < depth.outputs; s++, grad += rows.outputs * columns.outputs) {
        double whole = depth.divisors == nullptr ? divisor : depth.divisors[s];
        plane_slopes(rows, columns, whole, grad, flat ? volume : slab, shares);
        if (flat) return;
        T* first = volume + depth.starts[s] * size;
        for (int64_t k = 0; k < depth.counts[s]; k++) {
#pragma omp simd
            for (int64_t x = 0; x < size; x++) first[k * size + x] += slab[x];
        }
    }
}

template <class T>
void fill_loops(rushlight::ImageLoops& loops, int which) {
    loops.max_pool[which] = max_pool<T>;
    loops.max_windows[which] = max_windows<T>;
    loops.scatter[which] = scatter<T>;
    loops.put[which] = put<T>;
    loops.take[which] = take<T>;
    loops.averages[which] = averages<T>;
    loops.average_slopes[which] = average_slopes<T>;
}

}  // namespace

void pooling(Table& table) {
    fill_loops<float>(table.images, 0);
    fill_loops<double>(table.images, 1);
    table.images.max_pool[2] = max_pool<int64_t>;
}

}  // namespace LEVEL
