// Operators: see ops/machine/bind.py. Operands that are neither tensors nor Python numbers are left to Python.
#include "object/operators.h"

#include <string>

#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/state.h"

namespace rushlight {

namespace {

enum Operator {
    ADD,
    SUB,
    MUL,
    TRUEDIV,
    FLOORDIV,
    MOD,
    POW,
    MATMUL,
    AND,
    OR,
    XOR,
    LSHIFT,
    RSHIFT,
    IADD,
    ISUB,
    IMUL,
    ITRUEDIV,
    IFLOORDIV,
    IMOD,
    IPOW,
    IMATMUL,
    IAND,
    IOR,
    IXOR,
    ILSHIFT,
    IRSHIFT,
    LT,
    LE,
    EQ,
    NE,
    GT,
    GE,
    NEG,
    POS,
    ABS,
    INVERT,
    RSUB,
    COUNT,
};

constexpr const char* NAMES[COUNT] = {
    "add",     "sub",    "mul",    "truediv", "floordiv", "mod",     "pow",      "matmul",    "and",  "or",
    "xor",     "lshift", "rshift", "iadd",    "isub",     "imul",    "itruediv", "ifloordiv", "imod", "ipow",
    "imatmul", "iand",   "ior",    "ixor",    "ilshift",  "irshift", "lt",       "le",        "eq",   "ne",
    "gt",      "ge",     "neg",    "pos",     "abs",      "invert",  "rsub",
};

PyObject* functions[COUNT] = {};

bool is_operand(PyObject* value) {
    return is_tensor(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
           PyComplex_CheckExact(value);
}

PyObject* call_two(PyObject* function, PyObject* one, PyObject* other) {
    PyObject* args[] = {one, other};
    if (Py_TYPE(function) == &FunctionType) {
        return call_function(reinterpret_cast<Function*>(function), args, 2, nullptr);
    }
    return PyObject_Vectorcall(function, args, 2, nullptr);
}

// Whatever is unusual: Python's operator, which may know the operand or answer NotImplemented.
PyObject* operate(const char* prefix, Operator which, PyObject* self, PyObject* other) {
    return PyObject_CallFunction(fallbacks.operate, "NOO", PyUnicode_FromFormat("%s%s", prefix, NAMES[which]), self,
                                 other);
}

template <Operator which>
PyObject* binary(PyObject* one, PyObject* other) {
    if (is_any_tensor(one)) {
        if (functions[which] != nullptr && is_tensor(one) && is_operand(other)) {
            return call_two(functions[which], one, other);
        }
        return operate("", which, one, other);
    }
    if (functions[which] == nullptr || !is_operand(one) || !is_tensor(other)) return operate("r", which, other, one);
    if (which == SUB && functions[RSUB] != nullptr) return call_two(functions[RSUB], other, one);
    // where sides do not matter the tensor comes first, as its node shows
    if (which == ADD || which == MUL) return call_two(functions[which], other, one);
    return call_two(functions[which], one, other);
}

template <Operator which>
PyObject* inplace(PyObject* one, PyObject* other) {
    if (functions[which] == nullptr) return Py_NewRef(Py_NotImplemented);
    if (is_tensor(one) && is_operand(other)) return call_two(functions[which], one, other);
    return operate("", which, one, other);
}

template <Operator which>
PyObject* unary(PyObject* self) {
    if (functions[which] == nullptr) return PyErr_Format(PyExc_TypeError, "bad operand type for unary operator");
    return PyObject_CallOneArg(functions[which], self);
}

PyObject* power(PyObject* one, PyObject* other, PyObject* modulus) {
    if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
    return binary<POW>(one, other);
}

// Python asks this slot once more as that of a sequence, and hands on whatever comes then: NotImplemented ends here.
PyObject* inplace_add(PyObject* one, PyObject* other) {
    PyObject* made = inplace<IADD>(one, other);
    if (made != Py_NotImplemented) return made;
    Py_DECREF(made);
    const PyNumberMethods* slots = Py_TYPE(other)->tp_as_number;
    if (slots != nullptr && slots->nb_add != nullptr) return PyNumber_Add(one, other);
    return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +=: '%.100s' and '%.100s'",
                        Py_TYPE(one)->tp_name, Py_TYPE(other)->tp_name);
}

PyObject* inplace_power(PyObject* one, PyObject* other, PyObject*) { return inplace<IPOW>(one, other); }

Py_ssize_t length(PyObject* self) {
    PyArrayObject* array = shown_array(as_tensor(self));
    if (array != nullptr && PyArray_NDIM(array) > 0) return PyArray_DIM(array, 0);
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
    return -1;
}

int write_item(PyObject* self, PyObject* index, PyObject* value) {
    if (value == nullptr) {
        PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
        return -1;
    }
    // inside of a function transform Python looks whose tensor it is
    int written = state.levels != nullptr ? 0 : write_part(self, index, value);
    if (written == 0 && state.levels == nullptr) written = write_positions(self, index, value);
    if (written != 0) return written > 0 ? 0 : -1;
    PyObject* args[] = {self, index, value};
    Ref done = Ref::steal(PyObject_Vectorcall(fallbacks.write_item, args, 3, nullptr));
    return done ? 0 : -1;
}

}  // namespace

PyNumberMethods tensor_as_number = [] {
    PyNumberMethods slots = {};
    slots.nb_add = binary<ADD>;
    slots.nb_subtract = binary<SUB>;
    slots.nb_multiply = binary<MUL>;
    slots.nb_true_divide = binary<TRUEDIV>;
    slots.nb_floor_divide = binary<FLOORDIV>;
    slots.nb_remainder = binary<MOD>;
    slots.nb_power = power;
    slots.nb_matrix_multiply = binary<MATMUL>;
    slots.nb_and = binary<AND>;
    slots.nb_or = binary<OR>;
    slots.nb_xor = binary<XOR>;
    slots.nb_lshift = binary<LSHIFT>;
    slots.nb_rshift = binary<RSHIFT>;
    slots.nb_inplace_add = inplace_add;
    slots.nb_inplace_subtract = inplace<ISUB>;
    slots.nb_inplace_multiply = inplace<IMUL>;
    slots.nb_inplace_true_divide = inplace<ITRUEDIV>;
    slots.nb_inplace_floor_divide = inplace<IFLOORDIV>;
    slots.nb_inplace_remainder = inplace<IMOD>;
    slots.nb_inplace_power = inplace_power;
    slots.nb_inplace_matrix_multiply = inplace<IMATMUL>;
    slots.nb_inplace_and = inplace<IAND>;
    slots.nb_inplace_or = inplace<IOR>;
    slots.nb_inplace_xor = inplace<IXOR>;
    slots.nb_inplace_lshift = inplace<ILSHIFT>;
    slots.nb_inplace_rshift = inplace<IRSHIFT>;
    slots.nb_negative = unary<NEG>;
    slots.nb_positive = unary<POS>;
    slots.nb_absolute = unary<ABS>;
    slots.nb_invert = unary<INVERT>;
    return slots;
}();

PyMappingMethods tensor_as_mapping = {length, guarded<read_item>, guarded<write_item>};

PyObject* tensor_compare(PyObject* one, PyObject* other, int operation) {
    constexpr Operator operators[] = {LT, LE, EQ, NE, GT, GE};  // the order of Py_LT ... Py_GE
    Operator which = operators[operation];
    if (functions[which] != nullptr && is_tensor(one) && is_operand(other)) {
        return call_two(functions[which], one, other);
    }
    return operate("", which, one, other);
}

PyObject* set_operator(PyObject*, PyObject* args) {
    const char* name;
    PyObject* function;
    if (!PyArg_ParseTuple(args, "sO", &name, &function)) return nullptr;
    for (int i = 0; i < COUNT; i++) {
        if (std::string(NAMES[i]) == name) {
            Py_INCREF(function);
            Py_XSETREF(functions[i], function);
            Py_RETURN_NONE;
        }
    }
    return PyErr_Format(PyExc_ValueError, "there is no operator %s", name);
}

}  // namespace rushlight
