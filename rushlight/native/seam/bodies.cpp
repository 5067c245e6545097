// Bodies: the steps of ops/machine/call.py around a NumPy body, for ops without a kernel and calls that a kernel left
// to Python. What is recorded, or has several results, Python finishes.
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/names.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_dtype("dtype");
const Interned word_cut_of_tensor("_cut");

namespace {

thread_local bool is_quiet = false;

// NumPy's floating point warnings are off as long as it lives: in a context of its own, since to set the variable
// allocates, and CPython 3.11 does not see where that fails.
class Quiet {
public:
    Quiet() : entered_(!is_quiet && PyContext_Enter(fallbacks.quiet) == 0) { is_quiet |= entered_; }
    ~Quiet() {
        if (!entered_) return;
        PyObject *kind, *value, *traceback;
        PyErr_Fetch(&kind, &value, &traceback);
        is_quiet = false;
        if (PyContext_Exit(fallbacks.quiet) < 0) PyErr_Clear();
        PyErr_Restore(kind, value, traceback);
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    // False with an exception where another thread is in it.
    explicit operator bool() const { return is_quiet; }

private:
    bool entered_;
};

// Options that the generated function would look at: see `option_line` in ops/machine/generate.py.
bool has_odd_options(const Call& call) {
    for (size_t i = 0; i < call.op->parameters.size(); i++) {
        const Parameter& parameter = call.op->parameters[i];
        PyObject* value = call.arguments[i];
        if (parameter.is_real && !PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return true;
        // the result's dtype, which is not that of the rule
        if (parameter.name == word_dtype && value != Py_None) return true;
    }
    return false;
}

PyObject* arrays_in(PyObject* list) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    PyObject* found = PyList_New(count);
    for (Py_ssize_t i = 0; found != nullptr && i < count; i++) {
        PyObject* array = as_object(as_tensor(PySequence_Fast_GET_ITEM(list, i))->array);
        PyList_SET_ITEM(found, i, Py_NewRef(array));
    }
    return found;
}

// The arguments with arrays in place of tensors; empty where one has none, or with an exception.
Ref unwrapped(const Call& call) {
    const OpInfo& op = *call.op;
    auto count = static_cast<Py_ssize_t>(op.parameters.size());
    Ref made = Ref::steal(PyList_New(count));
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject* value = call.arguments[i];
        PyObject* given = nullptr;
        if (op.lists >> i & 1) {
            given = arrays_in(value);
        } else if ((op.tensors >> i & 1) && is_tensor(value)) {
            given = Py_XNewRef(as_object(as_tensor(value)->array));
        } else {
            given = Py_NewRef(value);
        }
        if (given == nullptr) return Ref();
        PyList_SET_ITEM(made.get(), i, given);
    }
    return made;
}

// What is computed in another dtype: half precision.
bool is_half(PyObject* kind) {
    if (!PyArray_DescrCheck(kind)) return false;
    int type = reinterpret_cast<PyArray_Descr*>(kind)->type_num;
    return type == NPY_HALF || PyTypeNum_ISUSERDEF(type);
}

// What the body makes of the arrays, once the dtype rule has seen them; empty where the call is Python's.
Ref run_body(const OpInfo& op, PyObject* arrays, Ref& expected) {
    Quiet quiet;
    if (!quiet) return Ref();
    PyObject* given[] = {op.op, arrays};
    expected = Ref::steal(PyObject_Vectorcall(op.rule, given, 2, nullptr));
    if (!expected) return Ref();
    // Python tries the kernel, with what the rule has widened
    if (op.kernel != nullptr && is_half(expected.get())) return Ref();
    return Ref::steal(PyObject_Vectorcall(op.body, &PyList_GET_ITEM(arrays, 0), PyList_GET_SIZE(arrays), nullptr));
}

// The rest of the call in Python: `concluded` in ops/machine/call.py.
PyObject* conclude(const Call& call, PyObject* arrays, PyObject* expected, PyObject* results) {
    Ref arguments = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(call.op->parameters.size())));
    if (!arguments) return nullptr;
    for (size_t i = 0; i < call.op->parameters.size(); i++) {
        PyTuple_SET_ITEM(arguments.get(), i, Py_NewRef(call.arguments[i]));
    }
    Ref needs = Ref::steal(PyLong_FromUnsignedLong(call.needs));
    Ref cut = call.cut == nullptr ? Ref::borrow(Py_None)
                                  : Ref::steal(PyObject_GetAttr(as_object(call.cut), word_cut_of_tensor));
    if (!needs || !cut) return nullptr;
    PyObject* given[] = {call.op->op, arguments.get(), arrays, expected, results, needs.get(), cut.get()};
    return PyObject_Vectorcall(fallbacks.concluded, given, 7, nullptr);
}

// The body's one result, laid out as the op's word says; empty where it is another kind of result.
Ref laid_out(const OpInfo& op, PyObject* arrays, PyObject* expected, PyObject* result) {
    if (!PyArray_CheckExact(result)) return Ref();
    auto* array = reinterpret_cast<PyArrayObject*>(result);
    if (expected != Py_None && as_object(PyArray_DESCR(array)) != expected) return Ref();
    if (op.is_view || op.layout == Py_None || PyArray_NDIM(array) < 2) return Ref::borrow(result);
    PyObject* given[] = {op.op, arrays, result};
    Ref laid = Ref::steal(PyObject_Vectorcall(op.layout, given, 3, nullptr));
    return laid && PyArray_CheckExact(laid.get()) ? std::move(laid) : Ref();
}

// A call whose body has run: nothing may run it again.
PyObject* finish_body(OpInfo* op, const Call& call, PyObject* arrays, PyObject* expected, PyObject* result) {
    Ref laid = call.needs == 0 ? laid_out(*op, arrays, expected, result) : Ref();
    if (PyErr_Occurred()) return nullptr;
    if (!laid) return conclude(call, arrays, expected, result);
    Tensor* tensor =
        op->is_view ? make_view(as_tensor(call.arguments[0]), laid.release_array()) : wrap(laid.release_array());
    Ref made = Ref::steal(as_object(tensor));
    if (!made) return nullptr;
    if (call.cut == nullptr && !state.inference) return made.release();
    return finish(op, call, &tensor, 1) ? made.release() : nullptr;
}

}  // namespace

// What Python finds at the op, kept from the first call on; false where it is not there, and where a body that fails
// must not run again.
static bool read_body(OpInfo& op) {
    if (op.body != nullptr) return true;
    Ref draws = Ref::steal(PyObject_GetAttrString(op.op, "draws"));
    if (draws.get() != Py_False) {
        PyErr_Clear();
        return false;
    }
    op.rule = PyObject_GetAttrString(op.op, "rule");
    op.layout = PyObject_GetAttrString(op.op, "layout");
    if (op.rule != nullptr && op.layout != nullptr) op.body = PyObject_GetAttrString(op.op, "positional");
    if (op.body == nullptr) {
        PyErr_Clear();
        Py_CLEAR(op.rule);
        Py_CLEAR(op.layout);
    }
    return op.body != nullptr;
}

PyObject* call_body(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    OpInfo* op = function->info;
    if (op->entry != Entry::CALL || op->parameters.size() > MAX_ARGUMENTS || state.levels != nullptr) return nullptr;
    if (!op->settled && !settle(op)) return nullptr;
    if (!present(fallbacks.concluded) || !present(fallbacks.quiet)) return nullptr;
    if (!read_body(*op)) return nullptr;
    Call call;
    call.op = op;
    if (!parse(call, args, count, names) || !look(call) || has_odd_options(call)) return nullptr;
    Ref arrays = unwrapped(call), expected;
    Ref result = arrays ? run_body(*op, arrays.get(), expected) : Ref();
    if (result) return finish_body(op, call, arrays.get(), expected.get(), result.get());
    // Python runs it again, and words what the body raised
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return nullptr;
}

}  // namespace rushlight
