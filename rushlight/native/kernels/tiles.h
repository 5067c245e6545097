// Tiles of a matrix product: blocks of sums that stay in registers while they run along the inner dim.
#pragma once

#include "kernels/products.h"
#include "kernels/vector.h"

namespace LEVEL {

namespace {

// A tile has TALL rows of WIDE registers: enough sums to hide the latency of an addition, and no more than the CPU has
// registers for. A single row is LONG registers wide.
#if defined(__AVX512F__)
constexpr int TALL = 8;
#else
constexpr int TALL = 4;
#endif
constexpr int WIDE = 2, LONG = 8;
// How many registers a panel of b fills, so that it stays in the first cache. PANEL_ROWS use it before the next one, so
// that those of a stay in the second; fewer where they are packed, too.
constexpr int64_t PANEL = 512, PACKED_ROWS = 64;

constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A part of a product: some rows of a, some columns of b, some of the inner dim.
template <class T>
struct Part {
    int64_t rows, columns, inner;
    const T* a;
    int64_t a_row, a_inner;
    bool packed_rows;  // a was packed: see pack_rows
    const T* b;
    int64_t b_inner, b_column;
    bool panelled;
    T* c;
    int64_t c_row, c_column;
    const T* start;
    int64_t start_row, start_column;
    T alpha, beta;

    ALWAYS_INLINE explicit Part(const rushlight::Product& all)
        : rows(all.rows),
          columns(all.columns),
          inner(all.inner),
          a(static_cast<const T*>(all.a)),
          a_row(all.a_row),
          a_inner(all.a_inner),
          packed_rows(false),
          b(static_cast<const T*>(all.b)),
          b_inner(all.b_inner),
          b_column(all.b_column),
          panelled(all.panelled),
          c(static_cast<T*>(all.c)),
          c_row(all.c_row),
          c_column(1),
          start(static_cast<const T*>(all.start)),
          start_row(all.start_row),
          start_column(all.start_column),
          alpha(T(all.alpha)),
          beta(T(all.beta)) {}

    // The product of the transposed factors, in the other order, is the transposed product.
    ALWAYS_INLINE Part transposed() const {
        Part part = *this;
        part.rows = columns, part.columns = rows;
        part.a = b, part.a_row = b_column, part.a_inner = b_inner;
        part.b = a, part.b_column = a_row, part.b_inner = a_inner;
        part.c_row = c_column, part.c_column = c_row;
        part.start_row = start_column, part.start_column = start_row;
        return part;
    }
    ALWAYS_INLINE Part from_row(int64_t row, int64_t most) const {
        Part part = *this;
        part.rows = smaller(rows - row, most);
        part.a += row * a_row;
        part.c += row * c_row;
        if (start != nullptr) part.start += row * start_row;
        return part;
    }
    ALWAYS_INLINE Part from_column(int64_t column, int64_t most) const {
        Part part = *this;
        part.columns = smaller(columns - column, most);
        part.b += column * b_column;
        part.c += column * c_column;
        if (start != nullptr) part.start += column * start_column;
        return part;
    }
    // What comes after the first part of the inner dim is added to it.
    ALWAYS_INLINE Part from_inner(int64_t place, int64_t most) const {
        Part part = *this;
        part.inner = smaller(inner - place, most);
        part.a += place * a_inner;
        part.b += place * b_inner;
        if (place > 0) {
            part.start = c;
            part.start_row = c_row;
            part.start_column = c_column;
            part.beta = 1;
        }
        return part;
    }
    // Whether sums that begin with the start, if there is one, are the result.
    ALWAYS_INLINE bool is_plain() const {
        return alpha == 1 && c_column == 1 && (start == nullptr || (start_column == 1 && beta == 1));
    }
};

// Sums, `step` in a row, go to their places in c: alpha times each, plus beta times what c starts with.
template <class T>
APART void finish(const Part<T>& part, int64_t rows, T* c, const T* start, const T* sums, int64_t step) {
    for (int64_t i = 0; i < rows; i++, sums += step, c += part.c_row) {
        for (int64_t j = 0; j < part.columns; j++) {
            T found = part.alpha * sums[j];
            if (start != nullptr) found += part.beta * start[i * part.start_row + j * part.start_column];
            c[j * part.c_column] = found;
        }
    }
}

// The columns of b are neighbours, and may be read up to whole registers. A tile that is plain has `last` columns in
// its last register, and fills the others.
template <class T, int ROWS, int VECTORS>
ALWAYS_INLINE void tile(const Part<T>& part, const T* a, T* c, const T* start, bool plain) {
    constexpr int L = PER_REGISTER<T>, LAST = VECTORS - 1;
    const int64_t last = part.columns - LAST * L;
    Vector<T> sums[ROWS][VECTORS] = {};
    if (plain && start != nullptr) {
        for (int i = 0; i < ROWS; i++) {
            const T* from = start + i * part.start_row;
            for (int v = 0; v < LAST; v++) sums[i][v] = load(from + v * L);
            sums[i][LAST] = last == L ? load(from + LAST * L) : load_some(from + LAST * L, last);
        }
    }
    const T* b = part.b;
    const int64_t a_row = part.a_row, a_inner = part.a_inner, b_inner = part.b_inner;
    for (int64_t left = part.inner; left > 0; left--, a += a_inner, b += b_inner) {
        Vector<T> row[VECTORS];
        for (int v = 0; v < VECTORS; v++) row[v] = load(b + v * L);
        for (int i = 0; i < ROWS; i++) {
            Vector<T> factor = spread(a[i * a_row]);
            for (int v = 0; v < VECTORS; v++) sums[i][v] = add_product(factor, row[v], sums[i][v]);
        }
    }
    if (plain) {
        for (int i = 0; i < ROWS; i++) {
            T* to = c + i * part.c_row;
            for (int v = 0; v < LAST; v++) store(to + v * L, sums[i][v]);
            if (last == L) {
                store(to + LAST * L, sums[i][LAST]);
            } else {
                store_some(to + LAST * L, sums[i][LAST], last);
            }
        }
    } else {
        alignas(64) T found[ROWS * VECTORS * L];
        for (int i = 0; i < ROWS * VECTORS; i++) store(found + i * L, sums[i / VECTORS][i % VECTORS]);
        finish(part, ROWS, c, start, found, VECTORS * L);
    }
}

// As many rows as are left, fewer than ROWS.
template <class T, int ROWS, int VECTORS>
ALWAYS_INLINE void last_tile(const Part<T>& part, int64_t rows, const T* a, T* c, const T* start, bool plain) {
    if constexpr (ROWS > 1) {
        if (rows == ROWS - 1) return tile<T, ROWS - 1, VECTORS>(part, a, c, start, plain);
        last_tile<T, ROWS - 1, VECTORS>(part, rows, a, c, start, plain);
    }
}

template <class T, int ROWS, int VECTORS>
APART void tiles(const Part<T>& part) {
    bool plain = part.columns > (VECTORS - 1) * PER_REGISTER<T> && part.is_plain();
    const T* a = part.a;
    T* c = part.c;
    const T* start = part.start;
    const int64_t a_tile = ROWS * (part.packed_rows ? part.inner : part.a_row);
    int64_t rows = part.rows;
    for (; rows >= ROWS; rows -= ROWS) {
        tile<T, ROWS, VECTORS>(part, a, c, start, plain);
        a += a_tile;
        c += ROWS * part.c_row;
        if (start != nullptr) start += ROWS * part.start_row;
    }
    if (rows > 0) last_tile<T, ROWS, VECTORS>(part, rows, a, c, start, plain);
}

// The columns of b in the order that tiles read them, each row filled up with zeros to `width`: whole registers.
template <class T>
APART void pack(const Part<T>& part, T* panel, int64_t width) {
    constexpr int64_t L = PER_REGISTER<T>;
    const T* b = part.b;
    if (part.b_column == 1) {
        for (int64_t p = 0; p < part.inner; p++, b += part.b_inner, panel += width) {
            int64_t j = 0;
            for (; j + L <= part.columns; j += L) store(panel + j, load(b + j));
            if (j < part.columns) store(panel + j, load_some(b + j, part.columns - j));
        }
        return;
    }
    if (part.columns < width) std::memset(panel, 0, sizeof(T) * part.inner * width);
    int64_t j = 0;
    for (; part.b_inner == 1 && j + 4 <= part.columns; j += 4, b += 4 * part.b_column) {
        int64_t p = 0;
        for (; p + 4 <= part.inner; p += 4) turn_four(b + p, part.b_column, panel + p * width + j, width);
        for (; p < part.inner; p++) {
            for (int i = 0; i < 4; i++) panel[p * width + j + i] = b[p + i * part.b_column];
        }
    }
    for (; j < part.columns; j++, b += part.b_column) {
        for (int64_t p = 0; p < part.inner; p++) panel[p * width + j] = b[p * part.b_inner];
    }
}

// A panel of columns, which fills VECTORS registers or fewer.
template <class T, int ROWS, int VECTORS>
ALWAYS_INLINE void use_panel(Part<T> part, bool packs, T* panel) {
    constexpr int64_t WIDTH = VECTORS * PER_REGISTER<T>;
    if constexpr (VECTORS > 1) {
        if (part.columns <= WIDTH / 2) return use_panel<T, ROWS, VECTORS / 2>(part, packs, panel);
    }
    if (!part.panelled && (packs || part.columns < WIDTH)) {
        pack(part, panel, WIDTH);
        part.b = panel;
        part.b_inner = WIDTH;
    }
    tiles<T, ROWS, VECTORS>(part);
}

// The rows of a in the order that tiles read them, ROWS at a time: where those are neighbours instead of what a row
// multiplies, every step along the inner dim would fetch a line from far away.
template <class T, int ROWS>
APART void pack_rows(Part<T>& part, T* to) {
    const bool neighbours = part.a_row == 1;
    for (int64_t p = 0; p < part.inner; p++) {
        const T* a = part.a + p * part.a_inner;
        T* packed = to + p * ROWS;
        int64_t i = 0;
        for (; neighbours && i + ROWS <= part.rows; i += ROWS, packed += part.inner * ROWS) {
            std::memcpy(packed, a + i, sizeof(T) * ROWS);
        }
        for (; i < part.rows; i += ROWS, packed += part.inner * ROWS) {
            for (int64_t k = 0; k < smaller(ROWS, part.rows - i); k++) packed[k] = a[(i + k) * part.a_row];
        }
    }
    part.a = to;
    part.a_row = 1;
    part.a_inner = ROWS;
    part.packed_rows = true;
}

// All columns for some rows and a part of the inner dim, one panel after the other.
template <class T, int ROWS, int VECTORS>
ALWAYS_INLINE void along_columns(const Part<T>& part, bool packs, T* panel) {
    constexpr int64_t WIDTH = VECTORS * PER_REGISTER<T>;
    for (int64_t j = 0; j < part.columns; j += WIDTH) {
        use_panel<T, ROWS, VECTORS>(part.from_column(j, WIDTH), packs, panel);
    }
}

template <class T, int ROWS, int VECTORS>
void panels(const Part<T>& all, bool packs) {
    constexpr int64_t WIDTH = VECTORS * PER_REGISTER<T>, DEPTH = PANEL / VECTORS;
    alignas(64) T panel[DEPTH * WIDTH];
    for (int64_t row = 0; row < all.rows; row += rushlight::PANEL_ROWS) {
        Part<T> some = all.from_row(row, rushlight::PANEL_ROWS);
        for (int64_t p = 0; p == 0 || p < all.inner; p += DEPTH) {
            along_columns<T, ROWS, VECTORS>(some.from_inner(p, DEPTH), packs, panel);
        }
    }
}

// The same with rows that are packed before.
template <class T, int ROWS, int VECTORS>
void panels_of_packed_rows(const Part<T>& all, bool packs) {
    constexpr int64_t WIDTH = VECTORS * PER_REGISTER<T>, DEPTH = PANEL / VECTORS;
    alignas(64) T panel[DEPTH * WIDTH];
    alignas(64) T rows[DEPTH * PACKED_ROWS];
    for (int64_t p = 0; p == 0 || p < all.inner; p += DEPTH) {
        for (int64_t row = 0; row < all.rows; row += PACKED_ROWS) {
            Part<T> part = all.from_row(row, PACKED_ROWS).from_inner(p, DEPTH);
            pack_rows<T, ROWS>(part, rows);
            along_columns<T, ROWS, VECTORS>(part, packs, panel);
        }
    }
}

}  // namespace
}  // namespace LEVEL
