// Draws: contiguous elements filled from a stream, in the order and with the numbers of core/random/random.py.
#include "random/random.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/table.h"
#include "loops/order.h"
#include "random/draws.h"
#include "seam/shortcut.h"

namespace rushlight {

namespace {

constexpr int64_t STRETCH = 1024;  // words that are drawn at once

// Draws words, `each` of them for a number, and hands them on: loop(words, count, offset).
template <class Loop>
void by_stretches(Stream& stream, int64_t count, int each, Loop loop) {
    uint32_t words[STRETCH];
    const int64_t most = STRETCH / each;
    for (int64_t at = 0; at < count; at += most) {
        int64_t some = std::min(most, count - at);
        draw_words(stream, words, some * each);
        loop(words, some, at);
    }
}

void plain_uniform(Stream& stream, float* numbers, int64_t count) {
    auto loop = table().random.uniform32;
    by_stretches(stream, count, 1, [=](const uint32_t* words, int64_t n, int64_t at) { loop(words, n, numbers + at); });
}

void plain_uniform(Stream& stream, double* numbers, int64_t count) {
    auto loop = table().random.uniform64;
    by_stretches(stream, count, 2, [=](const uint32_t* words, int64_t n, int64_t at) { loop(words, n, numbers + at); });
}

void normals_in_blocks(float* numbers, int64_t blocks, float mean, float std) {
    table().random.normal_blocks32(numbers, blocks, mean, std);
}

void normals_in_blocks(double* numbers, int64_t blocks, double mean, double std) {
    table().random.normal_blocks64(numbers, blocks, mean, std);
}

// The last 16 come from a block of their own: the uniforms of the incomplete one before it are never used.
template <class T>
void many_normals(Stream& stream, T* numbers, int64_t count, double mean, double std) {
    // adding -0 changes nothing, not even the sign of a zero
    T offset = mean == 0 ? T(-0.0) : static_cast<T>(mean), factor = static_cast<T>(std);
    plain_uniform(stream, numbers, count);
    normals_in_blocks(numbers, count / NORMAL_BLOCK, offset, factor);
    if (count % NORMAL_BLOCK == 0) return;
    T* last = numbers + count - NORMAL_BLOCK;
    plain_uniform(stream, last, NORMAL_BLOCK);
    normals_in_blocks(last, 1, offset, factor);
}

double unit64(const uint32_t* words) {
    return static_cast<double>(static_cast<uint64_t>(words[0] & 0x1fffffu) << 32 | words[1]) * 0x1p-53;
}

// The number that waits, to the last bit as the C library has it: it shows in the state of a generator.
double second_of_pair(const uint32_t* words) {
    constexpr double two_pi = 6.283185307179586;
    return std::sin(two_pi * unit64(words)) * std::sqrt(-2 * std::log1p(-unit64(words + 2)));
}

// In pairs of float64; the odd one out waits in the stream for the next such draw.
template <class T>
void normals_one_by_one(Stream& stream, T* numbers, int64_t count, double mean, double std) {
    if (count == 0) return;
    bool is_plain = mean == 0 && std == 1;
    auto finished = [=](double number) { return static_cast<T>(is_plain ? number : number * std + mean); };
    if (stream.has_kept_normal) {
        stream.has_kept_normal = false;
        *numbers++ = finished(stream.kept_normal);
        count--;
    }
    by_stretches(stream, (count + 1) / 2, 4, [&](const uint32_t* words, int64_t pairs, int64_t at) {
        double found[STRETCH / 2];
        table().random.normal_pairs(words, pairs, found);
        int64_t wanted = std::min(2 * pairs, count - 2 * at);
        for (int64_t i = 0; i < wanted; i++) numbers[2 * at + i] = finished(found[i]);
        stream.has_kept_normal = wanted < 2 * pairs;
        if (stream.has_kept_normal) stream.kept_normal = second_of_pair(words + 4 * (pairs - 1));
    });
}

template <class T>
bool fill_normals(Stream& stream, void* numbers, int64_t count, double mean, double std, bool contiguous) {
    auto* out = static_cast<T*>(numbers);
    if (count >= NORMAL_BLOCK && contiguous) {
        many_normals(stream, out, count, mean, std);
    } else {
        normals_one_by_one(stream, out, count, mean, std);
    }
    return true;
}

// The whole numbers that a type holds without gaps, as core/random/random.py has them.
bool whole_range(int type, int64_t& lowest, int64_t& highest) {
    switch (type) {
        case NPY_BOOL: lowest = 0, highest = 1; return true;
        case NPY_UINT8: lowest = 0, highest = UINT8_MAX; return true;
        case NPY_INT8: lowest = INT8_MIN, highest = INT8_MAX; return true;
        case NPY_INT16: lowest = INT16_MIN, highest = INT16_MAX; return true;
        case NPY_INT32: lowest = INT32_MIN, highest = INT32_MAX; return true;
        case NPY_INT64: lowest = INT64_MIN, highest = INT64_MAX; return true;
        case NPY_FLOAT32: highest = int64_t(1) << 24, lowest = -highest; return true;
        case NPY_FLOAT64: highest = int64_t(1) << 53, lowest = -highest; return true;
        default: return false;
    }
}

template <class T>
void convert(const int64_t* from, void* to, int64_t at, int64_t count) {
    T* out = static_cast<T*>(to) + at;
    for (int64_t i = 0; i < count; i++) out[i] = static_cast<T>(from[i]);
}

void store_integers(int type, const int64_t* from, void* to, int64_t at, int64_t count) {
    switch (type) {
        case NPY_BOOL: return convert<bool>(from, to, at, count);
        case NPY_UINT8: return convert<uint8_t>(from, to, at, count);
        case NPY_INT8: return convert<int8_t>(from, to, at, count);
        case NPY_INT16: return convert<int16_t>(from, to, at, count);
        case NPY_INT32: return convert<int32_t>(from, to, at, count);
        case NPY_FLOAT32: return convert<float>(from, to, at, count);
        case NPY_FLOAT64: return convert<double>(from, to, at, count);
        default: return convert<int64_t>(from, to, at, count);
    }
}

// Each place in turn is swapped with one from it on.
template <class T>
void shuffle(Stream& stream, T* order, int64_t count) {
    for (int64_t i = 0; i < count; i++) order[i] = static_cast<T>(i);
    // torch's own bound: above it one word of 32 bits would be too coarse
    if (count < (int64_t(1) << 32) / 20) {
        by_stretches(stream, count - 1, 1, [=](const uint32_t* words, int64_t n, int64_t at) {
            for (int64_t i = 0; i < n; i++) {
                uint32_t left = static_cast<uint32_t>(count - at - i);
                std::swap(order[at + i], order[at + i + words[i] % left]);
            }
        });
        return;
    }
    by_stretches(stream, count - 1, 2, [=](const uint32_t* words, int64_t n, int64_t at) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t word = static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
            std::swap(order[at + i],
                      order[at + i + static_cast<int64_t>(word % static_cast<uint64_t>(count - at - i))]);
        }
    });
}

// What multinomial refuses: negative, infinite or missing weights, and rows of zeros.
template <class T>
bool are_weights(const T* weights, int64_t rows, int64_t width) {
    for (int64_t row = 0; row < rows; row++, weights += width) {
        bool good = true;
        T largest = 0;
        for (int64_t i = 0; i < width; i++) {
            good = good & (weights[i] >= 0) & (weights[i] <= std::numeric_limits<T>::max());
            largest = weights[i] > largest ? weights[i] : largest;
        }
        if (!good || !(largest > 0)) return false;
    }
    return true;
}

void exponential_times(const uint32_t* words, int64_t count, float* times) {
    table().random.exponential32(words, count, -1, times);
}

void exponential_times(const uint32_t* words, int64_t count, double* times) {
    table().random.exponential64(words, count, -1, times);
}

// A race: each index arrives after an exponential time, the sooner the larger its weight; the first one wins.
template <class T>
void race(Stream& stream, const T* weights, int64_t rows, int64_t width, int64_t* winners) {
    int64_t place = 0, winner = 0;
    T best = 0;
    by_stretches(stream, rows * width, 2, [&](const uint32_t* words, int64_t count, int64_t at) {
        T times[STRETCH / 2];
        exponential_times(words, count, times);
        for (int64_t i = 0; i < count; i++) {
            T speed = weights[at + i] / times[i];
            // NaN wins over numbers and the first one stays, as np.argmax has it
            if (place == 0 || speed > best || (speed != speed && best == best)) {
                best = speed;
                winner = place;
            }
            if (++place == width) {
                *winners++ = winner;
                place = 0;
            }
        }
    });
}

// The same for several winners of each row, in the order in which they arrive.
template <class T>
bool race_for_places(Stream& stream, const T* weights, int64_t rows, int64_t width, int64_t samples, int64_t* winners) {
    Order<T> order(width);
    std::unique_ptr<T[]> speeds(new (std::nothrow) T[static_cast<size_t>(width)]);
    if (!order || !speeds) return false;
    for (int64_t row = 0; row < rows; row++, weights += width, winners += samples) {
        draw_exponential(stream, sizeof(T) == 4 ? NPY_FLOAT32 : NPY_FLOAT64, speeds.get(), width, 1);
        for (int64_t i = 0; i < width; i++) speeds[i] = -(weights[i] / speeds[i]);
        auto* arrived = order.first_or_all(speeds.get(), 1, width, samples, false);
        for (int64_t i = 0; i < samples; i++) winners[i] = static_cast<int64_t>(arrived[i].place);
    }
    return true;
}

// With replacement: where a uniform number falls in the cumulative sum of each row.
template <class T>
bool search_cumulative(Stream& stream, const T* weights, int64_t rows, int64_t width, int64_t samples,
                       int64_t* indices) {
    std::unique_ptr<T[]> sums(new (std::nothrow) T[static_cast<size_t>(width)]);
    if (!sums) return false;
    for (int64_t row = 0; row < rows; row++, weights += width, indices += samples) {
        T total = 0;
        for (int64_t i = 0; i < width; i++) sums[i] = total = total + weights[i];
        for (int64_t i = 0; i < width; i++) sums[i] /= total;
        sums[width - 1] = 1;
        by_stretches(stream, samples, 2, [&](const uint32_t* words, int64_t count, int64_t at) {
            double uniforms[STRETCH / 2];
            table().random.uniform64(words, count, uniforms);
            const T* first = sums.get();
            for (int64_t i = 0; i < count; i++) {
                auto below = [](T sum, double uniform) { return static_cast<double>(sum) < uniform; };
                indices[at + i] = std::lower_bound(first, first + width, uniforms[i], below) - first;
            }
        });
    }
    return true;
}

template <class T>
bool choose(Stream& stream, const void* given, int64_t rows, int64_t width, int64_t samples, bool replacement,
            int64_t* indices) {
    auto* weights = static_cast<const T*>(given);
    if (samples < 1 || width < 1 || !are_weights(weights, rows, width)) return false;
    if (samples == 1) {
        race(stream, weights, rows, width, indices);
        return true;
    }
    if (replacement) return search_cumulative(stream, weights, rows, width, samples, indices);
    return samples <= width && is_orderable(width) && race_for_places(stream, weights, rows, width, samples, indices);
}

template <class T>
bool toss(Stream& stream, void* numbers, int64_t count, const void* given) {
    auto* chances = static_cast<const T*>(given);
    bool good = true;
    for (int64_t i = 0; i < count; i++) good = good & (chances[i] >= 0) & (chances[i] <= 1);
    if (!good) return false;
    auto* out = static_cast<T*>(numbers);
    plain_uniform(stream, out, count);
    for (int64_t i = 0; i < count; i++) out[i] = out[i] < chances[i] ? T(1) : T(0);
    return true;
}

}  // namespace

bool draw_uniform(Stream& stream, int type, void* numbers, int64_t count, double low, double high) {
    double largest = type == NPY_FLOAT32 ? FLT_MAX : DBL_MAX;
    if (!(-largest <= low && low <= high && high <= largest && high - low <= largest)) return false;
    bool is_plain = low == 0 && high == 1;
    const RandomLoops& loops = table().random;
    if (type == NPY_FLOAT32) {
        auto* out = static_cast<float*>(numbers);
        auto from = static_cast<float>(low), to = static_cast<float>(high);
        by_stretches(stream, count, 1, [&](const uint32_t* words, int64_t n, int64_t at) {
            is_plain ? loops.uniform32(words, n, out + at) : loops.uniform32_between(words, n, from, to, out + at);
        });
        return true;
    }
    if (type != NPY_FLOAT64) return false;
    auto* out = static_cast<double*>(numbers);
    by_stretches(stream, count, 2, [&](const uint32_t* words, int64_t n, int64_t at) {
        is_plain ? loops.uniform64(words, n, out + at) : loops.uniform64_between(words, n, low, high, out + at);
    });
    return true;
}

bool draw_normal(Stream& stream, int type, void* numbers, int64_t count, double mean, double std, bool contiguous) {
    double largest = type == NPY_FLOAT32 ? FLT_MAX : DBL_MAX;
    if (!(std >= 0 && std <= largest && std::fabs(mean) <= largest)) return false;
    if (type == NPY_FLOAT32) return fill_normals<float>(stream, numbers, count, mean, std, contiguous);
    return type == NPY_FLOAT64 && fill_normals<double>(stream, numbers, count, mean, std, contiguous);
}

bool draw_exponential(Stream& stream, int type, void* numbers, int64_t count, double rate) {
    if (!(rate > 0) || (type != NPY_FLOAT32 && type != NPY_FLOAT64)) return false;
    const RandomLoops& loops = table().random;
    by_stretches(stream, count, 2, [&](const uint32_t* words, int64_t n, int64_t at) {
        if (type == NPY_FLOAT32) {
            loops.exponential32(words, n, -1 / rate, static_cast<float*>(numbers) + at);
        } else {
            loops.exponential64(words, n, -1 / rate, static_cast<double*>(numbers) + at);
        }
    });
    return true;
}

bool draw_coins(Stream& stream, int type, void* numbers, int64_t count, double p, double one) {
    if (!(0 <= p && p <= 1) || (type != NPY_FLOAT32 && type != NPY_FLOAT64 && type != NPY_BOOL)) return false;
    const RandomLoops& loops = table().random;
    // u < p, asked of the integer that u is made from
    auto limit = static_cast<int64_t>(std::ceil(p * 0x1p53));
    by_stretches(stream, count, 2, [&](const uint32_t* words, int64_t n, int64_t at) {
        if (type == NPY_FLOAT32) {
            loops.coins32(words, n, limit, static_cast<float>(one), static_cast<float*>(numbers) + at);
        } else if (type == NPY_FLOAT64) {
            loops.coins64(words, n, limit, one, static_cast<double*>(numbers) + at);
        } else {
            loops.coins8(words, n, limit, static_cast<uint8_t*>(numbers) + at);
        }
    });
    return true;
}

bool draw_coins_by(Stream& stream, int type, void* numbers, int64_t count, const void* chances) {
    if (type == NPY_FLOAT32) return toss<float>(stream, numbers, count, chances);
    return type == NPY_FLOAT64 && toss<double>(stream, numbers, count, chances);
}

bool draw_integers(Stream& stream, int type, void* numbers, int64_t count, int64_t low, int64_t high) {
    int64_t lowest, highest;
    if (!whole_range(type, lowest, highest)) return false;
    bool is_float = type == NPY_FLOAT32 || type == NPY_FLOAT64;
    if (low >= high || low < lowest || (is_float ? high : high - 1) > highest) return false;
    uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    const RandomLoops& loops = table().random;
    // from 2^28 on one word would favour some numbers visibly, so torch takes two
    bool is_short = range < uint64_t(1) << 28;
    by_stretches(stream, count, is_short ? 1 : 2, [&](const uint32_t* words, int64_t n, int64_t at) {
        int64_t found[STRETCH];
        int64_t* to = type == NPY_INT64 ? static_cast<int64_t*>(numbers) + at : found;
        if (is_short) {
            loops.integers32(words, n, static_cast<uint32_t>(range), low, to);
        } else {
            loops.integers64(words, n, range, low, to);
        }
        if (to == found) store_integers(type, found, numbers, at, n);
    });
    return true;
}

bool draw_permutation(Stream& stream, int type, void* numbers, int64_t count) {
    if (count < 0) return false;
    if (type == NPY_INT64) {
        shuffle(stream, static_cast<int64_t*>(numbers), count);
        return true;
    }
    if (type != NPY_INT32 || count > INT32_MAX) return false;
    shuffle(stream, static_cast<int32_t*>(numbers), count);
    return true;
}

bool draw_indices(Stream& stream, int type, const void* weights, int64_t rows, int64_t width, int64_t samples,
                  bool replacement, int64_t* indices) {
    if (type == NPY_FLOAT32) return choose<float>(stream, weights, rows, width, samples, replacement, indices);
    return type == NPY_FLOAT64 && choose<double>(stream, weights, rows, width, samples, replacement, indices);
}

bool add_random(PyObject* module) {
    return PyType_Ready(&StreamType) >= 0 && add_shortcuts(module) && add_validation(module) &&
           PyModule_AddObjectRef(module, "Stream", reinterpret_cast<PyObject*>(&StreamType)) >= 0;
}

}  // namespace rushlight
