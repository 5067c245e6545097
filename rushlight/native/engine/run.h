// One backward pass: the gradients that have arrived and the nodes that wait for theirs.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/arrays.h"
#include "memory/small_list.h"
#include "object/lifted.h"
#include "object/node.h"
#include "seam/pending.h"
#include "seam/state.h"

namespace rushlight {

// the newest node of the backward that runs in this thread, 0 for none
extern RUSHLIGHT_SHARED_THREAD_LOCAL uint64_t running_root;
// how many backwards run inside each other in this thread
extern RUSHLIGHT_SHARED_THREAD_LOCAL int running_depth;

// The gradients that have arrived for one node or leaf; it owns all its references.
struct Arrival {
    PyObject* target = nullptr;
    PyArrayObject* one = nullptr;
    PyArrayObject** more = nullptr;  // of a node with several outputs, those after the first
    int count = 1;

    PyArrayObject*& at(int number) { return number == 0 ? one : more[number - 1]; }
    void clear() {
        clear_gradients();
        Py_CLEAR(target);
        PyMem_Free(std::exchange(more, nullptr));
        count = 1;
    }
    void clear_gradients() {
        for (int i = 0; i < count; i++) {
            PyArrayObject* grad = std::exchange(at(i), nullptr);
            if (grad != nullptr) drop(grad);
        }
    }
};

// An arrival whose turn it is.
struct Turn : Arrival {
    explicit Turn(Arrival& waiting) : Arrival(std::exchange(waiting, Arrival())) {}
    ~Turn() { clear(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
};

// A node that gradients have arrived for, or a leaf that is complete; the newest node goes first, after all leaves.
struct Waiting {
    uint64_t number;
    int arrival;
    bool operator<(const Waiting& other) const { return number < other.number; }
};

// the rank of leaves, above the numbers of all nodes
constexpr uint64_t LEAF = uint64_t{1} << 63;
// so many backwards may run inside each other in one thread
constexpr int DEEP = 40;

// An input that gradients are asked for, and what has arrived there.
struct InputGradient {
    PyObject* edge;  // borrowed
    int number;
    PyObject* grad = nullptr;  // owned, a Tensor
};

// The array in a new tensor; None for nullptr.
PyObject* tensor_or_none(PyArrayObject* array);

class Run {
public:
    Run(bool keep, bool for_inputs, bool accumulating = false, const Level* level = nullptr)
        : keep_graph(keep), for_inputs(for_inputs), accumulating(accumulating), level(level), before(state) {
        running_depth++;
        state.grad = false;
        state.backward = true;
        state.compiled = false;
    }
    ~Run() {
        state.grad = before.grad;
        state.backward = before.backward;
        state.compiled = before.compiled;
        running_root = outer_root;
        running_depth--;
        for (Arrival& each : arrivals) each.clear();
        settle_but(passing, "the end of a backward");
        for (InputGradient& each : inputs) Py_XDECREF(each.grad);
        clear_place(line);
        Py_XDECREF(place);
    }

    bool deliver(PyObject* target, int number, PyArrayObject* grad);
    bool go();
    bool find_needed(PyObject* roots);

    std::vector<InputGradient> inputs;
    const Tensor* passing = nullptr;  // the root, if nobody may want its numbers: see settle_but

private:
    bool visit(Arrival& arrival);
    bool apply(Node* node, Arrival& arrival);
    bool apply_native(Node* node, Arrival& arrival, bool& done);
    bool apply_python(Node* node, Arrival& arrival, PyObject* function);
    struct Form;
    bool copy_for_inputs(Node* node, int position, PyArrayObject*& array);
    PyArrayObject* fitted(Node* node, int position, int number, const Form& form, PyArrayObject* grad);
    bool pass_on(Node* node, int position, PyArrayObject* grad);
    bool send(Node* node, PyArrayObject** found, int count);
    bool arrange_leaves(Node* node, int known);
    bool send_in_order(Node* node, PyArrayObject** found, int count);
    bool is_wanted(PyObject* target);
    bool visit_next();
    bool touch(PyObject* target);
    bool close_edge(PyObject* target);
    static uint64_t rank_of(const Node* node);
    void queue(uint64_t rank, int arrival) {
        waiting.push_back({rank, arrival});
        if (waiting.size() > 1) std::push_heap(waiting.begin(), waiting.end());
    }
    void count_ahead(PyObject* extra);
    void put_in_order();
    void store_complete(PyObject* failed);
    PyObject* wanted_edges(Node* node);
    bool release(Node* node);
    PyObject* own_place();
    bool finish_leaf(Tensor* leaf, PyArrayObject* grad);
    bool keep_for_inputs(Node* node, Arrival& arrival);
    bool is_needed(PyObject* target);
    InputGradient* find_input(PyObject* edge, int number);
    int find_arrival(PyObject* target);
    int add_arrival(PyObject* target, int outputs);

    // for_inputs: for the inputs of autograd.grad only, which keep their gradients, or if accumulating store them
    bool keep_graph, for_inputs, accumulating;
    const Level* level;  // of a function transform: gradients are what stands below it
    State before;
    uint64_t outer_root = running_root;
    Place line = user_place();
    uint64_t number = next_number();
    PyObject* place = nullptr;  // both as a tuple, once somebody wants it
    // Nodes wait by age, newest first; leaves until the end. Where hooks or Python's nodes could see it, torch's order
    // is kept: what waits is ready, that is, nothing lies `ahead` of it, and leaves that are ready go first.
    bool order_matters = false, careful = false;  // careful: the next node may have hooks
    bool arranged = false;
    uint64_t haste = 0;     // above the rank of other leaves
    int leaves_before = 0;  // before a node without a derivative
    std::optional<std::unordered_map<PyObject*, int>> ahead;
    static constexpr int FEW = 8;
    Small<Waiting, FEW> waiting;
    Small<Arrival, FEW> arrivals;
    Small<int, FEW> vacant;
    Small<int, FEW> leaves;
    std::optional<std::unordered_map<PyObject*, int>> places;   // of arrivals, once there are more than a few
    std::optional<std::unordered_map<PyObject*, bool>> needed;  // if for_inputs
};

}  // namespace rushlight
