// Gradients of weights: sums over places of what a tap sees, times the gradients there.
#include "kernels/convolution.h"
#include "kernels/table.h"
#include "kernels/tile_sizes.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::WeightSum;

namespace {

// A tile of sums, `width` in a row for each tap, to the weights of up to `width` outputs.
template <class T>
ALWAYS_INLINE void give_weights(const T* sums, int64_t rows, int64_t width, int64_t outputs, T* to, int64_t to_output) {
    int64_t o = 0;
    for (; o + 4 <= outputs; o += 4) {
        int64_t i = 0;
        for (; i + 4 <= rows; i += 4) turn_four(sums + i * width + o, width, to + o * to_output + i, to_output);
        for (; i < rows; i++) {
            for (int k = 0; k < 4; k++) to[(o + k) * to_output + i] = sums[i * width + o + k];
        }
    }
    for (; o < outputs; o++) {
        for (int64_t i = 0; i < rows; i++) to[o * to_output + i] = sums[i * width + o];
    }
}

// Taps in rows, outputs in lanes.
template <class T, int ROWS, int VECTORS>
APART void sum_tile(const WeightSum& all, int64_t tap, int64_t output) {
    constexpr int L = PER_REGISTER<T>, WIDTH = VECTORS * L;
    Vector<T> sums[ROWS][VECTORS] = {};
    const T* seen[ROWS];
    for (int i = 0; i < ROWS; i++) seen[i] = static_cast<const T*>(all.image) + all.taps[tap + i];
    const T* grads = static_cast<const T*>(all.grads) + output * all.place_count;
    const int32_t *place = all.places, *last = place + all.place_count;
    for (; place != last; place++, grads += WIDTH) {
        const int64_t j = *place;
        Vector<T> row[VECTORS];
        for (int v = 0; v < VECTORS; v++) row[v] = load(grads + v * L);
        for (int i = 0; i < ROWS; i++) {
            Vector<T> factor = spread(seen[i][j]);
            for (int v = 0; v < VECTORS; v++) sums[i][v] = add_product(factor, row[v], sums[i][v]);
        }
    }
    T* before = static_cast<T*>(all.sums) + output * all.tap_count + tap * WIDTH;
    if (!all.is_first) {
        for (int i = 0; i < ROWS * VECTORS; i++) sums[i / VECTORS][i % VECTORS] += load(before + i * L);
    }
    alignas(64) T found[ROWS * WIDTH];
    T* to = all.is_last ? found : before;
    for (int i = 0; i < ROWS * VECTORS; i++) store(to + i * L, sums[i / VECTORS][i % VECTORS]);
    if (!all.is_last) return;
    const int64_t left = all.outputs - output;
    give_weights(found, ROWS, WIDTH, left < WIDTH ? left : WIDTH,
                 static_cast<T*>(all.weights) + output * all.tap_count + tap, all.tap_count);
}

template <class T, int ROWS, int VECTORS>
void sum_last(const WeightSum& all, int64_t tap, int64_t rows, int64_t output) {
    if (rows == ROWS) return sum_tile<T, ROWS, VECTORS>(all, tap, output);
    if constexpr (ROWS > 1) sum_last<T, ROWS - 1, VECTORS>(all, tap, rows, output);
}

template <class T, int VECTORS>
void sum_panel(const WeightSum& all, int64_t begin, int64_t end, int64_t output) {
    int64_t tap = begin;
    for (; end - tap >= TALL; tap += TALL) sum_tile<T, TALL, VECTORS>(all, tap, output);
    if (tap < end) sum_last<T, TALL, VECTORS>(all, tap, end - tap, output);
}

template <class T>
void sum_weights(const WeightSum& all, int64_t begin, int64_t end) {
    const int32_t* vectors = all.panels;
    for (int64_t output = 0; output < all.outputs; output += *vectors++ * PER_REGISTER<T>) {
        if (*vectors == 1) sum_panel<T, 1>(all, begin, end, output);
        if (*vectors == 2) sum_panel<T, 2>(all, begin, end, output);
        if constexpr (WIDE > 2) {
            if (*vectors == 3) sum_panel<T, 3>(all, begin, end, output);
        }
    }
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
            static_cast<T*>(all.weights)[(output + i) * all.tap_count + tap + k] += total;
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
    loops.output_registers = WIDE;
    loops.sum_weights[which] = sum_weights<T>;
    loops.dot_weights[which] = dot_weights<T>;
    loops.sum_row[which] = sum_row<T>;
}

}  // namespace

void weight_gradient(Table& table) {
    fill<float>(table.convolution, 0);
    fill<double>(table.convolution, 1);
}

}  // namespace LEVEL
