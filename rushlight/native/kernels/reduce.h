// The one reduction loop, in its two directions: along a row, and across rows, column by column.
//
//     double total = Along{count}.fold<Sum<float>>([&](int64_t at, int64_t) { return x[at]; })[0];
//
// What is read is given by a function of the element's place and its column, so that a row op can fold what it computes
// and store it on the way. The order of the additions is fixed: it depends on the shape alone, neither on the vectors
// that a CPU has nor on the number of threads.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/folds.h"
#include "kernels/math.h"
#include "kernels/table.h"

#if defined(__GNUC__)
#define NEVER_INLINE __attribute__((noinline))
#else
#define NEVER_INLINE
#endif

namespace LEVEL {

using rushlight::TILE;

// Whole numbers wrap around.
template <class T>
ALWAYS_INLINE T plus(T a, T b) {
    return T(a + b);
}
ALWAYS_INLINE int64_t plus(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
template <class T>
ALWAYS_INLINE T times(T a, T b) {
    return a * b;
}
ALWAYS_INLINE int64_t times(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

// A reduction: elements are taken into lanes, which begin with `first` and join; where many such steps in one lane lose
// digits it is `deep`, and lanes are joined into wider totals after a few.
template <class In>
struct Sum {
    using Lane = In;
    using Total = In;
    static constexpr bool deep = true;
    static constexpr In first = 0;
    static ALWAYS_INLINE In take(In x) { return x; }
    template <class T>
    static ALWAYS_INLINE T join(T a, T b) {
        return plus(a, b);
    }
};
template <>
struct Sum<float> : Sum<double> {
    using Lane = float;
    static ALWAYS_INLINE float take(float x) { return x; }
};
template <>
struct Sum<bool> : Sum<int64_t> {
    using Lane = uint8_t;
    static ALWAYS_INLINE uint8_t take(bool x) { return x; }
};

// A NaN is larger, and smaller, than any other number.
template <class In>
struct Largest {
    using Lane = In;
    using Total = In;
    static constexpr bool deep = false;
    static constexpr In first = std::numeric_limits<In>::has_infinity ? -std::numeric_limits<In>::infinity()
                                                                      : std::numeric_limits<In>::lowest();
    static ALWAYS_INLINE In take(In x) { return x; }
    static ALWAYS_INLINE In join(In a, In b) {
        In larger = b > a ? b : a;
        return b == b ? larger : b;
    }
};

template <class In>
struct Smallest : Largest<In> {
    static constexpr In first =
        std::numeric_limits<In>::has_infinity ? std::numeric_limits<In>::infinity() : std::numeric_limits<In>::max();
    static ALWAYS_INLINE In join(In a, In b) {
        In smaller = b < a ? b : a;
        return b == b ? smaller : b;
    }
};

// Elements as they stand in memory.
template <class In>
struct Elements {
    const In* data;
    ALWAYS_INLINE In operator()(int64_t at, int64_t) const { return data[at]; }
};

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
        typename F::Total total = F::first;
        for (int64_t begin = 0; begin < count; begin += CHUNK<F>) {
            int64_t length = count - begin < CHUNK<F> ? count - begin : CHUNK<F>;
            typename F::Lane found[CHUNK<F>];
#pragma omp simd
            for (int64_t at = 0; at < length; at++) found[at] = F::take(read(begin + at, int64_t{0}));
            auto reread = [&](int64_t at, int64_t) { return found[at]; };
            total = F::join(total, by_halves<Taken<F>>(0, length, reread));
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
    // as many on every level of CPU
    template <class F>
    static constexpr int LANES = 256 / sizeof(typename F::Lane);
    template <class F>
    static constexpr int FEW = LANES<F> / 4;
    // elements that lanes take before they are joined
    template <class F>
    static constexpr int64_t CHUNK = 16 * LANES<F>;

    // The same reduction of what was taken before.
    template <class F>
    struct Taken : F {
        static ALWAYS_INLINE typename F::Lane take(typename F::Lane x) { return x; }
    };

    // Two halves of a long row, so that errors grow with the logarithm of its length.
    template <class F, class Read>
    static NEVER_INLINE typename F::Total by_halves(int64_t begin, int64_t end, const Read& read) {
        if constexpr (std::is_same_v<F, Sum<float>> && std::is_same_v<Read, Elements<float>>) {
            if (end - begin == CHUNK<F>) return sum_of_chunk(read.data + begin);
        }
        if (end - begin < 2 * LANES<F>) return in_lanes<F, FEW<F>>(begin, end, read);
        if (!F::deep || end - begin <= CHUNK<F>) return in_lanes<F, LANES<F>>(begin, end, read);
        int64_t half = (end - begin + 2 * CHUNK<F> - 1) / (2 * CHUNK<F>)*CHUNK<F>;
        return F::join(by_halves<F>(begin, begin + half, read), by_halves<F>(begin + half, end, read));
    }
    template <class F, int lanes, class Read>
    static ALWAYS_INLINE void take_four(int64_t at, typename F::Lane* lane, const Read& read) {
        auto taken = [&](int64_t place) { return F::take(read(place, int64_t{0})); };
#pragma omp simd
        for (int l = 0; l < lanes; l++) {
            typename F::Lane one = F::join(taken(at + l), taken(at + l + lanes));
            typename F::Lane two = F::join(taken(at + l + 2 * lanes), taken(at + l + 3 * lanes));
            lane[l] = F::join(lane[l], F::join(one, two));
        }
    }
    typedef float Eight __attribute__((vector_size(32)));
    typedef double Four __attribute__((vector_size(32)));
    // Loads stay in the order in which they are written.
    static ALWAYS_INLINE void load_in_order(const float* x, Eight& found) {
        std::memcpy(&found, x, sizeof found);
        asm volatile("" : : : "memory");
    }
    template <int first>
    static ALWAYS_INLINE void add_widened(const Eight& v, Four& to) {
        to += __builtin_convertvector(__builtin_shufflevector(v, v, first, first + 1, first + 2, first + 3), Four);
    }
    // What in_lanes does with a chunk, step by step, but each cache line is read when its turn comes: a processor
    // fetches lines ahead where they follow each other. Rows of 1,024 in the third cache take 50 ns each, not 75.
    static ALWAYS_INLINE double sum_of_chunk(const float* x) {
        Eight lane[8] = {};
        for (const float* end = x + CHUNK<Sum<float>>; x < end; x += 256) {
#pragma GCC unroll 4
            for (int part = 0; part < 4; part++) {
                const float* from = x + 64 * part;
                Eight read[8];
#pragma GCC unroll 8
                for (int i = 0; i < 8; i++) load_in_order(from + 8 * i, read[i]);
                lane[2 * part] += (read[0] + read[2]) + (read[4] + read[6]);
                lane[2 * part + 1] += (read[1] + read[3]) + (read[5] + read[7]);
            }
        }
        Four totals[8] = {};
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            add_widened<0>(lane[i], totals[2 * (i % 4)]);
            add_widened<4>(lane[i], totals[2 * (i % 4) + 1]);
        }
        for (int half = 4; half > 0; half /= 2) {
#pragma GCC unroll 4
            for (int i = 0; i < half; i++) totals[i] += totals[i + half];
        }
        return (totals[0][0] + totals[0][2]) + (totals[0][1] + totals[0][3]) + 0.0;
    }
    template <class F, int lanes, class Read>
    static ALWAYS_INLINE typename F::Total in_lanes(int64_t at, int64_t end, const Read& read) {
        using Lane = typename F::Lane;
        using Total = typename F::Total;
        Total rest = F::first;
        if (end - at < FEW<F> / 2) {
            for (; at < end; at++) rest = F::join(rest, Total(F::take(read(at, int64_t{0}))));
            return rest;
        }
        Lane lane[lanes];
        for (int l = 0; l < lanes; l++) lane[l] = Lane(F::first);
        // four at a time, in the order of memory: a lane that takes them one by one loses twice as much
        for (; F::deep && lanes > FEW<F> && at + 4 * lanes <= end; at += 4 * lanes) {
            for (int part = 0; part < 4; part++) {
                take_four<F, lanes / 4>(at + part * lanes, lane + part * (lanes / 4), read);
            }
        }
        for (; at + lanes <= end; at += lanes) {
#pragma omp simd
            for (int l = 0; l < lanes; l++) lane[l] = F::join(lane[l], F::take(read(at + l, int64_t{0})));
        }
        if (lanes > FEW<F>) {
            for (; at + FEW<F> <= end; at += FEW<F>) {
#pragma omp simd
                for (int l = 0; l < FEW<F>; l++) lane[l] = F::join(lane[l], F::take(read(at + l, int64_t{0})));
            }
        }
        for (; at < end; at++) rest = F::join(rest, Total(F::take(read(at, int64_t{0}))));
        Total totals[lanes / 2];
#pragma omp simd
        for (int l = 0; l < lanes / 2; l++) totals[l] = F::join(Total(lane[l]), Total(lane[l + lanes / 2]));
        for (int half = lanes / 4; half > 0; half /= 2) {
#pragma omp simd
            for (int l = 0; l < half; l++) totals[l] = F::join(totals[l], totals[l + half]);
        }
        return F::join(totals[0], rest);
    }
};

// Rows that stand `stride` elements apart, of which at most MOST columns are looked at.
template <int64_t MOST>
struct AcrossTile {
    int64_t count, stride, columns;

    // A number for each column.
    template <class T>
    struct State {
        T values[MOST];
        ALWAYS_INLINE T operator[](int64_t column) const { return values[column]; }
        ALWAYS_INLINE T& operator[](int64_t column) { return values[column]; }
    };

    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold(Read read) const {
        return fold_blocks<F>([&](int64_t row, int64_t end, State<typename F::Lane>& part) {
            // four at a time, since lanes are in memory
            for (; row + 4 <= end; row += 4) {
                once([&](int64_t column) {
                    int64_t at = row * stride + column;
                    auto one = F::join(F::take(read(at, column)), F::take(read(at + stride, column)));
                    at += 2 * stride;
                    auto two = F::join(F::take(read(at, column)), F::take(read(at + stride, column)));
                    part[column] = F::join(part[column], F::join(one, two));
                });
            }
            for (; row < end; row++) {
                once([&](int64_t column) {
                    part[column] = F::join(part[column], F::take(read(row * stride + column, column)));
                });
            }
        });
    }
    template <class F, class Read>
    ALWAYS_INLINE State<typename F::Total> fold_costly(Read read) const {
        return fold_blocks<F>([&](int64_t row, int64_t end, State<typename F::Lane>& part) {
            for (; row < end; row++) {
                State<typename F::Lane> found;
                once([&](int64_t column) { found[column] = F::take(read(row * stride + column, column)); });
                once([&](int64_t column) { part[column] = F::join(part[column], found[column]); });
            }
        });
    }
    template <class Write>
    ALWAYS_INLINE void each(Write write) const {
        for (int64_t row = 0; row < count; row++) {
            once([&](int64_t column) { write(row * stride + column, column); });
        }
    }
    // once for each column
    template <class Write>
    ALWAYS_INLINE void once(Write write) const {
#pragma omp simd
        for (int64_t column = 0; column < columns; column++) write(column);
    }

private:
    // Rows in blocks, where the reduction is deep.
    template <class F, class Block>
    ALWAYS_INLINE State<typename F::Total> fold_blocks(Block fold_block) const {
        constexpr int64_t block = F::deep ? 32 : int64_t{1} << 62;
        State<typename F::Total> totals;
        once([&](int64_t column) { totals[column] = F::first; });
        for (int64_t begin = 0; begin < count;) {
            int64_t end = count - begin < block ? count : begin + block;
            State<typename F::Lane> part;
            once([&](int64_t column) { part[column] = typename F::Lane(F::first); });
            fold_block(begin, end, part);
            once([&](int64_t column) { totals[column] = F::join(totals[column], typename F::Total(part[column])); });
            begin = end;
        }
        return totals;
    }
};

using Across = AcrossTile<TILE>;

}  // namespace LEVEL
