// Operands: reading them, broadcasting, the layout of the result, and the straight way through contiguous memory.
#include "loops/operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "loops/walk.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/pending.h"

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
    // a reduction may be pending
    if (operand.single && pending_count != 0 && is_pending(array)) settle("a number that is looked at");
    if (operand.single) table().convert[own][dtype](PyArray_DATA(array), operand.value, 1);
    return true;
}

bool Operands::add_half(PyArrayObject* array) {
    int own = kept_dtype_of(array);
    if (count == MAX_OPERANDS || own < DTYPES) return false;
    Operand& operand = items[count++];
    operand.array = array;
    operand.dtype = FLOAT32;
    operand.own = own;
    operand.single = is_single(array);
    if (operand.single) operand.conversion()(PyArray_DATA(array), operand.value, 1);
    return true;
}

bool Operands::add_half_bits(PyArrayObject* array) {
    if (!add_half(array) || items[count - 1].single) return false;
    items[count - 1].dtype = items[count - 1].own;
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
        // half precision is no cast to torch
        if (items[i].array == nullptr || items[i].own == items[i].dtype || items[i].own >= DTYPES) continue;
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
PyArrayObject* Operands::make_result(int type_num, bool packed) const {
    if (packed || (in_rows() && !has_odd_steps())) return new_array(ndim, dims, type_num);
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
    PyArrayObject* made = new_array_like_strides(ndim, dims, ranks, type_num);
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

void Operands::run(Loop loop, PyArrayObject* result, int result_dtype, int made_dtype) const {
    if (size == 0) return;
    bool converts = made_dtype >= 0 && made_dtype != result_dtype;
    if (plain && result_dtype < DTYPES && !converts && PyArray_IS_C_CONTIGUOUS(result)) {
        run_plain(loop, PyArray_BYTES(result), SIZES[result_dtype]);
    } else {
        walk(*this, loop, result, result_dtype, made_dtype);
    }
}

}  // namespace rushlight
