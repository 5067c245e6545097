// The pool: memory for arrays, kept by size when it is freed and handed out again.
//
// A block is one block of the system's, rounded up to its size class; nothing is stored in front of it. Each thread has
// a few small blocks at hand, without a lock; the rest is in one list a class, under a mutex. When there is no room,
// the class that nobody has asked for longest goes first.
#include "memory/pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

#include "memory/failure.h"
#include "memory/size_classes.h"
#include "memory/system.h"
#include "memory/thread_cache.h"

namespace rushlight {

std::atomic<bool> near_on{false};
RUSHLIGHT_SHARED_THREAD_LOCAL Near* my_near = nullptr;

namespace {

// Blocks from this size on are kept in the order of their addresses.
constexpr size_t ORDERED_BYTES = size_t{1} << 20;

// A kept block; its first bytes are the link.
struct Block {
    Block* next;
};

void push(Block*& list, Block* block) {
    block->next = list;
    list = block;
}

// The lowest address first, so that a loop of the program gets the same few blocks each time round, whatever it frees
// in which order: with the last one first they change places, and more memory is touched than the cache can hold.
void push_in_order(Block*& list, Block* block) {
    constexpr int FAR = 32;  // a look at each costs a cache miss
    Block** place = &list;
    for (int i = 0; i < FAR && *place != nullptr && std::less<>()(*place, block); i++) place = &(*place)->next;
    push(*place, block);
}

Block* pop(Block*& list) { return std::exchange(list, list->next); }

void give_back(Block* blocks) {
    while (blocks != nullptr) system_free(pop(blocks));
}

// What all threads share, as long as the process lives. Its functions want the mutex held; blocks that have to go to
// the system are put on the list `gone`, for the caller to free without the mutex.
struct Shared {
    std::mutex mutex;
    bool on = true;
    Block* lists[CLASSES] = {};
    uint64_t last_asked[CLASSES] = {};
    uint64_t clock = 0;
    size_t held = 0;
    size_t limit = 0;
    Near* threads = nullptr;
    size_t thread_count = 0;
    // folded in from the threads
    int64_t used = 0;
    int64_t peak = 0;
    int64_t allocations = 0;
    int64_t fresh = 0;

    Shared();
    void set_limit(size_t bytes);
    Block* take(int size_class);
    void keep(void* p, int size_class, Block*& gone);
    void shrink_to(size_t bytes, Block*& gone);
    void refill(Bin& bin, int size_class);
    void spill(Bin& bin, int size_class, uint32_t blocks, Block*& gone);
    void fold(Near* near);
};

Shared& shared() {
    static Shared* const instance = new Shared;
    return *instance;
}

using Lock = std::lock_guard<std::mutex>;

RUSHLIGHT_FAST_THREAD_LOCAL bool thread_ended = false;

Shared::Shared() {
    const char* setting = std::getenv("RUSHLIGHT_POOL");
    on = setting == nullptr || std::strcmp(setting, "0") != 0;
    set_limit(static_cast<size_t>(std::min(uint64_t{1} << 30, memory_bytes() / 8)));
    // Nobody else is inside while we fork, so the lists are whole in the child.
    auto unlock = [] { shared().mutex.unlock(); };
    at_fork([] { shared().mutex.lock(); }, unlock, unlock);
}

void Shared::set_limit(size_t bytes) {
    limit = on ? bytes : 0;
    near_on = limit >= 4 * NEAR_TOTAL;
}

Block* Shared::take(int size_class) {
    last_asked[size_class] = ++clock;
    if (lists[size_class] == nullptr) return nullptr;
    held -= class_bytes(size_class);
    return pop(lists[size_class]);
}

void Shared::keep(void* p, int size_class, Block*& gone) {
    Block* block = new (p) Block{nullptr};
    size_t bytes = class_bytes(size_class), at_hand = near_on ? thread_count * NEAR_TOTAL : 0;
    if (at_hand + bytes > limit) {
        push(gone, block);
        return;
    }
    last_asked[size_class] = ++clock;
    shrink_to(limit - at_hand - bytes, gone);
    if (bytes >= ORDERED_BYTES) {
        push_in_order(lists[size_class], block);
    } else {
        push(lists[size_class], block);
    }
    held += bytes;
}

void Shared::shrink_to(size_t bytes, Block*& gone) {
    while (held > bytes) {
        int oldest = -1;
        for (int c = 0; c < CLASSES; ++c)
            if (lists[c] != nullptr && (oldest < 0 || last_asked[c] < last_asked[oldest])) oldest = c;
        held -= class_bytes(oldest);
        push(gone, pop(lists[oldest]));
    }
}

void Shared::refill(Bin& bin, int size_class) {
    uint32_t count = 0;
    while (count < bin.most / 2 && lists[size_class] != nullptr) bin.blocks[count++] = take(size_class);
    bin.resize(count);
}

// The first `blocks` of a bin, the coldest, go to the list.
void Shared::spill(Bin& bin, int size_class, uint32_t blocks, Block*& gone) {
    for (uint32_t i = 0; i < blocks; ++i) keep(bin.blocks[i], size_class, gone);
    std::copy(bin.blocks + blocks, bin.blocks + bin.size(), bin.blocks);
    bin.resize(bin.size() - blocks);
}

void Shared::fold(Near* near) {
    peak = std::max(peak, used + near->high.take());
    used += near->used.take();
    allocations += near->allocations.take();
    fresh += near->fresh.take();
}

void empty_near(Near* near) {
    Block* gone = nullptr;
    {
        Lock lock(shared().mutex);
        for (int c = 0; c < NEAR_CLASSES; ++c) shared().spill(near->bins[c], c, near->bins[c].size(), gone);
        shared().fold(near);
    }
    give_back(gone);
}

struct ThreadEnd {
    ~ThreadEnd() {
        Near* near = std::exchange(my_near, nullptr);
        thread_ended = true;
        empty_near(near);
        {
            Lock lock(shared().mutex);
            (near->previous != nullptr ? near->previous->next : shared().threads) = near->next;
            if (near->next != nullptr) near->next->previous = near->previous;
            --shared().thread_count;
        }
        delete near;
    }
};

void* allocate_slowly(size_t bytes) {
    if (bytes > LARGEST || has_to_fail(POOL_MEMORY)) return nullptr;
    int size_class = class_of(bytes);
    size_t rounded = class_bytes(size_class);
    Near* near = near_of_thread();
    void* p = nullptr;
    {
        Lock lock(shared().mutex);
        p = shared().take(size_class);
        bool at_hand = near != nullptr && size_class < NEAR_CLASSES && near_on;
        if (p != nullptr && at_hand) shared().refill(near->bins[size_class], size_class);
    }
    bool fresh = p == nullptr;
    if (fresh) p = system_allocate(rounded);
    if (p == nullptr) {
        pool_release();
        p = system_allocate(rounded);
        if (p == nullptr) return nullptr;
    }
    if (near != nullptr) {
        near->count_allocation(rounded);
        near->fresh.add(fresh);
    } else {
        Lock lock(shared().mutex);
        shared().used += static_cast<int64_t>(rounded);
        shared().allocations += 1;
        shared().fresh += fresh;
    }
    return p;
}

void free_slowly(void* p, int size_class) {
    Near* near = near_of_thread();
    Block* gone = nullptr;
    {
        Lock lock(shared().mutex);
        if (near != nullptr) shared().fold(near);
        shared().used -= static_cast<int64_t>(class_bytes(size_class));
        if (near != nullptr && size_class < NEAR_CLASSES && near_on) {
            Bin& bin = near->bins[size_class];
            shared().spill(bin, size_class, bin.size() / 2, gone);
            bin.blocks[bin.size()] = p;
            bin.resize(bin.size() + 1);
        } else {
            shared().keep(p, size_class, gone);
        }
    }
    give_back(gone);
}

}  // namespace

Near* make_near() {
    if (thread_ended) return nullptr;
    Near* near = new (std::nothrow) Near;
    if (near == nullptr) return nullptr;
    static thread_local ThreadEnd end;
    (void)end;
    Lock lock(shared().mutex);
    near->next = shared().threads;
    if (near->next != nullptr) near->next->previous = near;
    shared().threads = near;
    ++shared().thread_count;
    my_near = near;
    return near;
}

void* pool_allocate(size_t bytes) {
    Near* near = my_near;
    if (bytes <= NEAR_BYTES && near != nullptr) {
        int size_class = class_of(bytes);
        Bin& bin = near->bins[size_class];
        uint32_t count = bin.size();
        if (count > 0) {
            near->count_allocation(class_bytes(size_class));
            bin.resize(count - 1);
            return bin.blocks[count - 1];
        }
    }
    return allocate_slowly(bytes);
}

void pool_free(void* p, size_t bytes) {
    if (p == nullptr) return;
    int size_class = class_of(bytes);
    Near* near = my_near;
    if (bytes <= NEAR_BYTES && near != nullptr && near_on.load(std::memory_order_relaxed)) {
        Bin& bin = near->bins[size_class];
        uint32_t count = bin.size();
        if (count < bin.most) {
            near->count_free(class_bytes(size_class));
            bin.blocks[count] = p;
            bin.resize(count + 1);
            return;
        }
    }
    free_slowly(p, size_class);
}

void* pool_allocate_zeroed(size_t bytes) {
    void* p = pool_allocate(bytes);
    if (p != nullptr) std::memset(p, 0, bytes);
    return p;
}

void* pool_reallocate(void* p, size_t bytes) {
    if (p == nullptr) return pool_allocate(bytes);
    size_t old = class_bytes(class_within(system_usable(p)));
    if (bytes <= LARGEST && class_bytes(class_of(bytes)) == old) return p;
    void* moved = pool_allocate(bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, p, std::min(old, bytes));
    pool_free(p, old);
    return moved;
}

void pool_free_checked(void* p, size_t bytes) {
    if (p == nullptr) return;
    size_t usable = system_usable(p);
    bool fits = bytes <= usable && class_bytes(class_of(bytes)) <= usable;
    pool_free(p, fits ? bytes : class_bytes(class_within(usable)));
}

bool pool_on() { return shared().on; }

PoolStatistics pool_statistics() {
    Shared& all = shared();
    Lock lock(all.mutex);
    PoolStatistics result{};
    result.limit = static_cast<int64_t>(all.limit);
    result.held = static_cast<int64_t>(all.held);
    result.used = all.used;
    result.allocations = all.allocations;
    result.fresh = all.fresh;
    for (Near* near = all.threads; near != nullptr; near = near->next) {
        result.used += near->used.get();
        result.allocations += near->allocations.get();
        result.fresh += near->fresh.get();
        for (int c = 0; c < NEAR_CLASSES; ++c)
            result.held += static_cast<int64_t>(near->bins[c].size() * class_bytes(c));
    }
    result.peak = std::max(all.peak, result.used);
    for (Near* near = all.threads; near != nullptr; near = near->next)
        result.peak = std::max(result.peak, result.used - near->used.get() + near->high.get());
    return result;
}

void pool_set_limit(size_t bytes) {
    Block* gone = nullptr;
    {
        Lock lock(shared().mutex);
        shared().set_limit(bytes);
        shared().shrink_to(shared().limit, gone);
    }
    give_back(gone);
    if (!near_on && my_near != nullptr) empty_near(my_near);
}

void pool_reset_peak() {
    int64_t used = pool_statistics().used;
    Lock lock(shared().mutex);
    shared().peak = used;
    for (Near* near = shared().threads; near != nullptr; near = near->next) near->high.set(near->used.get());
}

void pool_hand_over() {
    if (my_near != nullptr) empty_near(my_near);
}

void pool_release() {
    pool_hand_over();
    Block* gone = nullptr;
    {
        Lock lock(shared().mutex);
        shared().shrink_to(0, gone);
    }
    give_back(gone);
    system_trim();
}

}  // namespace rushlight
