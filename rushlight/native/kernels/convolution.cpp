// Convolutions: products of weights with what a kernel sees, and of gradients with it. See planes.cpp for what is read.
#include "convolution.h"

#include "families.h"
#include "vector.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::Correlation;
using rushlight::Tap;
using rushlight::WeightSum;

namespace {

// A tile has TALL rows of WIDE registers, or FEW rows of LONG ones: as many sums as the CPU has registers for.
#if defined(__AVX512F__)
constexpr int TALL = 8, WIDE = 3, LONG = 8;
#elif defined(__AVX__)
constexpr int TALL = 6, WIDE = 2, LONG = 4;
#else
constexpr int TALL = 4, WIDE = 2, LONG = 4;
#endif
constexpr int FEW = 2;

// One tile, and the weights of the next one fetched into the cache meanwhile.
template <class T, int ROWS, int VECTORS>
APART void correlate_tile(const Correlation& all, int64_t row, int64_t panel) {
    constexpr int L = PER_REGISTER<T>;
    const T* a = static_cast<const T*>(all.a) + row * all.a_row;
    const T* b = static_cast<const T*>(all.b) + panel * all.b_panel;
    T* c = static_cast<T*>(all.c) + panel * all.c_panel + row * all.c_row;
    const T* start = all.start == nullptr ? nullptr : static_cast<const T*>(all.start) + row;
    Vector<T> sums[ROWS][VECTORS];
    for (int i = 0; i < ROWS; i++) {
        for (int v = 0; v < VECTORS; v++) {
            sums[i][v] = all.adds ? load(c + i * all.c_row + v * L) : spread(start == nullptr ? T(0) : start[i]);
        }
    }
    const Tap *tap = all.steps, *last = tap + all.taps;
    const T* weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = a + i * all.a_row;
    auto add_tap = [&](int64_t step) {
        const T* seen = b + tap->b;
        // one address, and not one kept for each register of it
        asm("" : "+r"(seen));
        Vector<T> places[VECTORS];
        for (int v = 0; v < VECTORS; v++) places[v] = load(seen + v * L);
        for (int i = 0; i < ROWS; i++) {
            Vector<T> weight = spread(weights[i][step]);
            for (int v = 0; v < VECTORS; v++) sums[i][v] = add_product(weight, places[v], sums[i][v]);
        }
    };
    if constexpr (ROWS == TALL) {
        const int64_t ahead = ROWS * all.a_row;
        while (last - tap >= ROWS) {
            for (int i = 0; i < ROWS; i++, tap++) {
                const int64_t step = tap->a;
                add_tap(step);
                // beyond the last row nothing happens
                __builtin_prefetch(weights[i] + step + ahead);
            }
        }
    }
    for (; tap != last; tap++) add_tap(tap->a);
    for (int i = 0; i < ROWS; i++) {
        for (int v = 0; v < VECTORS; v++) store(c + i * all.c_row + v * L, sums[i][v]);
    }
}

// As many rows as are left, up to ROWS.
template <class T, int ROWS, int VECTORS>
void correlate_last(const Correlation& all, int64_t row, int64_t panel) {
    if (all.rows - row == ROWS) return correlate_tile<T, ROWS, VECTORS>(all, row, panel);
    if constexpr (ROWS > 1) correlate_last<T, ROWS - 1, VECTORS>(all, row, panel);
}

template <class T>
void correlate(const Correlation& all) {
    for (int64_t panel = 0; panel < all.panels; panel++) {
        if (all.wide) {
            correlate_last<T, FEW, LONG>(all, 0, panel);
            continue;
        }
        int64_t row = 0;
        for (; all.rows - row >= TALL; row += TALL) correlate_tile<T, TALL, WIDE>(all, row, panel);
        if (row < all.rows) correlate_last<T, TALL, WIDE>(all, row, panel);
    }
}

// Taps in rows, outputs in lanes.
template <class T, int ROWS, int VECTORS>
APART void sum_tile(const WeightSum& all, int64_t tap, int64_t output) {
    constexpr int L = PER_REGISTER<T>;
    Vector<T> sums[ROWS][VECTORS] = {};
    T* to = static_cast<T*>(all.sums) + tap * all.outputs + output;
    const T* seen[ROWS];
    for (int i = 0; i < ROWS; i++) seen[i] = static_cast<const T*>(all.image) + all.taps[tap + i];
    const T* grads = static_cast<const T*>(all.grads) + output;
    for (int64_t r = 0; r < all.rows; r++) {
        const int64_t first = all.row_steps[r], last = first + all.columns;
        for (int64_t j = first; j < last; j++, grads += all.outputs) {
            Vector<T> row[VECTORS];
            for (int v = 0; v < VECTORS; v++) row[v] = load(grads + v * L);
            for (int i = 0; i < ROWS; i++) {
                Vector<T> factor = spread(seen[i][j]);
                for (int v = 0; v < VECTORS; v++) sums[i][v] = add_product(factor, row[v], sums[i][v]);
            }
        }
    }
    for (int i = 0; i < ROWS; i++) {
        for (int v = 0; v < VECTORS; v++) {
            T* sum = to + i * all.outputs + v * L;
            store(sum, load(sum) + sums[i][v]);
        }
    }
}

template <class T, int ROWS, int VECTORS>
void sum_last(const WeightSum& all, int64_t tap, int64_t rows, int64_t output) {
    if (rows == ROWS) return sum_tile<T, ROWS, VECTORS>(all, tap, output);
    if constexpr (ROWS > 1) sum_last<T, ROWS - 1, VECTORS>(all, tap, rows, output);
}

template <class T, int VECTORS>
int64_t sum_panels(const WeightSum& all, int64_t begin, int64_t end, int64_t output) {
    constexpr int64_t WIDTH = VECTORS * PER_REGISTER<T>;
    for (; output + WIDTH <= all.outputs; output += WIDTH) {
        int64_t tap = begin;
        for (; end - tap >= TALL; tap += TALL) sum_tile<T, TALL, VECTORS>(all, tap, output);
        if (tap < end) sum_last<T, TALL, VECTORS>(all, tap, end - tap, output);
    }
    return output;
}

template <class T>
void sum_weights(const WeightSum& all, int64_t begin, int64_t end) {
    int64_t output = sum_panels<T, 2>(all, begin, end, 0);
    sum_panels<T, 1>(all, begin, end, output);
}

// Places in lanes: for few outputs, which would not fill a register.
template <class T, int ROWS, int TAPS>
APART void dot_tile(const WeightSum& all, int64_t output, int64_t tap) {
    constexpr int L = PER_REGISTER<T>;
    Vector<T> sums[ROWS][TAPS] = {};
    const T* seen[TAPS];
    for (int k = 0; k < TAPS; k++) seen[k] = static_cast<const T*>(all.image) + all.taps[tap + k];
    const T* grads = static_cast<const T*>(all.grads) + output * all.grad_output;
    for (int64_t r = 0; r < all.rows; r++) {
        const T* row = grads + all.grad_rows[r];
        const int64_t first = all.row_steps[r];
        int64_t j = 0;
        for (; j + L <= all.columns; j += L) {
            Vector<T> grad[ROWS];
            for (int i = 0; i < ROWS; i++) grad[i] = load(row + i * all.grad_output + j);
            for (int k = 0; k < TAPS; k++) {
                Vector<T> image = load(seen[k] + first + j);
                for (int i = 0; i < ROWS; i++) sums[i][k] = add_product(grad[i], image, sums[i][k]);
            }
        }
        if (j < all.columns) {
            int64_t count = all.columns - j;
            Vector<T> grad[ROWS];
            for (int i = 0; i < ROWS; i++) grad[i] = load_some(row + i * all.grad_output + j, count);
            for (int k = 0; k < TAPS; k++) {
                Vector<T> image = load_some(seen[k] + first + j, count);
                for (int i = 0; i < ROWS; i++) sums[i][k] = add_product(grad[i], image, sums[i][k]);
            }
        }
    }
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < TAPS; k++) {
            T total = 0;
            for (int l = 0; l < L; l++) total += sums[i][k][l];
            static_cast<T*>(all.sums)[(output + i) * all.sum_output + tap + k] += total;
        }
    }
}

template <class T, int ROWS>
void dot_taps(const WeightSum& all, int64_t output, int64_t begin, int64_t end) {
    int64_t tap = begin;
    for (; end - tap >= 4; tap += 4) dot_tile<T, ROWS, 4>(all, output, tap);
    for (; tap < end; tap++) dot_tile<T, ROWS, 1>(all, output, tap);
}

template <class T>
void dot_weights(const WeightSum& all, int64_t begin, int64_t end) {
    constexpr int ROWS = TALL > 6 ? 6 : 3;
    int64_t output = 0;
    for (; all.outputs - output >= ROWS; output += ROWS) dot_taps<T, ROWS>(all, output, begin, end);
    for (; all.outputs - output >= 2; output += 2) dot_taps<T, 2>(all, output, begin, end);
    if (output < all.outputs) dot_taps<T, 1>(all, output, begin, end);
}

template <class T>
double sum_row(const void* given, int64_t count) {
    constexpr int L = PER_REGISTER<T>;
    const T* row = static_cast<const T*>(given);
    Vector<T> sums[4] = {};
    int64_t j = 0;
    for (; j + 4 * L <= count; j += 4 * L) {
        for (int v = 0; v < 4; v++) sums[v] += load(row + j + v * L);
    }
    for (; j + L <= count; j += L) sums[0] += load(row + j);
    if (j < count) sums[1] += load_some(row + j, count - j);
    Vector<T> all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double total = 0;
    for (int l = 0; l < L; l++) total += static_cast<double>(all[l]);
    return total;
}

template <class T>
void fill(ConvolutionLoops& loops, int which) {
    loops.panel[which] = WIDE * PER_REGISTER<T>;
    loops.wide_panel[which] = LONG * PER_REGISTER<T>;
    loops.lanes[which] = PER_REGISTER<T>;
    loops.correlate[which] = correlate<T>;
    loops.sum_weights[which] = sum_weights<T>;
    loops.dot_weights[which] = dot_weights<T>;
    loops.sum_row[which] = sum_row<T>;
}

}  // namespace

void convolution(Table& table) {
    table.convolution.few_rows = FEW;
    fill<float>(table.convolution, 0);
    fill<double>(table.convolution, 1);
}

}  // namespace LEVEL
