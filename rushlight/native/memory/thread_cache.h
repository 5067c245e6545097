// What a thread has at hand of the pool: a few small blocks without a lock, and its part of the statistics.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "memory/size_classes.h"

namespace rushlight {

// Blocks up to 32 KiB, of each class at most 32 blocks and 64 KiB.
constexpr size_t NEAR_BYTES = 32 * 1024;
constexpr int NEAR_CLASSES = FINE_CLASSES + 4 * 5;
constexpr size_t NEAR_BLOCKS = 32;
constexpr size_t NEAR_TOTAL = 3 << 19;  // all bins full

// A number that one thread writes and any may read: no locked instruction.
class Counter {
public:
    int64_t get() const { return value_.load(std::memory_order_relaxed); }
    void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
    void add(int64_t value) { set(get() + value); }
    int64_t take() {
        int64_t value = get();
        set(0);
        return value;
    }

private:
    std::atomic<int64_t> value_{0};
};

// The blocks of one class that a thread has at hand. Their addresses are not kept in the blocks, so that the memory of
// a block is not touched before its next owner does.
struct Bin {
    std::atomic<uint32_t> count{0};
    uint32_t most = 0;
    void* blocks[NEAR_BLOCKS];

    uint32_t size() const { return count.load(std::memory_order_relaxed); }
    void resize(uint32_t size) { count.store(size, std::memory_order_relaxed); }
};

// What one thread has at hand, and its part of the statistics since it last had the lock.
struct Near {
    Counter used;
    Counter high;  // the most that `used` has been
    Counter allocations;
    Counter fresh;
    Near* next = nullptr;
    Near* previous = nullptr;
    Bin bins[NEAR_CLASSES];

    Near() {
        for (int c = 0; c < NEAR_CLASSES; ++c)
            bins[c].most = static_cast<uint32_t>(std::min(NEAR_BLOCKS, 64 * 1024 / class_bytes(c)));
    }
    void count_allocation(size_t bytes) {
        int64_t now = used.get() + static_cast<int64_t>(bytes);
        used.set(now);
        allocations.add(1);
        if (now > high.get()) high.set(now);
    }
    void count_free(size_t bytes) { used.add(-static_cast<int64_t>(bytes)); }
};

// Whether threads may have blocks at hand: not with a small limit, nor with RUSHLIGHT_POOL=0.
extern std::atomic<bool> near_on;

extern RUSHLIGHT_SHARED_THREAD_LOCAL Near* my_near;
Near* make_near();
// What this thread has at hand; nullptr when the thread is ending or memory is out.
inline Near* near_of_thread() { return my_near != nullptr ? my_near : make_near(); }

}  // namespace rushlight
