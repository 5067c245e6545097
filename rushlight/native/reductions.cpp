// Reductions: sum, mean, prod, any and all, and the gradients of sum and mean. See ops/reductions.py.
#include "folding.h"
#include "graph.h"
#include "numbers.h"
#include "views.h"
#include "parts.h"
#include "hooks.h"
#include "plan.h"

namespace rushlight {

namespace {

// (input, dim, keepdim, [dtype]); the kernel's data says which reduction
enum Place { INPUT, DIM, KEEPDIM, DTYPE };

struct Kind {
    Reduction which;
    bool divides = false;
};

constexpr Kind sum_kind{SUM}, mean_kind{SUM, true}, prod_kind{PROD}, any_kind{ANY}, all_kind{ALL};

// What `dim` means differs: a product knows no sequences, and no dimensions are none of them for a truth.
bool has_own_dims(Reduction which, PyObject* dim) {
    if (dim == Py_None || PyLong_CheckExact(dim) || which == SUM) return false;
    return which == PROD || PyObject_Length(dim) <= 0;
}

PyObject* forward(Call& call) {
    const Kind& kind = *static_cast<const Kind*>(call.op->kernel->data);
    PyArrayObject* array = call.array(INPUT);
    if (array == nullptr || has_own_dims(kind.which, call[DIM])) return nullptr;
    if ((kind.which == SUM || kind.which == PROD) && call[DTYPE] != Py_None) return nullptr;
    if (kind.divides && !PyTypeNum_ISFLOAT(PyArray_TYPE(array))) return nullptr;
    int ndim = PyArray_NDIM(array);
    Dims dims;
    bool keepdim;
    if (!read_dims(call[DIM], ndim, dims) || !read_flag(call[KEEPDIM], keepdim)) return nullptr;
    double divisor = kind.divides ? reduced_count(ndim, PyArray_DIMS(array), dims) : 1;
    return as_object(fold(kind.which, array, dims, keepdim, divisor));
}

// Whether a large gradient goes to a view alone, which reads it in any layout.
bool goes_to_view(const Gradient& gradient, int ndim, const npy_intp* shape) {
    constexpr npy_intp LARGE = 1 << 14;  // elements
    if (gradient.node->edge_count != 1 || PyArray_MultiplyList(shape, ndim) < LARGE) return false;
    PyObject* edge = gradient.node->edges[0];
    if (edge == nullptr || !PyObject_TypeCheck(edge, &NodeType)) return false;
    const OpPlan* plan = reinterpret_cast<Node*>(edge)->plan;
    return plan != nullptr && plan->op->is_view;
}

// One number, divided, shown everywhere: writing it out before a view is a pass over memory for nothing.
PyArrayObject* shown_everywhere(PyArrayObject* grad, int ndim, const npy_intp* shape, double divisor) {
    int dtype = dtype_of(grad);
    if (!is_real(dtype)) return nullptr;
    double number = first_number(grad, dtype) / divisor;
    Ref one = Ref::steal(as_object(single_array(number, dtype)));
    npy_intp strides[NPY_MAXDIMS] = {};
    return one ? view_of(one.array(), ndim, shape, strides) : nullptr;
}

// Whether somebody may look at the gradient before it becomes a leaf's: it shows that of a sum is expanded.
bool is_shown(const Gradient& gradient) {
    PyObject* edge = gradient.node->edge_count == 1 ? gradient.node->edges[0] : nullptr;
    if (gradient.is_shown || edge == nullptr || !PyObject_TypeCheck(edge, &NodeType)) return gradient.is_shown;
    return present(reinterpret_cast<Node*>(edge)->tensor_hooks);
}

// The gradient itself, with steps of zero where it was summed.
PyArrayObject* expanded(PyArrayObject* grad, int ndim, const npy_intp* shape, Dims dims) {
    npy_intp strides[NPY_MAXDIMS] = {};
    bool keeps = PyArray_NDIM(grad) == ndim;
    int from = 0;
    for (int d = 0; d < ndim; d++) {
        bool reduced = dims >> d & 1;
        if (!reduced && from < PyArray_NDIM(grad)) strides[d] = PyArray_STRIDE(grad, from);
        from += keeps || !reduced;
    }
    return view_of(grad, ndim, shape, strides);
}

// of sum and mean: reads input_shape and dim
bool backward(Gradient& gradient) {
    const Kind& kind = *static_cast<const Kind*>(gradient.plan->op->kernel->data);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(0), shape);
    Dims dims;
    PyObject* dim = gradient.option(1);
    if (ndim < 0 || dim == nullptr || !read_dims(dim, ndim, dims)) return false;
    double count = kind.divides ? reduced_count(ndim, shape, dims) : 1;
    if (!kind.divides && is_shown(gradient)) {
        gradient.found[0] = expanded(gradient.grad(), ndim, shape, dims);
        return gradient.found[0] != nullptr;
    }
    if (PyArray_SIZE(gradient.grad()) == 1 && dims == all_dims(ndim) && goes_to_view(gradient, ndim, shape)) {
        gradient.found[0] = shown_everywhere(gradient.grad(), ndim, shape, count);
        return gradient.found[0] != nullptr;
    }
    gradient.found[0] = spread(gradient.grad(), ndim, shape, dims, count > 0 ? count : 1);
    return gradient.found[0] != nullptr;
}

}  // namespace

void register_reductions() {
    add_kernel({"sum", forward, backward, {"input_shape", "dim"}, nullptr, &sum_kind});
    add_kernel({"mean", forward, backward, {"input_shape", "dim"}, nullptr, &mean_kind});
    add_kernel({"prod", forward, nullptr, {}, nullptr, &prod_kind});
    add_kernel({"any", forward, nullptr, {}, nullptr, &any_kind});
    add_kernel({"all", forward, nullptr, {}, nullptr, &all_kind});
}

}  // namespace rushlight
