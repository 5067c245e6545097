// What the engine does to gradients between nodes: add them up, and sum them to an input's shape.
#include <cstring>

#include "arrays.h"
#include "engine.h"

namespace rushlight {

namespace {

template <class T>
void add_loop(T* __restrict to, const T* __restrict from, npy_intp count) {
    for (npy_intp i = 0; i < count; i++) to[i] += from[i];
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

// Add each row of `from` to the place in `to` that its dims lead to; `steps` are 0 where the input was stretched.
template <class T>
void sum_loop(const T* from, T* to, int ndim, const npy_intp* dims, const npy_intp* steps) {
    npy_intp inner = ndim > 0 ? dims[ndim - 1] : 1;
    npy_intp rows = 1;
    for (int d = 0; d < ndim - 1; d++) rows *= dims[d];
    bool across = ndim > 0 && steps[ndim - 1] == 0;
    for (npy_intp row = 0; row < rows; row++, from += inner) {
        npy_intp rest = row, place = 0;
        for (int d = ndim - 2; d >= 0; d--) {
            place += rest % dims[d] * steps[d];
            rest /= dims[d];
        }
        if (across) {
            double total = 0;
            for (npy_intp i = 0; i < inner; i++) total += from[i];
            to[place] += static_cast<T>(total);
        } else {
            add_loop(to + place, from, inner);
        }
    }
}

}  // namespace

PyArrayObject* sum_to_shape(PyArrayObject* array, int ndim, const npy_intp* dims) {
    int given = PyArray_NDIM(array), extra = given - ndim;
    if (extra < 0 || !is_plain(array) || !PyArray_IS_C_CONTIGUOUS(array)) return nullptr;
    npy_intp steps[NPY_MAXDIMS] = {};
    npy_intp step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        npy_intp extent = PyArray_DIM(array, extra + d);
        if (dims[d] != extent && dims[d] != 1) return nullptr;
        steps[extra + d] = dims[d] == 1 ? 0 : step;
        step *= dims[d];
    }
    PyArrayObject* sum = zeros_array(ndim, dims, PyArray_TYPE(array));
    if (sum == nullptr || PyArray_SIZE(array) == 0) return sum;
    if (PyArray_TYPE(array) == NPY_FLOAT32) {
        sum_loop(static_cast<float*>(PyArray_DATA(array)), static_cast<float*>(PyArray_DATA(sum)), given,
                 PyArray_DIMS(array), steps);
    } else {
        sum_loop(static_cast<double*>(PyArray_DATA(array)), static_cast<double*>(PyArray_DATA(sum)), given,
                 PyArray_DIMS(array), steps);
    }
    return sum;
}

bool add_into(PyArrayObject* to, PyArrayObject* from) {
    if (!is_plain(to) || PyArray_TYPE(to) != PyArray_TYPE(from) || !PyArray_SAMESHAPE(to, from)) return false;
    if (!PyArray_IS_C_CONTIGUOUS(to) || !PyArray_IS_C_CONTIGUOUS(from)) return false;
    if (PyArray_DATA(to) == PyArray_DATA(from)) return false;
    npy_intp count = PyArray_SIZE(to);
    if (PyArray_TYPE(to) == NPY_FLOAT32) {
        add_loop(static_cast<float*>(PyArray_DATA(to)), static_cast<float*>(PyArray_DATA(from)), count);
    } else {
        add_loop(static_cast<double*>(PyArray_DATA(to)), static_cast<double*>(PyArray_DATA(from)), count);
    }
    return true;
}

PyArrayObject* add_gradients(PyArrayObject* taken, PyArrayObject* other) {
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

}  // namespace rushlight
