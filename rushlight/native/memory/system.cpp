// The system: what operating systems and compilers offer under different names.
#include "memory/system.h"

#include <cstdlib>
#include <thread>

#if defined(_WIN32)
#include <malloc.h>
#else
#include <pthread.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#elif !defined(_WIN32)
#include <malloc_np.h>
#endif

namespace rushlight {

namespace {
constexpr size_t ALIGNMENT = 64;
constexpr size_t HUGE_FROM = size_t{4} << 20;
}  // namespace

void* system_allocate(size_t bytes) {
#if defined(_WIN32)
    return _aligned_malloc(bytes, ALIGNMENT);
#else
    void* p = nullptr;
    if (posix_memalign(&p, ALIGNMENT, bytes) != 0) return nullptr;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= HUGE_FROM) {
        // Large pages where the kernel leaves the choice to us, as NumPy asks for them: fewer faults at first touch.
        uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), address = reinterpret_cast<uintptr_t>(p);
        uintptr_t begin = (address + page - 1) & ~(page - 1);
        madvise(reinterpret_cast<void*>(begin), bytes - (begin - address), MADV_HUGEPAGE);
    }
#endif
    return p;
#endif
}

void system_free(void* p) {
#if defined(_WIN32)
    _aligned_free(p);
#else
    std::free(p);
#endif
}

size_t system_usable(void* p) {
#if defined(_WIN32)
    return _aligned_msize(p, ALIGNMENT, 0);
#elif defined(__APPLE__)
    return malloc_size(p);
#else
    return malloc_usable_size(p);
#endif
}

void system_trim() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

uint64_t memory_bytes() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
#endif
    return uint64_t{4} << 30;
}

int usable_cores() {
#if defined(__linux__)
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
    unsigned count = std::thread::hardware_concurrency();
    return count == 0 ? 1 : static_cast<int>(count);
}

#if defined(_WIN32)
SignalsBlocked::SignalsBlocked() {}
SignalsBlocked::~SignalsBlocked() {}
#else
SignalsBlocked::SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
}
SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif

void at_fork(void (*before)(), void (*parent)(), void (*child)()) {
#if defined(_WIN32)
    (void)before, (void)parent, (void)child;
#else
    pthread_atfork(before, parent, child);
#endif
}

}  // namespace rushlight
