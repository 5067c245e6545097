// Networks: small ones, whose time is that of making tensors and of asking for hooks. For the row "policy forward",
// compiled.
//
// Each layer is the loop that its op runs, on the same numbers; what lies between two of them is on the stack. What was
// read of the modules is remembered together with the versions of all dicts and classes that it was read from: CPython
// gives each state of a dict a number of its own, and no number twice. Nothing is kept alive for that: a pointer is
// followed only after those before it have shown that it is still there.
#include "fused/networks.h"

#include <algorithm>

#include "fused/forwards.h"
#include "fused/layers.h"
#include "kernels/table.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "seam/call.h"
#include "seam/names.h"
#include "seam/overrides.h"
#include "seam/pending.h"
#include "seam/state.h"

namespace rushlight {

namespace {

constexpr int MOST_LAYERS = 24;
// Numbers between two layers up to which making tensors is what costs time; two such blocks are on the stack.
constexpr npy_intp MOST_NUMBERS = 2048;

const Interned name_weight("weight"), name_bias("bias"), name_inplace("inplace");

// Later versions of Python do not show the versions of dicts: there the modules are read at each call.
#if PY_VERSION_HEX < 0x030C0000
constexpr bool REMEMBERS = true;
uint64_t version_of(PyObject* dict) { return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag; }
PyObject* fields_of(PyObject* module) {
    PyObject** place = _PyObject_GetDictPtr(module);
    return place == nullptr ? nullptr : *place;
}
#else
constexpr bool REMEMBERS = false;
uint64_t version_of(PyObject*) { return 0; }
PyObject* fields_of(PyObject*) { return nullptr; }
#endif

// A class as it was, until one of its names, or of its bases', is bound anew.
unsigned version_of(PyTypeObject* type) {
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
}

// A layer: what it reads, all of it borrowed.
struct Layer {
    const OpInfo* activation = nullptr;  // nullptr for a linear layer
    PyObject *weight = nullptr, *bias = nullptr;
};

// A module as it was read.
struct Known {
    PyObject* module = nullptr;
    PyTypeObject* type = nullptr;
    unsigned type_version = 0;
    PyObject* fields = nullptr;
    uint64_t fields_version = 0;
    PyObject* hooks[HOOK_KINDS] = {};
    // its parameters, or the modules that it runs in turn
    PyObject* inside = nullptr;
    uint64_t inside_version = 0;

    bool is_as_it_was() const {
        if (Py_TYPE(module) != type || version_of(type) != type_version || type_version == 0) return false;
        if (fields_of(module) != fields || version_of(fields) != fields_version) return false;
        for (PyObject* each : hooks) {
            if (PyDict_GET_SIZE(each) != 0) return false;
        }
        return inside == nullptr || version_of(inside) == inside_version;
    }
};

// The layers of one Sequential, which is the first of the modules.
struct Layers {
    PyObject* space = nullptr;  // the dict of the functions
    uint64_t space_version = 0;
    // a module stands behind the one that holds it
    Known known[MOST_LAYERS];
    int known_count = 0;
    Layer all[MOST_LAYERS];
    int count = 0;

    bool is_as_it_was() const {
        if (!REMEMBERS || count == 0 || version_of(space) != space_version) return false;
        for (int i = 0; i < known_count; i++) {
            if (!known[i].is_as_it_was()) return false;
        }
        return true;
    }
    bool is_of(PyObject* module) const { return count > 0 && known[0].module == module; }
    bool read(PyObject* module);

private:
    bool read_module(PyObject* module);
    bool read_layer(Known& own, Function* function, int options);
};

const Interned name_parameters("_parameters");

bool Layers::read_layer(Known& own, Function* function, int options) {
    static Kernel* const linear = find_kernel("nn.functional.linear");
    DECLINE_IF(function->info == nullptr || function->info->kernel == nullptr || count == MOST_LAYERS);
    const OpInfo& op = *function->info;
    Layer& layer = all[count++] = Layer();
    if (op.kernel == linear && options == 2) {
        layer.weight = find_attribute(own.module, own.fields, name_weight);
        layer.bias = find_attribute(own.module, own.fields, name_bias);
        own.inside = find(own.fields, name_parameters);
        DECLINE_IF(layer.weight == nullptr || layer.bias == nullptr || own.inside == nullptr);
        return true;
    }
    DECLINE_IF(!op.settled || op.direct_count != 1 || options > 1);
    // the one option is whether to write to the input
    DECLINE_IF(options == 1 && (op.entry != Entry::EITHER || find(own.fields, name_inplace) != Py_False));
    DECLINE_IF(options == 0 && op.entry != Entry::CALL);
    layer.activation = &op;
    return true;
}

bool Layers::read_module(PyObject* module) {
    DECLINE_IF(known_count == MOST_LAYERS);
    Known& own = known[known_count++] = Known();
    // the module holds it
    own.fields = Ref::steal(plain_fields(module)).get();
    DECLINE_IF(own.fields == nullptr);
    own.module = module;
    own.type = Py_TYPE(module);
    own_hooks(own.fields, own.hooks);
    PyObject* found = nullptr;
    int options = 0;
    Function* function = passed_function(module, own.fields, options, found);
    DECLINE_IF(found == nullptr || (function != nullptr && space != nullptr && found != space));
    if (function == nullptr) {
        own.inside = found;
        Py_ssize_t position = 0;
        PyObject* each;
        while (PyDict_Next(found, &position, nullptr, &each)) {
            if (!read_module(each)) return false;
        }
    } else {
        space = found;
        if (!read_layer(own, function, options)) return false;
    }
    // looking up gives a class its version
    own.type_version = version_of(own.type);
    own.fields_version = version_of(own.fields);
    own.inside_version = own.inside == nullptr ? 0 : version_of(own.inside);
    return true;
}

bool Layers::read(PyObject* module) {
    space = nullptr;
    known_count = count = 0;
    if (!read_module(module)) count = 0;
    if (count > 0) space_version = version_of(space);
    return count > 0;
}

// The layers of a module as they are now; nullptr for those that are left to Python.
const Layers* layers_of(PyObject* module) {
    // by address: what stands there may be of another module, and then its versions are others
    constexpr size_t PLACES = 32;
    static Layers places[PLACES];
    Layers& found = places[(reinterpret_cast<size_t>(module) >> 4) % PLACES];
    DECLINE_IF(has_hooks_of_all());
    if (found.is_of(module) && found.is_as_it_was()) return &found;
    return found.read(module) ? &found : nullptr;
}

// One run: what is computed from what, sizes and dtypes.
struct Step {
    Loop loop = nullptr;
    PyArrayObject *map = nullptr, *bias = nullptr;
};

struct Network {
    Step steps[MOST_LAYERS];
    int count = 0;
    int type = NPY_FLOAT32;  // NumPy's number of the dtype
    npy_intp rows = 1, columns = 0, widest = 0;
    bool needs = false;  // a parameter or the input requires grad

    bool take(const Layers& layers);

private:
    bool take_linear(const Layer& layer, Step& step);
    PyArrayObject* parameter(PyObject* found);
};

// The array of a parameter, if it is one like any other.
PyArrayObject* Network::parameter(PyObject* found) {
    DECLINE_IF(Py_TYPE(found) != parameter_class && Py_TYPE(found) != tensor_class);
    Tensor* tensor = as_tensor(found);
    DECLINE_IF(tensor->array == nullptr || tensor->inference || (tensor->cut && !requires_grad(tensor)));
    DECLINE_IF(PyArray_TYPE(tensor->array) != type || !PyArray_ISBEHAVED_RO(tensor->array));
    needs = needs || requires_grad(tensor);
    return tensor->array;
}

bool Network::take_linear(const Layer& layer, Step& step) {
    step.map = parameter(layer.weight);
    DECLINE_IF(step.map == nullptr || PyArray_NDIM(step.map) != 2 || PyArray_DIM(step.map, 1) != columns);
    columns = PyArray_DIM(step.map, 0);
    if (layer.bias != Py_None) {
        step.bias = parameter(layer.bias);
        DECLINE_IF(step.bias == nullptr || PyArray_NDIM(step.bias) != 1 || PyArray_DIM(step.bias, 0) != columns);
    }
    widest = std::max(widest, columns);
    return true;
}

bool Network::take(const Layers& layers) {
    for (count = 0; count < layers.count; count++) {
        const Layer& layer = layers.all[count];
        Step& step = steps[count];
        if (layer.activation == nullptr) {
            if (!take_linear(layer, step)) return false;
            continue;
        }
        step.loop = layer.activation->direct[type == NPY_FLOAT64];
        DECLINE_IF(step.loop == nullptr);
    }
    return true;
}

// One layer, as its op computes it: see ops/linear.cpp and call_direct in seam/call.cpp.
bool run_step(const Step& layer, const void* from, void* to, npy_intp rows, npy_intp& columns, bool is_vector,
              int dtype) {
    if (layer.loop != nullptr) {
        layer.loop(&from, to, rows * columns);
        return true;
    }
    Stack input, map, start;
    if (!map.read(layer.map)) return false;
    input.array = layer.map;
    input.dtype = dtype;
    input.rows = rows;
    input.columns = columns;
    // a vector is a row, of which any step would do: the one that the op takes
    input.row_step = is_vector ? 1 : columns;
    input.column_step = 1;
    Product product = product_of(input, map.transposed());
    product.a = from;
    if (layer.bias != nullptr) {
        if (!start.read(layer.bias)) return false;
        product.start = PyArray_DATA(layer.bias);
        product.start_column = start.column_step;
    }
    product.c = to;
    columns = map.rows;
    return multiply(product, dtype);
}

// A tensor for the result, with where its history was cut.
Ref new_result(const Network& network, const Tensor* input) {
    int ndim = PyArray_NDIM(input->array);
    npy_intp dims[2] = {network.rows, network.columns};
    PyArrayObject* array = new_array(ndim, ndim == 1 ? &dims[1] : dims, network.type);
    if (array == nullptr) return Ref();
    Tensor* tensor = wrap(array);
    if (tensor == nullptr) return Ref();
    if (network.needs) {
        mark_unrecorded(tensor);
    } else if (input->cut) {
        copy_cut(tensor, input->cut);
    }
    return Ref::steal(as_object(tensor));
}

bool compute(const Network& network, const Tensor* input, void* result) {
    alignas(64) char blocks[2][MOST_NUMBERS * sizeof(double)];
    const void* from = PyArray_DATA(input->array);
    bool is_vector = PyArray_NDIM(input->array) == 1;
    npy_intp columns = PyArray_DIM(input->array, PyArray_NDIM(input->array) - 1);
    int dtype = dtype_of(input->array);
    for (int i = 0; i < network.count; i++) {
        void* to = i == network.count - 1 ? result : blocks[i & 1];
        if (!run_step(network.steps[i], from, to, network.rows, columns, is_vector, dtype)) return false;
        from = to;
    }
    return true;
}

bool is_usual(const Tensor* input) {
    PyArrayObject* array = input->array;
    DECLINE_IF(array == nullptr || input->inference || PyArray_NDIM(array) < 1 || PyArray_NDIM(array) > 2);
    DECLINE_IF(PyArray_TYPE(array) != NPY_FLOAT32 && PyArray_TYPE(array) != NPY_FLOAT64);
    DECLINE_IF(!PyArray_ISCARRAY_RO(array) || element_count(array) == 0 || !has_usual_steps(array));
    return true;
}

}  // namespace

PyObject* run_network(PyObject* module, PyObject* given) {
    DECLINE_IF(state.grad || state.inference || state.backward || state.levels != nullptr || watching_modes != 0);
    // tests put off the smallest calls too
    DECLINE_IF(least_deferred < MOST_NUMBERS);
    DECLINE_IF(Py_TYPE(given) != tensor_class);
    settle("a network");
    Tensor* input = as_tensor(given);
    if (!is_usual(input)) return nullptr;
    Network network;
    int last = PyArray_NDIM(input->array) - 1;
    network.type = PyArray_TYPE(input->array);
    network.rows = last == 0 ? 1 : PyArray_DIM(input->array, 0);
    network.columns = network.widest = PyArray_DIM(input->array, last);
    network.needs = requires_grad(input);
    const Layers* layers = layers_of(module);
    if (layers == nullptr || !network.take(*layers)) return nullptr;
    DECLINE_IF(network.widest * network.rows > MOST_NUMBERS);
    Ref result = new_result(network, input);
    if (!result) return nullptr;
    if (!compute(network, input, PyArray_DATA(as_tensor(result.get())->array))) return nullptr;
    return result.release();
}

}  // namespace rushlight
