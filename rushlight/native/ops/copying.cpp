// Copying: clone, conversion to another dtype, and what writes over a tensor. See ops/shape/copying.py,
// ops/shape/conversion.py.
#include "ops/copying.h"

#include <algorithm>
#include <cstring>

#include "loops/convert.h"
#include "loops/copy.h"
#include "loops/operands.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "object/attributes.h"
#include "object/signed.h"
#include "seam/call.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/numbers.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_to("to");
const Interned word_numpy("numpy");

namespace {

// core.layout.contiguous_format; borrowed, nullptr without an exception if it is not there.
PyObject* contiguous_format() {
    static PyObject* found = nullptr;
    if (found == nullptr) {
        Ref module = Ref::steal(PyImport_ImportModule("rushlight.core.memory.layout"));
        if (module) found = PyObject_GetAttrString(module.get(), "contiguous_format");
        PyErr_Clear();
    }
    return found;
}

// Memory for a copy that keeps the order of dimensions; of size one, they have strides that only Python knows.
PyArrayObject* new_like(PyArrayObject* array, int type) {
    int ndim = PyArray_NDIM(array);
    const npy_intp* dims = PyArray_DIMS(array);
    if (PyArray_IS_C_CONTIGUOUS(array)) return keep_unit_steps(new_array(ndim, dims, type), array);
    DECLINE_IF(std::find(dims, dims + ndim, 1) != dims + ndim || PyArray_SIZE(array) == 0);
    return new_array_like_strides(ndim, dims, PyArray_STRIDES(array), type);
}

NAMES(Clone, input, memory_format);

// clone(input, *, memory_format=None)
bool clone_forward(Call& call) {
    PyArrayObject* input = call.array(Clone::input);
    PyObject* format = call[Clone::memory_format];
    DECLINE_IF(PyArray_TYPE(input) >= NPY_NTYPES_LEGACY);
    if (format == contiguous_format()) return call.give(packed_copy(input));
    DECLINE_IF(format != Py_None);
    if (PyArray_IS_C_CONTIGUOUS(input)) return call.give(keep_unit_steps(packed_copy(input), input));
    PyArrayObject* made = new_like(input, PyArray_TYPE(input));
    if (made != nullptr) copy_into(made, input);
    return call.give(made);
}

bool pass_backward(Gradient& gradient) { return gradient.pass_on(); }

// ---- conversion

// Whether steps tell the order of all dims: nothing is spread out or reversed.
bool has_steps(PyArrayObject* array) {
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (PyArray_STRIDE(array, d) <= 0) return false;
    }
    return true;
}

// The elements of a C-contiguous array by one loop.
PyArrayObject* converted_by(Convert convert, PyArrayObject* array, PyArrayObject* made, int from, int to) {
    const char* source = PyArray_BYTES(array);
    char* target = PyArray_BYTES(made);
    parallel(PyArray_SIZE(array), PARALLEL, [=](int64_t begin, int64_t end) {
        convert(source + begin * SIZES[from], target + begin * SIZES[to], end - begin);
    });
    return made;
}

// The elements of an array in another dtype, in the same order of memory; nullptr where there is no loop.
PyArrayObject* converted(PyArrayObject* array, int type_num, int size) {
    int from = kept_dtype_of(array), to = kept_dtype_of_type(type_num, size);
    DECLINE_IF(from < 0 || to < 0);
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        DECLINE_IF(!has_steps(array));
        PyArrayObject* made = new_like(array, type_num);
        if (made != nullptr) convert_into(made, array);
        return made;
    }
    PyArrayObject* made = new_array(PyArray_NDIM(array), PyArray_DIMS(array), type_num);
    if (made == nullptr) return nullptr;
    if (from < DTYPES && to < DTYPES) return converted_by(table().convert[from][to], array, made, from, to);
    if (to == FLOAT32) return converted_by(table().widen[from - DTYPES], array, made, from, to);
    if (from == FLOAT32) return converted_by(table().shorten[to - DTYPES], array, made, from, to);
    convert_into(made, array);
    return made;
}

PyArrayObject* converted(PyArrayObject* array, PyArray_Descr* kind) {
    return converted(array, kind->type_num, static_cast<int>(PyDataType_ELSIZE(kind)));
}

// A float outside of int32 has no meaning in C++; NumPy and torch get x86's answer everywhere.
template <class T>
void to_int32(const void* from, void* to, npy_intp count) {
    constexpr T limit = static_cast<T>(2147483648.0);
    auto* in = static_cast<const T*>(from);
    auto* out = static_cast<int32_t*>(to);
#pragma omp simd
    for (npy_intp i = 0; i < count; i++) {
        out[i] = (in[i] >= -limit) & (in[i] < limit) ? static_cast<int32_t>(in[i]) : INT32_MIN;
    }
}

PyArrayObject* as_int32(PyArrayObject* floats) {
    PyArrayObject* made = new_array(PyArray_NDIM(floats), PyArray_DIMS(floats), NPY_INT32);
    auto* run = dtype_of(floats) == FLOAT32 ? to_int32<float> : to_int32<double>;
    if (made != nullptr) run(PyArray_DATA(floats), PyArray_DATA(made), PyArray_SIZE(floats));
    return made;
}

// Where `converted` has no loop: from integers by NumPy's, from floats to short integers by way of longer ones, as
// `whole` in core/numbers/casting.py; nullptr for other dtypes.
PyArrayObject* converted_integers(PyArrayObject* array, int type_num) {
    int from = PyArray_TYPE(array), kind = dtype_of(array);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISNOTSWAPPED(array));
    bool to_integer = PyTypeNum_ISINTEGER(type_num) || PyTypeNum_ISBOOL(type_num);
    Ref source = Ref::borrow(as_object(array));
    if (kind == FLOAT32 || kind == FLOAT64) {
        DECLINE_IF(!to_integer);
        if (type_num == NPY_INT32) return as_int32(array);
        Ref type = Ref::steal(as_object(PyArray_DescrFromType(type_num)));
        DECLINE_IF(PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(type.get())) >= 4);
        bool by_32_bits = type_num == NPY_BYTE || type_num == NPY_SHORT || type_num == NPY_USHORT;
        source = Ref::steal(as_object(by_32_bits ? as_int32(array) : converted(array, NPY_INT64, 8)));
    } else {
        DECLINE_IF(!(PyTypeNum_ISINTEGER(from) || PyTypeNum_ISBOOL(from)));
        DECLINE_IF(!(to_integer || type_num == NPY_FLOAT || type_num == NPY_DOUBLE));
    }
    Ref made = Ref::steal(as_object(new_array(PyArray_NDIM(array), PyArray_DIMS(array), type_num)));
    if (!source || !made || PyArray_CopyInto(made.array(), source.array()) < 0) return nullptr;
    return reinterpret_cast<PyArrayObject*>(made.release());
}

// convert_half(array, dtype): None where NumPy has to do it.
PyObject* convert_half(PyObject*, PyObject* arguments) {
    PyObject *array, *kind;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyArray_Type, &array, &PyArrayDescr_Type, &kind)) return nullptr;
    // a subclass says itself what its memory stands for (core/memory/deferred.py)
    if (!PyArray_CheckExact(array)) return Py_NewRef(Py_None);
    PyArrayObject* made = converted(reinterpret_cast<PyArrayObject*>(array), reinterpret_cast<PyArray_Descr*>(kind));
    if (made != nullptr) return as_object(made);
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
}

// packed_copy(array): C-contiguous; None for objects and what else NumPy has to copy.
PyObject* pack(PyObject*, PyObject* given) {
    if (!PyArray_CheckExact(given)) return Py_NewRef(Py_None);
    auto* array = reinterpret_cast<PyArrayObject*>(given);
    // dtypes of other packages have numbers that new_array does not know
    if (!is_movable(array) || PyTypeNum_ISUSERDEF(PyArray_TYPE(array))) return Py_NewRef(Py_None);
    return as_object(packed_copy(array));
}

// write_converted(target, source): whether the elements were written; if not, NumPy has to do it.
PyObject* write_converted(PyObject*, PyObject* arguments) {
    PyObject *target, *source;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyArray_Type, &target, &PyArray_Type, &source)) return nullptr;
    auto *to = reinterpret_cast<PyArrayObject*>(target), *from = reinterpret_cast<PyArrayObject*>(source);
    if (!PyArray_CheckExact(target) || !PyArray_CheckExact(source)) Py_RETURN_FALSE;
    bool fits = have_same_shape(to, from) && PyArray_ISWRITEABLE(to) && !may_overlap(to, from);
    if (fits && PyArray_DESCR(to) == PyArray_DESCR(from) && is_movable(to) && element_count(to) > 0) {
        copy_into(to, from);
        return Py_NewRef(Py_True);
    }
    fits = fits && may_convert(to, from);
    if (fits) convert_into(to, from);
    return PyBool_FromLong(fits);
}

NAMES(ToCopy, input, kind, form);

// _to_copy(input, kind, form=None)
bool to_copy_forward(Call& call) {
    PyArrayObject* input = call.array(ToCopy::input);
    DECLINE_IF(!PyArray_DescrCheck(call[ToCopy::kind]));
    auto* kind = reinterpret_cast<PyArray_Descr*>(call[ToCopy::kind]);
    if (PyArray_DESCR(input) == kind) {
        DECLINE_IF(!is_movable(input) || !PyArray_IS_C_CONTIGUOUS(input));
        return call.give(keep_unit_steps(packed_copy(input), input));
    }
    int target = kept_dtype_of_type(kind->type_num, static_cast<int>(PyDataType_ELSIZE(kind)));
    bool has_loop = kept_dtype_of(input) >= 0 && target >= 0;
    PyArrayObject* made = has_loop ? converted(input, kind) : converted_integers(input, kind->type_num);
    return call.give(PyArray_IS_C_CONTIGUOUS(input) ? keep_unit_steps(made, input) : made);
}

// The tensor in another dtype, itself if it has it; nullptr without an exception where Python must look.
PyObject* convert_tensor(PyObject* self, PyArray_Descr* kind) {
    static Function* to_copy = nullptr;
    if (to_copy == nullptr) to_copy = find_function("_to_copy");
    PyArrayObject* array = as_tensor(self)->array;
    if (array == nullptr || to_copy == nullptr) return nullptr;
    if (PyArray_DESCR(array) == kind) return Py_NewRef(self);
    PyObject* args[] = {self, as_object(kind)};
    PyObject* found = call_native(to_copy, args, 2, nullptr);
    if (found == nullptr) return nullptr;
    // messages name what the user called
    Cut& cut = as_tensor(found)->cut;
    if (cut && PyUnicode_Check(cut.reason) && PyUnicode_CompareWithASCIIString(cut.reason, "_to_copy") == 0) {
        Py_SETREF(cut.reason, Py_NewRef(word_to));
    }
    return found;
}

// float(), long() and kin
template <int type_num, Attribute which>
PyObject* convert(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    static PyArray_Descr* kind = PyArray_DescrFromType(type_num);
    if (count == 0 && names == nullptr) {
        PyObject* found = convert_tensor(self, kind);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    return call_python(which, self, args, count, names);
}

// to(dtype), to("cpu"), to(other)
PyObject* to(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count != 1 || names != nullptr || as_tensor(self)->array == nullptr) {
        return call_python(TO, self, args, count, names);
    }
    PyObject *found = nullptr, *given = args[0];
    if (PyUnicode_CheckExact(given)) {
        if (PyUnicode_CompareWithASCIIString(given, "cpu") == 0) return Py_NewRef(self);
    } else if (is_tensor(given)) {
        PyArrayObject* other = as_tensor(given)->array;
        if (other != nullptr) found = convert_tensor(self, PyArray_DESCR(other));
    } else if (is_dtype(given)) {
        Ref kind = Ref::steal(PyObject_GetAttr(given, word_numpy));
        if (kind && PyArray_DescrCheck(kind.get())) {
            found = convert_tensor(self, reinterpret_cast<PyArray_Descr*>(kind.get()));
        } else {
            PyErr_Clear();
        }
    }
    if (found != nullptr || PyErr_Occurred()) return found;
    return call_python(TO, self, args, count, names);
}

PyObject* contiguous(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyArrayObject* array = as_tensor(self)->array;
    if (count == 0 && names == nullptr && array != nullptr && PyArray_IS_C_CONTIGUOUS(array)) return Py_NewRef(self);
    return call_python(CONTIGUOUS, self, args, count, names);
}

PyObject* is_contiguous(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyArrayObject* array = as_tensor(self)->array;
    if (count == 0 && names == nullptr && array != nullptr) return PyBool_FromLong(PyArray_IS_C_CONTIGUOUS(array));
    return call_python(IS_CONTIGUOUS, self, args, count, names);
}

// ---- writing

NAMES(Copy, src);

// _copy(input, src), in place: the source, broadcast and converted
bool copy_forward(Call& call) {
    PyArrayObject *out = call.out, *source = call.array(Copy::src);
    DECLINE_IF(out == nullptr || !is_movable(out) || may_overlap(out, source));
    bool same = PyArray_DESCR(source) == PyArray_DESCR(out);
    DECLINE_IF(!same && !may_convert(out, source));
    int ndim = PyArray_NDIM(out), extra = ndim - PyArray_NDIM(source);
    DECLINE_IF(extra < 0);
    npy_intp strides[NPY_MAXDIMS];
    for (int d = 0; d < ndim; d++) {
        npy_intp have = d >= extra ? PyArray_DIM(source, d - extra) : 1;
        DECLINE_IF(have != PyArray_DIM(out, d) && have != 1);
        strides[d] = have == PyArray_DIM(out, d) && d >= extra ? PyArray_STRIDE(source, d - extra) : 0;
    }
    if (!same) {
        convert_into(out, source);
    } else if (PyArray_SIZE(out) > 0) {
        copy_elements(PyArray_BYTES(out), PyArray_STRIDES(out), PyArray_BYTES(source), strides, ndim, PyArray_DIMS(out),
                      static_cast<int>(PyArray_ITEMSIZE(out)));
    }
    return call.give(Ref::borrow(as_object(out)));
}

// copy_(src, non_blocking=False)
PyObject* copy_inplace(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyObject* inner = form_of(COPY_INNER);
    if (count == 1 && names == nullptr && is_tensor(args[0]) && inner != nullptr && Py_TYPE(inner) == &FunctionType) {
        PyObject* both[] = {self, args[0]};
        PyObject* found = call_native(reinterpret_cast<Function*>(inner), both, 2, nullptr);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    return call_python(COPY_, self, args, count, names);
}

// Whether one value may be written over all elements here: no history to record, memory of its own, and no function
// transform, which may have captured it.
bool may_fill(Tensor* target) {
    return state.levels == nullptr && target->array != nullptr && !(state.grad && requires_grad(target)) &&
           !target->inference && PyArray_ISWRITEABLE(target->array) && is_movable(target->array);
}

PyObject* zero_inplace(PyObject* self, PyObject*) {
    Tensor* target = as_tensor(self);
    if (!may_fill(target)) return ask(ZERO_, self);
    if (storage_of(target) == nullptr) return nullptr;
    constexpr char zero[16] = {};
    if (PyArray_IS_C_CONTIGUOUS(target->array)) {
        std::memset(PyArray_DATA(target->array), 0, PyArray_NBYTES(target->array));
    } else {
        fill_elements(target->array, zero);
    }
    return written(target) ? Py_NewRef(self) : nullptr;
}

// fill_(value): a number that a float holds, or a whole one for integers
PyObject* fill_inplace(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Tensor* target = as_tensor(self);
    alignas(8) char element[8];
    if (count != 1 || names != nullptr || !may_fill(target) || !read_element(args[0], target->array, element)) {
        return call_python(FILL_, self, args, count, names);
    }
    if (storage_of(target) == nullptr) return nullptr;
    if (PyArray_SIZE(target->array) > 0) fill_elements(target->array, element);
    return written(target) ? Py_NewRef(self) : nullptr;
}

KERNEL("clone").forward(clone_forward, Clone::names).takes(tensor(Clone::input).movable()).gradient(pass_backward);
// what recurrent layers hand out
KERNEL("_stacked").as("clone");
KERNEL("_joined").as("clone");
KERNEL("_to_copy")
    .forward(to_copy_forward, ToCopy::names)
    .takes(tensor(ToCopy::input), none(ToCopy::form))
    .gradient(pass_backward);
KERNEL("_copy").forward(copy_forward, Copy::names).takes(tensor(Copy::src));

}  // namespace

PyMethodDef conversion_methods[] = {
    {"convert_half", guarded<convert_half>, METH_VARARGS, "An array in another dtype, in the same order of memory."},
    {"packed_copy", guarded<pack>, METH_O, "A copy whose elements stand in the order of their indices."},
    {"write_converted", guarded<write_converted>, METH_VARARGS, "The elements of an array over another one's."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef copying_methods[] = {
    {"float", plain_function(convert<NPY_FLOAT, TO_FLOAT>), KEYWORDS,
     SIGNED("float($self, memory_format=None)", "The tensor as `float32`.")},
    {"double", plain_function(convert<NPY_DOUBLE, TO_DOUBLE>), KEYWORDS,
     SIGNED("double($self, memory_format=None)", "The tensor as `float64`.")},
    {"long", plain_function(convert<NPY_INT64, TO_LONG>), KEYWORDS,
     SIGNED("long($self, memory_format=None)", "The tensor as `int64`.")},
    {"int", plain_function(convert<NPY_INT32, TO_INT>), KEYWORDS,
     SIGNED("int($self, memory_format=None)", "The tensor as `int32`.")},
    {"byte", plain_function(convert<NPY_UINT8, TO_BYTE>), KEYWORDS,
     SIGNED("byte($self, memory_format=None)", "The tensor as `uint8`.")},
    {"bool", plain_function(convert<NPY_BOOL, TO_BOOL>), KEYWORDS,
     SIGNED("bool($self, memory_format=None)", "The tensor as `bool`.")},
    {"to", plain_function(guarded<to>), KEYWORDS,
     SIGNED("to($self, *args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=None)",
            "The tensor with another dtype, device or memory format: itself where nothing changes.")},
    {"contiguous", plain_function(guarded<contiguous>), KEYWORDS,
     SIGNED("contiguous($self, memory_format=...)",
            "The tensor itself if its elements stand in memory in the order of their indices, else such a copy.")},
    {"is_contiguous", plain_function(guarded<is_contiguous>), KEYWORDS,
     SIGNED("is_contiguous($self, memory_format=...)",
            "Whether the elements stand in memory in the order of their indices, or in another format's.")},
    {"copy_", plain_function(guarded<copy_inplace>), KEYWORDS,
     SIGNED("copy_($self, src, non_blocking=False)",
            "Write the elements of `src` over its own; differentiable in `src`.")},
    {"zero_", guarded<zero_inplace>, METH_NOARGS, SIGNED("zero_($self)", "Write 0 over every element.")},
    {"fill_", plain_function(guarded<fill_inplace>), KEYWORDS,
     SIGNED("fill_($self, value)", "Write one value over every element.")},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
