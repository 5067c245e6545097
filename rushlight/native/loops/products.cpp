// The way of every product: from arrays to matrices, and on to our own loops or to the BLAS.
#include <algorithm>

#include "kernels/table.h"
#include "loops/blas.h"
#include "loops/copy.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "memory/scratch.h"
#include "memory/threads.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// Multiplications for which a second thread pays.
constexpr int64_t PARALLEL_WORK = 1 << 20;
// Where a dim is smaller, memory decides, and our own loops are as good as any.
constexpr int64_t THIN = 8;

double work_of(const Product& product) {
    return static_cast<double>(product.rows) * static_cast<double>(product.columns) *
           static_cast<double>(std::max<int64_t>(product.inner, 1));
}

// By our own loops, rows or columns shared among threads.
void multiply_here(Product product, int dtype) {
    auto loop = table().products.product[dtype];
    Scratch panels;
    if (product.rows > PANEL_ROWS) pack_columns(product, dtype, panels);
    if (work_of(product) <= PARALLEL_WORK) {
        loop(product, 0, product.rows, 0, product.columns);
        return;
    }
    bool by_rows = product.rows >= product.columns;
    int64_t one = std::max<int64_t>(product.inner, 1) * (by_rows ? product.columns : product.rows);
    // whole tiles
    int64_t grain = (PARALLEL_WORK / 2 / one + 1 + 63) / 64 * 64;
    if (by_rows) {
        parallel(product.rows, grain,
                 [&](int64_t begin, int64_t end) { loop(product, begin, end - begin, 0, product.columns); });
    } else {
        parallel(product.columns, grain,
                 [&](int64_t begin, int64_t end) { loop(product, 0, product.rows, begin, end - begin); });
    }
}

// A factor as the BLAS reads it: transposed or not, one step of 1 and another that is large enough.
template <class T>
struct Factor {
    const T* data = nullptr;
    int64_t step = 1;
    bool transposed = false;
    Ref copy;

    bool set(const void* from, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step) {
        data = static_cast<const T*>(from);
        if ((column_step == 1 || columns <= 1) && (row_step >= columns || rows <= 1)) {
            step = rows <= 1 ? columns : row_step;
        } else if ((row_step == 1 || rows <= 1) && (column_step >= rows || columns <= 1)) {
            step = columns <= 1 ? rows : column_step;
            transposed = true;
        } else {
            npy_intp dims[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(columns)};
            PyArrayObject* made = new_array(2, dims, sizeof(T) == 4 ? NPY_FLOAT32 : NPY_FLOAT64);
            if (made == nullptr) return false;
            copy = Ref::steal(reinterpret_cast<PyObject*>(made));
            T* to = static_cast<T*>(PyArray_DATA(made));
            for (int64_t i = 0; i < rows; i++) {
                for (int64_t j = 0; j < columns; j++) *to++ = data[i * row_step + j * column_step];
            }
            data = static_cast<const T*>(PyArray_DATA(made));
            step = columns;
        }
        step = std::max<int64_t>(step, 1);
        return true;
    }
};

// c as it starts: the BLAS adds to it.
template <class T>
void fill(const Product& product) {
    auto* from = static_cast<const T*>(product.start);
    auto* to = static_cast<T*>(product.c);
    T beta = static_cast<T>(product.beta);
    for (int64_t i = 0; i < product.rows; i++, from += product.start_row, to += product.c_row) {
        if (product.start_column == 1 && beta == 1) {
            std::copy_n(from, product.columns, to);
        } else {
            for (int64_t j = 0; j < product.columns; j++) to[j] = beta * from[j * product.start_column];
        }
    }
}

enum class Outcome { DONE, LEFT, FAILED };

// By the BLAS, if there is one.
template <class T>
Outcome multiply_there(const Product& product) {
    Factor<T> a, b;
    if (!has_blas()) return Outcome::LEFT;
    if (!a.set(product.a, product.rows, product.inner, product.a_row, product.a_inner) ||
        !b.set(product.b, product.inner, product.columns, product.b_inner, product.b_column)) {
        return Outcome::FAILED;
    }
    if (product.start != nullptr && product.start != product.c) fill<T>(product);
    bool done = gemm(a.transposed, b.transposed, product.rows, product.columns, product.inner,
                     static_cast<T>(product.alpha), a.data, a.step, b.data, b.step,
                     static_cast<T>(product.start == nullptr ? 0 : 1), static_cast<T*>(product.c), product.c_row);
    return done ? Outcome::DONE : Outcome::LEFT;
}

bool is_small(const Product& product) {
    // a BLAS gains less where no rows have to be packed
    double limit = static_cast<double>(table().products.small_product) * (product.a_inner == 1 ? 2 : 1);
    return product.rows < THIN || product.columns < THIN || product.inner < THIN || work_of(product) <= limit;
}

// Two stacks, broadcast against each other.
struct Batches {
    int depth = 0;
    npy_intp dims[NPY_MAXDIMS], a_steps[NPY_MAXDIMS], b_steps[NPY_MAXDIMS];  // steps in bytes
    int64_t count = 1;

    bool broadcast(const Stack& a, const Stack& b) {
        depth = std::max(a.depth, b.depth);
        for (int d = 0; d < depth; d++) {
            npy_intp one = read(a, d, a_steps[d]), other = read(b, d, b_steps[d]);
            if (one != other && one != 1 && other != 1) return false;
            dims[d] = one == 1 ? other : one;
            count *= dims[d];
        }
        return true;
    }
    // where the matrices of one member of the batch are
    void locate(int64_t member, npy_intp& a, npy_intp& b) const {
        a = b = 0;
        for (int d = depth - 1; d >= 0; d--) {
            npy_intp at = member % dims[d];
            member /= dims[d];
            a += at * a_steps[d];
            b += at * b_steps[d];
        }
    }

private:
    npy_intp read(const Stack& stack, int d, npy_intp& step) const {
        int own = d - (depth - stack.depth);
        npy_intp extent = own < 0 ? 1 : PyArray_DIM(stack.array, own);
        step = extent == 1 ? 0 : PyArray_STRIDE(stack.array, own);
        return extent;
    }
};

bool multiply_batches(const Batches& batches, const Product& first, int dtype) {
    auto member = [&](int64_t which) {
        npy_intp a, b;
        batches.locate(which, a, b);
        Product product = first;
        product.a = static_cast<const char*>(first.a) + a;
        product.b = static_cast<const char*>(first.b) + b;
        product.c = static_cast<char*>(first.c) + which * first.rows * first.columns * SIZES[dtype];
        return product;
    };
    double work = work_of(first);
    if (work > PARALLEL_WORK || !is_small(first)) {
        for (int64_t i = 0; i < batches.count; i++) {
            if (!multiply(member(i), dtype)) return false;
        }
        return true;
    }
    auto loop = table().products.product[dtype];
    parallel(batches.count, static_cast<int64_t>(PARALLEL_WORK / 2 / work) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) loop(member(i), 0, first.rows, 0, first.columns);
    });
    return true;
}

}  // namespace

bool Stack::read(PyArrayObject* from, bool vector_is_column) {
    int ndim = PyArray_NDIM(from);
    dtype = dtype_of(from);
    if (ndim == 0 || !is_real(dtype)) return false;
    npy_intp size = SIZES[dtype];
    for (int d = std::max(ndim - 2, 0); d < ndim; d++) {
        if (PyArray_STRIDE(from, d) % size != 0) return false;
    }
    array = from;
    depth = std::max(ndim - 2, 0);
    npy_intp last = PyArray_DIM(from, ndim - 1), last_step = PyArray_STRIDE(from, ndim - 1) / size;
    if (ndim == 1) {
        (vector_is_column ? rows : columns) = last;
        (vector_is_column ? row_step : column_step) = last_step;
        // the other dim has one element: any step would do
        (vector_is_column ? column_step : row_step) = 1;
        return true;
    }
    rows = PyArray_DIM(from, ndim - 2);
    row_step = PyArray_STRIDE(from, ndim - 2) / size;
    columns = last;
    column_step = last_step;
    return true;
}

Stack Stack::transposed() const {
    Stack turned = *this;
    std::swap(turned.rows, turned.columns);
    std::swap(turned.row_step, turned.column_step);
    return turned;
}

bool Stack::flatten() {
    npy_intp all = rows, step = row_step * SIZES[dtype];
    for (int d = depth - 1; d >= 0; d--) {
        npy_intp extent = PyArray_DIM(array, d);
        if (extent == 1) continue;
        if (all == 1) {
            step = PyArray_STRIDE(array, d);
        } else if (PyArray_STRIDE(array, d) != step * all) {
            return false;
        }
        all *= extent;
    }
    if (step % SIZES[dtype] != 0) return false;
    rows = all;
    row_step = step / SIZES[dtype];
    depth = 0;
    return true;
}

Product product_of(const Stack& a, const Stack& b) {
    Product product;
    product.rows = a.rows;
    product.columns = b.columns;
    product.inner = a.columns;
    product.a = PyArray_DATA(a.array);
    product.a_row = a.row_step;
    product.a_inner = a.column_step;
    product.b = PyArray_DATA(b.array);
    product.b_inner = b.row_step;
    product.b_column = b.column_step;
    product.c_row = b.columns;
    return product;
}

bool multiply(const Product& product, int dtype) {
    if (product.rows == 0 || product.columns == 0) return true;
    if (!is_small(product)) {
        Outcome outcome = dtype == FLOAT32 ? multiply_there<float>(product) : multiply_there<double>(product);
        if (outcome != Outcome::LEFT) return outcome == Outcome::DONE;
    }
    multiply_here(product, dtype);
    return true;
}

void pack_columns(Product& product, int dtype, Scratch& memory) {
    // numbers for which a second thread pays
    constexpr int64_t PARALLEL_NUMBERS = 1 << 15;
    const ProductLoops& loops = table().products;
    int64_t width = loops.panel[dtype], panels = (product.columns + width - 1) / width;
    // few columns become rows, where nothing is packed
    if (2 * product.columns <= width || product.inner == 0) return;
    int64_t panel = width * product.inner;
    char* to = memory.take(static_cast<size_t>(panels * panel * SIZES[dtype]));
    if (to == nullptr) return;
    parallel(panels, PARALLEL_NUMBERS / panel + 1, [&](int64_t begin, int64_t end) {
        loops.pack_columns[dtype](product, begin * width, (end - begin) * width, to + begin * panel * SIZES[dtype]);
    });
    product.b = to;
    product.b_inner = width;
    product.b_column = product.inner;
    product.panelled = true;
}

PyArrayObject* sum_columns(const void* matrix, int64_t rows, int64_t columns, int64_t row_step, int dtype) {
    // additions for which a second thread pays
    constexpr int64_t PARALLEL_SUM = 1 << 17;
    npy_intp dims[] = {static_cast<npy_intp>(columns)};
    PyArrayObject* result = new_array(1, dims, type_num_of(dtype));
    if (result == nullptr) return nullptr;
    auto* from = static_cast<const char*>(matrix);
    char* to = PyArray_BYTES(result);
    auto work = [&](int64_t begin, int64_t end) {
        npy_intp shift = begin * SIZES[dtype];
        table().products.sum_columns[dtype](from + shift, rows, end - begin, row_step, to + shift);
    };
    if (rows * columns <= PARALLEL_SUM) {
        work(0, columns);
    } else {
        // whole registers, so that the order of additions is the same for any number of threads
        parallel(columns, (PARALLEL_SUM / 2 / rows + 64) / 64 * 64, work);
    }
    return result;
}

PyArrayObject* multiply_stacks(const Stack& a, const Stack& b, bool rows, bool columns, double alpha) {
    if (a.columns != b.rows || a.dtype != b.dtype) return nullptr;
    Batches batches;
    if (!batches.broadcast(a, b) || batches.depth > NPY_MAXDIMS - 2) return nullptr;
    int ndim = batches.depth;
    if (rows) batches.dims[ndim++] = a.rows;
    if (columns) batches.dims[ndim++] = b.columns;
    PyArrayObject* result = new_array(ndim, batches.dims, type_num_of(a.dtype));
    if (result == nullptr) return nullptr;
    // rows that meet one matrix are one product, whichever matrix of the stack they are from
    Stack flat = a;
    bool single = batches.count == 1 || (b.depth == 0 && flat.flatten());
    Product product = product_of(single && batches.count > 1 ? flat : a, b);
    product.c = PyArray_DATA(result);
    product.alpha = alpha;
    bool done = PyArray_SIZE(result) == 0 ||
                (single ? multiply(product, a.dtype) : multiply_batches(batches, product, a.dtype));
    if (!done) Py_CLEAR(result);
    return result;
}

PyArrayObject* multiply_all(PyArrayObject* a, PyArrayObject* b, int ndim, const npy_intp* dims, double alpha) {
    int dtype = dtype_of(a);
    if (!is_real(dtype) || dtype_of(b) != dtype) return nullptr;
    Ref left = in_c_order(a), right = in_c_order(b);
    PyArrayObject* result = new_array(ndim, dims, type_num_of(dtype));
    if (result == nullptr) return nullptr;
    Product product;
    product.rows = PyArray_SIZE(a);
    product.columns = PyArray_SIZE(b);
    product.inner = 1;
    product.a = PyArray_DATA(left.array());
    product.b = PyArray_DATA(right.array());
    product.a_row = product.a_inner = product.b_column = 1;
    product.b_inner = product.c_row = product.columns;
    product.c = PyArray_DATA(result);
    product.alpha = alpha;
    if (!multiply(product, dtype)) Py_CLEAR(result);
    return result;
}

}  // namespace rushlight
