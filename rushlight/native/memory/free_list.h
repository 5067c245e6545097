// Spares: arrays that have died, for the next one of the same size and number of dims; small ones with their memory.
// For NumPy to make and to free an array takes 450 instructions, more than a small op has. The GIL guards them.
#pragma once

#include <utility>

#include "memory/pool.h"
#include "memory/thread_cache.h"
#include "seam/python.h"

namespace rushlight {

class Spares {
public:
    static constexpr int MOST_DIMS = 4;
    static constexpr size_t WITH_MEMORY = 256;

    // Statistics count small ones as if their memory went through the pool. The array comes without memory, with data
    // == nullptr, if it is large.
    PyArrayObject_fields* take(int ndim, size_t bytes) {
        if (ndim > MOST_DIMS) return nullptr;
        List& list = lists[ndim][place_of(bytes)];
        if (list.count == 0) return nullptr;
        if (bytes <= WITH_MEMORY) {
            Near* near = near_of_thread();
            if (near == nullptr) return nullptr;
            near->count_allocation(rounded(bytes));
        }
        return list.arrays[--list.count];
    }
    bool keep(PyArrayObject_fields* array, size_t bytes) {
        if (array->nd > MOST_DIMS || bytes == 0) return false;
        List& list = lists[array->nd][place_of(bytes)];
        if (list.count == MOST) return false;
        if (bytes > WITH_MEMORY) {
            // somebody may have given it another shape or dtype meanwhile
            pool_free_checked(std::exchange(array->data, nullptr), bytes);
        } else {
            Near* near = near_of_thread();
            bool keeps = near != nullptr && near_on.load(std::memory_order_relaxed);
            if (!keeps || system_usable(array->data) < rounded(bytes)) return false;
            near->count_free(rounded(bytes));
        }
        list.arrays[list.count++] = array;
        return true;
    }
    int64_t held() const {
        int64_t bytes = 0;
        for (const auto& of_dims : lists) {
            for (size_t place = 0; place < LARGE; place++) bytes += of_dims[place].count * (place + 1) * STEP;
        }
        return bytes;
    }
    void release() {
        for (auto& of_dims : lists) {
            for (size_t place = 0; place <= LARGE; place++) {
                List& list = of_dims[place];
                while (list.count > 0) {
                    Near* near = place < LARGE ? near_of_thread() : nullptr;
                    if (near != nullptr) near->count_allocation((place + 1) * STEP);
                    Py_DECREF(list.arrays[--list.count]);
                }
            }
        }
    }

private:
    static constexpr int MOST = 64;
    static constexpr size_t LARGE = WITH_MEMORY / STEP;
    struct List {
        PyArrayObject_fields* arrays[MOST];
        int count = 0;
    };

    static size_t place_of(size_t bytes) { return bytes > WITH_MEMORY ? LARGE : (bytes - 1) / STEP; }
    static size_t rounded(size_t bytes) { return (bytes + STEP - 1) / STEP * STEP; }

    List lists[MOST_DIMS + 1][LARGE + 1];
};

}  // namespace rushlight
