// Shortcuts: a callable that looks like the Python function it stands before.
#include "seam/shortcut.h"

#include "seam/disguise.h"
#include "seam/guard.h"
#include "seam/overrides.h"

namespace rushlight {

namespace {

struct Shortened : Disguise {
    Kernel* kernel;
    PyObject* names;  // a tuple: the parameters, those by position first
    int positional;
    bool takes_many;
    bool is_overridable;
    int8_t places[MAX_NAMES];  // of what the kernel reads among the names
};

Shortened* as_shortcut(PyObject* object) { return reinterpret_cast<Shortened*>(object); }

int place_of(PyObject* names, int count, PyObject* name) {
    for (int i = 0; i < count; i++) {
        if (PyTuple_GET_ITEM(names, i) == name) return i;
    }
    for (int i = 0; i < count; i++) {
        if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0) return i;
    }
    return -1;
}

// Arguments into their places; false for what Python has to look at.
bool arrange(const Shortened& self, PyObject* const* args, Py_ssize_t count, PyObject* names, Arguments& found) {
    int bound = static_cast<int>(PyTuple_GET_SIZE(self.names));
    found.places = self.places;
    Py_ssize_t direct = count < self.positional ? count : self.positional;
    for (Py_ssize_t i = 0; i < direct; i++) found.given[i] = args[i];
    if (count > direct) {
        if (!self.takes_many) return false;
        found.many = args + direct;
        found.many_count = count - direct;
    }
    Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        int place = place_of(self.names, bound, PyTuple_GET_ITEM(names, i));
        if (place < 0 || found.given[place] != nullptr) return false;
        found.given[place] = args[count + i];
    }
    return true;
}

PyObject* shortcut_call(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Shortened* self = as_shortcut(object);
    Arguments found;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    bool watched = is_watched(*self);
    if (watched && self->is_overridable) {
        PyObject* made = divert(object, args, count, names);
        if (made != nullptr || PyErr_Occurred()) return made;
    }
    if (arrange(*self, args, count, names, found)) {
        PyObject* made = self->kernel->shortcut(found);
        if (made != nullptr || found.decided) {
            self->kernel->forwards.accepted++;
            return made;
        }
    }
    self->kernel->forwards.decline();
    PyErr_Clear();
    if (!watched && self->is_overridable) {
        PyObject* made = divert(object, args, count, names);
        if (made != nullptr || PyErr_Occurred()) return made;
    }
    return PyObject_Vectorcall(self->python, args, flags, names);
}

// The names of its parameters as Python's code object has them: by position, by name only, then `*many`. False with an
// exception where they are not what the kernel reads.
bool read_signature(Shortened* self) {
    Ref code = Ref::steal(PyObject_GetAttrString(self->python, "__code__"));
    if (!code) return false;
    auto* fields = reinterpret_cast<PyCodeObject*>(code.get());
    int count = PyCode_Check(code.get()) ? fields->co_argcount + fields->co_kwonlyargcount : Arguments::MOST + 1;
    Ref all = Ref::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    if (!all) return false;
    if (count > Arguments::MOST || fields->co_posonlyargcount > 0) {
        PyErr_Format(PyExc_TypeError,
                     "the function of the shortcut '%s' has parameters of a kind or number it cannot take",
                     self->kernel->name);
        return false;
    }
    self->names = PyTuple_GetSlice(all.get(), 0, count);
    self->positional = fields->co_argcount;
    self->takes_many = (fields->co_flags & CO_VARARGS) != 0;
    return self->names != nullptr && find_places(*self->kernel, self->names, self->places);
}

int shortcut_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(as_shortcut(self)->names);
    return traverse_disguise(self, visit, arg);
}

int shortcut_clear(PyObject* self) {
    Py_CLEAR(as_shortcut(self)->names);
    return clear_disguise(self);
}

void shortcut_dealloc(PyObject* self) {
    before_dealloc(self);
    shortcut_clear(self);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject ShortcutType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Shortcut";
    type.tp_base = &DisguiseType;
    type.tp_basicsize = sizeof(Shortened);
    type.tp_flags = DISGUISED | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_traverse = shortcut_traverse;
    type.tp_clear = shortcut_clear;
    type.tp_dealloc = shortcut_dealloc;
    return type;
}();

PyObject* make_shortcut(PyObject*, PyObject* function) {
    std::string name;
    if (!qualified_name(function, name)) return nullptr;
    Kernel* kernel = find_kernel(name.c_str());
    if (kernel == nullptr || kernel->shortcut == nullptr) {
        return PyErr_Format(PyExc_TypeError, "there is no shortcut for %s in native code", name.c_str());
    }
    Ref made = Ref::steal(ShortcutType.tp_alloc(&ShortcutType, 0));
    if (!made) return nullptr;
    Shortened* self = as_shortcut(made.get());
    self->vectorcall = guarded<shortcut_call>;
    self->kernel = kernel;
    self->python = Py_NewRef(function);
    if (!read_signature(self)) return nullptr;
    kernel->is_claimed = true;
    return made.release();
}

PyMethodDef methods[] = {
    {"shortcut", guarded<make_shortcut>, METH_O, "The function with its native way before it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool mark_overridable(PyObject* object) {
    if (Py_TYPE(object) != &ShortcutType) return false;
    as_shortcut(object)->is_overridable = true;
    return true;
}

bool qualified_name(PyObject* function, std::string& name) {
    Ref module = Ref::steal(PyObject_GetAttrString(function, "__module__"));
    Ref own = module ? Ref::steal(PyObject_GetAttrString(function, "__qualname__")) : Ref();
    const char* first = own && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
    const char* second = own && PyUnicode_Check(own.get()) ? PyUnicode_AsUTF8(own.get()) : nullptr;
    if (first == nullptr || second == nullptr) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "expected a function with a name");
        return false;
    }
    name = std::string(first) + "." + second;
    name.erase(0, name.find('.') + 1);
    return true;
}

bool add_shortcuts(PyObject* module) {
    return PyType_Ready(&ShortcutType) >= 0 && PyModule_AddFunctions(module, methods) >= 0;
}

}  // namespace rushlight
