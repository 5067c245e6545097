// Recurrent layers: the loops of one step, which kernels/recurrent.cpp fills for one level of CPU. No Python here.
#pragma once

#include <cstdint>

namespace rushlight {

// Some rows of one step. A row of states has `size` numbers, a row of gates `gates_row` of which the first hold the
// sums from the input and the state before.
struct RecurrentStep {
    int64_t rows = 0, size = 0, gates_row = 0;
    void* gates = nullptr;      // sums come in, what the gradient needs goes out
    const void* own = nullptr;  // GRU: the sums from the state alone, 3 size a row
    void* hidden = nullptr;     // the visible state before, and after
    void* cell = nullptr;       // LSTM: the cell before, and after
    void* output = nullptr;     // the visible state after, once more
    void* cells = nullptr;      // LSTM: the cell after, once more
};

// The same rows in a backward, which writes the gradients of the sums.
struct RecurrentSlope {
    int64_t rows = 0, size = 0, gates_row = 0;
    const void* gates = nullptr;
    const void* before = nullptr;  // the cell before (LSTM), the state before (GRU), the state after (plain)
    const void* given = nullptr;   // the gradient of the output, or nullptr
    void* hidden_grad = nullptr;   // of the state after; GRU: what of it goes straight to the state before comes out
    void* cell_grad = nullptr;     // LSTM: of the cell after, and then of the cell before
    void* deltas = nullptr;        // of the sums from the input
    void* own = nullptr;           // GRU: of the sums from the state
};

enum Recurrence { LSTM, GRU, TANH, RELU, RECURRENCES };

// Float32 first, float64 second.
struct RecurrentLoops {
    void (*step[RECURRENCES][2])(const RecurrentStep& step) = {};
    void (*slope[RECURRENCES][2])(const RecurrentSlope& slope) = {};
};

}  // namespace rushlight
