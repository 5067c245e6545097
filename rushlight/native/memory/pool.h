// The pool: memory for arrays, kept by size when it is freed and handed out again. No Python in here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rushlight {

// `bytes` uninitialised bytes at a multiple of 64, or nullptr. 0 is served like 1. Any thread, no GIL needed.
void* pool_allocate(size_t bytes);
// `bytes` is what was asked for; p may be nullptr. Any thread, not only the one that allocated.
void pool_free(void* p, size_t bytes);

void* pool_allocate_zeroed(size_t bytes);
// As C's realloc: contents kept up to the smaller size, nullptr and the old block untouched when memory is out.
void* pool_reallocate(void* p, size_t bytes);
// As pool_free, for callers that may be wrong about the size, as NumPy is after ndarray.__setstate__.
void pool_free_checked(void* p, size_t bytes);

// False with RUSHLIGHT_POOL=0: then each block comes from the system and goes back to it.
bool pool_on();

struct PoolStatistics {
    int64_t limit;        // bytes that may be kept
    int64_t held;         // bytes kept for later
    int64_t used;         // bytes handed out, rounded up to their size class
    int64_t peak;         // most bytes handed out; exact for one thread, a lower bound for several
    int64_t allocations;  // blocks handed out so far
    int64_t fresh;        // of these, blocks that came from the system
};
PoolStatistics pool_statistics();
void pool_set_limit(size_t bytes);
void pool_reset_peak();
// What this thread keeps at hand becomes everybody's: for a thread that is about to sleep.
void pool_hand_over();
// Gives what is kept back to the system; the few small blocks that other threads keep at hand go when they end.
void pool_release();

}  // namespace rushlight
