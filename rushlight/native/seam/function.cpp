// Function: what users call for an op; it looks like the Python function that it stands in for.
#include <string>
#include <unordered_map>

#include "seam/call.h"
#include "seam/guard.h"
#include "seam/overrides.h"

namespace rushlight {

namespace {

std::unordered_map<std::string, Function*>& functions() {
    static auto* table = new std::unordered_map<std::string, Function*>;
    return *table;
}

Function* as_function(PyObject* object) { return reinterpret_cast<Function*>(object); }

PyObject* function_call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
    return call_function(as_function(self), args, PyVectorcall_NARGS(flags), names);
}

bool read_parameter(PyObject* item, Parameter& parameter) {
    PyObject *name, *fallback;
    int keyword, is_size, is_tensor, is_list, optional, strict, wraps, is_real;
    if (!PyArg_ParseTuple(item, "UOpppppppp", &name, &fallback, &keyword, &is_size, &is_tensor, &is_list, &optional,
                          &strict, &wraps, &is_real)) {
        return false;
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    parameter.name = name;
    // a default is given in a tuple, so that any value can be one
    parameter.fallback = PyTuple_Check(fallback) ? Py_NewRef(PyTuple_GET_ITEM(fallback, 0)) : nullptr;
    parameter.is_flag = parameter.fallback != nullptr && PyBool_Check(parameter.fallback);
    parameter.keyword = keyword;
    parameter.is_size = is_size;
    parameter.is_tensor = is_tensor;
    parameter.is_list = is_list;
    parameter.optional = optional;
    parameter.strict = strict;
    parameter.wraps = wraps;
    parameter.is_real = is_real;
    return true;
}

bool read_parameters(OpInfo& op, PyObject* parameters) {
    Py_ssize_t count = PyTuple_GET_SIZE(parameters);
    for (Py_ssize_t i = 0; i < count; i++) {
        op.parameters.emplace_back();
        Parameter& parameter = op.parameters.back();
        if (!read_parameter(PyTuple_GET_ITEM(parameters, i), parameter)) return false;
        int position = static_cast<int>(i);
        if (parameter.is_tensor) op.tensors |= 1u << position;
        if (parameter.is_list) op.lists |= 1u << position;
        if (parameter.wraps) op.wraps |= 1u << position;
        if (parameter.is_size) {
            op.size_position = position;
        } else if (!parameter.keyword && op.size_position < 0) {
            op.positional = position + 1;
        }
        if (PyUnicode_CompareWithASCIIString(parameter.name, "inplace") == 0) op.inplace_position = position;
    }
    return true;
}

void delete_info(OpInfo* op) {
    for (Parameter& each : op->parameters) {
        Py_XDECREF(each.name);
        Py_XDECREF(each.fallback);
    }
    for (OpPlan* plan : op->plans) {
        Py_XDECREF(plan->python);
        delete plan;
    }
    Py_XDECREF(op->rule);
    Py_XDECREF(op->body);
    Py_XDECREF(op->layout);
    Py_XDECREF(op->node_class);
    Py_XDECREF(op->write_class);
    for (auto& each : op->node_classes) Py_DECREF(each.second);
    delete op;
}

// Function(op, name, python, entry, parameters, node_reads, is_view, has_results)
PyObject* function_new(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject *op, *python, *parameters, *reads;
    const char* name;
    int entry, is_view, has_results;
    if (!PyArg_ParseTuple(args, "OsOiO!O!pp", &op, &name, &python, &entry, &PyTuple_Type, &parameters, &PyTuple_Type,
                          &reads, &is_view, &has_results)) {
        return nullptr;
    }
    if (entry < 0 || entry > 3) return PyErr_Format(PyExc_ValueError, "entry is 0 to 3, not %d", entry);
    auto* info = new OpInfo;
    info->op = op;
    info->entry = static_cast<Entry>(entry);
    info->is_view = is_view;
    info->has_results = has_results;
    if (!read_parameters(*info, parameters)) {
        delete_info(info);
        return nullptr;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(reads); i++) {
        info->node_reads.push_back(static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(reads, i))));
    }
    // one with more parameters is left to Python
    bool fine = info->parameters.size() > MAX_ARGUMENTS || claim_kernel(*info, name);
    auto* self = fine ? as_function(type->tp_alloc(type, 0)) : nullptr;
    if (self == nullptr) {
        delete_info(info);
        return nullptr;
    }
    self->vectorcall = function_call;
    self->python = Py_NewRef(python);
    self->op = Py_NewRef(op);
    self->info = info;
    Ref own = Ref::steal(PyUnicode_FromString(name));
    if (!own) PyErr_Clear();
    self->makes = own && makes_tensors(own.get());
    if (entry != static_cast<int>(Entry::INPLACE)) functions()[name] = self;
    return as_object(self);
}

int function_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(as_function(self)->op);
    return traverse_disguise(self, visit, arg);
}

int function_clear(PyObject* self) {
    Py_CLEAR(as_function(self)->op);
    return clear_disguise(self);
}

void function_dealloc(PyObject* self) {
    before_dealloc(self);
    for (auto each = functions().begin(); each != functions().end(); ++each) {
        if (each->second == as_function(self)) {
            functions().erase(each);
            break;
        }
    }
    function_clear(self);
    delete_info(as_function(self)->info);
    Py_TYPE(self)->tp_free(self);
}

// After new formulas were given: read them again.
PyObject* function_forget(PyObject* self, PyObject*) {
    OpInfo* op = as_function(self)->info;
    if (op->kernel != nullptr && op->kernel->backward != nullptr && !check_reads(*op)) return nullptr;
    op->settled = false;
    // nodes of older calls may still point to the plans: they live on
    op->plans.clear();
    Py_RETURN_NONE;
}

PyObject* get_native(PyObject* self, void*) {
    const Kernel* kernel = as_function(self)->info->kernel;
    if (kernel == nullptr) return PyErr_Format(PyExc_AttributeError, "the op has no kernel");
    bool forward = kernel->forward != nullptr || kernel->route != nullptr;
    return Py_BuildValue("(OO)", forward ? Py_True : Py_False, kernel->backward != nullptr ? Py_True : Py_False);
}

PyMethodDef function_methods[] = {
    {"_forget", guarded<function_forget>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef function_fields[] = {
    {"_native", get_native, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

Function* find_function(const char* name) {
    auto found = functions().find(name);
    return found == functions().end() ? nullptr : found->second;
}

PyTypeObject FunctionType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Function";
    type.tp_base = &DisguiseType;
    type.tp_basicsize = sizeof(Function);
    type.tp_flags = DISGUISED;
    type.tp_new = guarded<function_new>;
    type.tp_dealloc = function_dealloc;
    type.tp_traverse = function_traverse;
    type.tp_clear = function_clear;
    type.tp_methods = function_methods;
    type.tp_getset = function_fields;
    return type;
}();

}  // namespace rushlight
