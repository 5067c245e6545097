// Chains: where each value of a block stands, and the loop over blocks.
#include "loops/chain.h"

#include <algorithm>
#include <cstring>

#include "memory/threads.h"

namespace rushlight {

bool ChainInput::read(PyArrayObject* array, int ndim, const npy_intp* dims) {
    data = PyArray_BYTES(array);
    spread = !PyArray_IS_C_CONTIGUOUS(array) || PyArray_NDIM(array) != ndim ||
             !PyArray_CompareLists(PyArray_DIMS(array), dims, ndim);
    axes = 0;
    int missing = ndim - PyArray_NDIM(array);
    for (int d = 0; spread && d < ndim; d++) {
        if (dims[d] == 1) continue;
        bool walks = d >= missing && PyArray_DIM(array, d - missing) != 1;
        npy_intp step = walks ? PyArray_STRIDE(array, d - missing) : 0;
        if (axes > 0 && steps[axes - 1] == step * dims[d]) {
            extents[axes - 1] *= dims[d];
            steps[axes - 1] = step;
            continue;
        }
        if (axes == AXES) return false;
        extents[axes] = dims[d];
        steps[axes++] = step;
    }
    return true;
}

namespace {

template <class T>
void gather_row(const char* from, npy_intp step, char* to, int64_t count) {
    for (int64_t i = 0; i < count; i++, from += step, to += sizeof(T)) std::memcpy(to, from, sizeof(T));
}

void gather_run(const char* from, npy_intp step, int size, char* to, int64_t count) {
    if (step == size) {
        std::memcpy(to, from, count * size);
    } else if (size == 8) {
        gather_row<int64_t>(from, step, to, count);
    } else if (size == 4) {
        gather_row<int32_t>(from, step, to, count);
    } else {
        gather_row<int8_t>(from, step, to, count);
    }
}

}  // namespace

void ChainInput::gather(int64_t at, int64_t count, char* to) const {
    int64_t place[AXES];
    const char* from = data;
    for (int k = axes - 1; k >= 0; k--) {
        place[k] = at % extents[k];
        at /= extents[k];
        from += place[k] * steps[k];
    }
    int last = axes - 1, size = SIZES[own];
    while (true) {
        int64_t run = std::min(count, extents[last] - place[last]);
        if (steps[last] == 0) {
            table().repeat[own](from, 0, to, 1, run);
        } else {
            gather_run(from, steps[last], size, to, run);
        }
        if ((count -= run) == 0) return;
        to += run * size;
        from -= place[last] * steps[last];
        place[last] = 0;
        for (int k = last - 1; k >= 0; k--) {
            from += steps[k];
            if (++place[k] < extents[k]) break;
            from -= place[k] * steps[k];
            place[k] = 0;
        }
    }
}

int64_t Chain::scratch_of(const ChainStep& step) {
    int64_t bytes = SIZES[step.dtype];
    for (int i = 0; i < step.count; i++) {
        const ChainInput& input = step.inputs[i];
        if (input.single || (input.own != input.dtype)) bytes += SIZES[input.dtype];
        if (input.spread) bytes += SIZES[input.own];
    }
    return bytes * BLOCK;
}

namespace {

// Where the values of a block stand in scratch, in bytes from its start; -1 for what stands in memory.
struct Places {
    int64_t result[Chain::STEPS];
    int64_t gathered[Chain::STEPS][MAX_OPERANDS], converted[Chain::STEPS][MAX_OPERANDS];
};

class Plan {
public:
    Plan(const ChainStep* steps, int count) : steps(steps), count(count) {
        find_last_uses();
        find_streams();
        for (int s = 0; s < count; s++) {
            if (steps[s].needed) place(s);
        }
    }
    void run(int64_t begin, int64_t end) const;

private:
    void find_last_uses();
    void place(int s);
    int64_t take(int size, bool for_good = false);
    void find_streams();
    int64_t block_length() const;
    void fetch(int64_t at, int64_t length) const;
    void run_block(int s, int64_t at, int64_t length, char* scratch) const;

    const ChainStep* steps;
    int count;
    int last_use[Chain::STEPS];
    Places places;
    // room that was given back, by the size of an element
    int64_t vacant[9][Chain::STEPS];
    int vacancies[9] = {};
    int64_t used = 0;
    // memory that is read as it stands
    struct {
        const char* data;
        int size;
    } streams[Chain::STEPS * MAX_OPERANDS];
    int stream_count = 0;
};

void Plan::find_streams() {
    for (int s = 0; s < count; s++) {
        for (int i = 0; steps[s].needed && i < steps[s].count; i++) {
            const ChainInput& input = steps[s].inputs[i];
            if (input.single || input.spread || input.step >= 0) continue;
            bool known = false;
            for (int k = 0; k < stream_count; k++) known = known || streams[k].data == input.data;
            if (!known) streams[stream_count++] = {input.data, SIZES[input.own]};
        }
    }
}

// Half of the usual length where all that a block touches would not stay in the first cache: with its backward the
// chain of the benchmark then takes a fifth less.
int64_t Plan::block_length() const {
    constexpr int64_t CACHE = 28 * 1024;
    int64_t touched = used;
    for (int k = 0; k < stream_count; k++) touched += streams[k].size * Chain::BLOCK;
    for (int s = 0; s < count; s++) {
        if (steps[s].needed && steps[s].result != nullptr) touched += SIZES[steps[s].dtype] * Chain::BLOCK;
    }
    return touched > CACHE ? Chain::BLOCK / 2 : Chain::BLOCK;
}

// Ask for the next block while this one is worked on.
void Plan::fetch(int64_t at, int64_t length) const {
    for (int k = 0; k < stream_count; k++) {
        const char* from = streams[k].data + at * streams[k].size;
        for (int64_t byte = 0; byte < length * streams[k].size; byte += 64) __builtin_prefetch(from + byte);
    }
}

void Plan::find_last_uses() {
    for (int s = 0; s < count; s++) {
        last_use[s] = -1;
        for (int i = 0; steps[s].needed && i < steps[s].count; i++) {
            if (steps[s].inputs[i].step >= 0) last_use[steps[s].inputs[i].step] = s;
        }
    }
}

int64_t Plan::take(int size, bool for_good) {
    if (vacancies[size] > 0 && !for_good) return vacant[size][--vacancies[size]];
    used += size * Chain::BLOCK;
    return used - size * Chain::BLOCK;
}

// Inputs first, whose room the result may then have: a loop reads an element before it writes there.
void Plan::place(int s) {
    const ChainStep& step = steps[s];
    for (int i = 0; i < step.count; i++) {
        const ChainInput& input = step.inputs[i];
        bool converts = input.single || input.own != input.dtype;
        places.gathered[s][i] = input.spread ? take(SIZES[input.own]) : -1;
        // a single value is written once, before the first block
        places.converted[s][i] = converts ? take(SIZES[input.dtype], input.single) : -1;
    }
    for (int i = 0; i < step.count; i++) {
        int from = step.inputs[i].step;
        bool ends = from >= 0 && last_use[from] == s && places.result[from] >= 0;
        if (!ends) continue;
        last_use[from] = -1;  // a step may read it twice
        int size = SIZES[steps[from].dtype];
        vacant[size][vacancies[size]++] = places.result[from];
    }
    places.result[s] = step.result == nullptr ? take(SIZES[step.dtype]) : -1;
}

void Plan::run_block(int s, int64_t at, int64_t length, char* scratch) const {
    const ChainStep& step = steps[s];
    const void* inputs[MAX_OPERANDS];
    for (int i = 0; i < step.count; i++) {
        const ChainInput& input = step.inputs[i];
        char* converted = scratch + places.converted[s][i];
        if (input.single) {
            inputs[i] = converted;
            continue;
        }
        const char* from = input.data + at * SIZES[input.own];
        if (input.step >= 0) {
            const ChainStep& made = steps[input.step];
            from = made.result != nullptr ? made.result + at * SIZES[made.dtype] : scratch + places.result[input.step];
        } else if (input.spread) {
            input.gather(at, length, scratch + places.gathered[s][i]);
            from = scratch + places.gathered[s][i];
        }
        inputs[i] = from;
        if (input.own == input.dtype) continue;
        table().convert[input.own][input.dtype](from, converted, length);
        inputs[i] = converted;
    }
    step.loop(inputs, step.result != nullptr ? step.result + at * SIZES[step.dtype] : scratch + places.result[s],
              length);
}

void Plan::run(int64_t begin, int64_t end) const {
    alignas(64) char scratch[Chain::SCRATCH];
    for (int s = 0; s < count; s++) {
        for (int i = 0; steps[s].needed && i < steps[s].count; i++) {
            const ChainInput& input = steps[s].inputs[i];
            if (!input.single) continue;
            table().repeat[input.dtype](input.value, 0, scratch + places.converted[s][i], 1,
                                        std::min(end - begin, Chain::BLOCK));
        }
    }
    // what needs no scratch needs no blocks
    int64_t block = used == 0 && count == 1 ? end - begin : block_length();
    for (int64_t at = begin; at < end; at += block) {
        int64_t length = std::min(block, end - at);
        if (at + block < end) fetch(at + block, std::min(block, end - at - block));
        for (int s = 0; s < count; s++) {
            if (steps[s].needed) run_block(s, at, length, scratch);
        }
    }
}

}  // namespace

namespace {

// The loop of the first row of an op.
Loop loop_named(const char* name, int dtype) {
    const Table& loops = table();
    for (int i = 0; i < loops.pointwise_count; i++) {
        if (std::strcmp(loops.pointwise[i].name, name) == 0) return loops.pointwise[i].loops[dtype];
    }
    return nullptr;
}

// The joined loops by the loops that they stand for, found once.
struct Joints {
    struct {
        Loop first, second, both;
        int place;
    } all[2 * Table::MOST_JOINED];
    int count = 0;

    Joints() {
        const Table& loops = table();
        for (int i = 0; i < 2 * loops.joined_count; i++) {
            const Joined& joined = loops.joined[i / 2];
            Loop first = loop_named(joined.first, i % 2), second = loop_named(joined.second, i % 2);
            if (first != nullptr && second != nullptr)
                all[count++] = {first, second, joined.loops[i % 2], joined.place};
        }
    }
    Loop find(Loop first, Loop second, int place) const {
        for (int i = 0; i < count; i++) {
            if (all[i].first == first && all[i].second == second && all[i].place == place) return all[i].both;
        }
        return nullptr;
    }
};

// How often later steps read a result.
int uses_of(const ChainStep* steps, int s, int count) {
    int uses = 0;
    for (int t = s + 1; t < count; t++) {
        for (int i = 0; steps[t].needed && i < steps[t].count; i++) uses += steps[t].inputs[i].step == s;
    }
    return uses;
}

// Do two steps in one where the second alone reads the first's result, in the dtype that it has.
void join(ChainStep& first, ChainStep& second, int s) {
    static const Joints joints;
    for (int i = 0; i < second.count; i++) {
        const ChainInput& input = second.inputs[i];
        if (input.step != s || input.own != input.dtype) continue;
        Loop both = joints.find(first.loop, second.loop, i);
        if (both == nullptr) return;
        ChainStep made = first;
        for (int k = 0; k < second.count; k++) {
            if (k != i) made.inputs[made.count++] = second.inputs[k];
        }
        made.loop = both;
        made.dtype = second.dtype;
        made.result = second.result;
        second = made;
        first.needed = false;
        return;
    }
}

// Steps that follow each other, where a loop for both is there.
void join_neighbours(ChainStep* steps, int count) {
    int before = -1;
    for (int t = 0; t < count; t++) {
        if (!steps[t].needed) continue;
        bool may_join = before >= 0 && steps[before].result == nullptr && uses_of(steps, before, count) == 1;
        if (may_join) join(steps[before], steps[t], before);
        before = t;
    }
}

}  // namespace

void Chain::run(ChainStep* steps, int count, int64_t size) noexcept {
    join_neighbours(steps, count);
    Plan plan(steps, count);
    try {
        parallel(size, PARALLEL, [&](int64_t begin, int64_t end) { plan.run(begin, end); });
    } catch (...) {
        // no memory for other threads: blocks that some of them did are done again, to the same bits
        plan.run(0, size);
    }
}

}  // namespace rushlight
