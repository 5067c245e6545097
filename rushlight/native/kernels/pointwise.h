// The one pointwise loop, and the rows that formulas make of it.
//
//     FORMULA(Tanh, (T x), math::tanh(x))
//     FORMULA(TanhSlope, (T grad, T y), grad * (1 - y * y))
//     Row(table, "tanh", "input").to_floats<Tanh>().gradient<TanhSlope>("input", "result");
//
// A row names the op, then the parameters that its formula reads, in order. A gradient's formula reads `grad`, then the
// saved values that are named after the input. Parameters of type T have the dtype of the row, a Mask is a bool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/math.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::Condition;
using rushlight::Loop;
using rushlight::Pointwise;
using rushlight::Rule;

using Mask = unsigned char;

// Constants in a formula are T(0.5): a bare 0.5 would turn float into double.
#define FORMULA(Name, parameters, ...)               \
    struct Name {                                    \
        template <class T>                           \
        static ALWAYS_INLINE auto value parameters { \
            return __VA_ARGS__;                      \
        }                                            \
    };

// A formula that holds for all but few elements, the far ones, for which the C library is asked.
#define CAREFUL(Name, parameters, is_far, formula, exactly) \
    struct Name {                                           \
        template <class T>                                  \
        static ALWAYS_INLINE bool far parameters {          \
            return is_far;                                  \
        }                                                   \
        template <class T>                                  \
        static ALWAYS_INLINE auto value parameters {        \
            return formula;                                 \
        }                                                   \
        template <class T>                                  \
        static ALWAYS_INLINE auto exact parameters {        \
            return exactly;                                 \
        }                                                   \
    };

// A formula of one number that takes fewer steps, to the same bits, where no number nearby is odder than `limit`.
#define QUICK(Name, oddness, limit, quickly, formula)      \
    struct Name {                                          \
        template <class T>                                 \
        static ALWAYS_INLINE math::BitsOf<T> oddity(T x) { \
            return oddness(x);                             \
        }                                                  \
        template <class T>                                 \
        static ALWAYS_INLINE T quick(T x) {                \
            return quickly(x);                             \
        }                                                  \
        template <class T>                                 \
        static ALWAYS_INLINE T value(T x) {                \
            return formula(x);                             \
        }                                                  \
        template <class T>                                 \
        static constexpr T most = limit;                   \
    };
// a careful one's parts need not read all parameters
#pragma GCC diagnostic ignored "-Wunused-parameter"

template <class F, class T, class = void>
constexpr bool is_careful = false;
template <class F, class T>
constexpr bool is_careful<F, T, decltype(static_cast<void>(&F::template far<T>))> = true;

template <class F, class T, class = void>
constexpr bool is_quick = false;
template <class F, class T>
constexpr bool is_quick<F, T, decltype(static_cast<void>(&F::template quick<T>))> = true;

template <class A, class B>
constexpr bool same_type = false;
template <class A>
constexpr bool same_type<A, A> = true;

template <bool condition, class A, class B>
struct Either {
    using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
    using Type = B;
};

// In memory a bool may be any byte.
template <class T>
using Stored = typename Either<same_type<T, bool>, Mask, T>::Type;

template <class F, class T, class Result, class... In>
struct Loops {
    // a comparison gives bool, everything else its own dtype
    using Out = typename Either<same_type<Result, bool>, bool, T>::Type;

    static ALWAYS_INLINE void run(Out* out, int64_t count, const Stored<In>*... in) {
        if constexpr (is_careful<F, T>) {
            // lambdas, not the functions: a pointer to one would not become vector code
            math::map_careful(
                out, count, [](In... x) { return F::template far<T>(x...); },
                [](In... x) { return F::template value<T>(x...); }, [](In... x) { return F::template exact<T>(x...); },
                in...);
        } else if constexpr (is_quick<F, T>) {
            math::map_quick(
                in..., out, count, [](T x) { return F::oddity(x); }, F::oddity(F::template most<T>),
                [](T x) { return F::quick(x); }, [](T x) { return F::value(x); });
        } else {
#pragma omp simd
            for (int64_t i = 0; i < count; i++) out[i] = static_cast<Out>(F::template value<T>(In(in[i])...));
        }
    }

    template <std::size_t... place>
    static ALWAYS_INLINE void unpack(const void* const* inputs, void* output, int64_t count,
                                     std::index_sequence<place...>) {
        run(static_cast<Out*>(output), count, static_cast<const Stored<In>*>(inputs[place])...);
    }

    static void loop(const void* const* inputs, void* output, int64_t count) {
        unpack(inputs, output, count, std::index_sequence_for<In...>());
    }
};

// What a formula says of itself, found from the type of its function.
template <class F, class T>
struct Form {
    template <class Result, class... In>
    static constexpr Loop loop_of(Result (*)(In...)) {
        return Loops<F, T, Result, In...>::loop;
    }
    template <class Result, class... In>
    static constexpr unsigned masks_of(Result (*)(In...)) {
        unsigned bits = 0, bit = 1;
        ((bits |= same_type<In, Mask> ? bit : 0, bit <<= 1), ...);
        return bits;
    }
    template <class Result, class... In>
    static constexpr bool is_bool(Result (*)(In...)) {
        return same_type<Result, bool>;
    }
    static constexpr Loop loop = loop_of(&F::template value<T>);
    static constexpr unsigned masks = masks_of(&F::template value<T>);
    static constexpr bool gives_bool = is_bool(&F::template value<T>);
};

// A row of the table, put together step by step.
class Row {
public:
    template <class... Names>
    ALWAYS_INLINE Row(Table& table, const char* name, Names... inputs) : row(table.new_row()) {
        row.name = name;
        int place = 0;
        ((row.inputs[place++] = inputs), ...);
    }

    // float32 and float64
    template <class F>
    ALWAYS_INLINE Row& floats() {
        return with<F, float>(rushlight::FLOAT32).template with<F, double>(rushlight::FLOAT64);
    }
    // the same, and integers are converted to floats before
    template <class F>
    ALWAYS_INLINE Row& to_floats() {
        return rule(Rule::FLOAT).template floats<F>();
    }
    template <class F>
    ALWAYS_INLINE Row& integers() {
        return with<F, int64_t>(rushlight::INT64);
    }
    template <class F>
    ALWAYS_INLINE Row& bools() {
        return with<F, bool>(rushlight::BOOL);
    }
    template <class F>
    ALWAYS_INLINE Row& all() {
        return floats<F>().template integers<F>().template bools<F>();
    }

    // of half precision, by its bits: the sign is the highest one in both formats
    template <class F>
    ALWAYS_INLINE Row& half_bits() {
        row.half_bits = Form<F, uint16_t>::loop;
        return *this;
    }

    ALWAYS_INLINE Row& rule(Rule rule) {
        row.rule = rule;
        return *this;
    }
    ALWAYS_INLINE Row& packed() {
        row.packed = true;
        return *this;
    }
    ALWAYS_INLINE Row& rows_only() {
        row.rows_only = true;
        return *this;
    }
    // Numbers, in the order of the inputs (0 for a tensor), that Python does not refuse.
    ALWAYS_INLINE Row& only_if(bool (*accepts)(const double* numbers)) {
        row.accepts = accepts;
        return *this;
    }

    // Conditions: for calls in which an argument is None; a number or a tensor; this text; this number.
    ALWAYS_INLINE Row& without(const char* name) { return when(name, Condition::NONE); }
    ALWAYS_INLINE Row& when(const char* name, Condition::Kind kind) {
        Condition& condition = next_condition();
        condition.name = name;
        condition.kind = kind;
        return *this;
    }
    ALWAYS_INLINE Row& when(const char* name, const char* text) {
        next_condition().text = text;
        return when(name, Condition::TEXT);
    }
    ALWAYS_INLINE Row& when(const char* name, double value) {
        next_condition().value = value;
        return when(name, Condition::VALUE);
    }

    template <class F, class... Reads>
    ALWAYS_INLINE Row& gradient(const char* input, Reads... reads) {
        Pointwise::Slope& slope = next_slope();
        slope.input = input;
        int place = 0;
        ((slope.reads[place++] = reads), ...);
        slope.loops[0] = Form<F, float>::loop;
        slope.loops[1] = Form<F, double>::loop;
        slope.masks = Form<F, float>::masks >> 1;  // without `grad`
        static_cast<void>(place);
        return *this;
    }
    // The gradient of this input is `grad` itself.
    ALWAYS_INLINE Row& passes(const char* input) {
        next_slope().input = input;
        return *this;
    }

private:
    template <class F, class T>
    ALWAYS_INLINE Row& with(int dtype) {
        row.loops[dtype] = Form<F, T>::loop;
        row.masks = Form<F, T>::masks;
        row.gives_bool = row.gives_bool || (Form<F, T>::gives_bool && !same_type<T, bool>);
        return *this;
    }
    ALWAYS_INLINE Condition& next_condition() {
        int place = 0;
        while (row.when[place].name != nullptr) place++;
        return row.when[place];
    }
    ALWAYS_INLINE Pointwise::Slope& next_slope() {
        int place = 0;
        while (row.slopes[place].input != nullptr) place++;
        return row.slopes[place];
    }

    Pointwise& row;
};

}  // namespace LEVEL
