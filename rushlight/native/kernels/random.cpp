// Random numbers: the twister's words, and what core/random/streams.py and core/random/random.py make of them.
#include "kernels/math.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::NORMAL_BLOCK;
using rushlight::RandomLoops;
using rushlight::TWISTER_WORDS;

namespace {

constexpr double TWO_PI = 6.283185307179586;

ALWAYS_INLINE uint32_t twist(uint32_t high, uint32_t low) {
    uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (mixed >> 1) ^ ((0u - (low & 1u)) & 0x9908b0dfu);
}

void next_block(uint32_t* words) {
    constexpr int AHEAD = 397, BEHIND = TWISTER_WORDS - AHEAD;
#pragma omp simd
    for (int i = 0; i < BEHIND; i++) words[i] = words[i + AHEAD] ^ twist(words[i], words[i + 1]);
    // these read what was written BEHIND places before
#pragma omp simd safelen(64)
    for (int i = BEHIND; i < TWISTER_WORDS - 1; i++) words[i] = words[i - BEHIND] ^ twist(words[i], words[i + 1]);
    words[TWISTER_WORDS - 1] = words[AHEAD - 1] ^ twist(words[TWISTER_WORDS - 1], words[0]);
}

void temper(const uint32_t* words, int64_t count, uint32_t* __restrict tempered) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        uint32_t word = words[i];
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c5680u;
        word ^= (word << 15) & 0xefc60000u;
        tempered[i] = word ^ (word >> 18);
    }
}

// The low 24 bits of a word.
ALWAYS_INLINE int32_t bits24(uint32_t word) { return static_cast<int32_t>(word & 0xffffffu); }

// The low 53 bits of two words.
ALWAYS_INLINE int64_t bits53(uint32_t high, uint32_t low) {
    return static_cast<int64_t>(static_cast<uint64_t>(high & 0x1fffffu) << 32 | low);
}

// bits53 times 2^-53, by halves of 32 bits: only AVX-512 converts integers of 64.
ALWAYS_INLINE double unit64(uint32_t high, uint32_t low) {
    double upper = static_cast<int32_t>(high & 0x1fffffu);
    double lower = static_cast<double>(static_cast<int32_t>(low ^ 0x80000000u)) + 0x1p31;
    return upper * 0x1p-21 + lower * 0x1p-53;
}

void uniform32(const uint32_t* words, int64_t count, float* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) numbers[i] = static_cast<float>(bits24(words[i])) * 0x1p-24f;
}

void uniform64(const uint32_t* words, int64_t count, double* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) numbers[i] = unit64(words[2 * i], words[2 * i + 1]);
}

// Multiplied and added with one rounding, as torch's compiled code does; by a function of the library where the
// processor has no such instruction.
void uniform32_between(const uint32_t* words, int64_t count, float low, float high, float* __restrict numbers) {
    const float width = high - low;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        float number = __builtin_fmaf(static_cast<float>(bits24(words[i])) * 0x1p-24f, width, low);
        numbers[i] = number == high ? low : number;
    }
}

void uniform64_between(const uint32_t* words, int64_t count, double low, double high, double* __restrict numbers) {
    const double width = high - low;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        double number = __builtin_fma(unit64(words[2 * i], words[2 * i + 1]), width, low);
        numbers[i] = number == high ? low : number;
    }
}

void normal_pairs(const uint32_t* words, int64_t pairs, double* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < pairs; i++) {
        double angle = unit64(words[4 * i], words[4 * i + 1]) * TWO_PI;
        double radius = math::sqrt(math::log1p(-unit64(words[4 * i + 2], words[4 * i + 3])) * -2);
        numbers[2 * i] = math::cos(angle) * radius;
        numbers[2 * i + 1] = math::sin(angle) * radius;
    }
}

template <class T>
void normal_blocks(T* numbers, int64_t blocks, T mean, T std) {
    constexpr int HALF = NORMAL_BLOCK / 2;
    for (int64_t block = 0; block < blocks; block++, numbers += NORMAL_BLOCK) {
#pragma omp simd
        for (int i = 0; i < HALF; i++) {
            T radius = math::sqrt(math::log(1 - numbers[i]) * -2);
            T angle = numbers[i + HALF] * T(TWO_PI);
            T cosine = math::cos(angle) * radius, sine = math::sin(angle) * radius;
            numbers[i] = cosine * std + mean;
            numbers[i + HALF] = sine * std + mean;
        }
    }
}

template <class T>
void exponential(const uint32_t* words, int64_t count, double factor, T* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = static_cast<T>(math::log1p(-unit64(words[2 * i], words[2 * i + 1])) * factor);
    }
}

void coins8(const uint32_t* words, int64_t count, int64_t limit, uint8_t* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) numbers[i] = bits53(words[2 * i], words[2 * i + 1]) < limit;
}

template <class T>
void coins(const uint32_t* words, int64_t count, int64_t limit, T one, T* __restrict numbers) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) numbers[i] = bits53(words[2 * i], words[2 * i + 1]) < limit ? one : T(0);
}

void integers32(const uint32_t* words, int64_t count, uint32_t range, int64_t low, int64_t* __restrict numbers) {
    // by a multiplication, for vectors: the nearest quotient leaves a rest from -range / 2 to range / 2
    const double divisor = range, inverse = 1 / divisor;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        double word = static_cast<double>(static_cast<int32_t>(words[i] ^ 0x80000000u)) + 0x1p31;
        double rest = word - math::nearest(word * inverse) * divisor;
        rest += rest < 0 ? divisor : 0;
        numbers[i] = low + static_cast<int32_t>(rest);
    }
}

void integers64(const uint32_t* words, int64_t count, uint64_t range, int64_t low, int64_t* __restrict numbers) {
    for (int64_t i = 0; i < count; i++) {
        uint64_t word = static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
        // unsigned: the sum may pass 2^63 on its way
        numbers[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + word % range);
    }
}

}  // namespace

void random(Table& table) {
    RandomLoops& loops = table.random;
    loops.next_block = next_block;
    loops.temper = temper;
    loops.uniform32 = uniform32;
    loops.uniform64 = uniform64;
    loops.uniform32_between = uniform32_between;
    loops.uniform64_between = uniform64_between;
    loops.normal_pairs = normal_pairs;
    loops.normal_blocks32 = normal_blocks<float>;
    loops.normal_blocks64 = normal_blocks<double>;
    loops.exponential32 = exponential<float>;
    loops.exponential64 = exponential<double>;
    loops.coins8 = coins8;
    loops.coins32 = coins<float>;
    loops.coins64 = coins<double>;
    loops.integers32 = integers32;
    loops.integers64 = integers64;
}

}  // namespace LEVEL
