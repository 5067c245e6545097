// Routes: composed pointwise functions that stand for a call of one op.
#include "call.h"

namespace rushlight {

namespace {

// The op's function on these arguments; nullptr where there is none.
template <class... Arguments>
PyObject* go_to(const char* name, Arguments... given) {
    Function* function = find_function(name);
    DECLINE_IF(function == nullptr);
    PyObject* arguments[] = {given...};
    return call_function(function, arguments, sizeof...(given), nullptr);
}

NAMES(Where, condition, input, other, out);

PyObject* where(Call& call) {
    PyObject *condition = call[Where::condition], *input = call[Where::input], *other = call[Where::other];
    DECLINE_IF(!is_tensor(condition) || input == Py_None || other == Py_None);
    DECLINE_IF(call[Where::out] != Py_None);
    return go_to("_where", condition, input, other);
}

NAMES(Square, input, out);

PyObject* square(Call& call) {
    static PyObject* two = PyLong_FromLong(2);
    DECLINE_IF(call[Square::out] != Py_None);
    return go_to("pow", call[Square::input], two);
}

NAMES(TrueDivide, input, other, out);

PyObject* true_divide(Call& call) {
    DECLINE_IF(call[TrueDivide::out] != Py_None);
    return go_to("div", call[TrueDivide::input], call[TrueDivide::other]);
}

NAMES(Relu6, input, inplace);

PyObject* relu6(Call& call) {
    static PyObject* low = PyFloat_FromDouble(0);
    static PyObject* high = PyFloat_FromDouble(6);
    return go_to("nn.functional.hardtanh", call[Relu6::input], low, high, call[Relu6::inplace]);
}

KERNEL("where").route(where, Where::names);
KERNEL("square").route(square, Square::names);
KERNEL("true_divide").route(true_divide, TrueDivide::names);
KERNEL("nn.functional.relu6").route(relu6, Relu6::names);

}  // namespace

}  // namespace rushlight
