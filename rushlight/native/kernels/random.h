// Random numbers: the loops that turn a twister's words into numbers, one table of them for each CPU level.
#pragma once

#include <cstdint>

namespace rushlight {

constexpr int TWISTER_WORDS = 624;
constexpr int NORMAL_BLOCK = 16;

// `words` are tempered words of 32 bits. A number of 53 bits takes two of them, the high half first.
struct RandomLoops {
    // the block of words after this one
    void (*next_block)(uint32_t* words);
    void (*temper)(const uint32_t* words, int64_t count, uint32_t* tempered);

    // from 0 up to 1
    void (*uniform32)(const uint32_t* words, int64_t count, float* numbers);
    void (*uniform64)(const uint32_t* words, int64_t count, double* numbers);
    // from `low` up to `high`; a number that rounds to `high` becomes `low`
    void (*uniform32_between)(const uint32_t* words, int64_t count, float low, float high, float* numbers);
    void (*uniform64_between)(const uint32_t* words, int64_t count, double low, double high, double* numbers);

    // a pair from four words: the cosine, then the sine
    void (*normal_pairs)(const uint32_t* words, int64_t pairs, double* numbers);
    // in place: blocks of 8 uniforms for radii and 8 for angles become 8 cosines and 8 sines
    void (*normal_blocks32)(float* numbers, int64_t blocks, float mean, float std);
    void (*normal_blocks64)(double* numbers, int64_t blocks, double mean, double std);

    // log(1 - u) * factor
    void (*exponential32)(const uint32_t* words, int64_t count, double factor, float* numbers);
    void (*exponential64)(const uint32_t* words, int64_t count, double factor, double* numbers);

    // `one` where the 53 bits are below `limit`, else 0
    void (*coins8)(const uint32_t* words, int64_t count, int64_t limit, uint8_t* numbers);
    void (*coins32)(const uint32_t* words, int64_t count, int64_t limit, float one, float* numbers);
    void (*coins64)(const uint32_t* words, int64_t count, int64_t limit, double one, double* numbers);

    // low + word % range: of one word for ranges below 2^28, of two for others
    void (*integers32)(const uint32_t* words, int64_t count, uint32_t range, int64_t low, int64_t* numbers);
    void (*integers64)(const uint32_t* words, int64_t count, uint64_t range, int64_t low, int64_t* numbers);
};

}  // namespace rushlight
