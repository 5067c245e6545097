// Size classes of the pool: steps of 64 bytes up to 1 KiB, then four a power of two: at most a quarter is wasted.
#pragma once

#include "memory/system.h"

namespace rushlight {

constexpr size_t STEP = 64;
constexpr size_t FINE_BYTES = 1024;
constexpr int FINE_CLASSES = 16;
constexpr int CLASSES = FINE_CLASSES + 4 * 36;
constexpr uint64_t LARGEST = uint64_t{1} << 46;

// The smallest class that has room for `bytes`, at most LARGEST.
inline int class_of(size_t bytes) {
    if (bytes <= FINE_BYTES) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / STEP);
    int power = floor_log2(bytes - 1);
    return FINE_CLASSES + 4 * (power - 10) + static_cast<int>((bytes - 1) >> (power - 2) & 3);
}

inline size_t class_bytes(int size_class) {
    if (size_class < FINE_CLASSES) return STEP * static_cast<size_t>(size_class + 1);
    int steps = size_class - FINE_CLASSES;
    return static_cast<size_t>(steps % 4 + 5) << (steps / 4 + 8);
}

// The largest class that fits into `bytes`, at least STEP.
inline int class_within(size_t bytes) {
    int size_class = class_of(bytes);
    return class_bytes(size_class) <= bytes ? size_class : size_class - 1;
}

}  // namespace rushlight
