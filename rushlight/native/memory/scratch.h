// Memory that one scope uses, from the pool.
#pragma once

#include <cstddef>

#include "memory/pool.h"

namespace rushlight {

class Scratch {
public:
    // Nothing at first; `take` gets memory, nullptr if there is none.
    Scratch() = default;
    explicit Scratch(size_t bytes) { take(bytes); }
    ~Scratch() {
        if (memory_ != nullptr) pool_free(memory_, bytes_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    char* take(size_t bytes) {
        bytes_ = bytes;
        memory_ = static_cast<char*>(pool_allocate(bytes));
        return memory_;
    }
    char* get() const { return memory_; }

private:
    size_t bytes_ = 0;
    char* memory_ = nullptr;
};

}  // namespace rushlight
