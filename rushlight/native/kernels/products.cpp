// Products of matrices that are too small or too thin for a BLAS, and the sums that go with them.
#include "kernels/products.h"

#include "kernels/table.h"
#include "kernels/tiles.h"

namespace LEVEL {

using rushlight::Product;
using rushlight::ProductLoops;

namespace {

// A tile of sums along the inner dim, where the elements of both factors are neighbours: one sum a lane at the end.
template <class T, int ROWS>
ALWAYS_INLINE void dots(const Part<T>& part) {
    constexpr int L = PER_REGISTER<T>, COLUMNS = L / ROWS;
    Vector<T> sums[L] = {};
    // beyond the last column it is computed again
    const T* b[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) b[j] = part.b + smaller(j, part.columns - 1) * part.b_column;
    int64_t p = 0;
    for (; p + L <= part.inner; p += L) {
        for (int i = 0; i < ROWS; i++) {
            Vector<T> row = load(part.a + i * part.a_row + p);
            for (int j = 0; j < COLUMNS; j++) {
                sums[i * COLUMNS + j] = add_product(row, load(b[j] + p), sums[i * COLUMNS + j]);
            }
        }
    }
    if (p < part.inner) {
        int64_t count = part.inner - p;
        for (int i = 0; i < ROWS; i++) {
            Vector<T> row = load_some(part.a + i * part.a_row + p, count);
            for (int j = 0; j < COLUMNS; j++) {
                sums[i * COLUMNS + j] = add_product(row, load_some(b[j] + p, count), sums[i * COLUMNS + j]);
            }
        }
    }
    Vector<T> found = sum_lanes<T, L>(sums);
    if (ROWS == 1 && part.columns == L && part.is_plain()) {
        store(part.c, part.start == nullptr ? found : found + load(part.start));
    } else {
        T each[L];
        store(each, found);
        finish(part, ROWS, part.c, part.start, each, COLUMNS);
    }
}

template <class T, int ROWS>
void dots_along(const Part<T>& part) {
    constexpr int COLUMNS = PER_REGISTER<T> / ROWS;
    for (int64_t j = 0; j < part.columns; j += COLUMNS) dots<T, ROWS>(part.from_column(j, COLUMNS));
}

template <class T>
void dots_of_rows(const Part<T>& part) {
    int64_t row = 0;
    if constexpr (PER_REGISTER<T> >= 8) {
        for (; row + 4 <= part.rows; row += 4) dots_along<T, 4>(part.from_row(row, 4));
    }
    for (; row + 2 <= part.rows; row += 2) dots_along<T, 2>(part.from_row(row, 2));
    if (row < part.rows) dots_along<T, 1>(part.from_row(row, 1));
}

// A column times a row: each row of c is a multiple of b, written as fast as memory takes it.
template <class T>
void outer(const Part<T>& part) {
    constexpr int L = PER_REGISTER<T>;
    for (int64_t i = 0; i < part.rows; i++) {
        Vector<T> left = spread(part.a[i * part.a_row]);
        T* to = part.c + i * part.c_row;
        int64_t j = 0;
        for (; j + L <= part.columns; j += L) store(to + j, left * load(part.b + j));
        if (j < part.columns) store_some(to + j, left * load_some(part.b + j, part.columns - j), part.columns - j);
    }
}

template <class T>
void product_of(const Product& product, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    Part<T> all(product), part = all.from_row(row, rows).from_column(column, columns);
    bool plain = all.b_column == 1 && !all.panelled && all.start == nullptr && all.is_plain();
    if (all.inner == 1 && plain) return outer(part);
    // few columns fill no register: they become rows
    if (!all.panelled && all.columns <= PER_REGISTER<T> / 2 && all.columns < all.rows) {
        all = all.transposed();
        part = part.transposed();
    }
    // decided by the whole product, so that a part of it comes out the same
    if (all.b_inner == 1 && all.a_inner == 1 && all.rows < 8) return dots_of_rows(part);
    bool packs = all.b_column != 1 || (part.rows >= 16 && all.b_inner > 64);
    if (all.rows == 1 && !all.panelled) return panels<T, 1, LONG>(part, packs);
    bool far_apart = all.a_inner * int64_t(sizeof(T)) > 1024 && part.columns > 2 * WIDE * PER_REGISTER<T>;
    far_apart ? panels_of_packed_rows<T, TALL, WIDE>(part, packs) : panels<T, TALL, WIDE>(part, packs);
}

template <class T>
void pack_columns(const Product& product, int64_t column, int64_t columns, void* to) {
    constexpr int64_t WIDTH = WIDE * PER_REGISTER<T>;
    Part<T> part = Part<T>(product).from_column(column, columns);
    for (int64_t j = 0; j < part.columns; j += WIDTH) {
        pack(part.from_column(j, WIDTH), static_cast<T*>(to) + j * part.inner, WIDTH);
    }
}

// Registers of sums down the rows of a matrix; every BLOCK rows they are added to the total, for accuracy.
template <class T, int VECTORS>
ALWAYS_INLINE void sum_panel(const T* matrix, int64_t rows, int64_t step, T* sums, int64_t columns) {
    constexpr int L = PER_REGISTER<T>, BLOCK = 32;
    Vector<T> totals[VECTORS] = {};
    for (int64_t row = 0; row < rows; row += BLOCK) {
        Vector<T> block[VECTORS] = {};
        int64_t end = smaller(rows, row + BLOCK);
        for (int64_t i = row; i < end; i++) {
            const T* from = matrix + i * step;
            for (int v = 0; v < VECTORS; v++) block[v] += columns < L ? load_some(from, columns) : load(from + v * L);
        }
        for (int v = 0; v < VECTORS; v++) totals[v] += block[v];
    }
    for (int v = 0; v < VECTORS; v++) store_some(sums + v * L, totals[v], smaller(L, columns - v * L));
}

template <class T>
void sum_columns(const void* matrix, int64_t rows, int64_t columns, int64_t step, void* sums) {
    constexpr int L = PER_REGISTER<T>;
    const T* from = static_cast<const T*>(matrix);
    T* to = static_cast<T*>(sums);
    int64_t j = 0;
    for (; j + 4 * L <= columns; j += 4 * L) sum_panel<T, 4>(from + j, rows, step, to + j, 4 * L);
    for (; j < columns; j += L) sum_panel<T, 1>(from + j, rows, step, to + j, columns - j);
}

// The sum of the products of two vectors, in blocks that are added up in double.
template <class T>
double dot(const void* a, int64_t a_step, const void* b, int64_t b_step, int64_t count) {
    constexpr int L = PER_REGISTER<T>, SUMS = 4, BLOCK = 1024;
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    double total = 0;
    T taken[2][BLOCK];
    for (int64_t at = 0; at < count; at += BLOCK) {
        int64_t size = smaller(BLOCK, count - at), i = 0;
        const T* one = x + at * a_step;
        const T* other = y + at * b_step;
        for (int64_t k = 0; a_step != 1 && k < size; k++) taken[0][k] = one[k * a_step];
        for (int64_t k = 0; b_step != 1 && k < size; k++) taken[1][k] = other[k * b_step];
        if (a_step != 1) one = taken[0];
        if (b_step != 1) other = taken[1];
        Vector<T> sums[SUMS] = {};
        for (; i + SUMS * L <= size; i += SUMS * L) {
            for (int v = 0; v < SUMS; v++) {
                sums[v] = add_product(load(one + i + v * L), load(other + i + v * L), sums[v]);
            }
        }
        for (; i < size; i += L) {
            int64_t some = smaller(L, size - i);
            sums[0] = add_product(load_some(one + i, some), load_some(other + i, some), sums[0]);
        }
        sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        T lanes[L];
        store(lanes, sums[0]);
        for (int width = L / 2; width > 0; width /= 2) {
            for (int k = 0; k < width; k++) lanes[k] += lanes[k + width];
        }
        total += lanes[0];
    }
    return total;
}

}  // namespace

void products(Table& table) {
    ProductLoops& loops = table.products;
    loops.product[0] = product_of<float>;
    loops.product[1] = product_of<double>;
    loops.pack_columns[0] = pack_columns<float>;
    loops.pack_columns[1] = pack_columns<double>;
    loops.panel[0] = WIDE * PER_REGISTER<float>;
    loops.panel[1] = WIDE * PER_REGISTER<double>;
    loops.sum_columns[0] = sum_columns<float>;
    loops.sum_columns[1] = sum_columns<double>;
    loops.dot[0] = dot<float>;
    loops.dot[1] = dot<double>;
    // measured against OpenBLAS's kernels for the same level, one thread
#if defined(__AVX512F__)
    loops.small_product = 64 << 20;
#elif defined(__AVX__)
    loops.small_product = 4 << 20;
#else
    loops.small_product = 1 << 18;
#endif
}

}  // namespace LEVEL
