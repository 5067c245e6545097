// Conversion: numbers of one dtype as another one's, as torch converts them.
#include "kernels/halves.h"
#include "kernels/pointwise.h"
#include "kernels/table.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

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

// Where the processor has an instruction for it that is used; else by bits, the same numbers.
void widen_float16(const void* from, void* to, int64_t count) {
    auto* in = static_cast<const uint16_t*>(from);
    auto* out = static_cast<float*>(to);
    int64_t done = 0;
#ifdef __AVX512F__
    for (; done + 16 <= count; done += 16) {
        __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + done));
        _mm512_storeu_ps(out + done, _mm512_maskz_cvtph_ps(0xffff, halves));
    }
#endif
#pragma omp simd
    for (int64_t i = done; i < count; i++) out[i] = float16_as_float(in[i]);
}

// To the nearest, of two to the even one. What is below the smallest normal number is rounded by an addition.
void shorten_float16(const void* from, void* to, int64_t count) {
    auto* in = static_cast<const float*>(from);
    auto* out = static_cast<uint16_t*>(to);
    constexpr uint32_t magic = 0x3f000000u;
    int64_t done = 0;
#ifdef __AVX512F__
    for (; done + 16 <= count; done += 16) {
        __m256i halves = _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(in + done), _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + done), halves);
    }
#endif
#pragma omp simd
    for (int64_t i = done; i < count; i++) {
        uint32_t bits = bits_as<uint32_t>(in[i]), size = bits & 0x7fffffffu;
        uint32_t small = bits_as<uint32_t>(bits_as<float>(size) + bits_as<float>(magic)) - magic;
        uint32_t normal = (size + 0xc8000fffu + ((size >> 13) & 1u)) >> 13;
        uint32_t special = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
        uint32_t half = size < 0x38800000u ? small : normal;
        half = size >= 0x47800000u ? special : half;
        out[i] = static_cast<uint16_t>(half | ((bits >> 16) & 0x8000u));
    }
}

void widen_bfloat16(const void* from, void* to, int64_t count) {
    auto* in = static_cast<const uint16_t*>(from);
    auto* out = static_cast<float*>(to);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) out[i] = bfloat16_as_float(in[i]);
}

void shorten_bfloat16(const void* from, void* to, int64_t count) {
    auto* in = static_cast<const uint32_t*>(from);
    auto* out = static_cast<uint16_t*>(to);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits = in[i], rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
        out[i] = static_cast<uint16_t>(is_nan ? 0x7fc0u | ((bits >> 16) & 0x8000u) : rounded);
    }
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
    table.widen[FLOAT16 - DTYPES] = widen_float16;
    table.widen[BFLOAT16 - DTYPES] = widen_bfloat16;
    table.shorten[FLOAT16 - DTYPES] = shorten_float16;
    table.shorten[BFLOAT16 - DTYPES] = shorten_bfloat16;
}

}  // namespace LEVEL
