// Failures: memory that ends at the n-th allocation, so that tests see what native code does then. No Python in here.
#pragma once

#include <atomic>

struct PyMethodDef;

namespace rushlight {

// Where memory comes from: the pool, malloc and new, Python's allocators.
enum MemorySource : unsigned { POOL_MEMORY = 1, HEAP_MEMORY = 2, PYTHON_MEMORY = 4 };

// The sources whose allocations are counted: none, unless a test runs.
extern std::atomic<unsigned> counted_sources;
// Counts one allocation; true if it has to fail.
bool count_to_failure();

// Asked where memory is taken. When no test runs: one load and a branch, on ways that take memory anyway.
inline bool has_to_fail(MemorySource source) {
    return (counted_sources.load(std::memory_order_relaxed) & source) != 0 && count_to_failure();
}

extern PyMethodDef failure_methods[];

}  // namespace rushlight
