// Operands: reading them, broadcasting, the layout of the result, and the straight way through contiguous memory.
#include "loops/operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "memory/arrays.h"
#include "memory/threads.h"

namespace rushlight {

namespace {

// Whether all elements of an array are one: it has but one, or was expanded from one.
bool is_single(PyArrayObject* array) {
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        npy_intp extent = PyArray_DIM(array, d);
        if (extent == 0 || (extent != 1 && PyArray_STRIDE(array, d) != 0)) return false;
    }
    return true;
}

// Give images that have their channels last the steps of that format, along dims of size 1 too; false for others.
bool set_image_steps(PyArrayObject* made) {
    if (made == nullptr || PyArray_NDIM(made) != 4) return false;
    npy_intp steps[4], step = PyArray_ITEMSIZE(made);
    for (int dim : {1, 3, 2, 0}) {
        npy_intp extent = PyArray_DIM(made, dim);
        if (extent != 1 && PyArray_STRIDE(made, dim) != step) return false;
        steps[dim] = step;
        step *= extent;
    }
    std::copy(steps, steps + 4, PyArray_STRIDES(made));
    return true;
}

// The memory that an array reaches into: from the first byte to the one after the last.
void reach(PyArrayObject* array, char*& low, char*& high) {
    low = high = PyArray_BYTES(array);
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        npy_intp far = (PyArray_DIM(array, d) - 1) * PyArray_STRIDE(array, d);
        (far < 0 ? low : high) += far;
    }
    high += PyArray_ITEMSIZE(array);
}

bool may_overlap(PyArrayObject* one, PyArrayObject* other) {
    char *low, *high, *other_low, *other_high;
    reach(one, low, high);
    reach(other, other_low, other_high);
    return low < other_high && other_low < high;
}

// Whether several elements of an array may share a place in memory.
bool may_overlap_itself(PyArrayObject* array) {
    if (PyArray_IS_C_CONTIGUOUS(array)) return false;
    int ndim = PyArray_NDIM(array), order[NPY_MAXDIMS];
    for (int d = 0; d < ndim; d++) order[d] = d;
    const npy_intp* strides = PyArray_STRIDES(array);
    std::sort(order, order + ndim, [&](int a, int b) { return strides[a] < strides[b]; });
    npy_intp reached = PyArray_ITEMSIZE(array);
    for (int k = 0; k < ndim; k++) {
        npy_intp extent = PyArray_DIM(array, order[k]), stride = strides[order[k]];
        if (extent == 1) continue;
        if (stride < reached) return true;
        reached += (extent - 1) * stride;
    }
    return false;
}

bool same_place(PyArrayObject* one, PyArrayObject* other) {
    return PyArray_DATA(one) == PyArray_DATA(other) && PyArray_SAMESHAPE(one, other) &&
           PyArray_CompareLists(PyArray_STRIDES(one), PyArray_STRIDES(other), PyArray_NDIM(one));
}

bool put_float(double number, int dtype, char* value) {
    if (dtype == FLOAT64) {
        std::memcpy(value, &number, 8);
        return true;
    }
    auto shortened = static_cast<float>(number);
    std::memcpy(value, &shortened, 4);
    // beyond float32: Python may object
    return dtype == FLOAT32 && (std::isfinite(shortened) || !std::isfinite(number));
}

bool put_integer(int64_t number, int dtype, char* value) {
    if (dtype == INT64) {
        std::memcpy(value, &number, 8);
        return true;
    }
    // what float64 cannot hold is rounded twice on its way to float32: leave it to Python
    constexpr int64_t exact = int64_t{1} << 53;
    return number >= -exact && number <= exact && put_float(static_cast<double>(number), dtype, value);
}

}  // namespace

bool Operands::add_number(PyObject* given, int dtype) {
    if (count == MAX_OPERANDS) return false;
    Operand& operand = items[count++];
    operand.array = nullptr;
    operand.dtype = operand.own = dtype;
    operand.single = true;
    if (PyFloat_CheckExact(given)) return put_float(PyFloat_AS_DOUBLE(given), dtype, operand.value);
    if (PyBool_Check(given)) {
        if (dtype != BOOL) return put_integer(given == Py_True, dtype, operand.value);
        operand.value[0] = given == Py_True;
        return true;
    }
    if (!PyLong_CheckExact(given)) return false;
    int overflow;
    int64_t number = PyLong_AsLongLongAndOverflow(given, &overflow);
    return overflow == 0 && dtype != BOOL && put_integer(number, dtype, operand.value);
}

bool Operands::add(PyArrayObject* array, int dtype) {
    int own = dtype_of(array);
    if (count == MAX_OPERANDS || own < 0) return false;
    Operand& operand = items[count++];
    operand.array = array;
    operand.dtype = dtype;
    operand.own = own;
    operand.single = is_single(array);
    if (operand.single) table().convert[own][dtype](PyArray_DATA(array), operand.value, 1);
    return true;
}

bool Operands::broadcast() {
    PyArrayObject* lead = nullptr;
    bool alike = true, any = false;
    plain = true;
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr) continue;
        any = true;
        if (!items[i].single && (items[i].own != items[i].dtype || !PyArray_IS_C_CONTIGUOUS(array))) plain = false;
        if (PyArray_NDIM(array) == 0) continue;
        if (lead == nullptr) {
            lead = array;
        } else {
            alike = alike && (array == lead || PyArray_SAMESHAPE(array, lead));
        }
    }
    if (lead == nullptr) return any;
    if (!alike) return broadcast_shapes();
    ndim = PyArray_NDIM(lead);
    dims = PyArray_DIMS(lead);
    for (int d = 0; d < ndim; d++) size *= dims[d];
    return true;
}

bool Operands::broadcast_shapes() {
    for (int i = 0; i < count; i++) {
        if (items[i].array != nullptr) ndim = std::max(ndim, PyArray_NDIM(items[i].array));
    }
    std::fill_n(joined, ndim, 1);
    for (int i = 0; i < count; i++) {
        if (items[i].array == nullptr) continue;
        int missing = ndim - PyArray_NDIM(items[i].array);
        for (int d = missing; d < ndim; d++) {
            npy_intp extent = PyArray_DIM(items[i].array, d - missing);
            if (extent == joined[d] || extent == 1) continue;
            if (joined[d] != 1) return false;
            joined[d] = extent;
        }
    }
    dims = joined;
    for (int d = 0; d < ndim; d++) {
        if (__builtin_mul_overflow(size, joined[d], &size)) return false;
    }
    for (int i = 0; plain && i < count; i++) plain = items[i].single || has_shape(items[i].array);
    return true;
}

bool Operands::has_shape(PyArrayObject* array) const {
    return PyArray_NDIM(array) == ndim && PyArray_CompareLists(PyArray_DIMS(array), dims, ndim);
}

bool Operands::is_c_ordered() const {
    for (int i = 0; i < count; i++) {
        if (!items[i].single && !PyArray_IS_C_CONTIGUOUS(items[i].array)) return false;
    }
    return true;
}

// Whether an expanded operand is brought to another dtype: torch's copy of it has an order of its own, which Python
// finds.
bool Operands::casts_repeated() const {
    for (int i = 0; i < count; i++) {
        if (items[i].array == nullptr || items[i].own == items[i].dtype) continue;
        for (int d = 0; d < PyArray_NDIM(items[i].array); d++) {
            if (PyArray_STRIDE(items[i].array, d) == 0 && PyArray_DIM(items[i].array, d) > 1) return true;
        }
    }
    return false;
}

// Whether `inner` is the slower one of two dims of the result: 1 or 0, as the first operand says whose steps tell, and
// -1 where none does; as comes_later in core/memory/layout.py.
int Operands::comes_later(int inner, int outer) const {
    for (int i = 0; i < count; i++) {
        npy_intp a = step_along(i, inner), b = step_along(i, outer);
        if (a == 0 || b == 0) continue;
        if (a != b) return a > b;
        if (dims[inner] > dims[outer]) return 1;
    }
    return -1;
}

npy_intp Operands::step_along(int i, int dim) const {
    PyArrayObject* array = items[i].array;
    int own = array == nullptr ? -1 : dim - (ndim - PyArray_NDIM(array));
    if (own < 0 || (PyArray_DIM(array, own) == 1 && dims[dim] != 1)) return 0;
    return PyArray_STRIDE(array, own);
}

// Whether C-ordered operands have steps along dims of size 1 that a new array would not have, and those count: operands
// of one shape give a contiguous result, among others all steps have a say.
bool Operands::has_odd_steps() const {
    if (ndim < 2 || size == 0 || std::find(dims, dims + ndim, 1) == dims + ndim) return false;
    bool alike = !has_number, odd = false;
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr) continue;
        alike = alike && has_shape(array);
        odd = odd || !has_usual_steps(array);
    }
    return odd && !alike;
}

// Whether all operands have the result's shape and the same strides, counted in elements, without gaps.
bool Operands::is_uniform() const {
    if (has_number || items[0].array == nullptr) return false;
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr) continue;
        if (!has_shape(array)) return false;
        npy_intp reach = 1;
        for (int k = 0; k < ndim; k++) {
            npy_intp step = PyArray_STRIDE(array, k) / PyArray_ITEMSIZE(array);
            if (step != PyArray_STRIDE(items[0].array, k) / PyArray_ITEMSIZE(items[0].array)) return false;
            reach += (dims[k] - 1) * step;
        }
        if (reach != size) return false;
    }
    return true;
}

// The dims in memory as core/memory/layout.py's common_strides orders them.
PyArrayObject* Operands::new_result(int dtype, bool packed) const {
    if (packed || (in_rows() && !has_odd_steps())) return new_array(ndim, dims, type_num_of(dtype));
    if (casts_repeated()) return nullptr;
    int order[NPY_MAXDIMS];  // from the fastest to the slowest
    for (int k = 0; k < ndim; k++) order[k] = ndim - 1 - k;
    for (int k = 1; k < ndim; k++) {
        for (int other = k - 1, current = k; other >= 0; other--) {
            int later = comes_later(order[other], order[current]);
            if (later == 0) break;
            if (later < 0) continue;
            std::swap(order[other], order[current]);
            current = other;
        }
    }
    npy_intp ranks[NPY_MAXDIMS];
    for (int k = 0; k < ndim; k++) ranks[order[k]] = k + 1;
    PyArrayObject* made = new_array_like_strides(ndim, dims, ranks, type_num_of(dtype));
    return is_uniform() && !set_image_steps(made) ? keep_unit_steps(made, items[0].array) : made;
}

bool Operands::may_write(PyArrayObject* out) const {
    if (!has_shape(out) || !PyArray_ISALIGNED(out) || !PyArray_ISNOTSWAPPED(out)) return false;
    if (size == 0) return true;
    if (may_overlap_itself(out)) return false;
    for (int i = 0; i < count; i++) {
        // a single value was read before; a walk that reads what it has already written is Python's
        if (items[i].single || items[i].array == out) continue;
        if (!same_place(items[i].array, out) && may_overlap(items[i].array, out)) return false;
    }
    return true;
}

// Single values are repeated for a stretch at a time.
void Operands::run_repeating(Loop loop, char* result, int result_size) const {
    const Table& loops = table();
    auto work = [&](int64_t begin, int64_t end) {
        alignas(64) char buffers[MAX_OPERANDS][STRETCH * 8];
        const void* inputs[MAX_OPERANDS];
        for (int i = 0; i < count; i++) {
            if (!items[i].single) continue;
            loops.repeat[items[i].dtype](items[i].value, 0, buffers[i], 1, std::min(end - begin, STRETCH));
            inputs[i] = buffers[i];
        }
        for (int64_t at = begin; at < end; at += STRETCH) {
            for (int i = 0; i < count; i++) {
                if (!items[i].single) inputs[i] = PyArray_BYTES(items[i].array) + at * items[i].size();
            }
            loop(inputs, result + at * result_size, std::min(end - at, STRETCH));
        }
    };
    parallel(size, PARALLEL, work);
}

void Operands::run_plain(Loop loop, char* result, int result_size) const {
    const void* inputs[MAX_OPERANDS];
    bool repeats = false;
    for (int i = 0; i < count; i++) {
        inputs[i] = items[i].single ? items[i].value : PyArray_BYTES(items[i].array);
        repeats = repeats || items[i].single;
    }
    if (repeats && size > 1) {
        run_repeating(loop, result, result_size);
    } else if (size <= PARALLEL) {
        loop(inputs, result, size);
    } else {
        parallel(size, PARALLEL, [&](int64_t begin, int64_t end) {
            const void* from[MAX_OPERANDS];
            for (int i = 0; i < count; i++) from[i] = static_cast<const char*>(inputs[i]) + begin * items[i].size();
            loop(from, result + begin * result_size, end - begin);
        });
    }
}

void Operands::run(Loop loop, PyArrayObject* result, int result_dtype) const {
    if (size == 0) return;
    if (plain && PyArray_IS_C_CONTIGUOUS(result)) {
        run_plain(loop, PyArray_BYTES(result), SIZES[result_dtype]);
    } else {
        walk(loop, result, result_dtype);
    }
}

namespace {

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

template <class T>
void gather_as(const char* from, npy_intp step, char* to, int64_t count) {
    for (int64_t i = 0; i < count; i++, from += step, to += sizeof(T)) {
        *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from);
    }
}

void gather(const char* from, npy_intp step, char* to, int64_t count, int dtype) {
    if (step == SIZES[dtype]) {
        std::memcpy(to, from, count * SIZES[dtype]);
    } else if (dtype == FLOAT32) {
        gather_as<int32_t>(from, step, to, count);
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
    } else if (dtype == BOOL) {
        scatter_as<int8_t>(from, to, step, count);
    } else {
        scatter_as<int64_t>(from, to, step, count);
    }
}

class Walk {
public:
    Walk(const Operands& operands, Loop loop, PyArrayObject* result, int result_dtype)
        : operands(operands), loop(loop), result(result), result_dtype(result_dtype) {
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
    Block block_at(int64_t number) const;
    void find_base(Block& block) const;
    void advance(Block& block) const;
    const char* bring(int i, const char* from, int64_t height, int64_t width, char* buffer) const;

    const Operands& operands;
    Loop loop;
    PyArrayObject* result;
    int result_dtype;

    // from the slowest to the fastest; the last two make up the blocks
    Axis axes[NPY_MAXDIMS + 2];
    int count = 0;
    int64_t outer = 1;
    int64_t rows = 1, columns = 1, row_blocks = 1, column_blocks = 1;
    bool direct[MAX_OPERANDS + 1];
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

// Blocks are whole rows, several of them where rows are short; long rows are cut where something must be gathered.
void Walk::choose_block() {
    const Axis &row = axes[count - 2], &column = axes[count - 1];
    columns = column.extent;
    if (columns < STRETCH / 2) rows = std::min(row.extent, STRETCH / columns);
    auto find_direct = [&] {
        bool all = true;
        direct[RESULT] = is_direct(RESULT, SIZES[result_dtype], SIZES[result_dtype]);
        for (int i = 0; i < operands.count; i++) {
            const Operand& operand = operands.items[i];
            direct[i + 1] =
                !operand.single && is_direct(i + 1, operand.own_size(), operand.size()) && operand.own == operand.dtype;
            all = all && direct[i + 1];
        }
        return all && direct[RESULT];
    };
    if (!find_direct() && columns > STRETCH) {
        columns = STRETCH;
        find_direct();
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
    if (column.steps[i + 1] == 0) {
        table().repeat[operand.own](from, row.steps[i + 1], to, height, width);
    } else {
        for (int64_t r = 0; r < height; r++) {
            gather(from + r * row.steps[i + 1], column.steps[i + 1], to + r * width * operand.own_size(), width,
                   operand.own);
        }
    }
    if (converts) table().convert[operand.own][operand.dtype](raw, buffer, height * width);
    return buffer;
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
        for (int64_t r = 0; !direct[RESULT] && r < height; r++) {
            scatter(buffers[RESULT] + r * width * SIZES[result_dtype], to + r * row.steps[RESULT], column.steps[RESULT],
                    width, result_dtype);
        }
    }
}

}  // namespace

void Operands::walk(Loop loop, PyArrayObject* out, int result_dtype) const {
    Walk walk(*this, loop, out, result_dtype);
    int64_t grain = std::max<int64_t>(1, PARALLEL / walk.block_size());
    if (size <= PARALLEL) {
        walk.run(0, walk.blocks());
    } else {
        parallel(walk.blocks(), grain, [&](int64_t begin, int64_t end) { walk.run(begin, end); });
    }
}

}  // namespace rushlight
