// Convolutions: products of weights with what a kernel sees, read from images that are laid out for it.
#include "convolution.h"

#include "families.h"
#include "vector.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::Correlation;
using rushlight::Rows;
using rushlight::Run;
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
    const int32_t *a_steps = all.a_steps, *last = a_steps + all.taps;
    const int64_t apart = all.b_steps - a_steps;
    const T* weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = a + i * all.a_row;
    auto add_tap = [&](int64_t step) {
        const T* seen = b + a_steps[apart];
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
        while (last - a_steps >= ROWS) {
            for (int i = 0; i < ROWS; i++, a_steps++) {
                const int64_t step = *a_steps;
                add_tap(step);
                // beyond the last row nothing happens
                __builtin_prefetch(weights[i] + step + ahead);
            }
        }
    }
    for (; a_steps != last; a_steps++) add_tap(*a_steps);
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

// Neighbours copied again and again: move(from, to, count) is called with parts of up to a register, each copied for all
// repetitions before the next one, so that nothing depends on how many there are.
template <class T, class Move>
ALWAYS_INLINE void in_registers(int64_t count, Move move) {
    constexpr int64_t L = PER_REGISTER<T>;
    int64_t at = 0;
    for (; at + L <= count; at += L) move(at, [](const T* from, T* to) { store(to, load(from)); });
    if (at == count) return;
    const int64_t rest = count - at;
    move(at, [rest](const T* from, T* to) { store_some(to, load_some(from, rest), rest); });
}

template <class T>
void pack(const void* b, const int32_t* b_steps, int64_t taps, const Run* runs, int64_t run_count, int64_t width,
          void* panel) {
    for (int64_t r = 0; r < run_count; r++) {
        const T* seen = static_cast<const T*>(b) + runs[r].to;
        T* lanes = static_cast<T*>(panel) + runs[r].lane;
        in_registers<T>(runs[r].count, [&](int64_t at, auto copy) {
            T* to = lanes + at;
            for (int64_t t = 0; t < taps; t++, to += width) copy(seen + at + b_steps[t], to);
        });
    }
}

template <class T>
void unpack(const void* c, int64_t rows, int64_t c_row, const Run* runs, int64_t run_count, int64_t to_row,
            int64_t to_place, void* to) {
    for (int64_t r = 0; r < run_count; r++) {
        const T* from = static_cast<const T*>(c) + runs[r].lane;
        T* place = static_cast<T*>(to) + runs[r].to;
        if (to_place == 1) {
            in_registers<T>(runs[r].count, [&](int64_t at, auto copy) {
                for (int64_t i = 0; i < rows; i++) copy(from + i * c_row + at, place + i * to_row + at);
            });
            continue;
        }
        for (int64_t i = 0; i < rows; i++, from += c_row, place += to_row) {
            for (int64_t j = 0; j < runs[r].count; j++) place[j * to_place] = from[j];
        }
    }
}

// Every STEP-th number of rows, from each of the first STEP on: planes that lie `plane` apart.
template <class T, int STEP>
ALWAYS_INLINE void deal_out(const T* from, T* to, int64_t count, int64_t plane) {
    for (int64_t j = 0; j < count; j++) {
        for (int k = 0; k < STEP; k++) to[k * plane + j] = from[j * STEP + k];
    }
}

// The columns of a copy that lie inside of the source.
struct Inside {
    int64_t first, last;

    ALWAYS_INLINE Inside(int64_t first_column, int64_t source, int64_t step, int64_t columns) {
        first = first_column >= 0 ? 0 : (-first_column + step - 1) / step;
        last = first_column >= source ? 0 : (source - first_column + step - 1) / step;
        first = first < columns ? first : columns;
        last = last < columns ? last : columns;
        last = last < first ? first : last;
    }
};

// The rows of a copy that lie inside of the source, and where these begin there.
template <class T>
struct Band {
    int64_t first, count, step;
    const T* source;

    ALWAYS_INLINE Band(const T* from, const Rows& rows) : step(rows.row_step * rows.source_columns) {
        Inside inside(rows.first_row, rows.source_rows, rows.row_step, rows.count);
        first = inside.first;
        count = inside.last - inside.first;
        source = from + (rows.first_row + first * rows.row_step) * rows.source_columns + rows.first_column;
    }
};

template <class T>
ALWAYS_INLINE void set_zero(T* row, int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; j++) row[j] = 0;
}

// Thinned rows: what is inside for all phases is dealt out at once, the rest follows one by one.
template <class T>
void copy_phases(const Band<T>& band, const Rows& rows, int64_t phases, T* to) {
    const int64_t step = rows.column_step, columns = rows.columns, plane = rows.count * columns;
    int64_t first = 0, last = columns;
    for (int64_t k = 0; k < phases; k++) {
        Inside inside(rows.first_column + k, rows.source_columns, step, columns);
        first = inside.first > first ? inside.first : first;
        last = inside.last < last ? inside.last : last;
    }
    if (phases != step || (step != 2 && step != 4) || last < first) last = first;
    for (int64_t i = 0; i < band.count && first < last; i++) {
        const T* seen = band.source + i * band.step + first * step;
        T* row = to + i * columns + first;
        step == 2 ? deal_out<T, 2>(seen, row, last - first, plane) : deal_out<T, 4>(seen, row, last - first, plane);
    }
    for (int64_t k = 0; k < phases; k++, to += plane) {
        Inside inside(rows.first_column + k, rows.source_columns, step, columns);
        const int64_t until = inside.first > first || first == last ? inside.last : first;
        for (int64_t i = 0; i < band.count; i++) {
            const T* seen = band.source + i * band.step + k;
            T* row = to + i * columns;
            set_zero(row, 0, inside.first);
            for (int64_t j = inside.first; j < until; j++) row[j] = seen[j * step];
            for (int64_t j = until > last ? until : last; j < inside.last; j++) row[j] = seen[j * step];
            set_zero(row, inside.last, columns);
        }
    }
}

template <class T>
void copy_rows(const void* from, const Rows& rows, int64_t phases, void* to) {
    const int64_t columns = rows.columns;
    Band<T> band(static_cast<const T*>(from), rows);
    T* first = static_cast<T*>(to);
    for (int64_t k = 0; k < phases; k++) {
        T* plane = first + k * rows.count * columns;
        const int64_t after = band.first + band.count;
        std::memset(plane, 0, sizeof(T) * band.first * columns);
        std::memset(plane + after * columns, 0, sizeof(T) * (rows.count - after) * columns);
    }
    T* row = first + band.first * columns;
    if (rows.column_step > 1) return copy_phases(band, rows, phases, row);
    Inside inside(rows.first_column, rows.source_columns, 1, columns);
    in_registers<T>(inside.last - inside.first, [&](int64_t at, auto copy) {
        const int64_t column = inside.first + at;
        for (int64_t i = 0; i < band.count; i++) copy(band.source + i * band.step + column, row + i * columns + column);
    });
    for (int64_t i = 0; i < band.count; i++, row += columns) {
        set_zero(row, 0, inside.first);
        set_zero(row, inside.last, columns);
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

// Four rows of four numbers, turned.
template <class T>
ALWAYS_INLINE void turn_four(const T* from, int64_t step, T* to, int64_t width) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four rows[4];
    for (int i = 0; i < 4; i++) std::memcpy(&rows[i], from + i * step, sizeof rows[i]);
    Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    for (int i = 0; i < 4; i++) std::memcpy(to + i * width, &rows[i], sizeof rows[i]);
}

template <class T>
void turn_rows(const void* given, int64_t outputs, int64_t places, int64_t from_row, int64_t width, void* made) {
    const T* from = static_cast<const T*>(given);
    T* to = static_cast<T*>(made);
    int64_t o = 0;
    for (; o + 4 <= outputs; o += 4) {
        int64_t j = 0;
        for (; j + 4 <= places; j += 4) turn_four(from + o * from_row + j, from_row, to + j * width + o, width);
        for (; j < places; j++) {
            for (int i = 0; i < 4; i++) to[j * width + o + i] = from[(o + i) * from_row + j];
        }
    }
    for (; o < width; o++) {
        for (int64_t j = 0; j < places; j++) to[j * width + o] = o < outputs ? from[o * from_row + j] : T(0);
    }
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
    loops.pack[which] = pack<T>;
    loops.unpack[which] = unpack<T>;
    loops.copy_rows[which] = copy_rows<T>;
    loops.sum_weights[which] = sum_weights<T>;
    loops.dot_weights[which] = dot_weights<T>;
    loops.turn_rows[which] = turn_rows<T>;
    loops.sum_row[which] = sum_row<T>;
}

}  // namespace

void convolution(Table& table) {
    table.convolution.few_rows = FEW;
    fill<float>(table.convolution, 0);
    fill<double>(table.convolution, 1);
}

}  // namespace LEVEL
