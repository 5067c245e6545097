// The one pointwise loop, and the rows that functors make of it.
//
//     VALUE1(Tanh, math::tanh(x))                    a functor of one number; VALUE2 has x and y, VALUE3 z too
//     SLOPE1(TanhSlope, grad * (1 - y * y))          a gradient's: `grad`, then x, y, z for what the row reads
//     Row row("tanh", {"input"});
//     row.floats<Tanh>().slope<TanhSlope>(0, {"result"});
//     table.add(row);
//
// `p` are the options that the row names, as double.
#pragma once

#include "table.h"

namespace LEVEL {

using rushlight::Loop;
using rushlight::Pointwise;
using rushlight::Table;

#define VALUE1(Name, expression)                                                           \
    struct Name {                                                                          \
        static constexpr int count = 1;                                                    \
        template <class T>                                                                 \
        static ALWAYS_INLINE auto value(T x, T, T, [[maybe_unused]] const double* p) {     \
            return expression;                                                             \
        }                                                                                  \
    };
#define VALUE2(Name, expression)                                                           \
    struct Name {                                                                          \
        static constexpr int count = 2;                                                    \
        template <class T>                                                                 \
        static ALWAYS_INLINE auto value(T x, T y, T, [[maybe_unused]] const double* p) {   \
            return expression;                                                             \
        }                                                                                  \
    };
#define VALUE3(Name, expression)                                                           \
    struct Name {                                                                          \
        static constexpr int count = 3;                                                    \
        template <class T>                                                                 \
        static ALWAYS_INLINE auto value(T x, T y, T z, [[maybe_unused]] const double* p) { \
            return expression;                                                             \
        }                                                                                  \
    };
// Gradients have one number more in front.
#define SLOPE0(Name, expression)                                                             \
    struct Name {                                                                            \
        static constexpr int count = 1;                                                      \
        template <class T>                                                                   \
        static ALWAYS_INLINE auto value(T grad, T, T, [[maybe_unused]] const double* p) {    \
            return expression;                                                               \
        }                                                                                    \
    };
#define SLOPE1(Name, expression)                                                             \
    struct Name {                                                                            \
        static constexpr int count = 2;                                                      \
        template <class T>                                                                   \
        static ALWAYS_INLINE auto value(T grad, T x, T, [[maybe_unused]] const double* p) {  \
            return expression;                                                               \
        }                                                                                    \
    };
#define SLOPE2(Name, expression)                                                             \
    struct Name {                                                                            \
        static constexpr int count = 3;                                                      \
        template <class T>                                                                   \
        static ALWAYS_INLINE auto value(T grad, T x, T y, [[maybe_unused]] const double* p) { \
            return expression;                                                               \
        }                                                                                    \
    };

template <class F, class In, class Out>
void loop(const void* const* inputs, void* output, int64_t count, const double* options) {
    auto* a = static_cast<const In*>(inputs[0]);
    auto* b = static_cast<const In*>(inputs[F::count > 1 ? 1 : 0]);
    auto* c = static_cast<const In*>(inputs[F::count > 2 ? 2 : 0]);
    auto* out = static_cast<Out*>(output);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        out[i] = static_cast<Out>(F::template value<In>(a[i], F::count > 1 ? b[i] : a[i], F::count > 2 ? c[i] : a[i],
                                                        options));
    }
}

// A row of the table, put together step by step.
struct Row : Pointwise {
    ALWAYS_INLINE Row(const char* op, const char* first, const char* second = nullptr, const char* third = nullptr) {
        name = op;
        inputs[0] = first;
        inputs[1] = second;
        inputs[2] = third;
    }
    ALWAYS_INLINE Row& option(const char* which) {
        int place = 0;
        while (options[place] != nullptr) place++;
        options[place] = which;
        return *this;
    }
    template <class F>
    ALWAYS_INLINE Row& floats() {
        loops[rushlight::FLOAT32] = loop<F, float, float>;
        loops[rushlight::FLOAT64] = loop<F, double, double>;
        return *this;
    }
    template <class F>
    ALWAYS_INLINE Row& integers() {
        loops[rushlight::INT64] = loop<F, int64_t, int64_t>;
        return *this;
    }
    // The result is bool, whatever the inputs are.
    template <class F>
    ALWAYS_INLINE Row& compares() {
        gives_bool = true;
        loops[rushlight::FLOAT32] = loop<F, float, bool>;
        loops[rushlight::FLOAT64] = loop<F, double, bool>;
        loops[rushlight::INT64] = loop<F, int64_t, bool>;
        loops[rushlight::BOOL] = loop<F, bool, bool>;
        return *this;
    }
    // The gradient of an input: a loop over grad and the values that are read.
    template <class F>
    ALWAYS_INLINE Row& slope(int input, const char* first = nullptr, const char* second = nullptr) {
        slopes[input].reads[0] = first;
        slopes[input].reads[1] = second;
        slopes[input].loops[0] = loop<F, float, float>;
        slopes[input].loops[1] = loop<F, double, double>;
        return *this;
    }
    ALWAYS_INLINE Row& same(int input) {
        slopes[input].same = true;
        return *this;
    }
};

}  // namespace LEVEL
