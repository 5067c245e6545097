// Shortcuts: a callable that looks like the Python function it stands before.
#include "shortcut.h"

#include <string>
#include <unordered_map>

#include "disguise.h"

namespace rushlight {

namespace {

struct Shortcut : Disguise {
    ShortcutRun run;
    PyObject* names;  // a tuple: the parameters, those by position first
    int positional;
    bool takes_many;
};

std::unordered_map<std::string, ShortcutRun>& ways() {
    static auto* table = new std::unordered_map<std::string, ShortcutRun>;
    return *table;
}

Shortcut* as_shortcut(PyObject* object) { return reinterpret_cast<Shortcut*>(object); }

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
bool arrange(const Shortcut& self, PyObject* const* args, Py_ssize_t count, PyObject* names, Arguments& found) {
    found.bound = static_cast<int>(PyTuple_GET_SIZE(self.names));
    Py_ssize_t direct = count < self.positional ? count : self.positional;
    for (Py_ssize_t i = 0; i < direct; i++) found.given[i] = args[i];
    if (count > direct) {
        if (!self.takes_many) return false;
        found.many = args + direct;
        found.many_count = count - direct;
    }
    Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        int place = place_of(self.names, found.bound, PyTuple_GET_ITEM(names, i));
        if (place < 0 || found.given[place] != nullptr) return false;
        found.given[place] = args[count + i];
    }
    return true;
}

PyObject* shortcut_call(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Shortcut* self = as_shortcut(object);
    Arguments found;
    if (arrange(*self, args, PyVectorcall_NARGS(flags), names, found)) {
        PyObject* made = self->run(found);
        if (made != nullptr || found.decided) return made;
    }
    PyErr_Clear();
    return PyObject_Vectorcall(self->python, args, flags, names);
}

// The names of its parameters as Python's code object has them: by position, by name only, then `*many`.
bool read_signature(Shortcut* self) {
    Ref code = Ref::steal(PyObject_GetAttrString(self->python, "__code__"));
    if (!code || !PyCode_Check(code.get())) return false;
    auto* fields = reinterpret_cast<PyCodeObject*>(code.get());
    int count = fields->co_argcount + fields->co_kwonlyargcount;
    Ref all = Ref::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    if (!all || count > Arguments::MOST || fields->co_posonlyargcount > 0) return false;
    self->names = PyTuple_GetSlice(all.get(), 0, count);
    self->positional = fields->co_argcount;
    self->takes_many = (fields->co_flags & CO_VARARGS) != 0;
    return self->names != nullptr;
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
    type.tp_basicsize = sizeof(Shortcut);
    type.tp_flags = DISGUISED | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_traverse = shortcut_traverse;
    type.tp_clear = shortcut_clear;
    type.tp_dealloc = shortcut_dealloc;
    return type;
}();

// "core.random.uniform" of a function that rushlight.core.random defines.
bool name_of(PyObject* function, std::string& name) {
    Ref module = Ref::steal(PyObject_GetAttrString(function, "__module__"));
    Ref own = Ref::steal(PyObject_GetAttrString(function, "__qualname__"));
    const char* first = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
    const char* second = own && PyUnicode_Check(own.get()) ? PyUnicode_AsUTF8(own.get()) : nullptr;
    if (first == nullptr || second == nullptr) return false;
    name = std::string(first) + "." + second;
    name.erase(0, name.find('.') + 1);
    return true;
}

PyObject* make_shortcut(PyObject*, PyObject* function) {
    std::string name;
    bool is_named = name_of(function, name);
    PyErr_Clear();
    auto found = ways().find(name);
    if (!is_named || found == ways().end()) return Py_NewRef(function);
    Ref made = Ref::steal(ShortcutType.tp_alloc(&ShortcutType, 0));
    if (!made) return nullptr;
    Shortcut* self = as_shortcut(made.get());
    self->vectorcall = shortcut_call;
    self->run = found->second;
    self->python = Py_NewRef(function);
    if (read_signature(self)) return made.release();
    PyErr_Clear();
    return Py_NewRef(function);
}

PyMethodDef methods[] = {
    {"shortcut", make_shortcut, METH_O, "The function with its native way before it, or itself where there is none."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_shortcut(const char* name, ShortcutRun run) { ways()[name] = run; }

bool add_shortcuts(PyObject* module) {
    return PyType_Ready(&ShortcutType) >= 0 && PyModule_AddFunctions(module, methods) >= 0;
}

}  // namespace rushlight
