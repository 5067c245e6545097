// The one reduction loop, in its two directions: along a row, and across rows, column by column.
//
//     Sum<float>::Total total = along.fold<Sum<float>>([&](int64_t at, int64_t) { return x[at]; })[0];
//
// What is read is given by a function of the element's place and its column, so that a row op can fold what it computes
// and store it on the way. The order of the additions is fixed: it depends on the shape alone, neither on the vectors
// that a CPU has nor on the number of threads.
#pragma once

#include "folds.h"
#include "math.h"
#include "table.h"

#if defined(__GNUC__)
#define NEVER_INLINE __attribute__((noinline))
#else
#define NEVER_INLINE
#endif

namespace LEVEL {

using rushlight::TILE;

// Whole numbers wrap around.
template <class T>
ALWAYS_INLINE T plus(T a, T b) { return a + b; }
ALWAYS_INLINE int64_t plus(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
template <class T>
ALWAYS_INLINE T times(T a, T b) { return a * b; }
ALWAYS_INLINE int64_t times(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

// What numbers of type In are added up in.
template <class In>
struct Wider {
    using Type = In;
};
template <>
struct Wider<float> {
    using Type = double;
};
template <>
struct Wider<bool> {
    using Type = int64_t;
};

// A reduction: totals begin with `first`, take elements, and join; `deep` where long chains of that lose digits.
template <class In, class T = typename Wider<In>::Type>
struct Sum {
    using Total = T;
    static constexpr bool deep = sizeof(T) == sizeof(In);
    static constexpr T first = 0;
    static ALWAYS_INLINE T take(In x) { return T(x); }
    static ALWAYS_INLINE T join(T a, T b) { return plus(a, b); }
};

// A NaN is larger, and smaller, than any other number. Lowest and highest: infinities for floats.
template <class In>
struct Largest {
    using Total = In;
    static constexpr bool deep = false;
    static constexpr In first = std::numeric_limits<In>::has_infinity ? -std::numeric_limits<In>::infinity()
                                                                      : std::numeric_limits<In>::lowest();
    static ALWAYS_INLINE In take(In x) { return x; }
    static ALWAYS_INLINE In join(In a, In b) { return (b > a) | (b != b) ? b : a; }
};

template <class In>
struct Smallest : Largest<In> {
    static constexpr In first = std::numeric_limits<In>::has_infinity ? std::numeric_limits<In>::infinity()
                                                                      : std::numeric_limits<In>::max();
    static ALWAYS_INLINE In join(In a, In b) { return (b < a) | (b != b) ? b : a; }
};

// The same reduction of what it has found so far.
template <class F>
struct Again : F {
    using Total = typename F::Total;
    static ALWAYS_INLINE Total take(Total x) { return x; }
};

// Lanes that add up side by side: the same number on every level of CPU.
template <class Total>
constexpr int LANES = 256 / sizeof(Total);

// One row of elements next to each other.
struct Along {
    int64_t count;

    // A number of the row's, for any column.
    template <class T>
    struct State {
        T value;
        ALWAYS_INLINE T operator[](int64_t) const { return value; }
        ALWAYS_INLINE T& operator[](int64_t) { return value; }
    };

    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold(Read read) const {
        return {by_halves<F>(int64_t{0}, count, read)};
    }
    // For what takes many steps to compute: it is computed first, a chunk at a time, and folded then.
    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold_costly(Read read) const {
        using Total = typename F::Total;
        Total total = F::first;
        for (int64_t begin = 0; begin < count; begin += CHUNK<Total>) {
            int64_t length = count - begin < CHUNK<Total> ? count - begin : CHUNK<Total>;
            Total found[CHUNK<Total>];
#pragma omp simd
            for (int64_t at = 0; at < length; at++) found[at] = F::take(read(begin + at, int64_t{0}));
            auto reread = [&](int64_t at, int64_t) { return found[at]; };
            total = F::join(total, in_lanes<Again<F>>(0, length, reread));
        }
        return {total};
    }
    template <class Write>
    ALWAYS_INLINE void each(Write write) const {
#pragma omp simd
        for (int64_t at = 0; at < count; at++) write(at, int64_t{0});
    }
    // once for the row
    template <class Write>
    ALWAYS_INLINE void once(Write write) const {
        write(int64_t{0});
    }

private:
    // Elements that are added up in lanes, without loss.
    template <class Total>
    static constexpr int64_t CHUNK = 16 * LANES<Total>;

    // Two halves of a long row, so that errors grow with the logarithm of its length.
    template <class F, class Read>
    static NEVER_INLINE typename F::Total by_halves(int64_t begin, int64_t end, Read& read) {
        constexpr int64_t chunk = CHUNK<typename F::Total>;
        if (!F::deep || end - begin <= chunk) return in_lanes<F>(begin, end, read);
        int64_t half = (end - begin + 2 * chunk - 1) / (2 * chunk) * chunk;
        return F::join(by_halves<F>(begin, begin + half, read), by_halves<F>(begin + half, end, read));
    }
    template <class F, class Read>
    static ALWAYS_INLINE typename F::Total in_lanes(int64_t begin, int64_t end, Read& read) {
        using Total = typename F::Total;
        constexpr int lanes = LANES<Total>;
        if (end - begin < lanes / 4) {
            Total total = F::first;
            for (int64_t at = begin; at < end; at++) total = F::join(total, F::take(read(at, int64_t{0})));
            return total;
        }
        Total lane[lanes];
        for (int l = 0; l < lanes; l++) lane[l] = F::first;
        int64_t at = begin;
        for (; at + lanes <= end; at += lanes) {
#pragma omp simd
            for (int l = 0; l < lanes; l++) lane[l] = F::join(lane[l], F::take(read(at + l, int64_t{0})));
        }
        for (int l = 0; at < end; at++, l++) lane[l] = F::join(lane[l], F::take(read(at, int64_t{0})));
        for (int half = lanes / 2; half > 0; half /= 2) {
#pragma omp simd
            for (int l = 0; l < half; l++) lane[l] = F::join(lane[l], lane[l + half]);
        }
        return lane[0];
    }
};

// Rows that stand `stride` elements apart, of which at most TILE columns are looked at.
struct Across {
    int64_t count, stride, columns;

    // A number for each column.
    template <class T>
    struct State {
        T values[TILE];
        ALWAYS_INLINE T operator[](int64_t column) const { return values[column]; }
        ALWAYS_INLINE T& operator[](int64_t column) { return values[column]; }
    };

    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold(Read read) const {
        return fold_blocks<F, 4>(read);
    }
    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold_costly(Read read) const {
        return fold_blocks<F, 1>(read);
    }
    template <class Write>
    ALWAYS_INLINE void each(Write write) const {
        for (int64_t row = 0; row < count; row++) {
#pragma omp simd
            for (int64_t column = 0; column < columns; column++) write(row * stride + column, column);
        }
    }
    // once for each column
    template <class Write>
    ALWAYS_INLINE void once(Write write) const {
#pragma omp simd
        for (int64_t column = 0; column < columns; column++) write(column);
    }

private:
    // Rows in blocks, so that errors grow with the root of their number; several at a time, since totals are in memory.
    template <class F, int several, class Read>
    ALWAYS_INLINE State<typename F::Total> fold_blocks(Read& read) const {
        constexpr int64_t block = F::deep ? 64 : int64_t{1} << 62;
        State<typename F::Total> totals;
        once([&](int64_t column) { totals[column] = F::first; });
        for (int64_t begin = 0; begin < count;) {
            int64_t end = count - begin < block ? count : begin + block;
            State<typename F::Total> part;
            once([&](int64_t column) { part[column] = F::first; });
            int64_t row = begin;
            if (several == 4) {
                for (; row + 4 <= end; row += 4) {
                    once([&](int64_t column) {
                        int64_t at = row * stride + column;
                        auto one = F::join(F::take(read(at, column)), F::take(read(at + stride, column)));
                        at += 2 * stride;
                        auto two = F::join(F::take(read(at, column)), F::take(read(at + stride, column)));
                        part[column] = F::join(part[column], F::join(one, two));
                    });
                }
            }
            for (; row < end; row++) {
                once([&](int64_t column) {
                    part[column] = F::join(part[column], F::take(read(row * stride + column, column)));
                });
            }
            once([&](int64_t column) { totals[column] = F::join(totals[column], part[column]); });
            begin = end;
        }
        return totals;
    }
};

}  // namespace LEVEL
