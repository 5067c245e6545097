// What the engine does to gradients: add them up, sum them to an input's shape, and store them in leaves.
#include <cstring>

#include "engine/engine.h"
#include "loops/copy.h"
#include "loops/folding.h"
#include "loops/operands.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/fallbacks.h"
#include "seam/pending.h"

namespace rushlight {

namespace {

// The loop of `add`.
Loop sum_loop(int dtype) {
    static const Pointwise* row = [] {
        const Table& loops = table();
        const Pointwise* found = loops.pointwise;
        while (std::strcmp(found->name, "add") != 0) found++;
        return found;
    }();
    return row->loops[dtype];
}

bool is_plain(PyArrayObject* array) {
    int type = PyArray_TYPE(array);
    return (type == NPY_FLOAT32 || type == NPY_FLOAT64) && PyArray_ISNOTSWAPPED(array);
}

template <class T>
bool fill_ones(PyArrayObject* array) {
    T* data = static_cast<T*>(PyArray_DATA(array));
    for (npy_intp i = 0; i < PyArray_SIZE(array); i++) data[i] = 1;
    return true;
}

}  // namespace

PyArrayObject* sum_to_shape(PyArrayObject* array, int ndim, const npy_intp* dims) {
    int extra = PyArray_NDIM(array) - ndim;
    if (extra < 0 || !is_plain(array)) return nullptr;
    Dims reduced = all_dims(extra);
    for (int d = 0; d < ndim; d++) {
        npy_intp extent = PyArray_DIM(array, extra + d);
        if (dims[d] == extent) continue;
        if (dims[d] != 1) return nullptr;
        reduced |= Dims{1} << (extra + d);
    }
    if (pending_count != 0 && is_pending(array)) {
        PyArrayObject* made = defer_fold(SUM, array, reduced, ndim, dims, 1, "the sum of a gradient");
        if (made != nullptr) return made;
    }
    return fold_to(SUM, array, reduced, ndim, dims);
}

bool add_into(PyArrayObject* to, PyArrayObject* from) {
    if (!is_plain(to) || PyArray_TYPE(to) != PyArray_TYPE(from) || !have_same_shape(to, from)) return false;
    if (!PyArray_IS_C_CONTIGUOUS(to) || !PyArray_IS_C_CONTIGUOUS(from)) return false;
    if (PyArray_DATA(to) == PyArray_DATA(from)) return false;
    Loop loop = sum_loop(dtype_of(to));
    npy_intp size = PyArray_ITEMSIZE(to);
    char *result = PyArray_BYTES(to), *added = PyArray_BYTES(from);
    parallel(element_count(to), PARALLEL, [&](int64_t begin, int64_t end) {
        const void* inputs[] = {result + begin * size, added + begin * size};
        loop(inputs, result + begin * size, end - begin);
    });
    return true;
}

// The sum of gradients of which some are pending, put off as well; nullptr, without an exception, where all are there.
static PyArrayObject* put_off_sum(PyArrayObject* taken, PyArrayObject* other) {
    if (pending_count == 0 || (!is_pending(taken) && !is_pending(other))) return nullptr;
    Operands operands;
    int dtype = dtype_of(taken);
    bool alike = is_plain(taken) && PyArray_TYPE(taken) == PyArray_TYPE(other) && have_same_shape(taken, other);
    PyArrayObject* sum = nullptr;
    if (alike && operands.add(taken, dtype) && operands.add(other, dtype) && operands.broadcast()) {
        sum = operands.new_result(dtype);
    }
    if (sum != nullptr && defer(operands, sum_loop(dtype), sum, dtype, "add", 0) != Deferral::DECLINED) return sum;
    PyErr_Clear();
    Py_XDECREF(sum);
    settle("gradients of different kinds");
    return nullptr;
}

PyArrayObject* add_gradients(PyArrayObject* taken, PyArrayObject* other) {
    if (PyArrayObject* sum = put_off_sum(taken, other)) {
        drop(taken);
        return sum;
    }
    if (is_unshared(taken) && add_into(taken, other)) return taken;
    if (is_plain(taken) && PyArray_IS_C_CONTIGUOUS(taken) && PyArray_IS_C_CONTIGUOUS(other) &&
        PyArray_SAMESHAPE(taken, other) && PyArray_TYPE(taken) == PyArray_TYPE(other)) {
        PyArrayObject* sum = new_array(PyArray_NDIM(taken), PyArray_DIMS(taken), PyArray_TYPE(taken));
        if (sum != nullptr) {
            std::memcpy(PyArray_DATA(sum), PyArray_DATA(taken), PyArray_NBYTES(taken));
            Py_DECREF(taken);
            add_into(sum, other);
            return sum;
        }
        PyErr_Clear();
    }
    Py_INCREF(other);
    Ref one = Ref::steal(as_object(wrap(taken))), two = Ref::steal(as_object(wrap(other)));
    Ref sum = one && two ? Ref::steal(PyNumber_Add(one.get(), two.get())) : Ref();
    if (!sum) return nullptr;
    PyArrayObject* array = as_tensor(sum.get())->array;
    Py_INCREF(array);
    return array;
}

PyArrayObject* ones_like(PyArrayObject* array) {
    int type = PyArray_TYPE(array);
    if (type == NPY_FLOAT32 || type == NPY_FLOAT64) {
        PyArrayObject* made = new_array(PyArray_NDIM(array), PyArray_DIMS(array), type);
        if (made != nullptr) type == NPY_FLOAT32 ? fill_ones<float>(made) : fill_ones<double>(made);
        return made;
    }
    Ref one = Ref::steal(PyLong_FromLong(1));
    auto* made = reinterpret_cast<PyArrayObject*>(PyArray_NewLikeArray(array, NPY_CORDER, nullptr, 0));
    if (made != nullptr && PyArray_FillWithScalar(made, one.get()) < 0) Py_CLEAR(made);
    return made;
}

namespace {

// The array that a view is a part of; nullptr where its memory is not an array's or may not be written to.
PyObject* whole_of(PyArrayObject* view) {
    PyObject* base = PyArray_BASE(view);
    bool is_part = base != nullptr && PyArray_CheckExact(base) && PyArray_ISWRITEABLE(view);
    return is_part && PyArray_CHKFLAGS(reinterpret_cast<PyArrayObject*>(base), NPY_ARRAY_OWNDATA) ? base : nullptr;
}

// The first gradient of a leaf that lies by rows: a part of a larger one stays a part, what others hold is copied;
// `grad` is taken.
bool store_first(Tensor* leaf, PyArrayObject* grad, bool alone, bool taken) {
    PyObject* whole = alone && !taken ? whole_of(grad) : nullptr;
    if (whole != nullptr) {
        Tensor* made = wrap(grad);
        leaf->grad = as_object(made);
        if (made != nullptr) made->storage = new_storage(whole);
        return made != nullptr && made->storage != nullptr;
    }
    if (!taken) {
        PyArrayObject* copy = packed_copy(grad);
        drop(grad);
        if (copy == nullptr) return false;
        grad = copy;
    }
    leaf->grad = as_object(wrap(grad));
    if (leaf->grad == nullptr || alone) return leaf->grad != nullptr;
    Storage* storage = storage_of(as_tensor(leaf->grad));
    if (storage == nullptr) return false;
    storage->version = 1;
    return true;
}

// Add to the gradient that a leaf has; false, with nothing done, where Python has to do it.
bool add_to(Tensor* held, PyArrayObject* grad) {
    PyArrayObject* array = held->array;
    bool simple = !held->inference && array != nullptr && PyArray_DESCR(array) == PyArray_DESCR(grad) &&
                  have_same_shape(array, grad) && PyArray_ISWRITEABLE(array);
    return simple && add_into(array, grad);
}

}  // namespace

bool store_gradient(Tensor* leaf, PyArrayObject* grad) {
    bool by_rows = leaf->array != nullptr && PyArray_IS_C_CONTIGUOUS(leaf->array);
    bool alone = PyArray_IS_C_CONTIGUOUS(grad) && Py_REFCNT(grad) == 1;
    bool taken = alone && is_unshared(grad);
    if (leaf->grad == nullptr && by_rows && (taken || has_usual_steps(alone ? grad : leaf->array))) {
        return store_first(leaf, grad, alone, taken);
    }
    if (by_rows && leaf->grad != nullptr && add_to(as_tensor(leaf->grad), grad)) {
        drop(grad);
        Storage* storage = storage_of(as_tensor(leaf->grad));
        if (storage == nullptr) return false;
        count_write(storage);
        return true;
    }
    Ref tensor = Ref::steal(as_object(wrap(grad)));
    if (!tensor) return false;
    Ref done = Ref::steal(PyObject_CallFunctionObjArgs(fallbacks.accumulate, leaf, tensor.get(), Py_False, nullptr));
    return static_cast<bool>(done);
}

}  // namespace rushlight
