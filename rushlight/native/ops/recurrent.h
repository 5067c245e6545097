// Recurrent layers: the arguments of one direction of a layer, and what forward and gradient share. See
// ops/sequences/recurrent/.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/table.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/plan.h"
#include "seam/promotion.h"

namespace rushlight {

// The rows of one step.
struct Span {
    int64_t start, count;
};

// The arguments of a layer, as loops read them.
struct Layer {
    Recurrence kind;
    int states, gates, dtype = -1;
    int64_t rows = 0, batch = 0, width = 0, size = 0;
    std::vector<Span> steps;   // in the order in which they are computed
    std::vector<Ref> tensors;  // C-contiguous

    explicit Layer(Recurrence kind)
        : kind(kind),
          states(kind == LSTM ? 2 : 1),
          gates(kind == LSTM  ? 4
                : kind == GRU ? 3
                              : 1) {}
    // False for what Python has to do.
    bool read(PyObject* list, PyObject* sizes, bool backwards);

    PyArrayObject* input() const { return tensors[0].array(); }
    PyArrayObject* state(int which) const { return tensors[1 + which].array(); }
    PyArrayObject* weight() const { return tensors[1 + states].array(); }
    PyArrayObject* recurrent() const { return tensors[2 + states].array(); }
    bool has_biases() const { return tensors.size() > static_cast<size_t>(3 + states); }
    PyArrayObject* bias(int which) const { return tensors[3 + states + which].array(); }
    bool is_plain() const { return kind != LSTM && kind != GRU; }
    int64_t sums() const { return gates * size; }
    // how many numbers a gradient needs of each row of gates
    int64_t gates_row() const { return kind == LSTM ? 5 * size : kind == GRU ? 4 * size : size; }
    npy_intp bytes(int64_t count) const { return count * SIZES[dtype]; }

private:
    bool read_shapes();
    bool read_steps(PyObject* sizes, bool turned);
};

template <class Pointer>
auto* shifted(Pointer* data, npy_intp bytes) {
    using Byte = std::conditional_t<std::is_const_v<Pointer>, const char, char>;
    return data == nullptr ? nullptr : static_cast<Byte*>(data) + bytes;
}

inline void* data_of(const Ref& ref) { return ref ? PyArray_DATA(ref.array()) : nullptr; }
// A new matrix of the layer's dtype, and a copy of a contiguous array.
Ref new_matrix(const Layer& layer, npy_intp rows, npy_intp columns);
Ref copied(const Layer& layer, PyArrayObject* array);

// Calls work(begin, end) for ranges of members of the batch, each of which goes its own way through the sequence.
template <class Work>
void by_members(const Layer& layer, Work&& work) {
    // multiplications for which a second thread pays
    constexpr int64_t PARALLEL_WORK = 1 << 20;
    int64_t each = static_cast<int64_t>(layer.steps.size()) * layer.sums() * layer.size;
    // whole tiles of rows
    int64_t grain = (PARALLEL_WORK / std::max<int64_t>(each, 1) + 8) / 8 * 8;
    parallel(layer.batch, grain, work);
}

// The weights in the order that every step reads them, where the batch is large enough for that.
inline void pack_for_steps(const Layer& layer, Product& product, Scratch& panels) {
    if (layer.batch >= 4) pack_columns(product, layer.dtype, panels);
}

// Rows [begin, end) of a step's product with a matrix whose columns are neighbours: each row the same to the last bit,
// whoever computes it.
inline void multiply_rows(Product product, const void* a, void* c, int64_t begin, int64_t end, int dtype) {
    product.a = a;
    product.c = c;
    if (product.start != nullptr && product.start_row != 0) product.start = c;
    table().products.product[dtype](product, begin, end - begin, 0, product.columns);
}

// Fills gradient.parts.
bool recurrent_gradient(Gradient& gradient, const Layer& layer, PyArrayObject* output, PyArrayObject* gates,
                        PyArrayObject* cells);

}  // namespace rushlight
