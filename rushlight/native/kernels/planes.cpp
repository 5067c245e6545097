// Planes of images: copied with their padding, thinned out, packed, and results put where they belong.
#include "convolution.h"
#include "families.h"
#include "vector.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::Rows;
using rushlight::Run;
using rushlight::Tap;

namespace {

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

// Registers of a panel's row, from left to right: each may write beyond its run, where the next one, or the first one of
// the next row, writes again. With masks it took three times as long.
template <class T>
void pack(const void* b, const Tap* steps, int64_t taps, const Run* runs, int64_t run_count, int64_t width,
          void* panel) {
    constexpr int64_t L = PER_REGISTER<T>;
    struct Piece {
        int64_t from, lane;
    } pieces[2 * rushlight::WIDEST_PANEL];
    int64_t count = 0;
    for (int64_t r = 0; r < run_count; r++) {
        for (int64_t at = 0; at < runs[r].count; at += L) pieces[count++] = {runs[r].to + at, runs[r].lane + at};
    }
    T* row = static_cast<T*>(panel);
    for (int64_t t = 0; t < taps; t++, row += width) {
        const T* seen = static_cast<const T*>(b) + steps[t].b;
        for (int64_t k = 0; k < count; k++) store(row + pieces[k].lane, load(seen + pieces[k].from));
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

// Every second number of two registers, from the first or the second one on.
template <bool ODD, class V, int... I>
ALWAYS_INLINE V halved(V one, V other, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(one, other, (2 * I + (ODD ? 1 : 0))...);
}

// COUNT registers of neighbours become registers of every COUNT-th number, from the first on, from the second on, ...
template <class T, int COUNT>
ALWAYS_INLINE void deal(Vector<T>* values) {
    if constexpr (COUNT > 1) {
        constexpr auto lanes = std::make_integer_sequence<int, PER_REGISTER<T>>();
        Vector<T> even[COUNT / 2], odd[COUNT / 2];
        for (int i = 0; i < COUNT / 2; i++) {
            even[i] = halved<false>(values[2 * i], values[2 * i + 1], lanes);
            odd[i] = halved<true>(values[2 * i], values[2 * i + 1], lanes);
        }
        deal<T, COUNT / 2>(even);
        deal<T, COUNT / 2>(odd);
        for (int i = 0; i < COUNT / 2; i++) {
            values[2 * i] = even[i];
            values[2 * i + 1] = odd[i];
        }
    }
}

// Every STEP-th number of a row, from each of the first STEP on: planes that lie `plane` apart.
template <class T, int STEP>
ALWAYS_INLINE void deal_out(const T* from, T* to, int64_t count, int64_t plane) {
    constexpr int64_t L = PER_REGISTER<T>;
    for (; count >= L; count -= L, from += STEP * L, to += L) {
        Vector<T> values[STEP];
        for (int k = 0; k < STEP; k++) values[k] = load(from + k * L);
        deal<T, STEP>(values);
        for (int k = 0; k < STEP; k++) store(to + k * plane, values[k]);
    }
    if (count == 0) return;
    Vector<T> values[STEP];
    for (int k = 0; k < STEP; k++) {
        int64_t left = count * STEP - k * L;
        values[k] = load_some(from + k * L, left < 0 ? 0 : left < L ? left : L);
    }
    deal<T, STEP>(values);
    for (int k = 0; k < STEP; k++) store_some(to + k * plane, values[k], count);
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
void fill(ConvolutionLoops& loops, int which) {
    loops.pack[which] = pack<T>;
    loops.unpack[which] = unpack<T>;
    loops.copy_rows[which] = copy_rows<T>;
    loops.turn_rows[which] = turn_rows<T>;
}

}  // namespace

void planes(Table& table) {
    fill<float>(table.convolution, 0);
    fill<double>(table.convolution, 1);
}

}  // namespace LEVEL
