// A register of numbers: what the compiler's own vectorisation does not find, the tiles of a matrix product.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/table.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Code that would be copied into many tiles otherwise.
#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

namespace LEVEL {

#if defined(__AVX512F__)
constexpr int REGISTER = 64;  // bytes
#elif defined(__AVX__)
constexpr int REGISTER = 32;
#else
constexpr int REGISTER = 16;
#endif

template <class T>
struct VectorOf {
    static constexpr int lanes = REGISTER / sizeof(T);
    typedef T type __attribute__((vector_size(REGISTER)));
};

template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
constexpr int PER_REGISTER = VectorOf<T>::lanes;

template <class T>
ALWAYS_INLINE Vector<T> load(const T* from) {
    Vector<T> found;
    std::memcpy(&found, from, sizeof found);
    return found;
}

template <class T>
ALWAYS_INLINE void store(T* to, Vector<T> values) {
    std::memcpy(to, &values, sizeof values);
}

template <class T>
ALWAYS_INLINE Vector<T> spread(T x) {
    return x - Vector<T>{};
}

// The first `count` numbers, then zeros.
template <class T>
ALWAYS_INLINE Vector<T> load_some(const T* from, int64_t count) {
    Vector<T> found = {};
    for (int64_t i = 0; i < count; i++) found[i] = from[i];
    return found;
}

template <class T>
ALWAYS_INLINE void store_some(T* to, Vector<T> values, int64_t count) {
    for (int64_t i = 0; i < count; i++) to[i] = values[i];
}

// a * b + c, rounded once where the processor can
#if defined(__AVX512F__)
ALWAYS_INLINE Vector<float> add_product(Vector<float> a, Vector<float> b, Vector<float> c) {
    return _mm512_fmadd_ps(a, b, c);
}
ALWAYS_INLINE Vector<double> add_product(Vector<double> a, Vector<double> b, Vector<double> c) {
    return _mm512_fmadd_pd(a, b, c);
}
ALWAYS_INLINE Vector<float> load_some(const float* from, int64_t count) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from);
}
ALWAYS_INLINE Vector<double> load_some(const double* from, int64_t count) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), from);
}
ALWAYS_INLINE void store_some(float* to, Vector<float> values, int64_t count) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), values);
}
ALWAYS_INLINE void store_some(double* to, Vector<double> values, int64_t count) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), values);
}
#elif defined(__FMA__)
constexpr int32_t MASK[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
ALWAYS_INLINE __m256i mask32(int64_t count) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(MASK + 8 - count));
}
ALWAYS_INLINE __m256i mask64(int64_t count) { return mask32(2 * count); }
ALWAYS_INLINE Vector<float> load_some(const float* from, int64_t count) {
    return _mm256_maskload_ps(from, mask32(count));
}
ALWAYS_INLINE Vector<double> load_some(const double* from, int64_t count) {
    return _mm256_maskload_pd(from, mask64(count));
}
ALWAYS_INLINE void store_some(float* to, Vector<float> values, int64_t count) {
    _mm256_maskstore_ps(to, mask32(count), values);
}
ALWAYS_INLINE void store_some(double* to, Vector<double> values, int64_t count) {
    _mm256_maskstore_pd(to, mask64(count), values);
}
ALWAYS_INLINE Vector<float> add_product(Vector<float> a, Vector<float> b, Vector<float> c) {
    return _mm256_fmadd_ps(a, b, c);
}
ALWAYS_INLINE Vector<double> add_product(Vector<double> a, Vector<double> b, Vector<double> c) {
    return _mm256_fmadd_pd(a, b, c);
}
#elif defined(__aarch64__)
ALWAYS_INLINE Vector<float> add_product(Vector<float> a, Vector<float> b, Vector<float> c) {
    return Vector<float>(vfmaq_f32(float32x4_t(c), float32x4_t(a), float32x4_t(b)));
}
ALWAYS_INLINE Vector<double> add_product(Vector<double> a, Vector<double> b, Vector<double> c) {
    return Vector<double>(vfmaq_f64(float64x2_t(c), float64x2_t(a), float64x2_t(b)));
}
#else
template <class V>
ALWAYS_INLINE V add_product(V a, V b, V c) {
    return a * b + c;
}
#endif

// Four rows of four numbers, turned.
template <class T>
ALWAYS_INLINE void turn_four(const T* from, int64_t step, T* to, int64_t width) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four rows[4];
    for (int i = 0; i < 4; i++) std::memcpy(&rows[i], from + i * step, sizeof rows[i]);
    Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    for (int i = 0; i < 4; i++) std::memcpy(to + i * width, &rows[i], sizeof rows[i]);
}

// Blocks of W lanes, taken in turn from one register and from the other: the even blocks of both, or the odd ones.
template <int W, bool ODD, class V, int... I>
ALWAYS_INLINE V blocks(V one, V other, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return __builtin_shufflevector(one, other, (I / W % 2 * count + I / W / 2 * 2 * W + I % W + (ODD ? W : 0))...);
}

// Register i becomes lane i of the sum: the lanes of each are added up, all at once, in a tree.
template <class T, int COUNT, int W = PER_REGISTER<T> / 2>
ALWAYS_INLINE Vector<T> sum_lanes(Vector<T>* values) {
    if constexpr (COUNT == 1) {
        return values[0];
    } else {
        constexpr auto lanes = std::make_integer_sequence<int, PER_REGISTER<T>>();
        for (int i = 0; i < COUNT / 2; i++) {
            values[i] = blocks<W, false>(values[i], values[i + COUNT / 2], lanes) +
                        blocks<W, true>(values[i], values[i + COUNT / 2], lanes);
        }
        return sum_lanes<T, COUNT / 2, W / 2>(values);
    }
}

}  // namespace LEVEL
