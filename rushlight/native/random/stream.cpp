// The stream: torch's Mersenne Twister as a Python type, which Generator extends. See core/random/streams.py.
#include <algorithm>

#include "kernels/table.h"
#include "memory/arrays.h"
#include "random/random.h"
#include "seam/guard.h"

namespace rushlight {

namespace {

// As the reference implementation, NumPy's old interface and torch seed from one integer.
void restart(Stream& stream, uint32_t seed) {
    for (int i = 0; i < TWISTER_WORDS; i++) {
        stream.words[i] = seed;
        seed = 1812433253u * (seed ^ (seed >> 30)) + static_cast<uint32_t>(i) + 1;
    }
    stream.position = TWISTER_WORDS;
    stream.has_kept_normal = false;
}

PyObject* stream_new(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* made = type->tp_alloc(type, 0);
    if (made != nullptr) restart(as_stream(made), 0);
    return made;
}

PyObject* stream_restart(PyObject* self, PyObject* seed) {
    unsigned long long value = PyLong_AsUnsignedLongLongMask(seed);
    if (PyErr_Occurred()) return nullptr;
    restart(as_stream(self), static_cast<uint32_t>(value));
    Py_RETURN_NONE;
}

// `count` words of `Width` times 32 bits, each in a uint64.
template <int Width>
PyObject* stream_draw(PyObject* self, PyObject* number) {
    npy_intp count = PyLong_AsSsize_t(number);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    PyArrayObject* made = new_array(1, &count, NPY_UINT64);
    if (made == nullptr) return nullptr;
    auto* out = static_cast<uint64_t*>(PyArray_DATA(made));
    constexpr int64_t STRETCH = 512;
    uint32_t words[STRETCH * Width];
    for (int64_t at = 0; at < count; at += STRETCH) {
        int64_t some = std::min<int64_t>(STRETCH, count - at);
        draw_words(as_stream(self), words, some * Width);
        for (int64_t i = 0; i < some; i++) {
            out[at + i] = Width == 1 ? words[i] : static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
        }
    }
    return reinterpret_cast<PyObject*>(made);
}

// (words, position, kept_normal)
PyObject* stream_state(PyObject* self, PyObject*) {
    Stream& stream = as_stream(self);
    npy_intp count = TWISTER_WORDS;
    PyArrayObject* words = new_array(1, &count, NPY_UINT32);
    if (words == nullptr) return nullptr;
    std::copy_n(stream.words, TWISTER_WORDS, static_cast<uint32_t*>(PyArray_DATA(words)));
    Ref kept = stream.has_kept_normal ? Ref::steal(PyFloat_FromDouble(stream.kept_normal)) : Ref::borrow(Py_None);
    if (!kept) {
        Py_DECREF(words);
        return nullptr;
    }
    return Py_BuildValue("(NiO)", words, stream.position, kept.get());
}

bool set_kept(Stream& stream, PyObject* value) {
    double number = value == Py_None ? 0 : PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) return false;
    stream.has_kept_normal = value != Py_None;
    stream.kept_normal = number;
    return true;
}

PyObject* stream_set_state(PyObject* self, PyObject* args) {
    PyObject *given, *kept;
    int position;
    if (!PyArg_ParseTuple(args, "OiO", &given, &position, &kept)) return nullptr;
    Ref words = Ref::steal(PyArray_FROMANY(given, NPY_UINT32, 1, 1, NPY_ARRAY_IN_ARRAY));
    if (!words) return nullptr;
    if (PyArray_SIZE(words.array()) != TWISTER_WORDS || position < 0 || position > TWISTER_WORDS) {
        return PyErr_Format(PyExc_ValueError, "a state is %d words and a position among them", TWISTER_WORDS);
    }
    Stream& stream = as_stream(self);
    if (!set_kept(stream, kept)) return nullptr;
    std::copy_n(static_cast<uint32_t*>(PyArray_DATA(words.array())), TWISTER_WORDS, stream.words);
    stream.position = position;
    Py_RETURN_NONE;
}

PyObject* get_kept(PyObject* self, void*) {
    const Stream& stream = as_stream(self);
    return stream.has_kept_normal ? PyFloat_FromDouble(stream.kept_normal) : Py_NewRef(Py_None);
}

int set_kept_field(PyObject* self, PyObject* value, void*) {
    return set_kept(as_stream(self), value == nullptr ? Py_None : value) ? 0 : -1;
}

PyMethodDef stream_methods[] = {
    {"_restart", guarded<stream_restart>, METH_O, "Start anew from a seed, of which 32 bits count."},
    {"_draw32", guarded<stream_draw<1>>, METH_O, "The next words of 32 bits."},
    {"_draw64", guarded<stream_draw<2>>, METH_O, "The next words of 64 bits."},
    {"_state", guarded<stream_state>, METH_NOARGS, "(words, position, kept_normal)"},
    {"_set_state", guarded<stream_set_state>, METH_VARARGS, "Continue from what `_state` gave."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef stream_fields[] = {
    {"kept_normal", get_kept, set_kept_field, "The half of a pair of normals that nobody asked for.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyTypeObject StreamType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Stream";
    type.tp_basicsize = sizeof(Stream);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    type.tp_new = guarded<stream_new>;
    type.tp_methods = stream_methods;
    type.tp_getset = stream_fields;
    type.tp_doc = "The words of a Mersenne Twister.";
    return type;
}();

void draw_words(Stream& stream, uint32_t* words, int64_t count) {
    const RandomLoops& loops = table().random;
    while (count > 0) {
        if (stream.position == TWISTER_WORDS) {
            loops.next_block(stream.words);
            stream.position = 0;
        }
        int64_t some = std::min<int64_t>(count, TWISTER_WORDS - stream.position);
        loops.temper(stream.words + stream.position, some, words);
        stream.position += static_cast<int>(some);
        words += some;
        count -= some;
    }
}

Stream* stream_of(PyObject* generator) {
    static PyObject* shared = nullptr;
    if (generator != nullptr && generator != Py_None) {
        return is_stream(generator) ? &as_stream(generator) : nullptr;
    }
    if (shared == nullptr) {
        Ref module = Ref::steal(PyImport_ImportModule("rushlight.core.random.random"));
        Ref found = module ? Ref::steal(PyObject_GetAttrString(module.get(), "default_generator")) : Ref();
        if (!found || !is_stream(found.get())) {
            PyErr_Clear();
            return nullptr;
        }
        shared = found.release();
    }
    return &as_stream(shared);
}

}  // namespace rushlight
