// Recurrent layers: one direction of a layer over a whole sequence. See ops/sequences/recurrent/; projections decline.
#include "ops/recurrent.h"

#include <cstring>

#include "loops/copy.h"
#include "object/node.h"
#include "seam/numbers.h"

namespace rushlight {

bool Layer::read(PyObject* list, PyObject* sizes, bool backwards) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    DECLINE_IF(count != 3 + states && count != 5 + states);
    for (Py_ssize_t i = 0; i < count; i++) {
        tensors.push_back(in_c_order(as_tensor(PySequence_Fast_GET_ITEM(list, i))->array));
    }
    dtype = dtype_of(input());
    return read_shapes() && read_steps(sizes, backwards);
}

namespace {

bool is_matrix(PyArrayObject* array, int64_t rows, int64_t columns) {
    return PyArray_NDIM(array) == 2 && PyArray_DIM(array, 0) == rows && PyArray_DIM(array, 1) == columns;
}

}  // namespace

bool Layer::read_shapes() {
    int ndim = PyArray_NDIM(input());
    DECLINE_IF((ndim != 2 && ndim != 3) || PyArray_NDIM(state(0)) != 2);
    DECLINE_IF(PyArray_SIZE(input()) == 0);
    batch = PyArray_DIM(state(0), 0);
    size = PyArray_DIM(state(0), 1);
    width = PyArray_DIM(input(), ndim - 1);
    rows = PyArray_SIZE(input()) / width;
    DECLINE_IF(batch == 0 || size == 0);
    DECLINE_IF(states == 2 && !is_matrix(state(1), batch, size));
    DECLINE_IF(!is_matrix(weight(), sums(), width) || !is_matrix(recurrent(), sums(), size));
    for (int which = 0; has_biases() && which < 2; which++) {
        DECLINE_IF(PyArray_NDIM(bias(which)) != 1 || PyArray_DIM(bias(which), 0) != sums());
    }
    return true;
}

bool Layer::read_steps(PyObject* sizes, bool turned) {
    int64_t start = 0;
    int ndim = PyArray_NDIM(input());
    if (sizes == nullptr || sizes == Py_None) {
        DECLINE_IF(PyArray_DIM(input(), ndim - 2) != batch);
        for (; start < rows; start += batch) steps.push_back({start, batch});
    } else {
        DECLINE_IF(!PyTuple_CheckExact(sizes) || ndim != 2);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes); i++) {
            int64_t count = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, i));
            int64_t most = steps.empty() ? batch : steps.back().count;
            DECLINE_IF(count <= 0 || count > most || start + count > rows);
            steps.push_back({start, count});
            start += count;
        }
        DECLINE_IF(start != rows || steps.front().count != batch);
    }
    if (turned) std::reverse(steps.begin(), steps.end());
    return true;
}

Ref new_matrix(const Layer& layer, npy_intp rows, npy_intp columns) {
    npy_intp dims[] = {rows, columns};
    return Ref::steal(as_object(made(new_array(2, dims, type_num_of(layer.dtype)))));
}

Ref copied(const Layer& layer, PyArrayObject* array) {
    int type = type_num_of(layer.dtype);
    Ref found = Ref::steal(as_object(made(new_array(PyArray_NDIM(array), PyArray_DIMS(array), type))));
    std::memcpy(PyArray_DATA(found.array()), PyArray_DATA(array), PyArray_NBYTES(array));
    return found;
}

namespace {

template <class T>
void turn(const T* from, T* to, npy_intp rows, npy_intp columns) {
    constexpr npy_intp BLOCK = 16;
    for (npy_intp i = 0; i < rows; i += BLOCK) {
        for (npy_intp j = 0; j < columns; j++) {
            for (npy_intp k = i; k < std::min(rows, i + BLOCK); k++) to[j * rows + k] = from[k * columns + j];
        }
    }
}

// The recurrent weight, its columns neighbours: a fifth faster in every step of a batch that is too small to pack it.
Ref turned_weight(const Layer& layer) {
    npy_intp rows = layer.sums(), columns = layer.size;
    Ref found = new_matrix(layer, columns, rows);
    with_float(layer.dtype, [&](auto zero) {
        using T = decltype(zero);
        turn(elements<const T>(layer.recurrent()), elements<T>(found.array()), rows, columns);
    });
    return found;
}

// What sums from the input begin with; the second bias of a GRU goes with the state's sums.
Ref first_bias(const Layer& layer) {
    PyObject *one = as_object(layer.bias(0)), *other = as_object(layer.bias(1));
    return layer.kind == GRU ? Ref::borrow(one) : Ref::steal(PyNumber_Add(one, other));
}

// The sums from the input, for all steps at once.
bool input_sums(const Layer& layer, void* to) {
    Product product;
    product.rows = layer.rows;
    product.columns = layer.sums();
    product.inner = layer.width;
    product.a = PyArray_DATA(layer.input());
    product.a_row = product.b_column = layer.width;
    product.a_inner = product.b_inner = 1;
    product.b = PyArray_DATA(layer.weight());
    product.c = to;
    product.c_row = layer.gates_row();
    Ref bias;
    if (layer.has_biases()) {
        bias = first_bias(layer);
        if (!bias) return false;
        product.start = data_of(bias);
    }
    return multiply(product, layer.dtype);
}

struct Results {
    Ref output, hidden, cell, gates, cells;
    Ref own;  // GRU: the sums from the state, of one step

    explicit Results(const Layer& layer) : hidden(copied(layer, layer.state(0))) {
        npy_intp dims[3];
        int ndim = PyArray_NDIM(layer.input());
        std::copy_n(PyArray_DIMS(layer.input()), ndim, dims);
        dims[ndim - 1] = layer.size;
        output = Ref::steal(as_object(made(new_array(ndim, dims, type_num_of(layer.dtype)))));
        if (!layer.is_plain()) gates = new_matrix(layer, layer.rows, layer.gates_row());
        if (layer.kind == GRU) own = new_matrix(layer, layer.batch, layer.sums());
        if (layer.kind == LSTM) {
            cell = copied(layer, layer.state(1));
            cells = new_matrix(layer, layer.rows, layer.size);
        }
    }
    // where the sums from the input go
    void* sums(const Layer& layer) const { return data_of(layer.is_plain() ? output : gates); }
    // those that the op has, in its order
    bool give(Call& call) {
        for (Ref* each : {&output, &hidden, &cell, &gates, &cells}) {
            if (*each) call.give(std::move(*each));
        }
        return true;
    }
};

// Some members of the batch, from the first step to the last.
void run_steps(const Layer& layer, const Results& results, Product product, int64_t begin, int64_t end) {
    npy_intp row = layer.bytes(layer.size), gates_row = layer.bytes(layer.gates_row());
    RecurrentStep step;
    step.size = layer.size;
    step.gates_row = layer.gates_row();
    step.hidden = shifted(data_of(results.hidden), begin * row);
    step.cell = shifted(data_of(results.cell), begin * row);
    step.own = shifted(data_of(results.own), begin * 3 * row);
    for (const Span& span : layer.steps) {
        int64_t last = std::min(end, span.count);
        if (last <= begin) continue;
        void* sums = shifted(results.sums(layer), span.start * gates_row);
        product.rows = span.count;
        multiply_rows(product, data_of(results.hidden), layer.kind == GRU ? data_of(results.own) : sums, begin, last,
                      layer.dtype);
        step.rows = last - begin;
        step.gates = shifted(sums, begin * gates_row);
        step.output = shifted(data_of(results.output), (span.start + begin) * row);
        step.cells = shifted(data_of(results.cells), (span.start + begin) * row);
        table().recurrent.step[layer.kind][layer.dtype](step);
    }
}

// What all read comes first, in one order.
NAMES(Gated, tensors, sizes, backwards);
NAMES(Elman, tensors, sizes, backwards, relu);
NAMES(SavedOfLstm, tensors, sizes, backwards, output, gates, cells);
NAMES(SavedOfGru, tensors, sizes, backwards, output, gates);
NAMES(SavedOfElman, tensors, sizes, backwards, output, relu);

bool forward(Call& call, Recurrence kind) {
    Layer layer(kind);
    if (!layer.read(call[Gated::tensors], call[Gated::sizes], call.flag(Gated::backwards))) return false;
    Results results(layer);
    if (!input_sums(layer, results.sums(layer))) return false;
    Product product;
    product.inner = product.a_row = layer.size;
    product.a_inner = 1;
    product.columns = layer.sums();
    product.b = PyArray_DATA(layer.recurrent());
    product.b_inner = 1;
    product.b_column = layer.size;
    Scratch panels;
    Ref weight;
    pack_for_steps(layer, product, panels);
    if (!product.panelled) {
        weight = turned_weight(layer);
        product.b = data_of(weight);
        product.b_inner = layer.sums();
        product.b_column = 1;
    }
    if (kind == GRU) {
        product.c_row = layer.sums();
        product.start = layer.has_biases() ? PyArray_DATA(layer.bias(1)) : nullptr;
    } else {
        // added to the sums from the input, where they are
        product.c_row = product.start_row = layer.gates_row();
        product.start = results.sums(layer);
    }
    by_members(layer, [&](int64_t begin, int64_t end) { run_steps(layer, results, product, begin, end); });
    return results.give(call);
}

bool lstm(Call& call) { return forward(call, LSTM); }
bool gru(Call& call) { return forward(call, GRU); }
bool rnn(Call& call) { return forward(call, call.flag(Elman::relu) ? RELU : TANH); }

// Reads the layer again, as forward did.
bool slope(Gradient& gradient, Recurrence kind, PyArrayObject* gates, PyArrayObject* cells) {
    using Saved = SavedOfLstm;
    Layer layer(kind);
    return layer.read(gradient.option(Saved::tensors), gradient.option(Saved::sizes),
                      gradient.flag(Saved::backwards)) &&
           recurrent_gradient(gradient, layer, gradient.array(Saved::output), gates, cells);
}

bool lstm_gradient(Gradient& gradient) {
    using Saved = SavedOfLstm;
    return slope(gradient, LSTM, gradient.array(Saved::gates), gradient.array(Saved::cells));
}

bool gru_gradient(Gradient& gradient) { return slope(gradient, GRU, gradient.array(SavedOfGru::gates), nullptr); }

bool rnn_gradient(Gradient& gradient) {
    return slope(gradient, gradient.flag(SavedOfElman::relu) ? RELU : TANH, nullptr, nullptr);
}

constexpr TensorWant layer = tensors(Gated::tensors).floats().count(4, 7);
constexpr TensorWant output = tensor(SavedOfLstm::output).floats().dense();

KERNEL("_lstm_layer")
    .forward(lstm, Gated::names)
    .takes(layer, flag(Gated::backwards))
    .gradient(lstm_gradient, SavedOfLstm::names)
    .given(layer, flag(SavedOfLstm::backwards), output, tensor(SavedOfLstm::gates).floats().dense())
    .given(tensor(SavedOfLstm::cells).floats().dense());
KERNEL("_lstm_step").as("_lstm_layer");
KERNEL("_gru_layer")
    .forward(gru, Gated::names)
    .takes(layer, flag(Gated::backwards))
    .gradient(gru_gradient, SavedOfGru::names)
    .given(layer, flag(SavedOfGru::backwards), output, tensor(SavedOfGru::gates).floats().dense());
KERNEL("_gru_step").as("_gru_layer");
KERNEL("_rnn_layer")
    .forward(rnn, Elman::names)
    .takes(layer, flag(Elman::backwards), flag(Elman::relu))
    .gradient(rnn_gradient, SavedOfElman::names)
    .given(layer, flag(SavedOfElman::backwards), output, flag(SavedOfElman::relu));
KERNEL("_rnn_step").as("_rnn_layer");

}  // namespace

namespace {

// A gradient of an output as it begins: a copy of what is given, or zeros.
Ref first_gradient(const Layer& layer, PyArrayObject* given, PyArrayObject* like) {
    if (given != nullptr) return Ref::steal(as_object(made(packed_copy(given))));
    return Ref::steal(as_object(made(zeros_array(PyArray_NDIM(like), PyArray_DIMS(like), type_num_of(layer.dtype)))));
}

// Everything on the way back.
struct Way {
    const Layer& layer;
    const void *output, *gates, *cells;
    Ref given, hidden, cell, deltas, own;

    void make(PyArrayObject* const* grads) {
        if (grads[0] != nullptr) given = in_c_order(grads[0]);
        hidden = first_gradient(layer, grads[1], layer.state(0));
        deltas = new_matrix(layer, layer.rows, layer.sums());
        if (layer.kind == LSTM) cell = first_gradient(layer, grads[2], layer.state(1));
        if (layer.kind == GRU) own = new_matrix(layer, layer.rows, layer.sums());
    }
    // The gradients of the sums from the state.
    void* of_state() const { return data_of(layer.kind == GRU ? own : deltas); }
};

// Members [begin, end) of a step, all of which have the states before it in one place.
void slope(const Way& way, const Span& span, const void* before, int64_t begin, int64_t end) {
    const Layer& layer = way.layer;
    if (end <= begin) return;
    npy_intp row = layer.bytes(layer.size), sums_row = layer.bytes(layer.sums());
    int64_t first = span.start + begin;
    RecurrentSlope slope;
    slope.rows = end - begin;
    slope.size = layer.size;
    slope.gates_row = layer.gates_row();
    slope.gates = shifted(way.gates, first * layer.bytes(layer.gates_row()));
    slope.before = shifted(before, begin * row);
    slope.given = shifted(static_cast<const void*>(data_of(way.given)), first * row);
    slope.hidden_grad = shifted(data_of(way.hidden), begin * row);
    slope.cell_grad = shifted(data_of(way.cell), begin * row);
    slope.deltas = shifted(data_of(way.deltas), first * sums_row);
    slope.own = shifted(data_of(way.own), first * sums_row);
    table().recurrent.slope[layer.kind][layer.dtype](slope);
}

// Some members of the batch, from the last step to the first.
void run_back(const Way& way, Product product, int64_t begin, int64_t end) {
    const Layer& layer = way.layer;
    npy_intp row = layer.bytes(layer.size), sums_row = layer.bytes(layer.sums());
    const void* first = PyArray_DATA(layer.state(layer.kind == LSTM ? 1 : 0));
    const void* states = layer.kind == LSTM ? way.cells : way.output;
    for (size_t k = layer.steps.size(); k-- > 0;) {
        const Span& span = layer.steps[k];
        int64_t last = std::min(end, span.count);
        if (last <= begin) continue;
        if (layer.is_plain()) {
            slope(way, span, shifted(way.output, span.start * row), begin, last);
        } else {
            // members that were there a step before, and those that began here
            int64_t old = k > 0 ? std::min(last, layer.steps[k - 1].count) : 0;
            if (old > begin) slope(way, span, shifted(states, layer.steps[k - 1].start * row), begin, old);
            slope(way, span, first, std::max(begin, old), last);
        }
        product.rows = span.count;
        multiply_rows(product, shifted(way.of_state(), span.start * sums_row), data_of(way.hidden), begin, last,
                      layer.dtype);
    }
}

// The state before each row.
Ref states_before(const Way& way) {
    const Layer& layer = way.layer;
    Ref found = new_matrix(layer, layer.rows, layer.size);
    npy_intp row = layer.bytes(layer.size);
    const void* first = PyArray_DATA(layer.state(0));
    for (size_t k = 0; k < layer.steps.size(); k++) {
        const Span& span = layer.steps[k];
        int64_t old = k > 0 ? std::min(span.count, layer.steps[k - 1].count) : 0;
        char* to = shifted(data_of(found), span.start * row);
        if (old > 0) std::memcpy(to, shifted(way.output, layer.steps[k - 1].start * row), old * row);
        if (old < span.count) std::memcpy(to + old * row, shifted(first, old * row), (span.count - old) * row);
    }
    return found;
}

// The first matrix, transposed, times the second, both with a row for each of the layer's rows.
PyArrayObject* columns_product(const Layer& layer, const void* a, const void* b, int64_t columns) {
    Ref found = new_matrix(layer, layer.sums(), columns);
    Product product;
    product.rows = product.a_inner = layer.sums();
    product.columns = product.b_inner = product.c_row = columns;
    product.inner = layer.rows;
    product.a = a;
    product.a_row = product.b_column = 1;
    product.b = b;
    product.c = data_of(found);
    return multiply(product, layer.dtype) ? found.release_array() : nullptr;
}

PyArrayObject* input_gradient(const Way& way) {
    const Layer& layer = way.layer;
    PyArrayObject* input = layer.input();
    Ref found =
        Ref::steal(as_object(made(new_array(PyArray_NDIM(input), PyArray_DIMS(input), type_num_of(layer.dtype)))));
    Product product;
    product.rows = layer.rows;
    product.columns = product.b_inner = product.c_row = layer.width;
    product.inner = product.a_row = layer.sums();
    product.a = data_of(way.deltas);
    product.a_inner = product.b_column = 1;
    product.b = PyArray_DATA(layer.weight());
    product.c = data_of(found);
    return multiply(product, layer.dtype) ? found.release_array() : nullptr;
}

// The gradient of one of the tensors: input, states, weights, biases.
PyArrayObject* part(const Way& way, int place) {
    const Layer& layer = way.layer;
    if (place == 0) return input_gradient(way);
    if (place <= layer.states) {
        const Ref& held = place == 1 ? way.hidden : way.cell;
        return Ref::borrow(held.get()).release_array();
    }
    place -= 1 + layer.states;
    if (place == 0) return columns_product(layer, data_of(way.deltas), PyArray_DATA(layer.input()), layer.width);
    if (place == 1) {
        Ref before = states_before(way);
        return columns_product(layer, way.of_state(), data_of(before), layer.size);
    }
    const void* slopes = place == 2 ? data_of(way.deltas) : way.of_state();
    return sum_columns(slopes, layer.rows, layer.sums(), layer.sums(), layer.dtype);
}

}  // namespace

bool recurrent_gradient(Gradient& gradient, const Layer& layer, PyArrayObject* output, PyArrayObject* gates,
                        PyArrayObject* cells) {
    for (PyArrayObject* each : {output, gates, cells}) {
        DECLINE_IF(each != nullptr && dtype_of(each) != layer.dtype);
    }
    for (int i = 0; i < gradient.grad_count; i++) {
        bool is_state = i <= layer.states;
        DECLINE_IF(gradient.grads[i] != nullptr && (!is_state || dtype_of(gradient.grads[i]) != layer.dtype));
    }
    DECLINE_IF(gradient.node->edge_count != static_cast<int>(layer.tensors.size()));
    Way way{layer,
            PyArray_DATA(output),
            gates == nullptr ? nullptr : PyArray_DATA(gates),
            cells == nullptr ? nullptr : PyArray_DATA(cells),
            {},
            {},
            {},
            {},
            {}};
    way.make(gradient.grads);
    Product product;
    product.inner = product.a_row = layer.sums();
    product.columns = product.b_inner = product.c_row = layer.size;
    product.a_inner = product.b_column = 1;
    product.b = PyArray_DATA(layer.recurrent());
    if (layer.kind == GRU) {
        // added to what goes straight to the state before
        product.start = data_of(way.hidden);
        product.start_row = layer.size;
    }
    Scratch panels;
    pack_for_steps(layer, product, panels);
    by_members(layer, [&](int64_t begin, int64_t end) { run_back(way, product, begin, end); });
    gradient.parts.assign(gradient.node->edge_count, nullptr);
    for (int i = 0; i < gradient.node->edge_count; i++) {
        if (gradient.node->edges[i] == nullptr) continue;
        // both biases of all but a GRU have the same gradient
        bool again = i == layer.states + 4 && layer.kind != GRU && gradient.parts[i - 1] != nullptr;
        gradient.parts[i] = again ? copied(layer, gradient.parts[i - 1]).release_array() : part(way, i);
        if (gradient.parts[i] == nullptr) return false;
    }
    return true;
}

}  // namespace rushlight
