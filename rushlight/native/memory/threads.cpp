// Threads: a small pool of workers that share the loop of one caller.
#include "memory/threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "memory/pool.h"
#include "memory/system.h"

namespace rushlight {

namespace {

constexpr int MOST_WORKERS = 255;
// How long a worker looks for the next loop before it sleeps, about 100 us: loops follow each other closely in a
// program that has any, a thread may be done with its share 50 us before the others, and to be woken takes as long.
constexpr int SPINS = 2500;

// One loop, on its caller's stack.
struct SharedLoop {
    int64_t count, grain, step;  // a thread takes `step` elements at a time
    void (*run)(void*, int64_t, int64_t);
    void* work;
    std::atomic<int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure{};  // of the first thread that failed; the caller throws it on

    void take_part() noexcept {
        try {
            for (;;) {
                int64_t begin = next.fetch_add(step, std::memory_order_relaxed);
                if (begin >= count) return;
                run(work, begin, std::min(begin + step, count));
            }
        } catch (...) {
            next = count;
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    }
};

struct Workers {
    // Held by the caller whose loop runs, without waiting: whoever finds it taken works alone.
    std::atomic<bool> busy{false};
    std::thread threads[MOST_WORKERS];
    int started = 0;

    // written with the mutex held
    std::mutex mutex;
    std::condition_variable wake, done;
    std::atomic<int64_t> loops{0};
    std::atomic<int> running{0};
    SharedLoop* loop = nullptr;
    int seats = 0;  // how many workers may still join the loop
    bool ending = false;
    std::atomic<bool> over{false};  // the process ends
};

Workers& workers() {
    static Workers* const all = new Workers;
    return *all;
}

RUSHLIGHT_FAST_THREAD_LOCAL bool is_worker = false;

int default_count() {
    const char* setting = std::getenv("OMP_NUM_THREADS");
    int count = setting == nullptr ? 0 : std::atoi(setting);
    return count > 0 ? count : usable_cores();
}

std::atomic<int>& asked_count() {
    static std::atomic<int> count{default_count()};
    return count;
}

void work_until_the_end(Workers& all) {
    is_worker = true;
    int64_t seen = 0;
    for (;;) {
        for (int spin = 0; spin < SPINS && all.loops.load(std::memory_order_relaxed) == seen; ++spin) spin_pause();
        if (all.loops.load(std::memory_order_relaxed) == seen) pool_hand_over();
        std::unique_lock<std::mutex> lock(all.mutex);
        all.wake.wait(lock, [&] { return all.ending || all.loops != seen; });
        if (all.ending) return;
        seen = all.loops;
        if (all.seats == 0) continue;
        --all.seats;
        ++all.running;
        SharedLoop* loop = all.loop;
        lock.unlock();
        loop->take_part();
        lock.lock();
        if (--all.running == 0) all.done.notify_one();
    }
}

// Starts workers up to `count`, or as many as the system allows. The caller is busy.
void start(Workers& all, int count) {
    SignalsBlocked blocked;
    try {
        for (; all.started < std::min(count, MOST_WORKERS); ++all.started)
            all.threads[all.started] = std::thread(work_until_the_end, std::ref(all));
    } catch (...) {
        // no memory for a thread, or no room: those that run are enough
    }
}

void share(Workers& all, SharedLoop& loop, int helpers) {
    start(all, helpers);
    {
        std::lock_guard<std::mutex> lock(all.mutex);
        all.loop = &loop;
        all.seats = helpers;
        ++all.loops;
    }
    if (helpers < all.started) {
        for (int i = 0; i < helpers; ++i) all.wake.notify_one();
    } else {
        all.wake.notify_all();
    }
    loop.take_part();
    // Workers that come too late find no seat: nobody waits for a thread that is not awake yet.
    std::unique_lock<std::mutex> lock(all.mutex);
    all.seats = 0;
    lock.unlock();
    for (int spin = 0; spin < SPINS && all.running.load(std::memory_order_relaxed) > 0; ++spin) spin_pause();
    lock.lock();
    all.done.wait(lock, [&] { return all.running == 0; });
    all.loop = nullptr;
}

void join(Workers& all) {
    {
        std::lock_guard<std::mutex> lock(all.mutex);
        all.ending = true;
    }
    all.wake.notify_all();
    for (; all.started > 0; --all.started) all.threads[all.started - 1].join();
    all.ending = false;
}

// Takes the workers away from other callers; false when that is for good.
bool seize(Workers& all) {
    while (all.busy.exchange(true, std::memory_order_acquire)) {
        if (all.over) return false;
        std::this_thread::yield();
    }
    return true;
}

void set_free(Workers& all) { all.busy.store(false, std::memory_order_release); }

// At exit the workers are joined and stay seized: a thread that still runs then works alone. Around fork() there are
// none, as a child would not have them.
struct Ends {
    Ends() {
        // Handlers run last to first: the pool registers its own before, as workers that end give it their blocks.
        pool_on();
        at_fork(before_fork, after_fork, after_fork);
    }
    ~Ends() {
        if (!seize(workers())) return;
        workers().over = true;
        join(workers());
    }
    static void before_fork() {
        seized = seize(workers());
        if (seized) join(workers());
    }
    static void after_fork() {
        if (seized) set_free(workers());
    }
    static thread_local bool seized;
} ends;

thread_local bool Ends::seized = false;

}  // namespace

int thread_count() { return asked_count().load(std::memory_order_relaxed); }

void set_thread_count(int count) { asked_count() = std::max(count, 1); }

bool runs_parallel(int64_t count, int64_t grain) { return count > grain && thread_count() > 1 && !is_worker; }

void stop_threads() {
    if (!seize(workers())) return;
    join(workers());
    set_free(workers());
}

void parallel_ranges(int64_t count, int64_t grain, void (*run)(void*, int64_t, int64_t), void* work) {
    grain = std::max<int64_t>(grain, 1);
    if (!runs_parallel(count, grain) || workers().busy.exchange(true, std::memory_order_acquire)) {
        run(work, 0, count);
        return;
    }
    int64_t grains = (count - 1) / grain + 1;
    int threads = static_cast<int>(std::min<int64_t>(grains, thread_count()));
    // Eight parts a thread: few enough to cost nothing, enough to level out a thread that is late or slow.
    SharedLoop loop{count, grain, std::max<int64_t>(grains / (8 * threads), 1) * grain, run, work};
    share(workers(), loop, threads - 1);
    set_free(workers());
    if (loop.failed) std::rethrow_exception(loop.failure);
}

}  // namespace rushlight
