// Statistics: means and variances of rows, and their gradients.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

// In double, so that equal numbers have their own mean and no variance.
template <class T, class Way>
ALWAYS_INLINE auto mean_of(const Way& way, const T* x) {
    auto mean = way.template fold<Sum<double>>([=](int64_t at, int64_t) { return double(x[at]); });
    way.once([&](int64_t column) { mean[column] /= double(way.count); });
    return mean;
}

// Option 0: what the squares are divided by; option 1: whether the root is wanted.
struct Moments {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        T* variance = row.found(0);
        // a mean that nobody wants goes where the variance will be
        T* mean_out = row.arrays.outputs[1] == nullptr ? variance : row.found(1);
        double freedom = row.option(0);
        bool rooted = row.option(1) != 0;
        auto mean = mean_of(way, x);
        auto squares = way.template fold<Sum<double>>([&](int64_t at, int64_t column) {
            double offset = x[at] - mean[column];
            return offset * offset;
        });
        way.once([&](int64_t column) {
            double found = squares[column] / freedom;
            mean_out[column] = T(mean[column]);
            variance[column] = T(rooted ? math::sqrt(found) : found);
        });
    }
};

// The sums of squares around option 0, as doubles: parts of one long row.
struct Offsets {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        double mean = row.option(0);
        auto squares = way.template fold<Sum<double>>([=](int64_t at, int64_t) {
            double offset = x[at] - mean;
            return offset * offset;
        });
        static_cast<double*>(row.arrays.outputs[0])[row.number] = squares[0];
    }
};

// factor (x - mean) + shift, for each row its own; option 0: what the squares were divided by; option 1: whether the
// root was taken. Either gradient may be missing.
struct VarianceSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        bool has_grad = row.arrays.inputs[1] != nullptr, has_mean_grad = row.arrays.inputs[3] != nullptr;
        const T *grad = row.given(has_grad ? 1 : 3), *mean_grad = row.given(has_mean_grad ? 3 : 1);
        T* out = row.output(0);
        T twice = T(2 / row.option(0));
        bool rooted = row.option(1) != 0;
        const T* result = rooted ? row.given(2) : grad;
        auto mean = mean_of(way, x);
        auto factor = mean, shift = mean;
        way.once([&](int64_t column) {
            T slope = grad[column];
            if (rooted) slope = result[column] == 0 ? T(0) : slope / (result[column] * 2);
            factor[column] = has_grad ? slope * twice : T(0);
            shift[column] = has_mean_grad ? mean_grad[column] / T(way.count) : T(0);
        });
        if (!has_mean_grad) {
            way.each([&](int64_t at, int64_t column) { out[at] = T(factor[column]) * (x[at] - T(mean[column])); });
            return;
        }
        way.each([&](int64_t at, int64_t column) {
            T through = has_grad ? T(factor[column]) * (x[at] - T(mean[column])) : T(0);
            out[at] = through + T(shift[column]);
        });
    }
};

}  // namespace

void statistics(Table& table) {
    add<Moments>(table, rushlight::MOMENTS);
    add_along<Offsets>(table, rushlight::OFFSETS);
    add<VarianceSlope>(table, rushlight::VARIANCE_SLOPE);
}

}  // namespace LEVEL
