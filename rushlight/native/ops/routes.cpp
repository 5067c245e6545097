// Routes: composed pointwise functions that stand for a call of one op.
#include "seam/call.h"

namespace rushlight {

namespace {

Inner where_op("_where"), pow_op("pow"), div_op("div");

NAMES(Where, condition, input, other, out);

PyObject* where(Call& call) {
    PyObject *input = call[Where::input], *other = call[Where::other];
    DECLINE_IF(input == Py_None || other == Py_None);
    return where_op.either(call[Where::condition], input, other);
}

NAMES(Square, input, out);

PyObject* square(Call& call) {
    static PyObject* two = PyLong_FromLong(2);
    return pow_op.either(call[Square::input], two);
}

NAMES(TrueDivide, input, other, out);

PyObject* true_divide(Call& call) { return div_op.either(call[TrueDivide::input], call[TrueDivide::other]); }

KERNEL("where").route(where, Where::names).takes(tensor(Where::condition), none(Where::out)).lazy();
KERNEL("square").route(square, Square::names).takes(none(Square::out)).lazy();
KERNEL("true_divide").route(true_divide, TrueDivide::names).takes(none(TrueDivide::out)).lazy();

}  // namespace

}  // namespace rushlight
