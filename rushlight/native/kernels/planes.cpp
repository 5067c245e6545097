// Planes of images: copied with their padding, thinned out, packed, and results put where they belong.
#include "kernels/convolution.h"
#include "kernels/table.h"
#include "kernels/tile_sizes.h"

namespace LEVEL {

using rushlight::ConvolutionLoops;
using rushlight::PlaceRun;
using rushlight::Rows;
using rushlight::Tap;

namespace {

// Neighbours: whole registers, then the rest.
template <class T>
ALWAYS_INLINE void copy_run(const T* from, T* to, int64_t count) {
    constexpr int64_t L = PER_REGISTER<T>;
    int64_t at = 0;
    for (; at + L <= count; at += L) store(to + at, load(from + at));
    if (at < count) store_some(to + at, load_some(from + at, count - at), count - at);
}

// What a register of a panel's row is read from, and where it goes.
struct Piece {
    int64_t from, lane;
};

// COUNT is known for few pieces, which then stay in registers.
template <class T, int COUNT = 0>
ALWAYS_INLINE void pack_pieces(const T* b, const Tap* steps, int64_t taps, const Piece* given, int64_t many,
                               int64_t width, T* row) {
    Piece pieces[COUNT + 1];
    for (int k = 0; k < COUNT; k++) pieces[k] = given[k];
    for (int64_t t = 0; t < taps; t++, row += width) {
        const T* seen = b + steps[t].b;
        if constexpr (COUNT > 0) {
            for (int k = 0; k < COUNT; k++) store(row + pieces[k].lane, load(seen + pieces[k].from));
        } else {
            for (int64_t k = 0; k < many; k++) store(row + given[k].lane, load(seen + given[k].from));
        }
    }
}

// Registers of a panel's row, from left to right: each may write beyond its run, where the next one, or the first one
// of the next row, writes again. With masks it took three times as long.
template <class T>
void pack(const void* b, const Tap* steps, int64_t taps, const PlaceRun* runs, int64_t run_count, int64_t width,
          void* panel) {
    constexpr int64_t L = PER_REGISTER<T>;
    Piece pieces[2 * rushlight::WIDEST_PANEL];
    int64_t count = 0;
    for (int64_t r = 0; r < run_count; r++) {
        for (int64_t at = 0; at < runs[r].count; at += L) pieces[count++] = {runs[r].to + at, runs[r].lane + at};
    }
    const T* seen = static_cast<const T*>(b);
    T* row = static_cast<T*>(panel);
    if (count == 3) return pack_pieces<T, 3>(seen, steps, taps, pieces, count, width, row);
    if (count == 4) return pack_pieces<T, 4>(seen, steps, taps, pieces, count, width, row);
    pack_pieces<T>(seen, steps, taps, pieces, count, width, row);
}

// Neighbours to every second place.
template <class T>
ALWAYS_INLINE void store_apart(const T* from, T* to, int64_t count) {
    for (int64_t j = 0; j < count; j++) to[2 * j] = from[j];
}
#if defined(__AVX512F__)
ALWAYS_INLINE void store_apart(const float* from, float* to, int64_t count) {
    const __m512i lanes = _mm512_setr_epi32(0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0);
    for (; count > 0; count -= 8, from += 8, to += 16) {
        const int64_t here = count < 8 ? count : 8;
        Vector<float> apart = _mm512_permutexvar_ps(lanes, load_some(from, here));
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>(0x5555 & ((1u << (2 * here)) - 1)), apart);
    }
}
#endif

template <class T>
void unpack(const void* c, int64_t rows, int64_t c_row, const PlaceRun* runs, int64_t run_count, int64_t to_row,
            int64_t to_place, void* to) {
    for (int64_t r = 0; r < run_count; r++) {
        const T* from = static_cast<const T*>(c) + runs[r].lane;
        T* place = static_cast<T*>(to) + runs[r].to;
        const int64_t count = runs[r].count;
        for (int64_t i = 0; i < rows; i++, from += c_row, place += to_row) {
            if (to_place == 1) {
                copy_run(from, place, count);
            } else if (to_place == 2) {
                store_apart(from, place, count);
            } else {
                for (int64_t j = 0; j < count; j++) place[j * to_place] = from[j];
            }
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

// Thinned rows: what is inside for all phases is dealt out at once, the rest follows column by column.
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
        for (int64_t j = inside.first; j < inside.last; j++) {
            if (j == first && first < last) j = last;
            if (j == inside.last) break;
            const T* seen = band.source + k + j * step;
            for (int64_t i = 0; i < band.count; i++) to[i * columns + j] = seen[i * band.step];
        }
    }
}

template <class T>
void copy_rows(const void* from, const Rows& rows, int64_t phases, void* to) {
    const int64_t columns = rows.columns;
    Band<T> band(static_cast<const T*>(from), rows);
    // all at once: to fill a row's few columns of padding would take longer
    std::memset(to, 0, sizeof(T) * phases * rows.count * columns);
    T* row = static_cast<T*>(to) + band.first * columns;
    if (rows.column_step > 1) return copy_phases(band, rows, phases, row);
    Inside inside(rows.first_column, rows.source_columns, 1, columns);
    const T* seen = band.source + inside.first;
    row += inside.first;
    for (int64_t i = 0; i < band.count; i++, row += columns, seen += band.step) {
        copy_run(seen, row, inside.last - inside.first);
    }
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
