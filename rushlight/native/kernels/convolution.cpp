// Convolutions: products of weights with what a kernel sees. See planes.cpp for what is read.
#include "kernels/convolution.h"

#include "kernels/table.h"
#include "kernels/tile_sizes.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::Correlation;
using rushlight::Tap;

namespace {

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

// The rows of a panel whose places fill VECTORS registers or fewer.
template <class T, int VECTORS>
void correlate_panel(const Correlation& all, int64_t panel) {
    if constexpr (VECTORS > 1) {
        if (all.places <= (VECTORS - 1) * PER_REGISTER<T>) return correlate_panel<T, VECTORS - 1>(all, panel);
    }
    int64_t row = 0;
    for (; all.rows - row >= TALL; row += TALL) correlate_tile<T, TALL, VECTORS>(all, row, panel);
    if (row < all.rows) correlate_last<T, TALL, VECTORS>(all, row, panel);
}

template <class T>
void correlate(const Correlation& all) {
    for (int64_t panel = 0; panel < all.panels; panel++) {
        if (all.wide) {
            correlate_last<T, FEW, LONG>(all, 0, panel);
        } else {
            correlate_panel<T, WIDE>(all, panel);
        }
    }
}

template <class T>
void fill(ConvolutionLoops& loops, int which) {
    loops.panel[which] = WIDE * PER_REGISTER<T>;
    loops.wide_panel[which] = LONG * PER_REGISTER<T>;
    loops.lanes[which] = PER_REGISTER<T>;
    loops.correlate[which] = correlate<T>;
}

}  // namespace

void convolution(Table& table) {
    table.convolution.few_rows = FEW;
    fill<float>(table.convolution, 0);
    fill<double>(table.convolution, 1);
}

}  // namespace LEVEL
