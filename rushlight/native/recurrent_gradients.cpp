// The gradient of a recurrent layer: back through all steps, then one product for each weight. See ops/recurrent/.
#include <cstring>

#include "graph.h"
#include "recurrent.h"

namespace rushlight {

namespace {

// A gradient of an output as it begins: a copy of what is given, or zeros.
Ref first_gradient(const Layer& layer, PyArrayObject* given, PyArrayObject* like) {
    if (given == nullptr) {
        return Ref::steal(as_object(zeros_array(PyArray_NDIM(like), PyArray_DIMS(like), type_num_of(layer.dtype))));
    }
    Ref held = Ref::steal(as_object(contiguous(given)));
    return held ? copied(layer, held.array()) : Ref();
}

// Everything on the way back.
struct Way {
    const Layer& layer;
    const void *output, *gates, *cells;
    Ref given, hidden, cell, deltas, own;

    bool make(const Gradient& gradient) {
        PyArrayObject* const* grads = gradient.grads;
        if (grads[0] != nullptr) {
            given = Ref::steal(as_object(contiguous(grads[0])));
            if (!given) return false;
        }
        hidden = first_gradient(layer, grads[1], layer.state(0));
        deltas = new_matrix(layer, layer.rows, layer.sums());
        if (layer.kind == LSTM) cell = first_gradient(layer, grads[2], layer.state(1));
        if (layer.kind == GRU) own = new_matrix(layer, layer.rows, layer.sums());
        return hidden && deltas && (layer.kind != LSTM || cell) && (layer.kind != GRU || own);
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
    if (!found) return found;
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

PyArrayObject* taken(Ref array) { return reinterpret_cast<PyArrayObject*>(array.release()); }

// The first matrix, transposed, times the second, both with a row for each of the layer's rows.
PyArrayObject* columns_product(const Layer& layer, const void* a, const void* b, int64_t columns) {
    Ref found = new_matrix(layer, layer.sums(), columns);
    if (!found) return nullptr;
    Product product;
    product.rows = product.a_inner = layer.sums();
    product.columns = product.b_inner = product.c_row = columns;
    product.inner = layer.rows;
    product.a = a;
    product.a_row = product.b_column = 1;
    product.b = b;
    product.c = data_of(found);
    return multiply(product, layer.dtype) ? taken(std::move(found)) : nullptr;
}

PyArrayObject* input_gradient(const Way& way) {
    const Layer& layer = way.layer;
    PyArrayObject* input = layer.input();
    Ref found = Ref::steal(as_object(new_array(PyArray_NDIM(input), PyArray_DIMS(input), type_num_of(layer.dtype))));
    if (!found) return nullptr;
    Product product;
    product.rows = layer.rows;
    product.columns = product.b_inner = product.c_row = layer.width;
    product.inner = product.a_row = layer.sums();
    product.a = data_of(way.deltas);
    product.a_inner = product.b_column = 1;
    product.b = PyArray_DATA(layer.weight());
    product.c = data_of(found);
    return multiply(product, layer.dtype) ? taken(std::move(found)) : nullptr;
}

// The gradient of one of the tensors: input, states, weights, biases.
PyArrayObject* part(const Way& way, int place) {
    const Layer& layer = way.layer;
    if (place == 0) return input_gradient(way);
    if (place <= layer.states) {
        const Ref& held = place == 1 ? way.hidden : way.cell;
        return taken(Ref::borrow(held.get()));
    }
    place -= 1 + layer.states;
    if (place == 0) return columns_product(layer, data_of(way.deltas), PyArray_DATA(layer.input()), layer.width);
    if (place == 1) {
        Ref before = states_before(way);
        return before ? columns_product(layer, way.of_state(), data_of(before), layer.size) : nullptr;
    }
    const void* slopes = place == 2 ? data_of(way.deltas) : way.of_state();
    return sum_columns(slopes, layer.rows, layer.sums(), layer.sums(), layer.dtype);
}

}  // namespace

bool recurrent_gradient(Gradient& gradient, const Layer& layer, PyArrayObject* output, PyArrayObject* gates,
                        PyArrayObject* cells) {
    DECLINE_IF(output == nullptr || (!layer.is_plain() && gates == nullptr));
    DECLINE_IF(layer.kind == LSTM && cells == nullptr);
    for (PyArrayObject* each : {output, gates, cells}) {
        DECLINE_IF(each != nullptr && (dtype_of(each) != layer.dtype || !PyArray_IS_C_CONTIGUOUS(each)));
    }
    for (int i = 0; i < gradient.grad_count; i++) {
        bool is_state = i <= layer.states;
        DECLINE_IF(gradient.grads[i] != nullptr && (!is_state || dtype_of(gradient.grads[i]) != layer.dtype));
    }
    DECLINE_IF(gradient.node->edge_count != static_cast<int>(layer.tensors.size()));
    Way way{layer, PyArray_DATA(output), gates == nullptr ? nullptr : PyArray_DATA(gates),
            cells == nullptr ? nullptr : PyArray_DATA(cells), {}, {}, {}, {}, {}};
    if (!way.make(gradient)) return false;
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
        gradient.parts[i] = again ? taken(copied(layer, gradient.parts[i - 1])) : part(way, i);
        if (gradient.parts[i] == nullptr) return false;
    }
    return true;
}

}  // namespace rushlight
