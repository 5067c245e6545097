// Polynomials: the orthogonal families by their recurrences, in double precision. See ops/special/polynomials.py.
#include "kernels/pointwise.h"

namespace LEVEL {

namespace {

constexpr int64_t BLOCK = 256;  // elements whose recurrences run together
constexpr int BY_ANGLE = 7;     // from this degree on those of Chebyshev are taken from angles

// A family: degree 1, and degree k + 1 from degrees k and k - 1; degree 0 is always 1.
struct Chebyshev {
    static constexpr bool has_angles = true;
    static ALWAYS_INLINE double next(double, double x, double last, double before) { return 2 * x * last - before; }
    static ALWAYS_INLINE double cosine(double x) { return x; }
};
struct Shifted : Chebyshev {
    static ALWAYS_INLINE double next(double, double x, double last, double before) {
        return 2 * (2 * x - 1) * last - before;
    }
    static ALWAYS_INLINE double cosine(double x) { return 2 * x - 1; }
};

// the four kinds of Chebyshev at the cosine of an angle
struct KindT {
    static double at(double angle, double n) { return __builtin_cos(n * angle); }
};
struct KindU {
    static double at(double angle, double n) { return __builtin_sin((n + 1) * angle) / __builtin_sin(angle); }
};
struct KindV {
    static double at(double angle, double n) { return __builtin_cos((n + 0.5) * angle) / __builtin_cos(angle / 2); }
};
struct KindW {
    static double at(double angle, double n) { return __builtin_sin((n + 0.5) * angle) / __builtin_sin(angle / 2); }
};

template <class Kind, class Way, int factor, int shift>
struct OfAngles : Kind, Way {
    static ALWAYS_INLINE double first(double x) { return factor * x + shift; }
};
using ChebyshevT = OfAngles<KindT, Chebyshev, 1, 0>;
using ChebyshevU = OfAngles<KindU, Chebyshev, 2, 0>;
using ChebyshevV = OfAngles<KindV, Chebyshev, 2, -1>;
using ChebyshevW = OfAngles<KindW, Chebyshev, 2, 1>;
using ShiftedT = OfAngles<KindT, Shifted, 2, -1>;
using ShiftedU = OfAngles<KindU, Shifted, 4, -2>;
using ShiftedV = OfAngles<KindV, Shifted, 4, -3>;
using ShiftedW = OfAngles<KindW, Shifted, 4, -1>;

struct ByRecurrence {
    static constexpr bool has_angles = false;
    static double cosine(double) { return 2; }
    static double at(double, double) { return 0; }
};
struct HermiteH : ByRecurrence {
    static ALWAYS_INLINE double first(double x) { return 2 * x; }
    static ALWAYS_INLINE double next(double k, double x, double last, double before) {
        return 2 * x * last - 2 * k * before;
    }
};
struct HermiteHe : ByRecurrence {
    static ALWAYS_INLINE double first(double x) { return x; }
    static ALWAYS_INLINE double next(double k, double x, double last, double before) { return x * last - k * before; }
};
struct Laguerre : ByRecurrence {
    static ALWAYS_INLINE double first(double x) { return 1 - x; }
    static ALWAYS_INLINE double next(double k, double x, double last, double before) {
        return ((2 * k + 1 - x) * last - k * before) / (k + 1);
    }
};
struct Legendre : ByRecurrence {
    static ALWAYS_INLINE double first(double x) { return x; }
    static ALWAYS_INLINE double next(double k, double x, double last, double before) {
        return ((2 * k + 1) * x * last - k * before) / (k + 1);
    }
};

// Up to the highest degree that is not taken from angles; each element keeps its own.
template <class Family>
void run_block(const double* x, const double* n, double* found, int64_t count, double highest) {
    double before[BLOCK], last[BLOCK];
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        before[i] = 1;
        last[i] = Family::first(x[i]);
        found[i] = n[i] == 0 ? 1.0 : n[i] == 1 ? last[i] : 0.0;
    }
    for (double k = 1; k < highest; k++) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            double next = Family::next(k, x[i], last[i], before[i]);
            before[i] = last[i];
            last[i] = next;
            found[i] = n[i] == k + 1 ? next : found[i];
        }
    }
}

template <class Family, class T>
void polynomial_loop(const void* const* inputs, void* output, int64_t count) {
    auto *points = static_cast<const T*>(inputs[0]), *degrees = static_cast<const T*>(inputs[1]);
    auto* out = static_cast<T*>(output);
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        int64_t length = count - begin < BLOCK ? count - begin : BLOCK;
        double x[BLOCK], n[BLOCK], found[BLOCK], highest = 0;
        for (int64_t i = 0; i < length; i++) {
            x[i] = points[begin + i];
            n[i] = __builtin_trunc(degrees[begin + i]);
            double cosine = Family::cosine(x[i]);
            bool at_once = Family::has_angles && n[i] >= BY_ANGLE && cosine > -1 && cosine < 1;
            highest = !at_once && n[i] > highest ? n[i] : highest;
        }
        run_block<Family>(x, n, found, length, highest);
        for (int64_t i = 0; i < length; i++) {
            double cosine = Family::cosine(x[i]);
            bool at_once = Family::has_angles && n[i] >= BY_ANGLE && cosine > -1 && cosine < 1;
            out[begin + i] = static_cast<T>(at_once ? Family::at(__builtin_acos(cosine), n[i]) : found[i]);
        }
    }
}

template <class Family>
ALWAYS_INLINE void add(Table& table, const char* name) {
    Pointwise& row = table.new_row();
    row.name = name;
    row.inputs[0] = "input";
    row.inputs[1] = "n";
    row.rule = Rule::FLOAT;
    row.loops[rushlight::FLOAT32] = polynomial_loop<Family, float>;
    row.loops[rushlight::FLOAT64] = polynomial_loop<Family, double>;
}

}  // namespace

void polynomials(Table& table) {
    add<ChebyshevT>(table, "special.chebyshev_polynomial_t");
    add<ChebyshevU>(table, "special.chebyshev_polynomial_u");
    add<ChebyshevV>(table, "special.chebyshev_polynomial_v");
    add<ChebyshevW>(table, "special.chebyshev_polynomial_w");
    add<ShiftedT>(table, "special.shifted_chebyshev_polynomial_t");
    add<ShiftedU>(table, "special.shifted_chebyshev_polynomial_u");
    add<ShiftedV>(table, "special.shifted_chebyshev_polynomial_v");
    add<ShiftedW>(table, "special.shifted_chebyshev_polynomial_w");
    add<HermiteH>(table, "special.hermite_polynomial_h");
    add<HermiteHe>(table, "special.hermite_polynomial_he");
    add<Laguerre>(table, "special.laguerre_polynomial_l");
    add<Legendre>(table, "special.legendre_polynomial_p");
}

}  // namespace LEVEL
