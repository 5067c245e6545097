// The caller: one way from a torch call to the kernel of its op and, if gradients are wanted, to a node.
#pragma once

#include "seam/disguise.h"
#include "seam/plan.h"

namespace rushlight {

// The public function of an op: torch's signature, the native way first, Python's function where that declines.
// `python` is the generated function of ops/machine/generate.py.
struct Function : Disguise {
    PyObject* op;
    OpInfo* info;
};

extern PyTypeObject FunctionType;

// Run an op on arguments given by position; nullptr without an exception if it declines.
PyObject* call_native(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names);
// The same, where all arguments stand in their places: `parse` has put them there, and `settle` knows the op.
PyObject* run_arranged(Function* function, Call& call);
bool parse(Call& call, PyObject* const* args, Py_ssize_t count, PyObject* names);
bool settle(OpInfo* op);
// Look at each tensor argument; false for what only Python understands.
bool look(Call& call);
// The same as call_native by the NumPy body. An exception is one that the body's second run must not hide.
PyObject* call_body(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names);
// History, or where it was cut, for the results of a call; false with an exception.
bool finish(OpInfo* op, const Call& call, Tensor* const* results, int count);
// Note on a result that a mode keeps from being recorded where that was.
void mark_unrecorded(Tensor* tensor);
// The same, with Python's function where native declines.
PyObject* call_function(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names);

// The native function of a declared op by its name, or nullptr: for operators and composed functions. Borrowed.
Function* find_function(const char* name);

// An op that a composed function stands for, by its name; found at its first call.
class Inner {
public:
    constexpr explicit Inner(const char* name) : name_(name) {}
    // The op on arguments given by position; declines where it does, so that the function words its own errors.
    template <class... Given>
    PyObject* operator()(Given... given) {
        PyObject* arguments[] = {given...};
        return call(arguments, sizeof...(given));
    }
    PyObject* call(PyObject* const* arguments, Py_ssize_t count) {
        if (function_ == nullptr) function_ = find_function(name_);
        DECLINE_IF(function_ == nullptr);
        return call_native(function_, arguments, count, nullptr);
    }
    // The same, with Python's function where native declines.
    template <class... Given>
    PyObject* either(Given... given) {
        PyObject* arguments[] = {given...};
        PyObject* found = call(arguments, sizeof...(given));
        if (found != nullptr || PyErr_Occurred() || function_ == nullptr) return found;
        return PyObject_Vectorcall(function_->python, arguments, sizeof...(given), nullptr);
    }

private:
    const char* name_;
    Function* function_ = nullptr;
};

// Run an op's gradient, if what it is given is as its kernel wants it; false, without an exception, where it is left to
// Python.
bool run_gradient(Gradient& gradient);

// Record a call: a node of the op, which becomes the history of the results. False with an exception.
bool record(OpInfo* op, const Call& call, Tensor* const* results, int count);
// The same for a write, in two steps, since nothing may fail after it: a node with the histories of before, empty with
// an exception; and, once the target has been written to, the node as its history.
Ref note_write(OpInfo* op, const Call& call, Tensor* target);
void record_write(PyObject* noted, Tensor* target);

}  // namespace rushlight
