// Batch norms: the moments of a channel, the channel normalized, and the gradient of that.
#include <cstring>

#include "kernels/images.h"
#include "kernels/reduce.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

using rushlight::Channel;

// From this length on a run is added up by itself; shorter ones are brought together first.
constexpr int64_t LONG = 256;

// A channel's elements in few runs: as they stand, or copied to `spare`, which has room for them.
template <class T>
struct Runs {
    const T* at;
    int64_t outer, stride, count;

    Runs(const Channel& channel, const void* x, void* spare)
        : at(static_cast<const T*>(x)), outer(channel.outer), stride(channel.stride), count(channel.count) {
        if (count >= LONG || outer == 1 || spare == nullptr) return;
        auto* copy = static_cast<T*>(spare);
        for (int64_t n = 0; n < outer; n++) std::memcpy(copy + n * count, at + n * stride, count * sizeof(T));
        at = copy;
        count *= outer;
        outer = 1;
    }
    // the sum of a function of the place, for each run one of a pointer
    template <class Read>
    ALWAYS_INLINE double sum(Read read) const {
        double total = 0;
        for (int64_t n = 0; n < outer; n++) {
            const T* run = at + n * stride;
            total += Along{count}.fold<Sum<T>>([=](int64_t i, int64_t) { return read(run[i]); })[0];
        }
        return total;
    }
};

template <class T>
void moments(const Channel& channel, const void* x, void* spare, double* mean, double* variance) {
    Runs<T> runs(channel, x, spare);
    double size = double(channel.outer * channel.count);
    double middle = runs.sum([](T value) { return value; }) / size;
    T centre = T(middle);
    // around the rounded mean, so that what is left of it does not count
    double rest = runs.sum([=](T value) { return value - centre; }) / size;
    double squares = runs.sum([=](T value) { return (value - centre) * (value - centre); }) / size;
    *mean = middle;
    *variance = squares - rest * rest > 0 ? squares - rest * rest : 0;
    if (squares != squares) *variance = squares;
}

template <class T>
void normalize(const Channel& channel, const void* x, double mean, double scale, double weight, double bias,
               void* result) {
    T centre = T(mean), factor = T(scale), weigh = T(weight), shift = T(bias);
    for (int64_t n = 0; n < channel.outer; n++) {
        const T* from = static_cast<const T*>(x) + n * channel.stride;
        T* to = static_cast<T*>(result) + n * channel.stride;
#pragma omp simd
        for (int64_t i = 0; i < channel.count; i++) to[i] = (from[i] - centre) * factor * weigh + shift;
    }
}

template <class T>
void slope_sums(const Channel& channel, const void* grad, const void* x, double mean, double scale, void* spare,
                double* sum, double* along) {
    int64_t size = channel.outer * channel.count;
    Runs<T> grads(channel, grad, spare);
    Runs<T> runs(channel, x, spare == nullptr ? nullptr : static_cast<T*>(spare) + size);
    T centre = T(mean);
    *sum = grads.sum([](T value) { return value; });
    double total = 0;
    for (int64_t n = 0; n < runs.outer; n++) {
        const T *g = grads.at + n * grads.stride, *each = runs.at + n * runs.stride;
        total += Along{runs.count}.fold<Sum<T>>([=](int64_t i, int64_t) { return g[i] * (each[i] - centre); })[0];
    }
    *along = total * scale;
}

template <class T>
void slopes(const Channel& channel, const void* grad, const void* x, double mean, double scale, double weight,
            double part, double along, void* result) {
    T centre = T(mean), factor = T(scale), weigh = T(weight), less = T(part), steep = T(along);
    for (int64_t n = 0; n < channel.outer; n++) {
        const T* g = static_cast<const T*>(grad) + n * channel.stride;
        const T* from = static_cast<const T*>(x) + n * channel.stride;
        T* to = static_cast<T*>(result) + n * channel.stride;
#pragma omp simd
        for (int64_t i = 0; i < channel.count; i++) {
            to[i] = (g[i] * weigh - less - (from[i] - centre) * factor * steep) * factor;
        }
    }
}

template <class T>
void column_moments(const void* x, int64_t rows, int64_t stride, int64_t columns, double* means, double* variances) {
    auto* from = static_cast<const T*>(x);
    for (int64_t c = 0; c < columns; c++) means[c] = variances[c] = 0;
    for (int64_t n = 0; n < rows; n++) {
#pragma omp simd
        for (int64_t c = 0; c < columns; c++) means[c] += from[n * stride + c];
    }
    for (int64_t c = 0; c < columns; c++) means[c] /= double(rows);
    for (int64_t n = 0; n < rows; n++) {
#pragma omp simd
        for (int64_t c = 0; c < columns; c++) {
            double offset = from[n * stride + c] - means[c];
            variances[c] += offset * offset;
        }
    }
    for (int64_t c = 0; c < columns; c++) variances[c] /= double(rows);
}

template <class T>
void column_normalize(const void* x, int64_t rows, int64_t stride, int64_t columns, const void* means,
                      const void* scales, const void* weights, const void* biases, void* result) {
    auto *centre = static_cast<const T*>(means), *factor = static_cast<const T*>(scales);
    auto *weigh = static_cast<const T*>(weights), *shift = static_cast<const T*>(biases);
    for (int64_t n = 0; n < rows; n++) {
        const T* from = static_cast<const T*>(x) + n * stride;
        T* to = static_cast<T*>(result) + n * stride;
#pragma omp simd
        for (int64_t c = 0; c < columns; c++) to[c] = (from[c] - centre[c]) * factor[c] * weigh[c] + shift[c];
    }
}

template <class T>
void column_slope_sums(const void* grad, const void* x, int64_t rows, int64_t stride, int64_t columns,
                       const void* means, const void* scales, double* sums, double* alongs) {
    auto *centre = static_cast<const T*>(means), *factor = static_cast<const T*>(scales);
    for (int64_t c = 0; c < columns; c++) sums[c] = alongs[c] = 0;
    for (int64_t n = 0; n < rows; n++) {
        const T* g = static_cast<const T*>(grad) + n * stride;
        const T* from = static_cast<const T*>(x) + n * stride;
#pragma omp simd
        for (int64_t c = 0; c < columns; c++) {
            sums[c] += g[c];
            alongs[c] += double(g[c]) * double((from[c] - centre[c]) * factor[c]);
        }
    }
}

template <class T>
void column_slopes(const void* grad, const void* x, int64_t rows, int64_t stride, int64_t columns, const void* means,
                   const void* scales, const void* factors, const void* parts, const void* alongs, void* result) {
    auto *centre = static_cast<const T*>(means), *factor = static_cast<const T*>(scales);
    auto *weigh = static_cast<const T*>(factors), *less = static_cast<const T*>(parts);
    auto* steep = static_cast<const T*>(alongs);
    for (int64_t n = 0; n < rows; n++) {
        const T* g = static_cast<const T*>(grad) + n * stride;
        const T* from = static_cast<const T*>(x) + n * stride;
        T* to = static_cast<T*>(result) + n * stride;
#pragma omp simd
        for (int64_t c = 0; c < columns; c++) {
            to[c] = (g[c] * weigh[c] - less[c] - (from[c] - centre[c]) * factor[c] * steep[c]) * factor[c];
        }
    }
}

template <class T>
void fill_loops(rushlight::ImageLoops& loops, int which) {
    loops.moments[which] = moments<T>;
    loops.normalize[which] = normalize<T>;
    loops.slope_sums[which] = slope_sums<T>;
    loops.slopes[which] = slopes<T>;
    loops.column_moments[which] = column_moments<T>;
    loops.column_normalize[which] = column_normalize<T>;
    loops.column_slope_sums[which] = column_slope_sums<T>;
    loops.column_slopes[which] = column_slopes<T>;
}

}  // namespace

void batch_norms(Table& table) {
    fill_loops<float>(table.images, 0);
    fill_loops<double>(table.images, 1);
}

}  // namespace LEVEL
