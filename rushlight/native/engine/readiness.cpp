// Readiness: torch's order of nodes and leaves, kept where the user's code could see it.
#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_set>

#include "engine/run.h"
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_delivery("delivery");

// How many edges lead to each node and leaf from nodes that have not run: those that wait, and one more.
void Run::count_ahead(PyObject* extra) {
    ahead.emplace();
    std::vector<Node*> stack;
    std::unordered_set<PyObject*> seen;
    for (Waiting& each : waiting) {
        PyObject* target = arrivals[each.arrival].target;
        if (is_node(target) && seen.insert(target).second) stack.push_back(as_node(target));
    }
    if (extra != nullptr && is_node(extra) && seen.insert(extra).second) stack.push_back(as_node(extra));
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge == nullptr) continue;
            (*ahead)[edge]++;
            if (is_node(edge) && seen.insert(edge).second) stack.push_back(as_node(edge));
        }
    }
}

// From now on only what is ready waits, leaves among it.
void Run::put_in_order() {
    count_ahead(nullptr);
    careful = true;
    std::vector<Waiting> known(waiting.begin(), waiting.end());
    waiting.clear();
    int left = leaves.size();
    for (Waiting& each : known) {
        // a node of the rank of leaves follows those that were met before it
        uint64_t rank = each.number == LEAF ? LEAF + left - leaves_before : each.number;
        if (ahead->count(arrivals[each.arrival].target) == 0) queue(rank, each.arrival);
    }
    bool in_turn = arranged || leaves_before > 0;
    for (int index : leaves) {
        if (ahead->count(arrivals[index].target) == 0) queue(in_turn ? LEAF + left : LEAF, index);
        left--;
    }
    leaves.clear();
}

// The edges of a node in the order that its class asks for; empty if it has no wish.
static bool find_order(Node* node, std::vector<int>& order) {
    if (node->edge_count < 2) return true;
    Ref asked = Ref::steal(PyObject_CallMethodNoArgs(as_object(node), word_delivery));
    if (!asked) return false;
    if (!PyList_Check(asked.get()) || PyList_GET_SIZE(asked.get()) != node->edge_count) return true;
    for (Py_ssize_t i = 0; i < node->edge_count; i++) {
        long position = PyLong_AsLong(PyList_GET_ITEM(asked.get(), i));
        order.push_back(static_cast<int>(std::clamp<long>(position, 0, node->edge_count - 1)));
    }
    return !PyErr_Occurred();
}

// The first leaf with hooks was met while a node was served: put what came from that node in its order.
bool Run::arrange_leaves(Node* node, int known) {
    std::vector<int> order;
    if (!find_order(node, order)) return false;
    auto turn = [&](int index) {
        auto at = [&](int position) { return node->edges[position] == arrivals[index].target; };
        return std::find_if(order.begin(), order.end(), at) - order.begin();
    };
    arranged = !order.empty();
    if (arranged) {
        std::stable_sort(leaves.begin() + known, leaves.end(),
                         [&](int one, int other) { return turn(one) < turn(other); });
    }
    return true;
}

// An edge has been served; its target is ready if it was the last.
bool Run::close_edge(PyObject* target) {
    if (--(*ahead)[target] > 0) return true;
    queue(is_node(target) ? rank_of(as_node(target)) : LEAF + haste, find_arrival(target));
    return true;
}

// When a node runs that is ready: the newest first, but as soon as a leaf where the op has no derivative.
uint64_t Run::rank_of(const Node* node) {
    if (node->plan != nullptr && node->plan->op->kernel != nullptr && node->plan->op->kernel->backward != nullptr) {
        return node->number;
    }
    return std::strcmp(Py_TYPE(node)->tp_name, "NotImplemented") == 0 ? LEAF : node->number;
}

// Nothing arrives at a target: its hooks, and a user's Function, are called all the same.
bool Run::touch(PyObject* target) {
    if (find_arrival(target) >= 0) return true;
    return add_arrival(target, is_node(target) ? std::max(as_node(target)->output_count, 1) : 1) >= 0;
}

// As `send`: all at once, or one edge after the other in the order that the node's class asks for.
bool Run::send_in_order(Node* node, PyArrayObject** found, int count) {
    std::vector<int> order;
    bool fine = find_order(node, order);
    for (int i = 0; i < node->edge_count && fine; i++) {
        int position = order.empty() ? i : order[i];
        haste = order.empty() ? 0 : node->edge_count - i;
        fine = pass_on(node, position, position < count ? std::exchange(found[position], nullptr) : nullptr);
    }
    haste = 0;
    return fine;
}

// A node has failed: leaves that were complete before it get their gradients all the same.
void Run::store_complete(PyObject* failed) {
    if (ahead || (for_inputs && !accumulating)) return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    try {
        count_ahead(failed);
        for (int index : leaves) {
            PyObject* leaf = arrivals[index].target;
            PyArrayObject* grad = arrivals[index].one;
            if (leaf == nullptr || grad == nullptr || ahead->count(leaf) != 0) continue;
            arrivals[index].one = nullptr;
            if (!finish_leaf(as_tensor(leaf), grad)) PyErr_Clear();
        }
    } catch (const std::bad_alloc&) {
        // the first failure is told; leaves go without
    }
    PyErr_Restore(type, value, traceback);
}

// For each edge of a node whether a gradient is wanted there; None where all are.
PyObject* Run::wanted_edges(Node* node) {
    if (!for_inputs) Py_RETURN_NONE;
    PyObject* list = PyList_New(node->edge_count);
    for (int i = 0; list != nullptr && i < node->edge_count; i++) {
        bool wanted = is_wanted(node->edges[i]);
        PyList_SET_ITEM(list, i, PyBool_FromLong(wanted));
    }
    return list;
}

}  // namespace rushlight
