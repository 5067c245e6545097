// The system: what operating systems and compilers offer under different names. No Python in here.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if !defined(_WIN32)
#include <signal.h>
#endif

// A thread's variable found without a call. Only a few bytes of these fit into a library that is loaded late, and musl
// has no room for them at all.
#if defined(__GLIBC__)
#define RUSHLIGHT_THREAD_LOCAL thread_local __attribute__((tls_model("initial-exec")))
#else
#define RUSHLIGHT_THREAD_LOCAL thread_local
#endif
#define RUSHLIGHT_FAST_THREAD_LOCAL static RUSHLIGHT_THREAD_LOCAL

// For one that several files use: its first value is a constant, so that nobody has to ask whether it is there yet.
#if defined(__clang__)
#define RUSHLIGHT_SHARED_THREAD_LOCAL [[clang::require_constant_initialization]] RUSHLIGHT_THREAD_LOCAL
#elif defined(__GNUC__) && __GNUC__ >= 10
#define RUSHLIGHT_SHARED_THREAD_LOCAL __constinit RUSHLIGHT_THREAD_LOCAL
#else
#define RUSHLIGHT_SHARED_THREAD_LOCAL RUSHLIGHT_THREAD_LOCAL
#endif

namespace rushlight {

// `bytes` (a multiple of 64) at a multiple of 64, or nullptr.
void* system_allocate(size_t bytes);
void system_free(void* p);
// How many bytes of a block may be used: at least what was asked for.
size_t system_usable(void* p);
// Returns what the C library keeps of freed blocks.
void system_trim();

uint64_t memory_bytes();
// The cores that this process may run on.
int usable_cores();

// Blocks signals while it lives: a thread that is started meanwhile leaves them to the others, so that Ctrl-C
// interrupts the thread that waits for it.
class SignalsBlocked {
public:
    SignalsBlocked();
    ~SignalsBlocked();
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
#if !defined(_WIN32)
    sigset_t before_;
#endif
};

// Functions to run around fork(): before it, and after it in the parent and in the child.
void at_fork(void (*before)(), void (*parent)(), void (*child)());

inline int floor_log2(uint64_t value) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long bit;
    _BitScanReverse64(&bit, value);
    return static_cast<int>(bit);
#else
    return 63 - __builtin_clzll(value);
#endif
}

// Tells the core that this thread is waiting in a loop.
inline void spin_pause() {
#if defined(_MSC_VER) && !defined(__clang__)
    _mm_pause();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

}  // namespace rushlight
