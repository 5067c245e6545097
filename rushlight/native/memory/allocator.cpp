// The allocator: the pool as NumPy's data-memory handler (NEP 49), and `rushlight.memory`'s functions.
#include "memory/allocator.h"

#include "memory/arrays.h"
#include "object/node.h"
#include "object/tensor.h"
#include "seam/guard.h"

namespace rushlight {

namespace {

void* handler_malloc(void*, size_t bytes) { return pool_allocate(bytes); }

void* handler_calloc(void*, size_t count, size_t bytes) {
    if (bytes != 0 && count > SIZE_MAX / bytes) return nullptr;
    return pool_allocate_zeroed(count * bytes);
}

void* handler_realloc(void*, void* p, size_t bytes) { return pool_reallocate(p, bytes); }

void handler_free(void*, void* p, size_t bytes) { pool_free_checked(p, bytes); }

PyDataMem_Handler handler = {
    "rushlight_pool", 1, {nullptr, handler_malloc, handler_calloc, handler_realloc, handler_free}};

PyObject* memory_stats(PyObject*, PyObject*) {
    PoolStatistics all = pool_statistics();
    return Py_BuildValue("{s:O,s:L,s:L,s:L,s:L,s:L,s:L}", "pool", pool_on() ? Py_True : Py_False, "limit",
                         static_cast<long long>(all.limit), "held", static_cast<long long>(all.held + spare_bytes()),
                         "used", static_cast<long long>(all.used), "peak", static_cast<long long>(all.peak),
                         "allocations", static_cast<long long>(all.allocations), "fresh",
                         static_cast<long long>(all.fresh));
}

PyObject* memory_bytes(PyObject*, PyObject* count) {
    npy_intp bytes = PyLong_AsSsize_t(count);
    if (bytes == -1 && PyErr_Occurred()) return nullptr;
    return reinterpret_cast<PyObject*>(new_array(1, &bytes, NPY_UINT8));
}

PyObject* memory_set_limit(PyObject*, PyObject* bytes) {
    size_t limit = PyLong_AsSize_t(bytes);
    if (limit == static_cast<size_t>(-1) && PyErr_Occurred()) return nullptr;
    release_spares();
    pool_set_limit(limit);
    Py_RETURN_NONE;
}

PyObject* memory_reset_peak(PyObject*, PyObject*) {
    pool_reset_peak();
    Py_RETURN_NONE;
}

PyObject* memory_release(PyObject*, PyObject*) {
    release_tensors();
    release_nodes();
    release_spares();
    Py_BEGIN_ALLOW_THREADS pool_release();
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

}  // namespace

PyObject* pool_capsule = nullptr;

PyObject* pool_handler() {
    if (pool_capsule == nullptr) pool_capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
    return pool_capsule;
}

PyMethodDef memory_methods[] = {
    {"memory_stats", guarded<memory_stats>, METH_NOARGS, "What the pool holds, as a dict."},
    {"memory_bytes", guarded<memory_bytes>, METH_O, "An array of so many bytes of the pool, whatever is in them."},
    {"memory_set_limit", guarded<memory_set_limit>, METH_O, "Set how many bytes may be kept."},
    {"memory_reset_peak", guarded<memory_reset_peak>, METH_NOARGS, "Count the peak from here."},
    {"memory_release", guarded<memory_release>, METH_NOARGS, "Give what is kept back to the system."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
