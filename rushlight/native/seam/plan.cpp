// Plans: read once from the Op of declare.py, then used by every call.
#include "seam/plan.h"

#include <cstring>
#include <memory>

#include "object/lifted.h"
#include "object/node.h"
#include "ops/losses.h"

namespace rushlight {

namespace {

bool read_int(PyObject* object, long& value) {
    value = PyLong_AsLong(object);
    return value != -1 || !PyErr_Occurred();
}

bool read_inputs(PyObject* python, OpPlan& plan) {
    Ref inputs = Ref::steal(PyObject_GetAttrString(python, "inputs"));
    if (!inputs || PyTuple_GET_SIZE(inputs.get()) > MAX_INPUTS) return false;
    plan.input_count = static_cast<int>(PyTuple_GET_SIZE(inputs.get()));
    for (int i = 0; i < plan.input_count; i++) {
        long position;
        if (!read_int(PyTuple_GET_ITEM(inputs.get(), i), position)) return false;
        plan.inputs[i] = static_cast<int>(position);
    }
    return true;
}

bool read_sources(PyObject* python, OpPlan& plan) {
    Ref sources = Ref::steal(PyObject_GetAttrString(python, "sources"));
    Ref folded = Ref::steal(PyObject_GetAttrString(python, "folded"));
    if (!sources || !folded || PyList_GET_SIZE(sources.get()) > MAX_ARGUMENTS) return false;
    plan.source_count = static_cast<int>(PyList_GET_SIZE(sources.get()));
    for (int i = 0; i < plan.source_count; i++) {
        const char* kind;
        int position;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(sources.get(), i), "si", &kind, &position)) return false;
        plan.sources[i].kind = std::strcmp(kind, "argument") == 0 ? Source::ARGUMENT
                               : std::strcmp(kind, "memory") == 0 ? Source::MEMORY
                               : std::strcmp(kind, "shape") == 0  ? Source::SHAPE
                               : std::strcmp(kind, "result") == 0 ? Source::RESULT
                                                                  : Source::GEOMETRY;
        if (PyList_GET_ITEM(folded.get(), i) == Py_True) plan.sources[i].kind = Source::FOLDED;
        plan.sources[i].position = position;
    }
    return true;
}

// Where each saved value that the kernel reads stands among those that Python saves.
bool read_places(PyObject* python, OpPlan& plan) {
    Ref names = Ref::steal(PyObject_GetAttrString(python, "names"));
    if (!names) return false;
    const Kernel* kernel = plan.op->kernel;
    for (int which = 0; which < MAX_NAMES; which++) {
        plan.places[which] = -1;
        if (kernel == nullptr || which >= kernel->read_count) continue;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); i++) {
            PyObject* name = PyList_GET_ITEM(names.get(), i);
            if (kernel->reads[which].is(name)) {
                plan.places[which] = static_cast<int>(i);
            }
        }
    }
    return true;
}

bool read_flag(PyObject* python, const char* name, bool& flag) {
    Ref value = Ref::steal(PyObject_GetAttrString(python, name));
    int truth = value ? PyObject_IsTrue(value.get()) : -1;
    flag = truth > 0;
    return truth >= 0;
}

// What a node's name may depend on, in four bits: the kind of an argument.
unsigned kind_of(PyObject* value) {
    if (value == Py_None) return 1;
    if (is_any_tensor(value)) {
        int ndim = PyArray_NDIM(shown_array(as_tensor(value)));
        return ndim > 3 ? 0 : 2 + ndim;
    }
    if (value == Py_True) return 6;
    if (value == Py_False) return 7;
    if (PyLong_CheckExact(value)) return 8;
    if (PyFloat_CheckExact(value)) return 9;
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) return 10;
    // how a loss is reduced
    Reduced reduced = read_reduction(value);
    return reduced == Reduced::OTHER ? 0 : 11 + static_cast<unsigned>(reduced);
}

}  // namespace

const OpPlan* make_plan(OpInfo* op, unsigned needs) {
    Ref python = Ref::steal(PyObject_CallMethod(op->op, "plan", "I", needs));
    if (!python) return nullptr;
    auto plan = std::make_unique<OpPlan>();
    plan->op = op;
    plan->needs = needs;
    if (!read_inputs(python.get(), *plan) || !read_sources(python.get(), *plan) || !read_places(python.get(), *plan) ||
        !read_flag(python.get(), "has_lists", plan->has_lists) ||
        !read_flag(python.get(), "keeps_tensors", plan->keeps_tensors) ||
        !read_flag(python.get(), "may_keep_numbers", plan->may_keep_numbers)) {
        return nullptr;
    }
    op->plans.push_back(plan.get());
    plan->python = python.release();
    return plan.release();
}

PyObject* apply_formula(PyObject* row, PyObject* values) {
    Ref read = Ref::steal(PyObject_CallOneArg(PyTuple_GET_ITEM(row, 1), values));
    Ref given = read ? Ref::steal(PySequence_Fast(read.get(), "a formula reads a sequence")) : Ref();
    if (!given) return nullptr;
    return PyObject_Vectorcall(PyTuple_GET_ITEM(row, 0), PySequence_Fast_ITEMS(given.get()),
                               PySequence_Fast_GET_SIZE(given.get()), nullptr);
}

PyTypeObject* choose_node_class(OpInfo* op, const Call& call) {
    unsigned key = 0;
    bool known = true;
    if (op->kernel != nullptr && op->kernel->variant != nullptr) {
        key = op->kernel->variant(call);
        known = key != 0;
    } else {
        for (int position : op->node_reads) {
            unsigned kind = kind_of(call.arguments[position]);
            known = known && kind != 0;
            key = key << 4 | kind;
        }
    }
    if (known && !op->node_reads.empty()) {
        for (auto& each : op->node_classes) {
            if (each.first == key) return reinterpret_cast<PyTypeObject*>(each.second);
        }
    }
    Ref arguments = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(op->parameters.size())));
    if (!arguments) return nullptr;
    for (size_t i = 0; i < op->parameters.size(); i++) {
        PyTuple_SET_ITEM(arguments.get(), i, Py_NewRef(call.arguments[i]));
    }
    Ref found = Ref::steal(PyObject_CallMethod(op->op, "node_class", "(O)", arguments.get()));
    auto* kind = reinterpret_cast<PyTypeObject*>(found.get());
    if (!found) return nullptr;
    if (op->node_reads.empty()) {
        op->node_class = found.release();
    } else if (known) {
        op->node_classes.emplace_back(key, found.get());
        found.release();
    }
    // else the op's own table holds it
    return kind;
}

// What stands below a tensor of a level, or below its array; anything else as it is. Borrowed.
static PyObject* below(const Level* level, PyObject* value) {
    PyArrayObject* array = Py_TYPE(value) == lifted_class ? reinterpret_cast<PyArrayObject*>(value)
                           : is_any_tensor(value)         ? lifted_array(as_tensor(value))
                                                          : nullptr;
    return array != nullptr && level_of(array) == level ? inner_of(array) : value;
}

// The saved values of a node that Python has looked at stand in its list.
static PyObject* saved_object(const Gradient& gradient, int which) {
    int place = which < 0 ? -1 : gradient.plan->places[which];
    if (place < 0) return nullptr;
    const Node* node = gradient.node;
    if (node->saved != nullptr) {
        PyObject* value = node->saved[place].value;
        return gradient.level == nullptr || value == nullptr ? value : below(gradient.level, value);
    }
    return node->saved_list != nullptr && PyList_Check(node->saved_list) && place < PyList_GET_SIZE(node->saved_list)
               ? PyList_GET_ITEM(node->saved_list, place)
               : nullptr;
}

PyArrayObject* Gradient::array_at(int which) const {
    PyObject* object = saved_object(*this, which);
    if (object == nullptr) return nullptr;
    if (is_any_tensor(object)) return plain_array(as_tensor(object));
    return PyArray_CheckExact(object) ? reinterpret_cast<PyArrayObject*>(object) : nullptr;
}

PyObject* Gradient::option_at(int which) const { return saved_object(*this, which); }

}  // namespace rushlight
