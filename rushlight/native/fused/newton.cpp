// L-BFGS: the approximate inverse Hessian times a vector, in one call. See newton in optim/lbfgs.py.
#include <vector>

#include "fused/optim.h"
#include "kernels/table.h"
#include "memory/arrays.h"
#include "memory/threads.h"

#include <numpy/arrayscalars.h>

namespace rushlight {

namespace {

// Vectors of one dtype and size, each in one block of memory.
struct History {
    std::vector<PyArrayObject*> changes, steps;
    std::vector<double> inverses;
    double scale = 0;
    int type = 0;
    int64_t size = 0;
};

bool is_vector(PyObject* object, const History& history) {
    if (!PyArray_Check(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    return loop_type(array) == history.type && PyArray_NDIM(array) == 1 && PyArray_IS_C_CONTIGUOUS(array) &&
           PyArray_DIM(array, 0) == history.size;
}

// A number with which Python would compute in the vectors' dtype.
bool read_scalar(PyObject* value, int type, double& number) {
    if (type == 0 && PyArray_IsScalar(value, Float)) {
        number = PyArrayScalar_VAL(value, Float);
        return true;
    }
    return (type == 1 || !PyArray_CheckScalar(value)) && read_number(value, number);
}

bool overlap(PyArrayObject* one, PyArrayObject* other) {
    return PyArray_BYTES(one) < PyArray_BYTES(other) + PyArray_NBYTES(other) &&
           PyArray_BYTES(other) < PyArray_BYTES(one) + PyArray_NBYTES(one);
}

// The vectors of a list, none of which may lie where `vector` does.
bool read_vectors(PyObject* list, PyArrayObject* vector, const History& history, std::vector<PyArrayObject*>& found) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject* each = PyList_GET_ITEM(list, i);
        if (!is_vector(each, history)) return false;
        found.push_back(reinterpret_cast<PyArrayObject*>(each));
        if (overlap(found.back(), vector)) return false;
    }
    return true;
}

// False if something is unusual.
bool read(PyObject* const* args, History& history) {
    if (!PyArray_Check(args[0])) return false;
    PyArrayObject* vector = reinterpret_cast<PyArrayObject*>(args[0]);
    history.type = loop_type(vector);
    history.size = PyArray_SIZE(vector);
    if (history.type < 0 || !is_vector(args[0], history) || !PyArray_ISWRITEABLE(vector)) return false;
    for (int i = 1; i <= 3; i++) {
        if (!PyList_Check(args[i]) || PyList_GET_SIZE(args[i]) != PyList_GET_SIZE(args[1])) return false;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[3]); i++) {
        history.inverses.emplace_back();
        if (!read_scalar(PyList_GET_ITEM(args[3], i), history.type, history.inverses.back())) return false;
    }
    return read_scalar(args[4], history.type, history.scale) &&
           read_vectors(args[1], vector, history, history.changes) &&
           read_vectors(args[2], vector, history, history.steps);
}

// vector += factor * other
void add(PyArrayObject* vector, double factor, PyArrayObject* other, int type) {
    auto loop = table().optim.add[type];
    char* to = PyArray_BYTES(vector);
    const char* from = PyArray_BYTES(other);
    int64_t itemsize = PyArray_ITEMSIZE(vector);
    parallel(PyArray_SIZE(vector), OPTIM_GRAIN, [&](int64_t begin, int64_t end) {
        loop(to + begin * itemsize, factor, from + begin * itemsize, end - begin);
    });
}

// The two loops; T is the dtype in which Python has the numbers.
template <class T>
void run(PyArrayObject* vector, const History& history, T* shares) {
    const int type = history.type;
    const int count = static_cast<int>(history.inverses.size());
    for (int i = count - 1; i >= 0; i--) {
        shares[i] = T(dot(history.steps[i], vector, type)) * T(history.inverses[i]);
        add(vector, -shares[i], history.changes[i], type);
    }
    scale(vector, type, history.scale);
    for (int i = 0; i < count; i++) {
        T back = T(dot(history.changes[i], vector, type)) * T(history.inverses[i]);
        add(vector, shares[i] - back, history.steps[i], type);
    }
}

}  // namespace

// newton(vector, changes, steps, inverses, scale): the shares, the product being in place of the vector; or None if it
// declines. No code of a program runs meanwhile.
PyObject* newton(PyObject*, PyObject* const* args, Py_ssize_t count) {
    History history;
    if (count != 5 || !read(args, history)) Py_RETURN_NONE;
    npy_intp length = static_cast<npy_intp>(history.inverses.size());
    Ref shares = Ref::steal(as_object(new_array(1, &length, history.type == 0 ? NPY_FLOAT : NPY_DOUBLE)));
    if (!shares) return nullptr;
    PyArrayObject* vector = reinterpret_cast<PyArrayObject*>(args[0]);
    if (history.type == 0) {
        run(vector, history, static_cast<float*>(PyArray_DATA(shares.array())));
    } else {
        run(vector, history, static_cast<double*>(PyArray_DATA(shares.array())));
    }
    return shares.release();
}

}  // namespace rushlight
