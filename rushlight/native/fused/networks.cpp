// Networks: small ones, whose time is that of making tensors and of asking for hooks. For the rows "policy forward" and
// "MLP step, batch 1", compiled.
//
// Each layer is the loop that its op runs, on the same numbers; what lies between two of them is on the stack, or in
// the tensors that a graph needs, whose nodes are those of the layers' own calls. What was read of the modules is
// remembered together with the versions of all dicts and classes that it was read from: CPython gives each state of a
// dict a number of its own, and no number twice. Nothing is kept alive for that: a pointer is followed only after those
// before it have shown that it is still there.
#include "fused/networks.h"

#include <algorithm>
#include <utility>

#include "fused/forwards.h"
#include "fused/known_modules.h"
#include "fused/optim.h"
#include "kernels/table.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "seam/call.h"
#include "seam/guard.h"
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

// A layer: what it reads, all of it borrowed.
struct Layer {
    OpInfo* op = nullptr;
    PyObject *weight = nullptr, *bias = nullptr;  // nullptr for an activation
    bool is_linear() const { return weight != nullptr; }
};

// The layers of one Sequential, which is the first of the modules.
struct Layers {
    PyObject* space = nullptr;  // the dict of the functions
    uint64_t space_version = 0;
    // a module stands behind the one that holds it
    KnownModule known[MOST_LAYERS];
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
    bool read_layer(KnownModule& own, Function* function, int options);
};

const Interned name_parameters("_parameters");

bool Layers::read_layer(KnownModule& own, Function* function, int options) {
    static Kernel* const linear = find_kernel("nn.functional.linear");
    DECLINE_IF(function->info == nullptr || function->info->kernel == nullptr || count == MOST_LAYERS);
    OpInfo& op = *function->info;
    Layer& layer = all[count++] = Layer();
    layer.op = &op;
    if (op.kernel == linear && options == 2) {
        layer.weight = find_attribute(own.module, own.fields, name_weight);
        layer.bias = find_attribute(own.module, own.fields, name_bias);
        own.inside = find(own.fields, name_parameters);
        DECLINE_IF(layer.weight == nullptr || layer.bias == nullptr || own.inside == nullptr);
        DECLINE_IF(!settle(&op));
        return true;
    }
    DECLINE_IF(!op.settled || op.direct_count != 1 || options > 1);
    // the one option is whether to write to the input
    DECLINE_IF(options == 1 && (op.entry != Entry::EITHER || find(own.fields, name_inplace) != Py_False));
    DECLINE_IF(options == 0 && op.entry != Entry::CALL);
    return true;
}

bool Layers::read_module(PyObject* module) {
    DECLINE_IF(known_count == MOST_LAYERS);
    KnownModule& own = known[known_count++] = KnownModule();
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
    own.note_versions();
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

// A parameter, and its memory as it was read.
struct Operand {
    PyObject* tensor;  // nullptr where there is no such parameter
    PyArrayObject* array;
};

// One run: what is computed from what, sizes and dtypes.
struct Step {
    OpInfo* op;
    Loop loop;  // nullptr for a linear layer
    Operand map, bias;
};

struct Network {
    // as many as are counted have been set
    Step steps[MOST_LAYERS];
    int count = 0;
    int type = NPY_FLOAT32;  // NumPy's number of the dtype
    npy_intp rows = 1, columns = 0, widest = 0;
    bool needs = false;  // a parameter or the input requires grad

    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    ~Network() {
        for (int i = 0; i < held_count; i++) Py_DECREF(held[i]);
    }
    bool take(const Layers& layers);

private:
    bool take_linear(const Layer& layer, Step& step);
    bool take_parameter(PyObject* found, Operand& operand);

    // making a tensor may run a program's code, which may let go of parameters
    PyObject* held[4 * MOST_LAYERS];
    int held_count = 0;
};

// The array of a parameter, if it is one like any other.
bool Network::take_parameter(PyObject* found, Operand& operand) {
    DECLINE_IF(Py_TYPE(found) != parameter_class && Py_TYPE(found) != tensor_class);
    Tensor* tensor = as_tensor(found);
    DECLINE_IF(tensor->array == nullptr || tensor->inference || (tensor->cut && !requires_grad(tensor)));
    DECLINE_IF(PyArray_TYPE(tensor->array) != type || !PyArray_ISBEHAVED_RO(tensor->array));
    needs = needs || requires_grad(tensor);
    operand = {found, tensor->array};
    held[held_count++] = Py_NewRef(found);
    held[held_count++] = Py_NewRef(as_object(tensor->array));
    return true;
}

bool Network::take_linear(const Layer& layer, Step& step) {
    if (!take_parameter(layer.weight, step.map)) return false;
    PyArrayObject* map = step.map.array;
    DECLINE_IF(PyArray_NDIM(map) != 2 || PyArray_DIM(map, 1) != columns);
    columns = PyArray_DIM(map, 0);
    step.bias = {};
    if (layer.bias != Py_None) {
        if (!take_parameter(layer.bias, step.bias)) return false;
        DECLINE_IF(PyArray_NDIM(step.bias.array) != 1 || PyArray_DIM(step.bias.array, 0) != columns);
    }
    widest = std::max(widest, columns);
    return true;
}

bool Network::take(const Layers& layers) {
    for (count = 0; count < layers.count; count++) {
        const Layer& layer = layers.all[count];
        Step& step = steps[count];
        step.op = layer.op;
        step.loop = nullptr;
        if (layer.is_linear()) {
            if (!take_linear(layer, step)) return false;
            continue;
        }
        step.loop = layer.op->direct[type == NPY_FLOAT64];
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
    if (!map.read(layer.map.array)) return false;
    input.array = layer.map.array;
    input.dtype = dtype;
    input.rows = rows;
    input.columns = columns;
    // a vector is a row, of which any step would do: the one that the op takes
    input.row_step = is_vector ? 1 : columns;
    input.column_step = 1;
    Product product = product_of(input, map.transposed());
    product.a = from;
    if (layer.bias.array != nullptr) {
        if (!start.read(layer.bias.array)) return false;
        product.start = PyArray_DATA(layer.bias.array);
        product.start_column = start.column_step;
    }
    product.c = to;
    columns = map.rows;
    return multiply(product, dtype);
}

// A tensor for what a layer makes, uninitialised.
Ref new_tensor(const Network& network, const Tensor* input, npy_intp columns) {
    int ndim = PyArray_NDIM(input->array);
    npy_intp dims[2] = {network.rows, columns};
    PyArrayObject* array = new_array(ndim, ndim == 1 ? &dims[1] : dims, network.type);
    return array == nullptr ? Ref() : Ref::steal(as_object(wrap(array)));
}

// Run the layers, and nothing else: a tensor for the result, with where its history was cut.
Ref infer(const Network& network, const Tensor* input) {
    alignas(64) char blocks[2][MOST_NUMBERS * sizeof(double)];
    Ref made = new_tensor(network, input, network.columns);
    if (!made) return made;
    Tensor* result = as_tensor(made.get());
    if (network.needs) {
        mark_unrecorded(result);
    } else if (input->cut) {
        copy_cut(result, input->cut);
    }
    const void* from = PyArray_DATA(input->array);
    bool is_vector = PyArray_NDIM(input->array) == 1;
    npy_intp columns = PyArray_DIM(input->array, PyArray_NDIM(input->array) - 1);
    int dtype = dtype_of(input->array);
    for (int i = 0; i < network.count; i++) {
        void* to = i == network.count - 1 ? PyArray_DATA(result->array) : blocks[i & 1];
        if (!run_step(network.steps[i], from, to, network.rows, columns, is_vector, dtype)) return Ref();
        from = to;
    }
    return made;
}

// What a layer's own call would have got.
void arrange(Call& call, const Step& step, Tensor* input) {
    call.op = step.op;
    call.needs = 0;
    call.cut = nullptr;
    bool is_linear = step.loop == nullptr;
    int count = is_linear ? 3 : 1;
    PyObject* given[] = {as_object(input), is_linear ? step.map.tensor : Py_None, Py_None};
    if (is_linear && step.bias.tensor != nullptr) given[2] = step.bias.tensor;
    for (int i = 0; i < count; i++) {
        call.arguments[i] = given[i];
        if (given[i] != Py_None && requires_grad(as_tensor(given[i]))) call.needs |= 1u << i;
    }
    // a parameter whose history was cut is none of these
    if (input->cut && !requires_grad(input)) call.cut = input;
    for (size_t i = count; i < step.op->parameters.size(); i++) {
        call.arguments[i] = step.op->parameters[i].fallback;
    }
}

// Whether a node of an activation keeps its result alone, so that its input may be written over.
bool keeps_result_alone(OpInfo* op) {
    const OpPlan* plan = plan_for(op, 1);
    PyErr_Clear();
    for (int i = 0; plan != nullptr && i < plan->source_count; i++) {
        if (plan->sources[i].position == 0 && plan->sources[i].kind != Source::RESULT) return false;
    }
    return plan != nullptr;
}

// Run the layers one by one, with the node that each of them has. What a linear layer makes is held by nobody, and the
// tensor serves the activation behind it too.
Ref record_layers(const Network& network, Tensor* input) {
    UserLine line;
    bool is_vector = PyArray_NDIM(input->array) == 1;
    npy_intp columns = PyArray_DIM(input->array, PyArray_NDIM(input->array) - 1);
    int dtype = dtype_of(input->array);
    Ref from = Ref::borrow(as_object(input));
    Call call;
    call.place = &line.place;
    bool is_free = false;  // what the layer before has made
    for (int i = 0; i < network.count; i++) {
        const Step& step = network.steps[i];
        bool is_linear = step.loop == nullptr;
        npy_intp next = is_linear ? PyArray_DIM(step.map.array, 0) : columns;
        bool serves = is_free && !is_linear && keeps_result_alone(step.op);
        Ref made = serves ? Ref::borrow(from.get()) : new_tensor(network, input, next);
        if (!made) return made;
        Tensor *result = as_tensor(made.get()), *given = as_tensor(from.get());
        if (!run_step(step, PyArray_DATA(given->array), PyArray_DATA(result->array), network.rows, columns, is_vector,
                      dtype)) {
            return Ref();
        }
        arrange(call, step, given);
        if (!finish(step.op, call, &result, 1)) return Ref();
        is_free = is_linear && result->node != nullptr;
        from = std::move(made);
    }
    return from;
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
    DECLINE_IF(state.inference || state.backward || state.levels != nullptr || watching_modes != 0);
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
    if (!state.grad || !network.needs) return infer(network, input).release();
    // hooks on saved values, and anomaly mode, are Python's
    DECLINE_IF(state.saved_hooks != nullptr || state.anomaly);
    try {
        return record_layers(network, input).release();
    } catch (...) {
        // plans and classes of nodes are made at first use
        set_caught();
        return nullptr;
    }
}

}  // namespace rushlight
