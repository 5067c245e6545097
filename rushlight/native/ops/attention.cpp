// Attention, query block by query block: the products of all queries and keys are never in memory together, and a
// causal mask never at all. See ops/sequences/attention/dot_product.py; batches that are broadcast decline.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kernels/table.h"
#include "loops/folding.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "object/node.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/plan.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// Multiplications for which a second thread pays.
constexpr int64_t PARALLEL_WORK = 1 << 20;
// A block of products stays in the cache: at most this many numbers, but at least some rows.
constexpr int64_t BLOCK_NUMBERS = 1 << 16, LEAST_ROWS = 8, MOST_ROWS = 64, MOST_CAUSAL_ROWS = 32;

struct Freed {
    void operator()(char* memory) const { std::free(memory); }
};

// A stack of matrices, one for each member and head; the last dim is dense. Steps are in bytes.
struct Heads {
    PyArrayObject* array = nullptr;
    int depth = 0;
    npy_intp rows = 0, columns = 0, row_step = 0;

    // `like`: the dims before the last two must be these, or may be 1 where it is a mask.
    bool read(PyArrayObject* from, const Heads* like = nullptr, bool is_mask = false) {
        int ndim = PyArray_NDIM(from);
        npy_intp size = PyArray_ITEMSIZE(from);
        if (ndim < 2 || !PyArray_ISALIGNED(from)) return false;
        array = from;
        depth = ndim - 2;
        rows = PyArray_DIM(from, ndim - 2);
        columns = PyArray_DIM(from, ndim - 1);
        row_step = PyArray_STRIDE(from, ndim - 2);
        if (PyArray_STRIDE(from, ndim - 1) != size && columns > 1) return false;
        if (row_step % size != 0) return false;
        if (like == nullptr) return true;
        if (is_mask ? depth > like->depth : depth != like->depth) return false;
        for (int d = 0; d < depth; d++) {
            npy_intp own = PyArray_DIM(from, d), other = PyArray_DIM(like->array, d + like->depth - depth);
            if (own != other && !(is_mask && own == 1)) return false;
        }
        return true;
    }
    int64_t count() const {
        int64_t found = 1;
        for (int d = 0; d < depth; d++) found *= PyArray_DIM(array, d);
        return found;
    }
    int64_t step() const { return row_step / PyArray_ITEMSIZE(array); }
    // The matrix of a head, by its number among those of `all`.
    char* at(int64_t head, const Heads& all, int64_t row = 0) const {
        if (array == nullptr) return nullptr;
        char* found = PyArray_BYTES(array) + row * (rows == 1 ? 0 : row_step);
        for (int d = all.depth - 1; d >= 0; d--) {
            npy_intp size = PyArray_DIM(all.array, d), place = head % size;
            head /= size;
            int own = d - (all.depth - depth);
            if (own >= 0 && PyArray_DIM(array, own) != 1) found += place * PyArray_STRIDE(array, own);
        }
        return found;
    }
};

struct Attention {
    int dtype = -1;
    Heads query, key, value, added, allowed, noise;
    bool causal = false;
    double scale = 1;
    int64_t heads = 0, block = 0;
    int64_t step = 0;  // from row to row of a block of products

    bool read(PyObject* list, PyArrayObject* mask, PyArrayObject* factor, bool later, double number) {
        PyArrayObject* arrays[4] = {};
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++) {
            arrays[i] = as_tensor(PySequence_Fast_GET_ITEM(list, i))->array;
        }
        dtype = dtype_of(arrays[0]);
        DECLINE_IF(!query.read(arrays[0]) || !key.read(arrays[1], &query) || !value.read(arrays[2], &query));
        DECLINE_IF(key.columns != query.columns || key.rows != value.rows);
        DECLINE_IF(PyArray_SIZE(query.array) == 0 || key.rows == 0 || value.columns == 0);
        causal = later;
        scale = number;
        heads = query.count();
        // a causal block stops at its last query: smaller ones compute less in vain
        block = std::clamp(BLOCK_NUMBERS / key.rows, LEAST_ROWS, causal ? MOST_CAUSAL_ROWS : MOST_ROWS);
        step = (key.rows + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE;
        return read_mask(added, arrays[3], dtype) && read_mask(allowed, mask, BOOL) && read_mask(noise, factor, dtype);
    }
    double work() const {
        return static_cast<double>(query.rows) * static_cast<double>(key.rows) *
               static_cast<double>(query.columns + value.columns);
    }
    // How many keys the queries up to this one see.
    int64_t seen(int64_t row) const { return causal ? std::min<int64_t>(key.rows, row) : key.rows; }

private:
    bool read_mask(Heads& to, PyArrayObject* array, int kind) {
        if (array == nullptr) return true;
        DECLINE_IF(dtype_of(array) != kind);
        DECLINE_IF(!to.read(array, &query, true));
        DECLINE_IF(to.columns != key.rows || (to.rows != query.rows && to.rows != 1));
        return true;
    }
};

// One block of queries of one head.
struct Block {
    const Attention& given;
    int64_t head, row, rows, columns;

    Block(const Attention& given, int64_t head, int64_t row)
        : given(given),
          head(head),
          row(row),
          rows(std::min(given.block, given.query.rows - row)),
          columns(given.seen(row + rows)) {}

    char* of_queries(const Heads& heads) const { return heads.at(head, given.query, row); }
    char* of_keys(const Heads& heads) const { return heads.at(head, given.query); }

    AttentionRows rows_of(void* weights, void* totals) const {
        AttentionRows found;
        found.rows = rows;
        found.columns = columns;
        found.step = given.step;
        found.weights = weights;
        found.seen = given.seen(row + 1);
        found.more = given.causal ? 1 : 0;
        found.added = of_queries(given.added);
        found.allowed = reinterpret_cast<const bool*>(of_queries(given.allowed));
        found.noise = of_queries(given.noise);
        // one row for all queries
        if (given.added.rows > 1) found.added_row = given.added.step();
        if (given.allowed.rows > 1) found.allowed_row = given.allowed.step();
        if (given.noise.rows > 1) found.noise_row = given.noise.step();
        found.totals = static_cast<char*>(totals) + (head * given.query.rows + row) * SIZES[given.dtype];
        found.scale = given.scale;
        return found;
    }
    void multiply(Product& product) const {
        table().products.product[given.dtype](product, 0, product.rows, 0, product.columns);
    }
    // rows (rows, k) times a matrix (k, columns), such as keys turned around
    void by_keys(const Heads& one, const void* turned, void* to) const {
        Product product;
        product.rows = rows;
        product.columns = columns;
        product.c_row = given.step;
        product.inner = one.columns;
        product.a = of_queries(one);
        product.a_row = one.step();
        product.a_inner = product.b_column = 1;
        product.b = turned;
        product.b_inner = given.step;
        product.c = to;
        multiply(product);
    }
    // (rows, columns) times the first of another's rows: to rows of queries
    void to_queries(const void* weights, const Heads& other, const Heads& to) const {
        Product product;
        product.rows = rows;
        product.columns = other.columns;
        product.inner = columns;
        product.a_row = given.step;
        product.a = weights;
        product.a_inner = product.b_column = 1;
        product.b = of_keys(other);
        product.b_inner = other.step();
        product.c = of_queries(to);
        product.c_row = to.step();
        multiply(product);
    }
    // (rows, columns), transposed, times rows of queries: added to rows of keys
    void to_keys(const void* weights, const Heads& other, const Heads& to, bool add) const {
        Product product;
        product.rows = columns;
        product.a_inner = given.step;
        product.columns = other.columns;
        product.inner = rows;
        product.a = weights;
        product.a_row = product.b_column = 1;
        product.b = of_queries(other);
        product.b_inner = other.step();
        product.c = of_keys(to);
        product.c_row = product.start_row = to.step();
        if (add) product.start = product.c;
        multiply(product);
    }
};

// Memory of one thread: products of a block and their slopes, and keys and values of a head turned around.
struct Workspace {
    const Attention& given;
    std::unique_ptr<char, Freed> memory;
    char *weights, *slopes, *keys, *values;
    int64_t head = -1;

    explicit Workspace(const Attention& given) : given(given) {
        npy_intp block = given.block * given.step * SIZES[given.dtype];
        npy_intp turned_keys = given.query.columns * given.step * SIZES[given.dtype];
        npy_intp turned_values = given.value.columns * given.step * SIZES[given.dtype];
        memory.reset(static_cast<char*>(std::malloc(static_cast<size_t>(2 * block + turned_keys + turned_values))));
        weights = memory.get();
        slopes = weights + block;
        keys = slopes + block;
        values = keys + turned_keys;
    }
    void turn(const Heads& heads, char* to) const {
        table().attention.turn[given.dtype](heads.at(head, given.query), heads.rows, heads.columns, heads.step(), to,
                                            given.step);
    }
};

// With the order of another array's dims in memory; `columns` instead of its last one.
Ref laid_out_like(const Heads& heads, npy_intp columns) {
    Geometry shape(heads.array);
    shape.dims[shape.ndim - 1] = columns;
    return Ref::steal(
        as_object(made(new_array_like_strides(shape.ndim, shape.dims, shape.strides, PyArray_TYPE(heads.array)))));
}

// Gradients of queries, keys and values that are parts of one array, side by side as they are: `split` then has its
// gradient without a copy. False where they are no such parts.
bool lay_side_by_side(const Attention& given, Ref (&made)[3]) {
    PyArrayObject *query = given.query.array, *key = given.key.array, *value = given.value.array;
    npy_intp dims[NPY_MAXDIMS + 1] = {3}, strides[NPY_MAXDIMS + 1];
    int ndim = PyArray_NDIM(query);
    for (PyArrayObject* each : {key, value}) {
        if (PyArray_BASE(each) == nullptr || PyArray_BASE(each) != PyArray_BASE(query)) return false;
        if (!PyArray_SAMESHAPE(each, query)) return false;
        if (!PyArray_CompareLists(PyArray_STRIDES(each), PyArray_STRIDES(query), ndim)) return false;
    }
    strides[0] = PyArray_BYTES(key) - PyArray_BYTES(query);
    if (strides[0] <= 0 || PyArray_BYTES(value) - PyArray_BYTES(key) != strides[0] || ndim == NPY_MAXDIMS) return false;
    std::copy_n(PyArray_DIMS(query), ndim, dims + 1);
    std::copy_n(PyArray_STRIDES(query), ndim, strides + 1);
    Ref all = Ref::steal(as_object(new_array_like_strides(ndim + 1, dims, strides, PyArray_TYPE(query))));
    // parts that overlap are no parts
    if (!all || PyArray_STRIDE(all.array(), ndim) != PyArray_ITEMSIZE(query)) return false;
    Geometry part(all.array());
    npy_intp step = part.strides[0];
    part.remove(0);
    for (int k = 0; k < 3; k++) made[k] = Ref::steal(as_object(part.of(all.array(), k * step)));
    return made[0] && made[1] && made[2];
}

NAMES(Given, tensors, allowed, noise, causal, scale);
NAMES(Saved, tensors, allowed, noise, causal, scale, output, totals);

bool forward(Call& call) {
    Attention given;
    if (!given.read(call[Given::tensors], call.array(Given::allowed), call.array(Given::noise),
                    call.flag(Given::causal), call.number(Given::scale))) {
        return false;
    }
    Geometry shape(given.query.array);
    int ndim = shape.ndim, type = type_num_of(given.dtype);
    Ref totals = Ref::steal(as_object(made(new_array(ndim - 1, shape.dims, type))));
    shape.dims[ndim - 1] = given.value.columns;
    // torch's fused way keeps the order of the query's dims, the other one does not
    bool fused = ndim == 4 && given.noise.array == nullptr;
    Ref output = fused ? laid_out_like(given.query, given.value.columns)
                       : Ref::steal(as_object(made(new_array(ndim, shape.dims, type))));
    Heads results;
    DECLINE_IF(!results.read(output.array()));
    int64_t blocks = (given.query.rows + given.block - 1) / given.block;
    int64_t grain = static_cast<int64_t>(PARALLEL_WORK * static_cast<double>(blocks) / given.work()) + 1;
    std::atomic<bool> failed{false};
    void* sums = PyArray_DATA(totals.array());
    parallel(given.heads * blocks, grain, [&](int64_t begin, int64_t end) {
        Workspace space(given);
        if (!space.memory) failed = true;
        for (int64_t i = begin; i < end && space.memory; i++) {
            Block block(given, i / blocks, i % blocks * given.block);
            if (space.head != block.head) {
                space.head = block.head;
                space.turn(given.key, space.keys);
            }
            block.by_keys(given.query, space.keys, space.weights);
            table().attention.weights[given.dtype](block.rows_of(space.weights, sums));
            block.to_queries(space.weights, given.value, results);
        }
    });
    if (failed) return declined("no memory for a block");
    return call.give(std::move(output)) && call.give(std::move(totals));
}

// One head, block by block; the gradients of keys and values are added up.
void run_back(const Workspace& space, const Heads& grad, const Heads& output, void* totals, const Heads (&found)[3]) {
    const Attention& given = space.given;
    const int64_t head = space.head;
    space.turn(given.key, space.keys);
    space.turn(given.value, space.values);
    // the last block reaches most keys, all of them unless there are fewer queries: it comes first, and needs no zeros
    const int64_t last = (given.query.rows - 1) / given.block * given.block;
    for (int k = 1; k < 3; k++) {
        if (found[k].array == nullptr) continue;
        for (npy_intp row = given.seen(given.query.rows); row < found[k].rows; row++) {
            std::memset(found[k].at(head, given.query, row), 0, found[k].columns * SIZES[given.dtype]);
        }
    }
    for (int64_t row = last; row >= 0; row -= given.block) {
        const bool add = row < last;
        Block block(given, head, row);
        block.by_keys(given.query, space.keys, space.weights);
        block.by_keys(grad, space.values, space.slopes);
        AttentionRows rows = block.rows_of(space.weights, totals);
        rows.slopes = space.slopes;
        rows.grad = block.of_queries(grad);
        rows.grad_row = grad.step();
        rows.output = block.of_queries(output);
        rows.output_row = output.step();
        rows.width = grad.columns;
        table().attention.slopes[given.dtype](rows);
        if (found[0].array != nullptr) block.to_queries(space.slopes, given.key, found[0]);
        if (found[1].array != nullptr) block.to_keys(space.slopes, given.query, found[1], add);
        if (found[2].array != nullptr) block.to_keys(space.weights, grad, found[2], add);
    }
}

// Memory for the gradients that are wanted, side by side where that is possible.
bool make_gradients(const Attention& given, const Node& node, Ref (&made)[3], Heads (&found)[3]) {
    const Heads* tensors[] = {&given.query, &given.key, &given.value};
    bool all = node.edges[0] != nullptr && node.edges[1] != nullptr && node.edges[2] != nullptr;
    bool together = all && lay_side_by_side(given, made);
    for (int k = 0; k < 3; k++) {
        if (node.edges[k] == nullptr) continue;
        if (!together) made[k] = laid_out_like(*tensors[k], tensors[k]->columns);
        DECLINE_IF(!found[k].read(made[k].array()));
    }
    return true;
}

bool backward(Gradient& gradient) {
    Attention given;
    PyArrayObject *output = gradient.array(Saved::output), *totals = gradient.array(Saved::totals);
    Node* node = gradient.node;
    if (!given.read(gradient.option(Saved::tensors), gradient.array(Saved::allowed), gradient.array(Saved::noise),
                    gradient.flag(Saved::causal), gradient.number(Saved::scale))) {
        return false;
    }
    DECLINE_IF(gradient.has_other_grads());
    // the gradient of what is added has the shape of all products
    DECLINE_IF(node->edge_count < 3 || (node->edge_count > 3 && node->edges[3] != nullptr));
    DECLINE_IF(dtype_of(gradient.grad()) != given.dtype);
    Heads grad, results, found[3];
    Ref held, made[3];
    if (!grad.read(gradient.grad(), &given.query)) {
        held = in_c_order(gradient.grad());
        DECLINE_IF(!grad.read(held.array(), &given.query));
    }
    DECLINE_IF(!results.read(output, &given.query));
    if (!make_gradients(given, *node, made, found)) return false;
    std::atomic<bool> failed{false};
    int64_t grain = static_cast<int64_t>(PARALLEL_WORK / given.work() / 2) + 1;
    parallel(given.heads, grain, [&](int64_t begin, int64_t end) {
        Workspace space(given);
        if (!space.memory) failed = true;
        for (space.head = begin; space.head < end && space.memory; space.head++) {
            run_back(space, grad, results, PyArray_DATA(totals), found);
        }
    });
    if (failed) return declined("no memory for a block");
    gradient.parts.assign(node->edge_count, nullptr);
    for (int k = 0; k < 3; k++) gradient.parts[k] = made[k].release_array();
    return true;
}

KERNEL("_attention")
    .forward(forward, Given::names)
    .takes(tensors(Given::tensors).floats().count(3, 4), tensor(Given::allowed).optional())
    .takes(tensor(Given::noise).optional(), flag(Given::causal), number(Given::scale))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats(), tensors(Saved::tensors).floats().count(3, 4), tensor(Saved::allowed).optional())
    .given(tensor(Saved::noise).optional(), flag(Saved::causal), number(Saved::scale))
    .given(tensor(Saved::output).like(GRADIENT), tensor(Saved::totals).dense());

}  // namespace

}  // namespace rushlight
