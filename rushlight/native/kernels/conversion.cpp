// Conversion: numbers of one dtype as another one's, as torch converts them.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

template <class From, class To>
struct Converted {
    static ALWAYS_INLINE To value(From x) { return static_cast<To>(x); }
};

// A float outside of int64 has no meaning in C++; NumPy and torch get x86's answer everywhere.
template <class From>
struct Converted<From, int64_t> {
    static ALWAYS_INLINE int64_t value(From x) {
        constexpr From limit = static_cast<From>(9223372036854775808.0);
        return (x >= -limit) & (x < limit) ? static_cast<int64_t>(x) : INT64_MIN;
    }
};

// A bool is stored as any byte. By way of an integer: bool to float does not become vector code.
template <class To>
struct Converted<Mask, To> {
    static ALWAYS_INLINE To value(Mask x) { return static_cast<To>(static_cast<int>(x != 0)); }
};

template <>
struct Converted<Mask, int64_t> {
    static ALWAYS_INLINE int64_t value(Mask x) { return x != 0; }
};

template <class From, class To>
void convert(const void* from, void* to, int64_t count) {
    auto* in = static_cast<const From*>(from);
    auto* out = static_cast<To*>(to);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) out[i] = Converted<From, To>::value(in[i]);
}

template <class T>
void copy(const void* from, void* to, int64_t count) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

template <class T>
void repeat(const void* from, int64_t step, void* to, int64_t height, int64_t width) {
    auto* in = static_cast<const char*>(from);
    auto* out = static_cast<T*>(to);
    for (int64_t row = 0; row < height; row++, in += step, out += width) {
        T value = *reinterpret_cast<const T*>(in);
#pragma omp simd
        for (int64_t i = 0; i < width; i++) out[i] = value;
    }
}

}  // namespace

void conversion(Table& table) {
    using namespace rushlight;
    table.convert[FLOAT32][FLOAT32] = copy<float>;
    table.convert[FLOAT32][FLOAT64] = convert<float, double>;
    table.convert[FLOAT32][INT64] = convert<float, int64_t>;
    table.convert[FLOAT32][BOOL] = convert<float, bool>;
    table.convert[FLOAT64][FLOAT32] = convert<double, float>;
    table.convert[FLOAT64][FLOAT64] = copy<double>;
    table.convert[FLOAT64][INT64] = convert<double, int64_t>;
    table.convert[FLOAT64][BOOL] = convert<double, bool>;
    table.convert[INT64][FLOAT32] = convert<int64_t, float>;
    table.convert[INT64][FLOAT64] = convert<int64_t, double>;
    table.convert[INT64][INT64] = copy<int64_t>;
    table.convert[INT64][BOOL] = convert<int64_t, bool>;
    table.convert[BOOL][FLOAT32] = convert<Mask, float>;
    table.convert[BOOL][FLOAT64] = convert<Mask, double>;
    table.convert[BOOL][INT64] = convert<Mask, int64_t>;
    table.convert[BOOL][BOOL] = copy<bool>;
    table.repeat[FLOAT32] = repeat<float>;
    table.repeat[FLOAT64] = repeat<double>;
    table.repeat[INT64] = repeat<int64_t>;
    table.repeat[BOOL] = repeat<unsigned char>;
}

}  // namespace LEVEL
