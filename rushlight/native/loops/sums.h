// Sums that threads share in parts of a fixed size, so that the result is the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/threads.h"

namespace rushlight {

// The sum of total(begin, end) over the parts of [0, count).
template <class Total>
double sum_of_parts(int64_t count, Total total) {
    constexpr int64_t PART = 1 << 15, PARTS = 64;
    if (count <= PART) return count == 0 ? 0 : total(int64_t{0}, count);
    double sum = 0, parts[PARTS];
    for (int64_t done = 0; done < count; done += PART * PARTS) {
        int64_t left = std::min(count - done, PART * PARTS);
        parallel(left, PART, [&](int64_t begin, int64_t end) {
            for (int64_t at = begin; at < end; at += PART) {
                parts[at / PART] = total(done + at, done + std::min(at + PART, end));
            }
        });
        for (int64_t i = 0; i * PART < left; i++) sum += parts[i];
    }
    return sum;
}

}  // namespace rushlight
