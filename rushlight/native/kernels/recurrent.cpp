// One step of a recurrent layer: gates, cells and states of some rows, and their gradients.
#include "kernels/recurrent.h"

#include "kernels/math.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::RecurrentSlope;
using rushlight::RecurrentStep;

namespace {

struct Lstm {
    template <class T>
    static void step(const RecurrentStep& step) {
        const int64_t size = step.size;
        for (int64_t row = 0; row < step.rows; row++) {
            T* entry = static_cast<T*>(step.gates) + row * step.gates_row;
            T *forget = entry + size, *update = forget + size, *exit = update + size, *squashed = exit + size;
            T *cell = static_cast<T*>(step.cell) + row * size, *cells = static_cast<T*>(step.cells) + row * size;
            T *hidden = static_cast<T*>(step.hidden) + row * size, *output = static_cast<T*>(step.output) + row * size;
#pragma omp simd
            for (int64_t j = 0; j < size; j++) {
                T i = math::sigmoid(entry[j]), f = math::sigmoid(forget[j]), u = math::tanh(update[j]);
                T now = f * cell[j] + i * u;
                entry[j] = i;
                forget[j] = f;
                update[j] = u;
                cell[j] = now;
                cells[j] = now;
            }
#pragma omp simd
            for (int64_t j = 0; j < size; j++) {
                T o = math::sigmoid(exit[j]), s = math::tanh(cell[j]), visible = o * s;
                exit[j] = o;
                squashed[j] = s;
                hidden[j] = visible;
                output[j] = visible;
            }
        }
    }

    template <class T, bool GIVEN>
    static void slope(const RecurrentSlope& slope) {
        const int64_t size = slope.size;
        for (int64_t row = 0; row < slope.rows; row++) {
            const T* entry = static_cast<const T*>(slope.gates) + row * slope.gates_row;
            const T *forget = entry + size, *update = forget + size, *exit = update + size, *squashed = exit + size;
            const T* before = static_cast<const T*>(slope.before) + row * size;
            const T* given = static_cast<const T*>(slope.given) + (GIVEN ? row * size : 0);
            const T* hidden = static_cast<const T*>(slope.hidden_grad) + row * size;
            T* cell = static_cast<T*>(slope.cell_grad) + row * size;
            T* delta = static_cast<T*>(slope.deltas) + row * 4 * size;
#pragma omp simd
            for (int64_t j = 0; j < size; j++) {
                T grad = GIVEN ? hidden[j] + given[j] : hidden[j];
                T i = entry[j], f = forget[j], u = update[j], o = exit[j], s = squashed[j];
                T through = cell[j] + grad * o * (1 - s * s);
                delta[j] = through * u * i * (1 - i);
                delta[size + j] = through * before[j] * f * (1 - f);
                delta[2 * size + j] = through * i * (1 - u * u);
                delta[3 * size + j] = grad * s * o * (1 - o);
                cell[j] = through * f;
            }
        }
    }
};

struct Gru {
    template <class T>
    static void step(const RecurrentStep& step) {
        const int64_t size = step.size;
        for (int64_t row = 0; row < step.rows; row++) {
            T* reset = static_cast<T*>(step.gates) + row * step.gates_row;
            T *keep = reset + size, *fresh = keep + size, *inner = fresh + size;
            const T* own = static_cast<const T*>(step.own) + row * 3 * size;
            T *hidden = static_cast<T*>(step.hidden) + row * size, *output = static_cast<T*>(step.output) + row * size;
#pragma omp simd
            for (int64_t j = 0; j < size; j++) {
                T r = math::sigmoid(reset[j] + own[j]), z = math::sigmoid(keep[j] + own[size + j]);
                T part = own[2 * size + j], n = math::tanh(fresh[j] + r * part);
                T visible = n + z * (hidden[j] - n);
                reset[j] = r;
                keep[j] = z;
                fresh[j] = n;
                inner[j] = part;
                hidden[j] = visible;
                output[j] = visible;
            }
        }
    }

    template <class T, bool GIVEN>
    static void slope(const RecurrentSlope& slope) {
        const int64_t size = slope.size;
        for (int64_t row = 0; row < slope.rows; row++) {
            const T* reset = static_cast<const T*>(slope.gates) + row * slope.gates_row;
            const T *keep = reset + size, *fresh = keep + size, *inner = fresh + size;
            const T* before = static_cast<const T*>(slope.before) + row * size;
            const T* given = static_cast<const T*>(slope.given) + (GIVEN ? row * size : 0);
            T* hidden = static_cast<T*>(slope.hidden_grad) + row * size;
            T *delta = static_cast<T*>(slope.deltas) + row * 3 * size,
              *own = static_cast<T*>(slope.own) + row * 3 * size;
#pragma omp simd
            for (int64_t j = 0; j < size; j++) {
                T grad = GIVEN ? hidden[j] + given[j] : hidden[j];
                T r = reset[j], z = keep[j], n = fresh[j];
                T change = grad * (1 - z) * (1 - n * n), by_reset = change * inner[j] * r * (1 - r);
                T by_keep = grad * (before[j] - n) * z * (1 - z);
                delta[j] = by_reset;
                delta[size + j] = by_keep;
                delta[2 * size + j] = change;
                own[j] = by_reset;
                own[size + j] = by_keep;
                own[2 * size + j] = change * r;
                hidden[j] = grad * z;
            }
        }
    }
};

// The sums are in the output.
template <bool RELU>
struct Plain {
    template <class T>
    static void step(const RecurrentStep& step) {
        T *output = static_cast<T*>(step.output), *hidden = static_cast<T*>(step.hidden);
        const int64_t count = step.rows * step.size;
#pragma omp simd
        for (int64_t j = 0; j < count; j++) {
            T x = output[j], now = RELU ? (x < 0 ? T(0) : x) : math::tanh(x);
            output[j] = now;
            hidden[j] = now;
        }
    }

    template <class T, bool GIVEN>
    static void slope(const RecurrentSlope& slope) {
        const T *now = static_cast<const T*>(slope.before), *given = static_cast<const T*>(slope.given);
        const T* hidden = static_cast<const T*>(slope.hidden_grad);
        T* delta = static_cast<T*>(slope.deltas);
        const int64_t count = slope.rows * slope.size;
#pragma omp simd
        for (int64_t j = 0; j < count; j++) {
            T grad = GIVEN ? hidden[j] + given[j] : hidden[j];
            delta[j] = RELU ? (now[j] > 0 ? grad : grad * T(0)) : grad * (1 - now[j] * now[j]);
        }
    }
};

template <class Kind, class T>
void slope_of(const RecurrentSlope& slope) {
    if (slope.given != nullptr) {
        Kind::template slope<T, true>(slope);
    } else {
        Kind::template slope<T, false>(slope);
    }
}

template <class Kind>
ALWAYS_INLINE void add(rushlight::RecurrentLoops& loops, rushlight::Recurrence kind) {
    loops.step[kind][0] = Kind::template step<float>;
    loops.step[kind][1] = Kind::template step<double>;
    loops.slope[kind][0] = slope_of<Kind, float>;
    loops.slope[kind][1] = slope_of<Kind, double>;
}

}  // namespace

void recurrent(Table& table) {
    add<Lstm>(table.recurrent, rushlight::LSTM);
    add<Gru>(table.recurrent, rushlight::GRU);
    add<Plain<false>>(table.recurrent, rushlight::TANH);
    add<Plain<true>>(table.recurrent, rushlight::RELU);
}

}  // namespace LEVEL
