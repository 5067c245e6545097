// Threads for Python: the workers and the BLAS, set together.
#include <algorithm>
#include <climits>

#include "loops/blas.h"
#include "memory/system.h"
#include "memory/threads.h"
#include "seam/guard.h"

namespace rushlight {

namespace {

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(thread_count()); }

PyObject* set_num_threads(PyObject*, PyObject* number) {
    int overflow;
    long count = PyLong_AsLongAndOverflow(number, &overflow);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    if (overflow > 0 || count > INT_MAX) count = INT_MAX;
    if (overflow < 0 || count < 1) count = 1;
    set_thread_count(static_cast<int>(count));
    // the BLAS starts its threads at once, and more than there are cores only slow it down
    set_blas_threads(std::min(static_cast<int>(count), usable_cores()));
    Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
    Py_BEGIN_ALLOW_THREADS stop_threads();
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyObject* blas_info(PyObject*, PyObject*) {
    if (!has_blas()) Py_RETURN_NONE;
    return Py_BuildValue("si", blas_library(), blas_threads());
}

}  // namespace

PyMethodDef thread_methods[] = {
    {"get_num_threads", guarded<get_num_threads>, METH_NOARGS, "How many threads work on one loop."},
    {"set_num_threads", guarded<set_num_threads>, METH_O,
     "Set how many threads work on one loop, ours and the BLAS's."},
    {"stop_threads", guarded<stop>, METH_NOARGS, "End the workers; they start again on demand."},
    {"blas_info", guarded<blas_info>, METH_NOARGS, "(file, threads) of the BLAS in use; None if there is none."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
