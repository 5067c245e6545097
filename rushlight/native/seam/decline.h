// Declining: the one way in which native code leaves a call to Python, with the reason, which is counted.
#pragma once

namespace rushlight {

// What a kernel returns where it leaves the work to Python: no object, no array, no success.
struct Declined {
    operator bool() const { return false; }
    template <class T>
    operator T*() const {
        return nullptr;
    }
};

// Why native code declined last; nullptr where nobody said. Whoever holds Python's lock reads and writes it.
extern const char* decline_reason;

inline Declined declined(const char* reason) {
    decline_reason = reason;
    return {};
}

}  // namespace rushlight

// The condition is its own reason: `rushlight.native.report()` shows it.
#define DECLINE_IF(...) \
    if (__VA_ARGS__) return ::rushlight::declined(#__VA_ARGS__)
