// Threads: a small pool of workers that share the loop of one caller.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "python.h"

namespace rushlight {

// How many threads work on one loop, the caller included.
int thread_count();
void set_thread_count(int count);

// Whether parallel(count, grain, ...) would use more than this thread, for callers that have a cheaper serial way.
bool runs_parallel(int64_t count, int64_t grain);

// Ends and joins the workers; they start again on demand.
void stop_threads();

void parallel_ranges(int64_t count, int64_t grain, void (*run)(void* work, int64_t begin, int64_t end), void* work);

// Calls work(begin, end) on disjoint ranges that cover [0, count). Every begin is a multiple of `grain`, so is every
// end but the last: what is computed grain by grain does not depend on the number of threads. Workers never touch
// Python, so the caller may hold the GIL. What `work` throws in any of them, memory that ends, the caller gets.
template <class Work>
void parallel(int64_t count, int64_t grain, Work&& work) {
    if (count <= 0) return;
    if (count <= grain) {
        work(int64_t{0}, count);
        return;
    }
    using Plain = std::remove_reference_t<Work>;
    auto run = [](void* address, int64_t begin, int64_t end) { (*static_cast<Plain*>(address))(begin, end); };
    parallel_ranges(count, grain, run, const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

// get_num_threads, set_num_threads: the workers and the BLAS together.
extern PyMethodDef thread_methods[];

}  // namespace rushlight
