// Gradients that were asked for: `autograd.grad`, and `backward(inputs=...)`.
#include <algorithm>

#include "run.h"

namespace rushlight {

Captured* Run::find_captured(PyObject* edge, int number) {
    for (Captured& each : captured) {
        if (each.edge == edge && each.number == number) return &each;
    }
    return nullptr;
}

// Which nodes have a path to one of the wanted edges; those alone need to run.
bool Run::find_needed(PyObject* roots) {
    std::vector<Node*> stack, nodes;
    needed.emplace();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject* each = PyList_GET_ITEM(roots, i);
        if (is_node(each) && needed->emplace(each, false).second) stack.push_back(as_node(each));
    }
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        nodes.push_back(node);
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge != nullptr && is_node(edge) && needed->emplace(edge, false).second) stack.push_back(as_node(edge));
        }
    }
    if (accumulating) {
        for (Captured& each : captured) (*needed)[each.edge] = true;
    }
    std::sort(nodes.begin(), nodes.end(), [](Node* a, Node* b) { return a->number < b->number; });
    for (Node* node : nodes) {
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge == nullptr) continue;
            auto known = needed->find(edge);
            bool wanted = known != needed->end() && known->second;
            for (Captured& each : captured) wanted = wanted || each.edge == edge;
            if (wanted) (*needed)[as_object(node)] = true;
        }
    }
    return true;
}

bool Run::is_needed(PyObject* target) {
    auto known = needed->find(target);
    return known != needed->end() && known->second;
}

// Keep the gradients that were asked for.
bool Run::capture_node(Node* node, Arrival& arrival) {
    for (int i = 0; i < arrival.count && !accumulating; i++) {
        Captured* found = arrival.at(i) == nullptr ? nullptr : find_captured(as_object(node), i);
        if (found == nullptr) continue;
        PyObject* grad = tensor_or_none(arrival.at(i));
        if (grad == nullptr) return false;
        Py_XSETREF(found->grad, grad);
    }
    return true;
}

}  // namespace rushlight
