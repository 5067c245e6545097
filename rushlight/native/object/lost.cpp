// Lost history: the last numbers that left a graph, the oldest forgotten first.
#include "object/lost.h"

#include "object/location.h"
#include "seam/guard.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_numpy("numpy");

namespace {

struct Exit {
    double value;
    Place place;
};

// as many as errors/lost.py remembers; the GIL guards it
constexpr int MOST = 1000;
Exit exits[MOST];
int first = 0, count = 0;

// take_exits(): [(value, place), ...], oldest first, which are then forgotten
PyObject* take_exits(PyObject*, PyObject*) {
    PyObject* list = PyList_New(count);
    if (list == nullptr) return nullptr;
    for (Py_ssize_t i = 0; count > 0; i++, count--) {
        Exit& exit = exits[first];
        first = (first + 1) % MOST;
        PyObject* place = place_tuple(exit.place);
        clear_place(exit.place);
        PyObject* pair = place == nullptr ? nullptr : Py_BuildValue("(dN)", exit.value, place);
        if (pair == nullptr) {
            Py_DECREF(list);
            return nullptr;
        }
        PyList_SET_ITEM(list, i, pair);
    }
    return list;
}

}  // namespace

void number_left(double value) {
    if (count == MOST) {
        clear_place(exits[first].place);
        first = (first + 1) % MOST;
        count--;
    }
    exits[(first + count++) % MOST] = {value, user_place()};
}

// As `array_left` in errors/lost.py; that module's own tables are written.
bool array_left(PyArrayObject* array, const Cut& cut) {
    static PyObject *arrays = nullptr, *append = nullptr;
    if (append == nullptr) {
        Ref module = Ref::steal(PyImport_ImportModule("rushlight.errors.lost"));
        Ref exits = module ? Ref::steal(PyObject_GetAttrString(module.get(), "_exits")) : Ref();
        arrays = exits ? PyObject_GetAttrString(module.get(), "_arrays") : nullptr;
        append = arrays != nullptr ? PyObject_GetAttrString(exits.get(), "append") : nullptr;
        PyErr_Clear();
    }
    // numbers that left before come first in Python's tables
    if (append == nullptr || count > 0 || PyDict_GET_SIZE(arrays) >= MOST) return false;
    bool detached = PyUnicode_Check(cut.reason) && PyUnicode_CompareWithASCIIString(cut.reason, "detach") == 0;
    PyObject* base = PyArray_BASE(array);
    PyObject* owner = base != nullptr && PyArray_Check(base) ? base : as_object(array);
    Ref place = Ref::steal(place_tuple(cut.place)), key = Ref::steal(PyLong_FromVoidPtr(owner));
    Ref weak = Ref::steal(PyWeakref_NewRef(owner, nullptr));
    Ref exit = place ? Ref::steal(PyTuple_Pack(2, detached ? word_numpy : cut.reason, place.get())) : Ref();
    Ref entry = exit && weak ? Ref::steal(PyTuple_Pack(2, weak.get(), exit.get())) : Ref();
    bool fine = entry && key && PyDict_SetItem(arrays, key.get(), entry.get()) == 0;
    Ref done = fine ? Ref::steal(PyObject_CallOneArg(append, exit.get())) : Ref();
    PyErr_Clear();
    return static_cast<bool>(done);
}

bool has_exits() { return count > 0; }

PyMethodDef lost_methods[] = {
    {"take_exits", guarded<take_exits>, METH_NOARGS, "The numbers that left a graph since the last call, and where."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
