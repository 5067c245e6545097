// Distances: from one point to many others, by sums of absolute differences or roots of sums of squares.
#include "kernels/math.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr int64_t BLOCK = 1024;  // points whose distances stay in the first cache meanwhile

template <bool squared, class T>
ALWAYS_INLINE T share(T one, T other) {
    T apart = one - other;
    return squared ? apart * apart : (apart < 0 ? -apart : apart);
}

// Adds what some coordinates, whose columns lie `stride` apart, have to each distance.
template <bool squared, int coordinates, class T>
ALWAYS_INLINE void add(const T* point, const T* columns, int64_t stride, int64_t count, T* sums) {
#pragma omp simd
    for (int64_t j = 0; j < count; j++) {
        T sum = sums[j];
        for (int c = 0; c < coordinates; c++) sum += share<squared>(point[c], columns[c * stride + j]);
        sums[j] = sum;
    }
}

template <bool squared, class T>
void measure(const void* from, const void* others, int64_t width, int64_t stride, int64_t count, void* to) {
    constexpr int TOGETHER = 4;
    auto* point = static_cast<const T*>(from);
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        int64_t size = count - begin < BLOCK ? count - begin : BLOCK, c = 0;
        T* sums = static_cast<T*>(to) + begin;
        const T* columns = static_cast<const T*>(others) + begin;
        for (int64_t j = 0; j < size; j++) sums[j] = 0;
        for (; c + TOGETHER <= width; c += TOGETHER) {
            add<squared, TOGETHER>(point + c, columns + c * stride, stride, size, sums);
        }
        for (; c < width; c++) add<squared, 1>(point + c, columns + c * stride, stride, size, sums);
        if (!squared) continue;
#pragma omp simd
        for (int64_t j = 0; j < size; j++) sums[j] = math::sqrt(sums[j]);
    }
}

}  // namespace

void distances(Table& table) {
    table.products.distances[0][0] = measure<false, float>;
    table.products.distances[0][1] = measure<true, float>;
    table.products.distances[1][0] = measure<false, double>;
    table.products.distances[1][1] = measure<true, double>;
}

}  // namespace LEVEL
