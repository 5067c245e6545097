// A register of numbers: what the compiler's own vectorisation does not find, the tiles of a matrix product.
#pragma once

#include <cstdint>
#include <cstring>

#include "table.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
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
constexpr int LANES = VectorOf<T>::lanes;

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

}  // namespace LEVEL
