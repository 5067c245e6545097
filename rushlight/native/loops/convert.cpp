// Conversion between arrays of any layout.
#include "loops/convert.h"

#include "loops/walk.h"
#include "memory/arrays.h"

namespace rushlight {

namespace {

template <int from, int to>
void converting(const void* const* inputs, void* output, int64_t count) {
    table().convert[from][to](inputs[0], output, count);
}

// From what the walk reads to what it writes. Half precision is read, and written, as float32.
Loop loop_between(int from, int to) {
    constexpr Loop same[DTYPES] = {converting<FLOAT32, FLOAT32>, converting<FLOAT64, FLOAT64>, converting<INT64, INT64>,
                                   converting<BOOL, BOOL>};
    constexpr Loop from_float32[DTYPES] = {converting<FLOAT32, FLOAT32>, converting<FLOAT32, FLOAT64>,
                                           converting<FLOAT32, INT64>, converting<FLOAT32, BOOL>};
    return from == FLOAT32 ? from_float32[to] : same[to];
}

}  // namespace

bool may_convert(PyArrayObject* to, PyArrayObject* from) { return kept_dtype_of(to) >= 0 && kept_dtype_of(from) >= 0; }

void convert_into(PyArrayObject* to, PyArrayObject* from) {
    int source = kept_dtype_of(from), target = kept_dtype_of(to);
    Operands operands;
    operands.ndim = PyArray_NDIM(to);
    operands.dims = PyArray_DIMS(to);
    operands.size = element_count(to);
    if (operands.size == 0) return;
    int kept = target < DTYPES ? target : +FLOAT32;
    int read = source < DTYPES ? kept : +FLOAT32;
    if (source < DTYPES) {
        operands.add(from, read);
    } else {
        operands.add_half(from);
    }
    walk(operands, loop_between(read, kept), to, target);
}

}  // namespace rushlight
