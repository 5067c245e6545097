// Routes: composed pointwise functions that stand for a call of one op.
#include "call.h"
#include "parts.h"

namespace rushlight {

namespace {

// The op's function on these arguments; nullptr where there is none.
template <class... Arguments>
PyObject* go_to(const char* name, Arguments... given) {
    Function* function = find_function(name);
    PyObject* arguments[] = {given...};
    return function == nullptr ? nullptr : call_function(function, arguments, sizeof...(given), nullptr);
}

PyObject* where(Call& call) {
    PyObject *condition = call[0], *input = call[1], *other = call[2], *out = call[3];
    if (!is_tensor(condition) || input == Py_None || other == Py_None || out != Py_None) return nullptr;
    return go_to("_where", condition, input, other);
}

PyObject* square(Call& call) {
    static PyObject* two = PyLong_FromLong(2);
    return call[1] == Py_None ? go_to("pow", call[0], two) : nullptr;
}

PyObject* true_divide(Call& call) { return call[2] == Py_None ? go_to("div", call[0], call[1]) : nullptr; }

PyObject* relu6(Call& call) {
    static PyObject* low = PyFloat_FromDouble(0);
    static PyObject* high = PyFloat_FromDouble(6);
    return go_to("nn.functional.hardtanh", call[0], low, high, call[1]);
}

}  // namespace

void register_routes() {
    add_route("where", where);
    add_route("square", square);
    add_route("true_divide", true_divide);
    add_route("nn.functional.relu6", relu6);
}

}  // namespace rushlight
