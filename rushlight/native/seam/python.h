// Python and NumPy: their headers as every file of the native layer sees them, and an owned reference.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
// One table of NumPy's functions for all files; numpy.cpp alone fills it.
#define PY_ARRAY_UNIQUE_SYMBOL rushlight_array_api
#ifndef RUSHLIGHT_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace rushlight {

// Once, before anything else; false with an exception.
bool import_numpy();

// A reference that this scope owns.
class Ref {
public:
    Ref() = default;
    Ref(Ref&& other) noexcept : object_(other.release()) {}
    Ref& operator=(Ref&& other) noexcept {
        // The old object goes last: its destructor may run any code.
        PyObject* old = object_;
        object_ = other.release();
        Py_XDECREF(old);
        return *this;
    }
    Ref(const Ref&) = delete;
    Ref& operator=(const Ref&) = delete;
    ~Ref() { Py_XDECREF(object_); }

    // Takes over a new reference, such as most functions of Python return; nullptr stays nullptr.
    static Ref steal(PyObject* object) { return Ref(object); }
    static Ref borrow(PyObject* object) {
        Py_XINCREF(object);
        return Ref(object);
    }

    PyObject* get() const { return object_; }
    PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
    // Hands the reference over to the caller.
    PyObject* release() noexcept {
        PyObject* object = object_;
        object_ = nullptr;
        return object;
    }
    explicit operator bool() const { return object_ != nullptr; }

    PyArrayObject* release_array() noexcept { return reinterpret_cast<PyArrayObject*>(release()); }

private:
    explicit Ref(PyObject* object) : object_(object) {}
    PyObject* object_ = nullptr;
};

}  // namespace rushlight
