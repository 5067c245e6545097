// The way through operands of any layout: blocks that are gathered and converted where loops cannot read them in place.
#include "loops/walk.h"

#include <algorithm>
#include <cstring>

#include "memory/threads.h"

namespace rushlight {

namespace {

// rows of so many elements are worth a loop of their own
constexpr int64_t SHORT = 16;
constexpr int RESULT = 0;  // among the places of an axis; the operands follow

// A dimension of the result that has more than one element, with its steps in bytes.
struct Axis {
    int64_t extent;
    npy_intp steps[MAX_OPERANDS + 1];
};

// Where a block stands: its first row and column, its place on the outer axes, and what those add to each address.
struct Block {
    int64_t top, left;
    int64_t outer[NPY_MAXDIMS];
    npy_intp base[MAX_OPERANDS + 1];
};

// inlined, whatever the size of what calls it: as a call it takes half as long again
template <class T>
inline __attribute__((always_inline)) void gather_as(const char* from, npy_intp step, char* to, int64_t count) {
    for (int64_t i = 0; i < count; i++, from += step, to += sizeof(T)) {
        *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from);
    }
}

void gather(const char* from, npy_intp step, char* to, int64_t count, int dtype) {
    if (step == SIZES[dtype]) {
        std::memcpy(to, from, count * SIZES[dtype]);
    } else if (dtype == FLOAT32) {
        gather_as<int32_t>(from, step, to, count);
    } else if (dtype >= DTYPES) {
        gather_as<int16_t>(from, step, to, count);
    } else if (dtype == BOOL) {
        gather_as<int8_t>(from, step, to, count);
    } else {
        gather_as<int64_t>(from, step, to, count);
    }
}

template <class T>
void scatter_as(const char* from, char* to, npy_intp step, int64_t count) {
    for (int64_t i = 0; i < count; i++, to += step, from += sizeof(T)) {
        *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from);
    }
}

void scatter(const char* from, char* to, npy_intp step, int64_t count, int dtype) {
    if (step == SIZES[dtype]) {
        std::memcpy(to, from, count * SIZES[dtype]);
    } else if (dtype == FLOAT32) {
        scatter_as<int32_t>(from, to, step, count);
    } else if (dtype >= DTYPES) {
        scatter_as<int16_t>(from, to, step, count);
    } else if (dtype == BOOL) {
        scatter_as<int8_t>(from, to, step, count);
    } else {
        scatter_as<int64_t>(from, to, step, count);
    }
}

// What a comparison gives, as half precision.
void spread_truths(const char* from, char* to, int64_t count, int half) {
    float one = 1;
    uint16_t kept;
    table().shorten[half - DTYPES](&one, &kept, 1);
    auto* truths = reinterpret_cast<const int8_t*>(from);
    auto* halves = reinterpret_cast<uint16_t*>(to);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) halves[i] = static_cast<uint16_t>(-truths[i] & kept);
}

class Walk {
public:
    Walk(const Operands& operands, Loop loop, PyArrayObject* result, int result_dtype, int made_dtype)
        : operands(operands), loop(loop), result(result), result_dtype(result_dtype), made_dtype(made_dtype) {
        find_axes();
        choose_block();
    }
    int64_t blocks() const { return outer * row_blocks * column_blocks; }
    int64_t block_size() const { return rows * columns; }
    void run(int64_t begin, int64_t end) const;

private:
    void find_axes();
    void choose_block();
    bool is_direct(int place, int own_size, int size) const;
    bool has_plain_rows() const;
    Block block_at(int64_t number) const;
    void find_base(Block& block) const;
    void advance(Block& block) const;
    const char* bring(int i, const char* from, int64_t height, int64_t width, char* buffer) const;
    __attribute__((noinline)) void bring_back(const char* buffer, char* to, int64_t height, int64_t width) const;
    void run_rows(const void** inputs, char* to, int64_t height, int64_t width) const;

    const Operands& operands;
    Loop loop;
    PyArrayObject* result;
    int result_dtype, made_dtype;  // what the result holds, and what the loop gives

    // from the slowest to the fastest; the last two make up the blocks
    Axis axes[NPY_MAXDIMS + 2];
    int count = 0;
    int64_t outer = 1;
    int64_t rows = 1, columns = 1, row_blocks = 1, column_blocks = 1;
    bool direct[MAX_OPERANDS + 1];
    bool row_by_row = false;  // rows are read and written where they stand, though they do not follow each other
};

// In the order of the result's memory, neighbours joined where all operands allow it; at least two.
void Walk::find_axes() {
    int order[NPY_MAXDIMS], ndim = operands.ndim;
    for (int d = 0; d < ndim; d++) order[d] = d;
    const npy_intp* strides = PyArray_STRIDES(result);
    std::stable_sort(order, order + ndim, [&](int a, int b) { return strides[a] > strides[b]; });
    count = 1;
    axes[0] = {1, {}};
    for (int k = 0; k < ndim; k++) {
        int d = order[k];
        if (operands.dims[d] == 1) continue;
        Axis axis = {operands.dims[d], {}};
        axis.steps[RESULT] = strides[d];
        for (int i = 0; i < operands.count; i++) {
            const Operand& operand = operands.items[i];
            int own = operand.single ? -1 : d - (ndim - PyArray_NDIM(operand.array));
            bool walks = own >= 0 && PyArray_DIM(operand.array, own) != 1;
            axis.steps[i + 1] = walks ? PyArray_STRIDE(operand.array, own) : 0;
        }
        Axis& before = axes[count - 1];
        bool joins = count > 1;
        for (int i = 0; joins && i <= operands.count; i++) joins = before.steps[i] == axis.steps[i] * axis.extent;
        if (joins) {
            axis.extent *= before.extent;
            before = axis;
        } else {
            axes[count++] = axis;
        }
    }
    if (count == 1) axes[count++] = {1, {}};
    for (int k = 0; k < count - 2; k++) outer *= axes[k].extent;
}

// Whether a block of an array can be read, or written, where it stands.
bool Walk::is_direct(int place, int own_size, int size) const {
    const Axis &row = axes[count - 2], &column = axes[count - 1];
    bool along = column.extent == 1 || column.steps[place] == own_size;
    return own_size == size && along && (rows == 1 || row.steps[place] == columns * own_size);
}

// Whether each row can be read, and written, where it stands.
bool Walk::has_plain_rows() const {
    const Axis& column = axes[count - 1];
    if (result_dtype != made_dtype || column.steps[RESULT] != SIZES[result_dtype]) return false;
    for (int i = 0; i < operands.count; i++) {
        const Operand& operand = operands.items[i];
        if (operand.single) continue;
        if (operand.own != operand.dtype || column.steps[i + 1] != operand.size()) return false;
    }
    return true;
}

// Blocks are whole rows, several of them where rows are short; long rows are cut where something must be gathered.
void Walk::choose_block() {
    const Axis &row = axes[count - 2], &column = axes[count - 1];
    columns = column.extent;
    if (columns < STRETCH / 2) rows = std::min(row.extent, STRETCH / columns);
    auto find_direct = [&] {
        bool all = true;
        direct[RESULT] = result_dtype == made_dtype && is_direct(RESULT, SIZES[result_dtype], SIZES[result_dtype]);
        for (int i = 0; i < operands.count; i++) {
            const Operand& operand = operands.items[i];
            direct[i + 1] =
                !operand.single && is_direct(i + 1, operand.own_size(), operand.size()) && operand.own == operand.dtype;
            // of one value no more than a stretch is spread out
            all = all && (direct[i + 1] || (operand.single && columns <= STRETCH));
        }
        return all && direct[RESULT];
    };
    bool straight = find_direct();
    if (!straight && columns > STRETCH) {
        columns = STRETCH;
        find_direct();
    } else if (!straight && rows > 1 && columns >= SHORT && has_plain_rows()) {
        // a row of 32 takes 8 ns where it stands, and 5 more for each operand that is copied first
        row_by_row = true;
    }
    row_blocks = (row.extent + rows - 1) / rows;
    column_blocks = (column.extent + columns - 1) / columns;
}

// A block of an operand, gathered row by row and converted to what the loop reads.
const char* Walk::bring(int i, const char* from, int64_t height, int64_t width, char* buffer) const {
    const Operand& operand = operands.items[i];
    const Axis &row = axes[count - 2], &column = axes[count - 1];
    alignas(64) char raw[STRETCH * 8];
    bool converts = operand.own != operand.dtype;
    char* to = converts ? raw : buffer;
    if (converts && column.steps[i + 1] == 0) {
        // one element for each row: converted first, and repeated then
        for (int64_t r = 0; r < height; r++) {
            operand.conversion()(from + r * row.steps[i + 1], raw + r * operand.size(), 1);
        }
        table().repeat[operand.dtype](raw, operand.size(), buffer, height, width);
        return buffer;
    }
    if (converts && column.steps[i + 1] == operand.own_size()) {
        for (int64_t r = 0; r < height; r++) {
            operand.conversion()(from + r * row.steps[i + 1], buffer + r * width * operand.size(), width);
        }
        return buffer;
    }
    if (column.steps[i + 1] == 0 && operand.own < DTYPES) {
        table().repeat[operand.own](from, row.steps[i + 1], to, height, width);
    } else {
        for (int64_t r = 0; r < height; r++) {
            gather(from + r * row.steps[i + 1], column.steps[i + 1], to + r * width * operand.own_size(), width,
                   operand.own);
        }
    }
    if (converts) operand.conversion()(raw, buffer, height * width);
    return buffer;
}

// A block of the loop's results to where they belong, converted on the way if those hold another dtype.
void Walk::bring_back(const char* buffer, char* to, int64_t height, int64_t width) const {
    npy_intp row_step = axes[count - 2].steps[RESULT], step = axes[count - 1].steps[RESULT];
    alignas(64) char halves[STRETCH * 2], converted[STRETCH * 8];
    bool straight = step == SIZES[result_dtype];
    bool as_made = made_dtype == result_dtype;
    int kept = result_dtype < DTYPES || as_made ? result_dtype : +FLOAT32;
    for (int64_t r = 0; r < height; r++, to += row_step) {
        const char* from = buffer + r * width * SIZES[made_dtype];
        if (straight && made_dtype == BOOL && result_dtype >= DTYPES) {
            spread_truths(from, to, width, result_dtype);
            continue;
        }
        if (kept != made_dtype) {
            bool last = straight && kept == result_dtype;
            table().convert[made_dtype][kept](from, last ? to : converted, width);
            if (last) continue;
            from = converted;
        }
        if (kept != result_dtype) {
            table().shorten[result_dtype - DTYPES](from, straight ? to : halves, width);
            if (straight) continue;
            from = halves;
        }
        scatter(from, to, step, width, result_dtype);
    }
}

// The place of a block, counted from its number.
Block Walk::block_at(int64_t number) const {
    Block block;
    block.left = number % column_blocks * columns;
    number /= column_blocks;
    block.top = number % row_blocks * rows;
    number /= row_blocks;
    for (int k = count - 3; k >= 0; k--) {
        block.outer[k] = number % axes[k].extent;
        number /= axes[k].extent;
    }
    find_base(block);
    return block;
}

void Walk::find_base(Block& block) const {
    for (int i = 0; i <= operands.count; i++) {
        block.base[i] = 0;
        for (int k = 0; k < count - 2; k++) block.base[i] += block.outer[k] * axes[k].steps[i];
    }
}

// To the next block: columns first, then rows, then the outer axes.
void Walk::advance(Block& block) const {
    block.left += columns;
    if (block.left < axes[count - 1].extent) return;
    block.left = 0;
    block.top += rows;
    if (block.top < axes[count - 2].extent) return;
    block.top = 0;
    int k = count - 3;
    while (k >= 0 && ++block.outer[k] == axes[k].extent) block.outer[k--] = 0;
    find_base(block);
}

// The loop on one row after the other.
void Walk::run_rows(const void** inputs, char* to, int64_t height, int64_t width) const {
    const Axis& row = axes[count - 2];
    for (int64_t r = 0; r < height; r++, to += row.steps[RESULT]) {
        loop(inputs, to, width);
        for (int i = 0; i < operands.count; i++) {
            if (!operands.items[i].single) inputs[i] = static_cast<const char*>(inputs[i]) + row.steps[i + 1];
        }
    }
}

void Walk::run(int64_t begin, int64_t end) const {
    alignas(64) char buffers[MAX_OPERANDS + 1][STRETCH * 8];
    const void* inputs[MAX_OPERANDS];
    const char* brought[MAX_OPERANDS] = {};
    const Axis &row = axes[count - 2], &column = axes[count - 1];
    for (int i = 0; i < operands.count; i++) {
        if (!operands.items[i].single) continue;
        table().repeat[operands.items[i].dtype](operands.items[i].value, 0, buffers[i + 1], 1,
                                                std::min(block_size(), STRETCH));
        inputs[i] = buffers[i + 1];
    }
    int64_t before = -1;
    Block block = block_at(begin);
    for (int64_t number = begin; number < end; number++, advance(block)) {
        int64_t height = std::min(rows, row.extent - block.top), width = std::min(columns, column.extent - block.left);
        auto offset = [&](int i) { return block.base[i] + block.top * row.steps[i] + block.left * column.steps[i]; };
        if (row_by_row) {
            for (int i = 0; i < operands.count; i++) {
                if (!operands.items[i].single) inputs[i] = PyArray_BYTES(operands.items[i].array) + offset(i + 1);
            }
            run_rows(inputs, PyArray_BYTES(result) + offset(RESULT), height, width);
            continue;
        }
        for (int i = 0; i < operands.count; i++) {
            if (operands.items[i].single) continue;
            const char* from = PyArray_BYTES(operands.items[i].array) + offset(i + 1);
            if (direct[i + 1]) {
                inputs[i] = from;
            } else if (brought[i] != from || before != height * width) {
                // else a row that is used again: it was brought before
                inputs[i] = bring(i, from, height, width, buffers[i + 1]);
                brought[i] = from;
            }
        }
        before = height * width;
        char* to = PyArray_BYTES(result) + offset(RESULT);
        loop(inputs, direct[RESULT] ? to : buffers[RESULT], height * width);
        if (!direct[RESULT]) bring_back(buffers[RESULT], to, height, width);
    }
}

}  // namespace

void walk(const Operands& operands, Loop loop, PyArrayObject* result, int result_dtype, int made_dtype) {
    if (made_dtype < 0) made_dtype = result_dtype < DTYPES ? result_dtype : +FLOAT32;
    Walk walk(operands, loop, result, result_dtype, made_dtype);
    int64_t grain = std::max<int64_t>(1, PARALLEL / walk.block_size());
    if (operands.size <= PARALLEL) {
        walk.run(0, walk.blocks());
    } else {
        parallel(walk.blocks(), grain, [&](int64_t begin, int64_t end) { walk.run(begin, end); });
    }
}

}  // namespace rushlight
