// Chains: where each value of a block stands, and the loop over blocks.
#include "loops/chain.h"

#include <algorithm>
#include <cstring>

#include "loops/joining.h"
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
    if (step.fold != nullptr) return 0;
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

// Where a value of a block stands, by the block's first element and by how far that is from the start of its leaf.
struct Spot {
    char* base;
    int64_t by_element, by_offset;

    char* at(int64_t element, int64_t offset) const { return base + element * by_element + offset * by_offset; }
};

// A step with its places looked up once for all blocks: a block of 128 elements takes as long as to look them up.
struct ReadyStep {
    int number;
    bool is_direct;  // a loop over what is there as it reads it: nothing to gather, to convert or to copy
    Loop loop;
    int count;
    Spot inputs[MAX_OPERANDS];
    Spot result;
};

// What one thread works with.
struct Workspace {
    alignas(64) char scratch[Chain::SCRATCH];
    ReadyStep steps[Chain::STEPS];
    int count = 0;
};

class Plan {
public:
    Plan(const ChainStep* steps, int count, int64_t size, const FoldedRows& rows)
        : steps(steps), count(count), size(size), rows(rows) {
        find_folds();
        find_last_uses();
        find_streams();
        for (int s = 0; s < count; s++) {
            if (steps[s].needed && steps[s].fold == nullptr) place(s);
        }
        block = block_length();
    }
    void run() const;

private:
    void find_folds();
    void find_last_uses();
    void place(int s);
    int64_t take(int size, bool for_good = false);
    int64_t place_of_single(int s, int i);
    void find_streams();
    int64_t block_length() const;
    void fetch(int64_t at, int64_t length) const;
    Spot left_by(int s, char* scratch) const;
    void prepare(Workspace& work, int64_t length) const;
    void run_step(int s, int64_t at, int64_t offset, int64_t length, char* scratch) const;
    void run_block(int64_t at, int64_t offset, int64_t length, Workspace& work) const;
    void repeat_singles(int64_t length, char* scratch) const;
    void run_range(int64_t begin, int64_t end) const;

    int64_t unit_count() const;
    void run_leaf(int64_t begin, int64_t end, Workspace& work) const;
    void fold_by_halves(int64_t begin, int64_t end, Workspace& work, int64_t* totals) const;
    void fold_unit(int64_t unit, Workspace& work) const;
    void fold_units(int64_t begin, int64_t end) const;
    void join_parts() const;

    const ChainStep* steps;
    int count;
    int64_t size;
    const FoldedRows& rows;
    int64_t block = 0;
    int folds[Chain::STEPS];  // the steps that are reductions
    int fold_count = 0;
    bool is_folded[Chain::STEPS] = {};  // stays in scratch until it is folded
    int last_use[Chain::STEPS];
    Places places;
    // room that was given back, by the size of an element
    int64_t vacant[9][Chain::STEPS];
    int vacancies[9] = {};
    int64_t used = 0;
    // memory that is read or written as it stands
    struct {
        const char* data;
        int size;
    } streams[Chain::STEPS * (MAX_OPERANDS + 1)];
    int stream_count = 0;
};

void Plan::find_streams() {
    for (int s = 0; s < count; s++) {
        const ChainStep& step = steps[s];
        if (!step.needed) continue;
        for (int i = 0; i < step.count; i++) {
            const ChainInput& input = step.inputs[i];
            if (input.single || input.spread || input.step >= 0) continue;
            bool known = false;
            for (int k = 0; k < stream_count; k++) known = known || streams[k].data == input.data;
            if (!known) streams[stream_count++] = {input.data, SIZES[input.own]};
        }
        if (step.result != nullptr && step.fold == nullptr) streams[stream_count++] = {step.result, SIZES[step.dtype]};
    }
}

// A quarter of the usual length where all that a block touches, and what is fetched for the next one, would not stay in
// the first cache, or where the arrays do not stay in the second: what is fetched then comes bit by bit while steps
// run. The chain of the benchmark takes 0.62 ms so, 1.1 ms with the usual length, beside other work.
int64_t Plan::block_length() const {
    constexpr int64_t FIRST_CACHE = 28 * 1024, SECOND_CACHE = 1 << 20;
    int64_t touched = 0;
    for (int k = 0; k < stream_count; k++) touched += streams[k].size;
    bool is_large = touched * Chain::BLOCK + used > FIRST_CACHE || touched * size > SECOND_CACHE;
    return is_large ? Chain::BLOCK / 4 : Chain::BLOCK;
}

// Ask for the next block while this one is worked on; also for what will be written, of which a line is read first.
void Plan::fetch(int64_t at, int64_t length) const {
    for (int k = 0; k < stream_count; k++) {
        const char* from = streams[k].data + at * streams[k].size;
        for (int64_t byte = 0; byte < length * streams[k].size; byte += 64) __builtin_prefetch(from + byte);
    }
    // GCC leaves out calls of a function that does nothing but fetch: to it, that has no effect
    __asm__ volatile("");
}

void Plan::find_folds() {
    for (int s = 0; s < count; s++) {
        if (!steps[s].needed || steps[s].fold == nullptr) continue;
        folds[fold_count++] = s;
        is_folded[steps[s].inputs[0].step] = true;
    }
}

void Plan::find_last_uses() {
    for (int s = 0; s < count; s++) {
        last_use[s] = -1;
        for (int i = 0; steps[s].needed && i < steps[s].count; i++) {
            if (steps[s].inputs[i].step >= 0) last_use[steps[s].inputs[i].step] = s;
        }
    }
    // reductions come after all other steps of a leaf
    for (int s = 0; s < count; s++) last_use[s] = is_folded[s] ? count : last_use[s];
}

int64_t Plan::take(int size, bool for_good) {
    if (vacancies[size] > 0 && !for_good) return vacant[size][--vacancies[size]];
    used += size * Chain::BLOCK;
    return used - size * Chain::BLOCK;
}

// Where a single value stands: with an equal one of the same dtype, if there is one.
int64_t Plan::place_of_single(int s, int i) {
    const ChainInput& input = steps[s].inputs[i];
    for (int t = 0; t <= s; t++) {
        int before = t == s ? i : steps[t].count;
        for (int k = 0; steps[t].needed && steps[t].fold == nullptr && k < before; k++) {
            const ChainInput& other = steps[t].inputs[k];
            bool same = other.single && other.dtype == input.dtype &&
                        std::memcmp(other.value, input.value, SIZES[input.dtype]) == 0;
            if (same) return places.converted[t][k];
        }
    }
    return take(SIZES[input.dtype], true);
}

// Inputs first, whose room the result may then have: a loop reads an element before it writes there.
void Plan::place(int s) {
    const ChainStep& step = steps[s];
    for (int i = 0; i < step.count; i++) {
        const ChainInput& input = step.inputs[i];
        bool converts = input.own != input.dtype;
        places.gathered[s][i] = input.spread ? take(SIZES[input.own]) : -1;
        // a single value is written once, before the first block
        places.converted[s][i] = input.single ? place_of_single(s, i) : converts ? take(SIZES[input.dtype]) : -1;
    }
    for (int i = 0; i < step.count; i++) {
        int from = step.inputs[i].step;
        bool ends = from >= 0 && last_use[from] == s && places.result[from] >= 0;
        if (!ends) continue;
        last_use[from] = -1;  // a step may read it twice
        int size = SIZES[steps[from].dtype];
        vacant[size][vacancies[size]++] = places.result[from];
    }
    // what is folded after several blocks has room of its own
    places.result[s] = step.result == nullptr ? take(SIZES[step.dtype], is_folded[s]) : -1;
}

// What a step leaves: in memory, or in scratch, where what is folded lies leaf by leaf.
Spot Plan::left_by(int s, char* scratch) const {
    int64_t item = SIZES[steps[s].dtype];
    if (steps[s].result != nullptr) return {steps[s].result, item, 0};
    return {scratch + places.result[s], 0, is_folded[s] ? item : 0};
}

void Plan::prepare(Workspace& work, int64_t length) const {
    repeat_singles(length, work.scratch);
    for (int s = 0; s < count; s++) {
        const ChainStep& step = steps[s];
        if (!step.needed || step.fold != nullptr) continue;
        ReadyStep& ready = work.steps[work.count++];
        ready.number = s;
        ready.is_direct = !step.is_copy();
        ready.loop = step.loop;
        ready.count = step.count;
        ready.result = left_by(s, work.scratch);
        for (int i = 0; i < step.count; i++) {
            const ChainInput& input = step.inputs[i];
            ready.is_direct = ready.is_direct && (input.single || (!input.spread && input.own == input.dtype));
            ready.inputs[i] = input.single      ? Spot{work.scratch + places.converted[s][i], 0, 0}
                              : input.step >= 0 ? left_by(input.step, work.scratch)
                                                : Spot{const_cast<char*>(input.data), SIZES[input.own], 0};
        }
    }
}

void Plan::run_block(int64_t at, int64_t offset, int64_t length, Workspace& work) const {
    for (int k = 0; k < work.count; k++) {
        const ReadyStep& step = work.steps[k];
        if (!step.is_direct) {
            run_step(step.number, at, offset, length, work.scratch);
            continue;
        }
        const void* inputs[MAX_OPERANDS];
        for (int i = 0; i < step.count; i++) inputs[i] = step.inputs[i].at(at, offset);
        step.loop(inputs, step.result.at(at, offset), length);
    }
}

// A step of any kind.
void Plan::run_step(int s, int64_t at, int64_t offset, int64_t length, char* scratch) const {
    const ChainStep& step = steps[s];
    char* result = left_by(s, scratch).at(at, offset);
    if (step.is_copy() && step.inputs[0].spread) return step.inputs[0].gather(at, length, result);
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
            from = left_by(input.step, scratch).at(at, offset);
        } else if (input.spread) {
            input.gather(at, length, scratch + places.gathered[s][i]);
            from = scratch + places.gathered[s][i];
        }
        inputs[i] = from;
        if (input.own == input.dtype) continue;
        table().convert[input.own][input.dtype](from, converted, length);
        inputs[i] = converted;
    }
    if (step.is_copy()) {
        std::memcpy(result, inputs[0], length * SIZES[step.dtype]);
    } else {
        step.loop(inputs, result, length);
    }
}

// Single values, once for all blocks.
void Plan::repeat_singles(int64_t length, char* scratch) const {
    for (int s = 0; s < count; s++) {
        for (int i = 0; steps[s].needed && i < steps[s].count; i++) {
            const ChainInput& input = steps[s].inputs[i];
            if (!input.single) continue;
            table().repeat[input.dtype](input.value, 0, scratch + places.converted[s][i], 1,
                                        std::min(length, Chain::BLOCK));
        }
    }
}

void Plan::run_range(int64_t begin, int64_t end) const {
    Workspace work;
    prepare(work, end - begin);
    // what needs no scratch needs no blocks
    int64_t length = used == 0 && count == 1 ? end - begin : block;
    for (int64_t at = begin; at < end; at += length) {
        int64_t now = std::min(length, end - at);
        if (at + now < end) fetch(at + now, std::min(length, end - at - now));
        run_block(at, 0, now, work);
    }
}

// All steps but the reductions; what those read stays in scratch, or is in memory.
void Plan::run_leaf(int64_t begin, int64_t end, Workspace& work) const {
    for (int64_t at = begin; at < end; at += block) {
        int64_t now = std::min(block, end - at);
        if (at + now < size) fetch(at + now, std::min(block, size - at - now));
        run_block(at, at - begin, now, work);
    }
}

// As Along::by_halves does it in kernels/reduce.h: leaf by leaf in the order of memory, a total for each reduction.
void Plan::fold_by_halves(int64_t begin, int64_t end, Workspace& work, int64_t* totals) const {
    if (end - begin <= rows.leaf) {
        run_leaf(begin, end, work);
        for (int f = 0; f < fold_count; f++) {
            const ChainStep& step = steps[folds[f]];
            step.fold->along(left_by(step.inputs[0].step, work.scratch).at(begin, 0), 1, 0, end - begin, totals + f);
        }
        return;
    }
    int64_t half = (end - begin + 2 * rows.leaf - 1) / (2 * rows.leaf) * rows.leaf;
    int64_t left[Chain::STEPS], right[Chain::STEPS];
    fold_by_halves(begin, begin + half, work, left);
    fold_by_halves(begin + half, end, work, right);
    for (int f = 0; f < fold_count; f++) {
        int64_t pair[2] = {left[f], right[f]};
        steps[folds[f]].fold->join(pair, 2, 1);
        totals[f] = pair[0];
    }
}

// Units are what one thread folds: as many short rows as a leaf has, a row, or a part of one.
int64_t Plan::unit_count() const {
    if (rows.count > rows.leaf) return rows.rows * rows.parts();
    int64_t together = rows.leaf / rows.count;
    return (rows.rows + together - 1) / together;
}

void Plan::fold_unit(int64_t unit, Workspace& work) const {
    int64_t totals[Chain::BLOCK];
    if (rows.count <= rows.leaf) {
        int64_t together = rows.leaf / rows.count, first = unit * together;
        int64_t now = std::min(together, rows.rows - first), begin = first * rows.count;
        run_leaf(begin, begin + now * rows.count, work);
        for (int f = 0; f < fold_count; f++) {
            const ChainStep& step = steps[folds[f]];
            const char* from = left_by(step.inputs[0].step, work.scratch).at(begin, 0);
            step.fold->along(from, now, rows.count, rows.count, totals);
            step.fold->give(totals, now, step.divisor, step.result + first * SIZES[step.dtype]);
        }
        return;
    }
    int64_t parts = rows.parts(), row = unit / parts, at = unit % parts * rows.part;
    int64_t begin = row * rows.count + at;
    fold_by_halves(begin, begin + std::min(rows.part, rows.count - at), work, totals);
    for (int f = 0; f < fold_count; f++) {
        const ChainStep& step = steps[folds[f]];
        if (parts == 1) {
            step.fold->give(totals + f, 1, step.divisor, step.result + row * SIZES[step.dtype]);
        } else {
            std::memcpy(step.totals + unit * sizeof(int64_t), totals + f, sizeof(int64_t));
        }
    }
}

void Plan::fold_units(int64_t begin, int64_t end) const {
    Workspace work;
    prepare(work, Chain::BLOCK);
    for (int64_t unit = begin; unit < end; unit++) fold_unit(unit, work);
}

void Plan::join_parts() const {
    int64_t parts = rows.parts();
    for (int f = 0; parts > 1 && f < fold_count; f++) {
        const ChainStep& step = steps[folds[f]];
        for (int64_t row = 0; row < rows.rows; row++) {
            char* totals = step.totals + row * parts * sizeof(int64_t);
            step.fold->join(totals, parts, 1);
            step.fold->give(totals, 1, step.divisor, step.result + row * SIZES[step.dtype]);
        }
    }
}

void Plan::run() const {
    auto blocks = [&](int64_t begin, int64_t end) { run_range(begin, end); };
    auto units = [&](int64_t begin, int64_t end) { fold_units(begin, end); };
    int64_t unit = std::max({int64_t{1}, rows.leaf, std::min(rows.count, rows.part)});
    try {
        fold_count == 0 ? parallel(size, PARALLEL, blocks)
                        : parallel(unit_count(), std::max<int64_t>(1, PARALLEL / unit), units);
    } catch (...) {
        // no memory for other threads: blocks that some of them did are done again, to the same bits
        fold_count == 0 ? run_range(0, size) : fold_units(0, unit_count());
    }
    if (fold_count > 0) join_parts();
}

}  // namespace

void Chain::run(ChainStep* steps, int count, int64_t size, const FoldedRows& rows) noexcept {
    join_steps(steps, count);
    Plan(steps, count, size, rows).run();
}

}  // namespace rushlight
