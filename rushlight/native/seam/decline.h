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

struct Word;

// Why native code declined last, nullptr where nobody said, and which argument it was about, nullptr for none. Whoever
// holds Python's lock reads and writes them.
extern const char* decline_reason;
extern const Word* decline_about;

inline Declined declined(const char* reason, const Word* about = nullptr) {
    decline_reason = reason;
    decline_about = about;
    return {};
}

}  // namespace rushlight

// The condition is its own reason: `rushlight.native.report()` shows it.
#define DECLINE_IF(...) \
    if (__VA_ARGS__) return ::rushlight::declined(#__VA_ARGS__)
