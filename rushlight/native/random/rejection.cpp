// Shortcuts of core/random/rejection.py: gamma, Poisson and binomial numbers, each from as many uniforms as it takes.
// For the row "Gamma, Poisson and Binomial drawn", where Python takes ten to seventy times torch's time.
#include <cmath>
#include <initializer_list>
#include <limits>

#include "random/draws.h"
#include "seam/shortcut.h"

namespace rushlight {

namespace {

constexpr double PI = 3.14159265358979323846, INFINITE = std::numeric_limits<double>::infinity();
// torch takes the third of the method in float32
constexpr double THIRD = static_cast<float>(1.0 / 3);

// Uniform and normal numbers, one by one.
struct Numbers {
    Stream& stream;

    double draw() {
        uint32_t words[2];
        draw_words(stream, words, 2);
        return static_cast<double>(static_cast<uint64_t>(words[0] & 0x1fffffu) << 32 | words[1]) * 0x1p-53;
    }

    // every other one was kept from the pair of the one before
    double normal() {
        if (stream.has_kept_normal) {
            stream.has_kept_normal = false;
            return stream.kept_normal;
        }
        double angle = 2 * PI * draw();
        double radius = std::sqrt(-2 * std::log1p(-draw()));
        stream.kept_normal = radius * std::sin(angle);
        stream.has_kept_normal = true;
        return radius * std::cos(angle);
    }
};

double one_gamma(double alpha, Numbers& numbers) {
    if (alpha <= 0) return alpha == 0 ? alpha : std::numeric_limits<double>::quiet_NaN();
    double scale = 1;
    if (alpha < 1) {
        scale = std::pow(1 - numbers.draw(), 1 / alpha);
        alpha += 1;
    }
    const double d = alpha - THIRD, c = 1 / std::sqrt(9 * d);
    while (true) {
        double x = numbers.normal(), root = 1 + c * x;
        if (root <= 0) continue;
        double v = root * root * root, u = 1 - numbers.draw(), square = x * x;
        if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v))) {
            return scale * d * v;
        }
    }
}

double transformed_poisson(double rate, Numbers& numbers) {
    const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b, certain = 0.9277 - 3.6224 / (b - 2);
    while (true) {
        double u = numbers.draw() - 0.5, v = numbers.draw(), edge = 0.5 - std::fabs(u);
        if (edge == 0) continue;
        double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
        if (edge >= 0.07 && v <= certain) return k;
        if (k < 0 || (edge < 0.013 && v > edge)) continue;
        double height = 1.1239 + 1.1328 / (b - 3.4), bound = k * std::log(rate) - rate - std::lgamma(k + 1);
        if (v == 0 || std::log(v) + std::log(height) - std::log(a / (edge * edge) + b) <= bound) return k;
    }
}

double one_poisson(double rate, Numbers& numbers) {
    if (rate >= 10) {
        double found = transformed_poisson(rate, numbers);
        return rate == INFINITE ? rate : found;  // as many numbers are used as in torch
    }
    if (rate == 0) return 0;
    const double least = std::exp(-rate);
    double product = numbers.draw(), count = 0;
    for (; product > least; count++) product *= numbers.draw();
    return count;
}

double waits(double n, double p, Numbers& numbers) {
    const double slope = std::log1p(-p);
    double trials = 0;
    for (double successes = 0;; successes++) {
        double u = numbers.draw(), wait = u != 0 ? std::log(u) / slope : INFINITE;
        if (wait > n) return successes;
        trials += std::ceil(wait);
        if (trials > n) return successes;
    }
}

double stirling_rest(double k) {
    if (k < 10) return std::lgamma(k + 1) - ((k + 0.5) * std::log(k + 1) - (k + 1) + 0.5 * std::log(2 * PI));
    double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

template <class T>
double log_ratio_to_mode(double n, T p, double k) {
    double mode = std::floor(static_cast<T>(n + 1) * p), odds = p / (T(1) - p);
    double failures = static_cast<T>(n - k) + T(1);
    return (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
           static_cast<T>(n + 1) * std::log((n - mode + 1) / failures) +
           (k + 0.5) * std::log(odds * failures / static_cast<T>(k + 1)) +
           (stirling_rest(mode) + stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k));
}

template <class T>
double transformed_binomial(double n, T p, T mean, T deviation, Numbers& numbers) {
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double middle = mean + 0.5, certain = 0.92 - 4.2 / b;
    while (true) {
        double u = numbers.draw() - 0.5, v = numbers.draw(), edge = 0.5 - std::fabs(u);
        if (edge == 0) continue;
        double k = static_cast<T>(std::floor((2 * a / edge + b) * u + middle));
        if (edge >= 0.07 && v <= certain) return k;
        if (!(k >= 0 && k <= n)) continue;
        v *= (2.83 + 5.1 / b) * deviation / (a / (edge * edge) + b);
        if (v == 0 || std::log(v) <= log_ratio_to_mode(n, p, k)) return k;
    }
}

template <class T>
double one_binomial(T n, T p, Numbers& numbers) {
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1 || n == static_cast<T>(INFINITE)) return n;
    if (n != n || p != p) return std::numeric_limits<double>::quiet_NaN();
    const T rare = p > T(0.5) ? 1 - p : p, mean = n * rare, deviation = std::sqrt(mean * (1 - rare));
    double found = mean >= 10 ? transformed_binomial(n, rare, mean, deviation, numbers) : waits(n, rare, numbers);
    return p > T(0.5) ? n - found : found;
}

// The array of an argument that the loops below can read.
PyArrayObject* plain_floats(PyObject* argument) {
    DECLINE_IF(argument == nullptr || !PyArray_Check(argument));
    auto* array = reinterpret_cast<PyArrayObject*>(argument);
    int type = PyArray_TYPE(array);
    return (type == NPY_FLOAT32 || type == NPY_FLOAT64) && is_plain(array) ? array : nullptr;
}

// made[i] = one(given[i])
template <class T, class One>
bool fill(PyArrayObject* given, void* made, int64_t count, One one) {
    const T* from = static_cast<T*>(PyArray_DATA(given));
    for (int64_t i = 0; i < count; i++) static_cast<T*>(made)[i] = static_cast<T>(one(from[i]));
    return true;
}

template <class One>
PyObject* filled_alike(PyArrayObject* given, One one) {
    int type = PyArray_TYPE(given);
    return reinterpret_cast<PyObject*>(
        filled(PyArray_NDIM(given), PyArray_DIMS(given), type, [&](void* made, int64_t count) {
            return type == NPY_FLOAT32 ? fill<float>(given, made, count, one) : fill<double>(given, made, count, one);
        }));
}

NAMES(Gamma, alpha, generator);

PyObject* gamma(const Arguments& arguments) {
    PyArrayObject* alpha = plain_floats(arguments[Gamma::alpha]);
    Stream* stream = stream_of(arguments[Gamma::generator]);
    DECLINE_IF(alpha == nullptr || stream == nullptr);
    Numbers numbers{*stream};
    const double least =
        PyArray_TYPE(alpha) == NPY_FLOAT32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    return filled_alike(alpha, [&](double each) {
        double found = one_gamma(each, numbers);
        return found < least ? least : found;
    });
}

template <class T>
bool has_bad_rate(PyArrayObject* rates) {
    const T* rate = static_cast<T*>(PyArray_DATA(rates));
    for (npy_intp i = 0; i < PyArray_SIZE(rates); i++) {
        if (!(rate[i] >= 0)) return true;
    }
    return false;
}

NAMES(Poisson, rate, generator);

PyObject* poisson(const Arguments& arguments) {
    PyArrayObject* rate = plain_floats(arguments[Poisson::rate]);
    Stream* stream = stream_of(arguments[Poisson::generator]);
    DECLINE_IF(rate == nullptr || stream == nullptr);
    DECLINE_IF(PyArray_TYPE(rate) == NPY_FLOAT32 ? has_bad_rate<float>(rate) : has_bad_rate<double>(rate));
    Numbers numbers{*stream};
    return filled_alike(rate, [&](double each) { return one_poisson(each, numbers); });
}

template <class T>
bool fill_binomial(PyArrayObject* counts, PyArrayObject* probs, void* made, int64_t size, Numbers& numbers) {
    const T *count = static_cast<T*>(PyArray_DATA(counts)), *prob = static_cast<T*>(PyArray_DATA(probs));
    for (int64_t i = 0; i < size; i++)
        static_cast<T*>(made)[i] = static_cast<T>(one_binomial(count[i], prob[i], numbers));
    return true;
}

NAMES(Binomial, count, prob, generator);

PyObject* binomial(const Arguments& arguments) {
    for (PyObject* each : {arguments[Binomial::count], arguments[Binomial::prob]}) {
        DECLINE_IF(each == nullptr || !PyArray_Check(each));
    }
    auto* first = reinterpret_cast<PyArrayObject*>(arguments[Binomial::count]);
    auto* second = reinterpret_cast<PyArrayObject*>(arguments[Binomial::prob]);
    Shape shape;
    Stream* stream = stream_of(arguments[Binomial::generator]);
    DECLINE_IF(stream == nullptr || !shape.broadcast(first) || !shape.broadcast(second));
    Ref count = spread(first, shape), prob = spread(second, shape);
    DECLINE_IF(!count || !prob || plain_floats(count.get()) == nullptr || plain_floats(prob.get()) == nullptr);
    int type = PyArray_TYPE(first);
    DECLINE_IF(PyArray_TYPE(second) != type);
    Numbers numbers{*stream};
    return reinterpret_cast<PyObject*>(filled(shape.ndim, shape.dims, type, [&](void* made, int64_t size) {
        return type == NPY_FLOAT32 ? fill_binomial<float>(count.array(), prob.array(), made, size, numbers)
                                   : fill_binomial<double>(count.array(), prob.array(), made, size, numbers);
    }));
}

KERNEL("core.random.rejection.gamma").shortcut(gamma, Gamma::names);
KERNEL("core.random.rejection.poisson").shortcut(poisson, Poisson::names);
KERNEL("core.random.rejection.binomial").shortcut(binomial, Binomial::names);

}  // namespace

}  // namespace rushlight
