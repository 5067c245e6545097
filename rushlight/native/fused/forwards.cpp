// Forwards: modules one after the other, and layers that pass their input on to one function. For the rows "MLP
// forward, batch 1" and "policy forward".
#include "fused/forwards.h"

#include <unordered_map>

#include "fused/known_modules.h"
#include "fused/layers.h"
#include "fused/networks.h"
#include "seam/call.h"
#include "seam/guard.h"
#include "seam/kernel.h"
#include "seam/names.h"
#include "seam/region.h"

namespace rushlight {

PyTypeObject* wrapper_class;

namespace {

// `forward` of Sequential, given by Python
PyObject* sequential_forward;
Kernel& sequential = link("nn.modules.container.Sequential.forward");
const Interned name_modules("_modules"), name_forward("forward"), name_original("_orig_mod"), name_whole("dynamo_ctx");
// `forward` of what torch.compile puts around a module
PyObject* wrapper_forward;
Kernel& wrapper = link("_dynamo.eval_frame.OptimizedModule.forward");

// A forward that is `space.name(input, self.attribute, ...)`, or `input.name(self.attribute, ...)`.
struct Passing {
    static constexpr int MOST = 5;
    Kernel* link = nullptr;     // the Python function's
    PyObject* space = nullptr;  // the dict of a Python module; nullptr for a method of the input
    PyObject* name = nullptr;
    PyObject* unless = nullptr;  // a field of the instance that stands in the way
    PyObject* attributes[MOST] = {};
    int count = 0;
};

// By the Python function; each is owned, so that an address is never another function's.
std::unordered_map<PyObject*, Passing>& passings() {
    static auto* table = new std::unordered_map<PyObject*, Passing>;
    return *table;
}

// A compiled module around a network, as it was when it was called last.
struct KnownWrapper {
    KnownModule own;
    PyObject* network = nullptr;  // borrowed from the modules of the wrapper
    bool whole = false;
};

KnownWrapper& known_wrapper(PyObject* module) {
    constexpr size_t PLACES = 16;
    static KnownWrapper places[PLACES];
    return places[(reinterpret_cast<size_t>(module) >> 4) % PLACES];
}

void note_wrapper(PyObject* self, PyObject* fields, PyObject* modules, PyObject* network, bool whole) {
    KnownWrapper& known = known_wrapper(self);
    known.own = KnownModule();
    known.own.module = self;
    known.own.type = wrapper_class = Py_TYPE(self);
    known.own.fields = fields;
    known.own.inside = modules;
    own_hooks(fields, known.own.hooks);
    known.own.note_versions();
    known.network = network;
    known.whole = whole;
}

// Sequential.forward: each module gets the result of the one before.
PyObject* run_in_turn(PyObject* self, PyObject* fields, PyObject* given) {
    DECLINE_IF(given == nullptr);
    PyObject* found = state.compiled ? run_network(self, given) : nullptr;
    if (found != nullptr || PyErr_Occurred()) return found;
    Ref modules = Ref::borrow(find(fields, name_modules)), input = Ref::borrow(given);
    DECLINE_IF(!modules || !PyDict_CheckExact(modules.get()));
    Py_ssize_t position = 0, size = PyDict_GET_SIZE(modules.get());
    PyObject* each;
    while (PyDict_Next(modules.get(), &position, nullptr, &each)) {
        Ref module = Ref::borrow(each);
        input = Ref::steal(call_layer(module.get(), input.get()));
        if (!input) return nullptr;
        if (PyDict_GET_SIZE(modules.get()) != size) {
            return PyErr_Format(PyExc_RuntimeError, "dictionary changed size during iteration");
        }
    }
    return input.release();
}

PyObject* pass_on(const Passing& passing, PyObject* self, PyObject* fields, PyObject* input) {
    DECLINE_IF(input == nullptr);
    DECLINE_IF(!finds_natively(self));
    DECLINE_IF(passing.unless != nullptr && find(fields, passing.unless) != nullptr);
    Ref function = Ref::borrow(passing.space == nullptr ? nullptr : find(passing.space, passing.name));
    DECLINE_IF(passing.space != nullptr && !function);
    Ref held[Passing::MOST];
    PyObject* arguments[Passing::MOST + 1] = {input};
    for (int i = 0; i < passing.count; i++) {
        held[i] = Ref::steal(PyObject_GetAttr(self, passing.attributes[i]));
        if (!held[i]) {
            PyErr_Clear();
            return declined("the module lacks an attribute");
        }
        arguments[i + 1] = held[i].get();
    }
    size_t count = static_cast<size_t>(passing.count) + 1;
    return function ? PyObject_Vectorcall(function.get(), arguments, count, nullptr)
                    : PyObject_VectorcallMethod(passing.name, arguments, count, nullptr);
}

// OptimizedModule.forward: the module inside, compiled.
PyObject* run_wrapped(PyObject* self, PyObject* fields, PyObject* given) {
    DECLINE_IF(given == nullptr);
    PyObject *modules = find(fields, name_modules), *asked = find(fields, name_whole);
    PyObject* inside = modules != nullptr && PyDict_CheckExact(modules) ? find(modules, name_original) : nullptr;
    DECLINE_IF(inside == nullptr || asked == nullptr || !PyBool_Check(asked));
    Ref module = Ref::borrow(inside);
    bool whole = asked == Py_True;
    if (Region::is_idle(whole)) return call_layer(module.get(), given);
    Region region(whole);
    // without asking the module for what the network asks for anyway
    PyObject* found = run_network(module.get(), given);
    if (found == nullptr) return PyErr_Occurred() ? nullptr : call_layer(module.get(), given);
    if (REMEMBERS) note_wrapper(self, fields, modules, module.get(), whole);
    return found;
}

// connect_wrapper(forward): OptimizedModule.forward.
PyObject* connect_wrapper(PyObject*, PyObject* forward) {
    if (link_of(forward) != &wrapper) {
        return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_TypeError, "expected %s", wrapper.name);
    }
    Py_XSETREF(wrapper_forward, Py_NewRef(forward));
    Py_RETURN_NONE;
}

// connect_sequential(forward): Sequential.forward.
PyObject* connect_sequential(PyObject*, PyObject* forward) {
    if (link_of(forward) != &sequential) {
        return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_TypeError, "expected %s", sequential.name);
    }
    Py_XSETREF(sequential_forward, Py_NewRef(forward));
    Py_RETURN_NONE;
}

// connect_passing(forward, space, name, *attributes): a forward that passes its input on. `space` may be None; an
// attribute with a "!" is a field that an instance has where this is not so.
PyObject* connect_passing(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count < 3 || count > 3 + Passing::MOST || !PyFunction_Check(args[0])) {
        return PyErr_Format(PyExc_TypeError, "connect_passing() takes a function, a module, and up to 6 names");
    }
    Passing made;
    if (args[1] != Py_None) {
        if (!PyModule_Check(args[1])) return PyErr_Format(PyExc_TypeError, "the second argument is no module");
        made.space = PyModule_GetDict(args[1]);
    }
    for (Py_ssize_t i = 2; i < count; i++) {
        if (!PyUnicode_CheckExact(args[i])) return PyErr_Format(PyExc_TypeError, "names are strings");
    }
    made.link = link_of(args[0]);
    if (made.link == nullptr) return nullptr;
    Py_XINCREF(made.space);
    made.name = Py_NewRef(args[2]);
    PyUnicode_InternInPlace(&made.name);
    for (Py_ssize_t i = 3; i < count; i++) {
        bool stands_in_the_way = PyUnicode_READ_CHAR(args[i], 0) == '!';
        PyObject*& attribute = stands_in_the_way ? made.unless : made.attributes[made.count++];
        attribute =
            stands_in_the_way ? PyUnicode_Substring(args[i], 1, PyUnicode_GET_LENGTH(args[i])) : Py_NewRef(args[i]);
        if (attribute == nullptr) return nullptr;
        PyUnicode_InternInPlace(&attribute);
    }
    if (passings().emplace(args[0], made).second) Py_INCREF(args[0]);
    Py_RETURN_NONE;
}

// Note in a link's tally whether native code did the work.
PyObject* counted(Kernel& link, PyObject* result) {
    if (result != nullptr || PyErr_Occurred()) {
        link.forwards.accepted++;
    } else {
        link.forwards.decline();
    }
    return result;
}

PyMethodDef forward_methods[] = {
    {"connect_sequential", guarded<connect_sequential>, METH_O, "Say which forward runs modules one after the other."},
    {"connect_wrapper", guarded<connect_wrapper>, METH_O, "Say which forward runs a compiled module."},
    {"connect_passing", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<connect_passing>)),
     METH_FASTCALL, "Say which forward passes its input on to a function."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* run_forward(PyObject* forward, PyObject* self, PyObject* fields, PyObject* input) {
    if (forward == sequential_forward) return counted(sequential, run_in_turn(self, fields, input));
    if (forward == wrapper_forward) return counted(wrapper, run_wrapped(self, fields, input));
    auto found = passings().find(forward);
    if (found == passings().end()) return nullptr;
    return counted(*found->second.link, pass_on(found->second, self, fields, input));
}

PyObject* run_known_wrapper(PyObject* self, PyObject* input) {
    const KnownWrapper& known = known_wrapper(self);
    // hooks of all modules, and whatever else is in the way, make the network decline
    if (known.own.module != self || !known.own.is_as_it_was() || Region::is_idle(known.whole)) return nullptr;
    Ref network = Ref::borrow(known.network);
    Region region(known.whole);
    PyObject* found = run_network(network.get(), input);
    if (found != nullptr) wrapper.forwards.accepted++;
    return found;
}

Function* passed_function(PyObject* module, PyObject* fields, int& options, PyObject*& space) {
    PyObject* forward = _PyType_Lookup(Py_TYPE(module), name_forward);
    if (forward == nullptr || find(fields, name_forward) != nullptr) return nullptr;
    if (forward == sequential_forward) {
        PyObject* modules = find(fields, name_modules);
        space = modules != nullptr && PyDict_CheckExact(modules) ? modules : nullptr;
        return nullptr;
    }
    auto found = passings().find(forward);
    if (found == passings().end() || found->second.space == nullptr) return nullptr;
    const Passing& passing = found->second;
    if (passing.unless != nullptr && find(fields, passing.unless) != nullptr) return nullptr;
    PyObject* function = find(passing.space, passing.name);
    if (function == nullptr || Py_TYPE(function) != &FunctionType) return nullptr;
    options = passing.count;
    space = passing.space;
    return reinterpret_cast<Function*>(function);
}

bool add_forwards(PyObject* module) { return PyModule_AddFunctions(module, forward_methods) >= 0; }

}  // namespace rushlight
