// Maxima: where the largest and the smallest elements stand, and how they share a gradient.
#include "kernels/rows.h"

namespace LEVEL {

using rushlight::Search;

namespace {

// Whether an element takes the place of the best one so far: a NaN does, unless that is one already.
template <class F, class In>
ALWAYS_INLINE bool beats(In x, In best) {
    bool better = F::first == Largest<In>::first ? x > best : x < best;
    return better | ((x != x) & (best == best));
}

template <class In>
ALWAYS_INLINE bool is_same(In x, In best) {
    return (x == best) | ((x != x) & (best != best));
}

// The first element that is the best one; there is one.
template <class In>
int64_t first_place(const In* x, int64_t at, In best) {
    // stretches without it are passed over without a branch for each element
    constexpr int64_t stretch = 64;
    for (int64_t end = at + stretch;; at = end, end += stretch) {
        unsigned here = 0;
#pragma omp simd reduction(| : here)
        for (int64_t i = at; i < end; i++) here |= unsigned(is_same(x[i], best));
        if (here != 0) break;
    }
    while (!is_same(x[at], best)) at++;
    return at;
}

template <class F, class In>
void along(const void* input, int64_t rows, int64_t stride, int64_t count, void* values, int64_t* places) {
    // the best of each chunk is found first, then its place in the one chunk that has the best of all
    constexpr int64_t chunk = 1024;
    auto* x = static_cast<const In*>(input);
    auto* out = static_cast<In*>(values);
    for (int64_t row = 0; row < rows; row++, x += stride) {
        In best = x[0];
        int64_t where = 0;
        for (int64_t begin = 0; begin < count; begin += chunk) {
            int64_t length = count - begin < chunk ? count - begin : chunk;
            const In* here = x + begin;
            In found = Along{length}.fold<F>([here](int64_t at, int64_t) { return here[at]; })[0];
            if (!beats<F>(found, best)) continue;
            best = found;
            where = begin;
        }
        int64_t at = where;
        if (count - where >= chunk) {
            at = first_place(x, where, best);
        } else {
            while (!is_same(x[at], best)) at++;
        }
        out[row] = best;
        places[row] = at;
    }
}

// Numbers as wide as the elements, so that both go through vectors of one form.
template <class In>
struct Place {
    using Type = int64_t;
};
template <>
struct Place<float> {
    using Type = int32_t;
};

template <class F, class In>
void across(const void* input, int64_t rows, int64_t stride, int64_t columns, void* values, int64_t* places) {
    using Number = typename Place<In>::Type;
    auto* x = static_cast<const In*>(input);
    In best[TILE];
    Number at[TILE];
    for (int64_t column = 0; column < columns; column++) {
        best[column] = x[column];
        at[column] = 0;
    }
    for (int64_t row = 1; row < rows; row++) {
        x += stride;
        Number number = static_cast<Number>(row);
#pragma omp simd
        for (int64_t column = 0; column < columns; column++) {
            bool better = beats<F>(x[column], best[column]);
            best[column] = better ? x[column] : best[column];
            at[column] = better ? number : at[column];
        }
    }
    auto* out = static_cast<In*>(values);
    for (int64_t column = 0; column < columns; column++) {
        out[column] = best[column];
        places[column] = at[column];
    }
}

// The gradient split evenly between the elements that equal the result; option 0: whether NaN equals NaN.
struct SharedSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *x = row.input(0), *result = row.given(1), *grad = row.given(2);
        T* out = row.output(0);
        bool nans = row.option(0) != 0;
        auto chosen = [=](int64_t at, int64_t column) {
            bool same = (x[at] == result[column]) | (nans & (x[at] != x[at]) & (result[column] != result[column]));
            return same ? T(1) : T(0);
        };
        auto shares = way.template fold<Sum<T>>(chosen);
        if (nans) {
            // zero where the result did not come from, whatever the gradient
            way.each([&](int64_t at, int64_t column) {
                out[at] = chosen(at, column) != 0 ? grad[column] / T(shares[column]) : T(0);
            });
            return;
        }
        way.each([&](int64_t at, int64_t column) { out[at] = grad[column] * chosen(at, column) / T(shares[column]); });
    }
};

template <class In>
ALWAYS_INLINE void add_search(Table& table, int dtype) {
    table.folding.largest[dtype] = {along<Largest<In>, In>, across<Largest<In>, In>};
    table.folding.smallest[dtype] = {along<Smallest<In>, In>, across<Smallest<In>, In>};
}

}  // namespace

void maxima(Table& table) {
    add_search<float>(table, rushlight::FLOAT32);
    add_search<double>(table, rushlight::FLOAT64);
    add_search<int64_t>(table, rushlight::INT64);
    add_search<bool>(table, rushlight::BOOL);
    add<SharedSlope>(table, rushlight::SHARED_SLOPE);
}

}  // namespace LEVEL
