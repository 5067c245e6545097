// Failures: memory that ends at the n-th allocation, so that tests see what native code does then.
//
// The pool asks here when it has nothing at hand, and nothing is at hand while a test runs: what was kept is given up.
// malloc and new ask where the linker can wrap them (see meson.build); Python's allocators are replaced meanwhile, and
// NumPy takes its memory from the pool. Of Python's objects only those count that native code makes itself: what Python
// and NumPy do without memory in functions of their own is theirs to mend.
#include "memory/failure.h"

#include <cstdlib>
#include <new>

#include "memory/allocator.h"
#include "memory/arrays.h"
#include "memory/pool.h"
#include "object/node.h"
#include "object/tensor.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"

namespace rushlight {

std::atomic<unsigned> counted_sources{0};

namespace {

std::atomic<int64_t> left{0};     // allocations until one fails
std::atomic<int64_t> to_fail{0};  // how many fail from then on
std::atomic<int64_t> failed{0};

constexpr int DOMAIN_COUNT = 2;
constexpr PyMemAllocatorDomain DOMAINS[DOMAIN_COUNT] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
PyMemAllocatorEx usual[DOMAIN_COUNT];

// The Python function that runs.
const void* running_frame() {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_Get()->current_frame;
#else
    return PyThreadState_Get()->cframe->current_frame;
#endif
}
const void* caller = nullptr;

bool python_has_to_fail() { return running_frame() == caller && has_to_fail(PYTHON_MEMORY); }

PyMemAllocatorEx& usual_of(void* domain) { return *static_cast<PyMemAllocatorEx*>(domain); }

void* failing_malloc(void* domain, size_t bytes) {
    return python_has_to_fail() ? nullptr : usual_of(domain).malloc(usual_of(domain).ctx, bytes);
}

void* failing_calloc(void* domain, size_t count, size_t bytes) {
    return python_has_to_fail() ? nullptr : usual_of(domain).calloc(usual_of(domain).ctx, count, bytes);
}

void* failing_realloc(void* domain, void* p, size_t bytes) {
    return python_has_to_fail() ? nullptr : usual_of(domain).realloc(usual_of(domain).ctx, p, bytes);
}

void usual_free(void* domain, void* p) { usual_of(domain).free(usual_of(domain).ctx, p); }

// While it lives, nothing that has died is kept for later, and the sources of memory are counted.
class Failing {
public:
    Failing(unsigned sources, int64_t which, int64_t many) : limit_(static_cast<size_t>(pool_statistics().limit)) {
        release_spares();
        release_tensors();
        release_nodes();
        pool_set_limit(0);
        for (int i = 0; i < DOMAIN_COUNT; i++) {
            PyMem_GetAllocator(DOMAINS[i], &usual[i]);
            PyMemAllocatorEx hooks = {&usual[i], failing_malloc, failing_calloc, failing_realloc, usual_free};
            PyMem_SetAllocator(DOMAINS[i], &hooks);
        }
        caller = running_frame();
        left = which;
        to_fail = many;
        failed = 0;
        counted_sources = sources;
    }
    ~Failing() {
        counted_sources = 0;
        for (int i = 0; i < DOMAIN_COUNT; i++) PyMem_SetAllocator(DOMAINS[i], &usual[i]);
        pool_set_limit(limit_);
    }
    Failing(const Failing&) = delete;
    Failing& operator=(const Failing&) = delete;

private:
    size_t limit_;
};

// Let NumPy take memory from there, in the context of its bodies too; what it took it from before.
Ref set_handler(PyObject* handler) {
    Ref before = Ref::steal(PyDataMem_SetHandler(handler));
    if (!before || !present(fallbacks.quiet)) return before;
    if (PyContext_Enter(fallbacks.quiet) < 0) return Ref();
    Ref inner = Ref::steal(PyDataMem_SetHandler(handler));
    if (PyContext_Exit(fallbacks.quiet) < 0 || !inner) return Ref();
    return before;
}

// call_with_failure(function, sources, n, count): calls the function while `count` allocations fail, the n-th first.
// Returns what it returned, the exception that it raised, and how many allocations failed.
PyObject* call_with_failure(PyObject*, PyObject* args) {
    PyObject* function;
    unsigned sources;
    long long which, many;
    if (!PyArg_ParseTuple(args, "OILL", &function, &sources, &which, &many)) return nullptr;
    if (counted_sources != 0) return PyErr_Format(PyExc_RuntimeError, "memory is failing already");
    PyObject* handler = pool_handler();
    Ref usual_handler = handler == nullptr ? Ref() : set_handler(handler);
    if (!usual_handler) return nullptr;
    Ref made;
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    {
        Failing failing(sources, which, many);
        made = Ref::steal(PyObject_CallNoArgs(function));
        PyErr_Fetch(&type, &value, &traceback);
    }
    Ref had = set_handler(usual_handler.get());
    if (type != nullptr) PyErr_NormalizeException(&type, &value, &traceback);
    Ref raised = Ref::steal(value);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    if (!had) return nullptr;
    return Py_BuildValue("OOL", made ? made.get() : Py_None, raised ? raised.get() : Py_None,
                         static_cast<long long>(failed.load()));
}

}  // namespace

bool count_to_failure() {
    if (--left > 0 || --to_fail < 0) return false;
    ++failed;
    return true;
}

PyMethodDef failure_methods[] = {
    {"call_with_failure", guarded<call_with_failure>, METH_VARARGS, "Call a function while memory fails, for tests."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight

#if defined(RUSHLIGHT_WRAPS_MALLOC)

// The linker leads every call of malloc and new in this extension here, and calls `__real_...` the function meant.
using rushlight::has_to_fail;
using rushlight::HEAP_MEMORY;

extern "C" {
void* __real_malloc(size_t bytes);
void* __real__Znwm(size_t bytes);
void* __real__Znam(size_t bytes);
void* __real__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag);
void* __real__ZnamRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag);

void* __wrap_malloc(size_t bytes) { return has_to_fail(HEAP_MEMORY) ? nullptr : __real_malloc(bytes); }

void* __wrap__Znwm(size_t bytes) {
    if (has_to_fail(HEAP_MEMORY)) throw std::bad_alloc();
    return __real__Znwm(bytes);
}

void* __wrap__Znam(size_t bytes) {
    if (has_to_fail(HEAP_MEMORY)) throw std::bad_alloc();
    return __real__Znam(bytes);
}

void* __wrap__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag) {
    return has_to_fail(HEAP_MEMORY) ? nullptr : __real__ZnwmRKSt9nothrow_t(bytes, tag);
}

void* __wrap__ZnamRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag) {
    return has_to_fail(HEAP_MEMORY) ? nullptr : __real__ZnamRKSt9nothrow_t(bytes, tag);
}
}

#endif
