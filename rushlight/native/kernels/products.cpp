// Products: tiles of a matrix product that stay in registers, for matrices that are too small or too thin for a BLAS.
#include "products.h"

#include "families.h"
#include "vector.h"

namespace LEVEL {

using rushlight::Product;
using rushlight::ProductLoops;

namespace {

// A tile has TALL rows of WIDE registers: as many sums as hide the latency of an addition, and no more than there are
// registers.
#if defined(__AVX512F__)
constexpr int TALL = 8;
#else
constexpr int TALL = 4;
#endif
constexpr int WIDE = 2;
// How much of the inner dim is summed before the sums go to memory: a panel of b then stays in the first cache.
constexpr int64_t DEPTH = 256;

constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A part of a product: some rows of a, some columns of b (neighbours), some of the inner dim.
template <class T>
struct Part {
    const T* a;
    int64_t a_row, a_inner;
    const T* b;
    int64_t b_inner;
    int64_t inner;
    T* c;
    int64_t c_row;
    const T* start;
    int64_t start_row, start_column;
    T alpha, beta;
};

// alpha times the sums, plus beta times the start, into `columns` columns of c.
template <class T, int ROWS, int VECTORS>
ALWAYS_INLINE void finish(const Part<T>& part, Vector<T> (&sums)[ROWS][VECTORS], int64_t columns) {
    constexpr int L = LANES<T>;
    for (int i = 0; i < ROWS; i++) {
        for (int v = 0; v < VECTORS; v++) {
            int64_t left = columns - v * L;
            Vector<T> found = sums[i][v];
            if (part.alpha != 1) found *= part.alpha;
            if (part.start != nullptr) {
                const T* from = part.start + i * part.start_row + v * L * part.start_column;
                Vector<T> start = part.start_column == 0 ? spread(*from)
                                  : left >= L            ? load(from)
                                                         : load_some(from, left);
                found += part.beta != 1 ? start * part.beta : start;
            }
            T* to = part.c + i * part.c_row + v * L;
            if (left >= L) {
                store(to, found);
            } else {
                store_some(to, found, left);
            }
        }
    }
}

template <class T, int ROWS, int VECTORS>
void tile(const Part<T>& part, int64_t columns) {
    constexpr int L = LANES<T>;
    Vector<T> sums[ROWS][VECTORS] = {};
    const T* a = part.a;
    const T* b = part.b;
    for (int64_t p = 0; p < part.inner; p++, a += part.a_inner, b += part.b_inner) {
        Vector<T> row[VECTORS];
        for (int v = 0; v < VECTORS; v++) row[v] = load(b + v * L);
        for (int i = 0; i < ROWS; i++) {
            Vector<T> factor = spread(a[i * part.a_row]);
            for (int v = 0; v < VECTORS; v++) sums[i][v] = add_product(factor, row[v], sums[i][v]);
        }
    }
    finish(part, sums, columns);
}

// The same columns of one block of rows after the other.
template <class T, int ROWS, int VECTORS>
void tiles(Part<T> part, int64_t rows, int64_t columns) {
    auto next = [&](int64_t count) {
        part.a += count * part.a_row;
        part.c += count * part.c_row;
        if (part.start != nullptr) part.start += count * part.start_row;
        rows -= count;
    };
    for (; rows >= ROWS; next(ROWS)) tile<T, ROWS, VECTORS>(part, columns);
    if constexpr (ROWS > 1) {
        if (rows > 0) tiles<T, ROWS / 2, VECTORS>(part, rows, columns);
    }
}

// A panel of b, `columns` wide and in the order of the tiles: each row padded with zeros to `width`.
template <class T>
void pack(const T* b, int64_t b_inner, int64_t b_column, int64_t inner, int64_t columns, int64_t width, T* panel) {
    if (b_column == 1) {
        for (int64_t p = 0; p < inner; p++) {
            for (int64_t j = 0; j < width; j++) panel[p * width + j] = j < columns ? b[p * b_inner + j] : T(0);
        }
        return;
    }
    for (int64_t j = 0; j < width; j++) {
        for (int64_t p = 0; p < inner; p++) panel[p * width + j] = j < columns ? b[p * b_inner + j * b_column] : T(0);
    }
}

}  // namespace
}  // namespace LEVEL
