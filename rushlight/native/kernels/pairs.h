// The loops of losses of an input and a target: a functor says what each pair of elements gives.
//
//     struct Squares {
//         static constexpr bool has_option = false, costly = false;
//         template <class T> static ALWAYS_INLINE T value(T x, T y, T option);
//         template <class T> static ALWAYS_INLINE T input_slope(T scale, T x, T y, T option);
//         template <class T> static ALWAYS_INLINE T target_slope(T scale, T x, T y, T option);
//     };
//     add_pairs<Squares>(table, rushlight::SQUARED_DISTANCES);
#pragma once

#include "kernels/reduce.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

template <class F, class T>
void pair_values(const void* const* inputs, void* output, int64_t count) {
    auto *x = static_cast<const T*>(inputs[0]), *y = static_cast<const T*>(inputs[1]);
    auto* option = static_cast<const T*>(inputs[F::has_option ? 2 : 0]);
    auto* out = static_cast<T*>(output);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) out[i] = F::template value<T>(x[i], y[i], option[i]);
}

template <class F, class T>
double pair_total(const void* input, const void* target, double option, int64_t count) {
    auto *x = static_cast<const T*>(input), *y = static_cast<const T*>(target);
    const T given = T(option);
    auto read = [=](int64_t at, int64_t) { return F::template value<T>(x[at], y[at], given); };
    if constexpr (F::costly) {
        return Along{count}.template fold_costly<Sum<T>>(read)[0];
    } else {
        return Along{count}.template fold<Sum<T>>(read)[0];
    }
}

template <class F, class T, bool OF_INPUT>
void pair_slopes(const void* const* inputs, void* output, int64_t count) {
    auto* scale = static_cast<const T*>(inputs[0]);
    auto *x = static_cast<const T*>(inputs[1]), *y = static_cast<const T*>(inputs[2]);
    auto* option = static_cast<const T*>(inputs[F::has_option ? 3 : 0]);
    auto* out = static_cast<T*>(output);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        out[i] = OF_INPUT ? F::template input_slope<T>(scale[i], x[i], y[i], option[i])
                          : F::template target_slope<T>(scale[i], x[i], y[i], option[i]);
    }
}

template <class F, class T>
ALWAYS_INLINE void add_pairs_of(rushlight::PairLoops& loops, int dtype) {
    loops.values[dtype] = pair_values<F, T>;
    loops.total[dtype] = pair_total<F, T>;
    loops.slopes[0][dtype] = pair_slopes<F, T, true>;
    loops.slopes[1][dtype] = pair_slopes<F, T, false>;
}

template <class F>
ALWAYS_INLINE void add_pairs(Table& table, rushlight::PairLoss loss) {
    rushlight::PairLoops& loops = table.losses.pairs[loss];
    loops.has_option = F::has_option;
    add_pairs_of<F, float>(loops, rushlight::FLOAT32);
    add_pairs_of<F, double>(loops, rushlight::FLOAT64);
}

}  // namespace

}  // namespace LEVEL
