// The one row loop: an op that reads a row (along, or across) as a whole and writes a row, or a number for it.
//
//     struct Softmax {
//         template <class T, class Way>
//         static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) { ... }
//     };
//     add<Softmax>(table, rushlight::SOFTMAX);
#pragma once

#include "kernels/reduce.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::Piece;
using rushlight::RowArrays;

// The arrays of an op, at one row.
template <class T>
struct Row {
    const RowArrays& arrays;
    int64_t at, number;

    // with an element for each of the row's
    ALWAYS_INLINE const T* input(int which) const { return static_cast<const T*>(arrays.inputs[which]) + at; }
    ALWAYS_INLINE T* output(int which) const { return static_cast<T*>(arrays.outputs[which]) + at; }
    // with one element for the row, or for each column
    ALWAYS_INLINE const T* given(int which) const { return static_cast<const T*>(arrays.inputs[which]) + number; }
    ALWAYS_INLINE T* found(int which) const { return static_cast<T*>(arrays.outputs[which]) + number; }
    // the same for all rows
    ALWAYS_INLINE const T* shared(int which) const { return static_cast<const T*>(arrays.inputs[which]); }
    ALWAYS_INLINE double option(int which) const { return arrays.options[which]; }
};

template <class Op, class T>
void run_rows(const RowArrays& arrays, const Piece& piece) {
    if (piece.columns != 0) {
        Op::template run<T>(Across{piece.count, piece.stride, piece.columns}, Row<T>{arrays, piece.at, piece.row});
        return;
    }
    for (int64_t k = 0; k < piece.rows; k++) {
        Op::template run<T>(Along{piece.count}, Row<T>{arrays, piece.at + k * piece.count, piece.row + k});
    }
}

// For an op whose rows are always contiguous.
template <class Op, class T>
void run_along(const RowArrays& arrays, const Piece& piece) {
    for (int64_t k = 0; k < piece.rows; k++) {
        Op::template run<T>(Along{piece.count}, Row<T>{arrays, piece.at + k * piece.count, piece.row + k});
    }
}

template <class Op>
ALWAYS_INLINE void add(Table& table, rushlight::RowOp op) {
    table.folding.rows[op][rushlight::FLOAT32] = run_rows<Op, float>;
    table.folding.rows[op][rushlight::FLOAT64] = run_rows<Op, double>;
}

template <class Op>
ALWAYS_INLINE void add_along(Table& table, rushlight::RowOp op) {
    table.folding.rows[op][rushlight::FLOAT32] = run_along<Op, float>;
    table.folding.rows[op][rushlight::FLOAT64] = run_along<Op, double>;
}

}  // namespace LEVEL
