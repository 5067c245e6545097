// Reductions: sum, mean, prod, any and all, nansum and count_nonzero, and the gradients of sum and mean. See
// ops/reductions/reductions.py.
#include <cstring>

#include "loops/folding.h"
#include "object/node.h"
#include "ops/views.h"
#include "seam/fallbacks.h"
#include "seam/numbers.h"
#include "seam/pending.h"
#include "seam/plan.h"

namespace rushlight {

namespace {

NAMES(Truth, input, dim, keepdim);
NAMES(Total, input, dim, keepdim, dtype);
NAMES(SavedOfTotal, input_shape, dim);

// Which reduction: the kernel's data points to one.
struct Kind {
    Reduction which;
    bool divides = false;
};

constexpr Kind sum_kind{SUM}, mean_kind{SUM, true}, prod_kind{PROD}, any_kind{ANY}, all_kind{ALL};
constexpr Kind numbers_kind{SUM_OF_NUMBERS};

// What `dim` means differs: a product knows no sequences, and no dimensions are none of them for a truth.
bool has_own_dims(Reduction which, PyObject* dim) {
    if (dim == Py_None || PyLong_CheckExact(dim) || which == SUM || which == SUM_OF_NUMBERS) return false;
    return which == PROD || PyObject_Length(dim) <= 0;
}

bool folded(Call& call, PyArrayObject* array, PyObject* dim, Dims dims, bool keepdim) {
    const Kind& kind = *static_cast<const Kind*>(call.op->kernel->data);
    DECLINE_IF(has_own_dims(kind.which, dim));
    DECLINE_IF(kind.divides && (dtype_of(array) == INT64 || dtype_of(array) == BOOL));
    double divisor = kind.divides ? reduced_count(PyArray_NDIM(array), PyArray_DIMS(array), dims) : 1;
    if (pending_count != 0 && is_pending(array)) {
        npy_intp shape[NPY_MAXDIMS];
        int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape);
        PyArrayObject* out = defer_fold(kind.which, array, dims, ndim, shape, divisor, call.op->kernel->name);
        call.is_pending = out != nullptr;
        if (call.is_pending) return call.give(out);
    }
    bool is_whole = dtype_of(array) == INT64 || dtype_of(array) == BOOL;
    Reduction which = kind.which == SUM_OF_NUMBERS && is_whole ? SUM : kind.which;
    return call.give(fold(which, array, dims, keepdim, divisor));
}

NAMES(Count, input, dim);

bool count_nonzero(Call& call) {
    return call.give(fold(NONZEROS, call.array(Count::input), call.dims(Count::dim), false));
}

// any and all
bool truth(Call& call) {
    return folded(call, call.array(Truth::input), call[Truth::dim], call.dims(Truth::dim), call.flag(Truth::keepdim));
}

// sum, mean and prod
bool total(Call& call) {
    return folded(call, call.array(Total::input), call[Total::dim], call.dims(Total::dim), call.flag(Total::keepdim));
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
    DECLINE_IF(!is_real(dtype));
    double number = first_number(grad, dtype) / divisor;
    Ref one = Ref::steal(as_object(single_array(number, dtype)));
    npy_intp strides[NPY_MAXDIMS] = {};
    return one ? view_of(one.array(), ndim, shape, strides) : nullptr;
}

bool is_join(const char* name) { return std::strcmp(name, "cat") == 0 || std::strcmp(name, "stack") == 0; }

// The same of a node that Python made, by its class: where dtypes differ it joins them.
bool is_python_join(const Node* node) {
    const char* name = Py_TYPE(node)->tp_name;
    return std::strcmp(name, "CatBackward0") == 0 || std::strcmp(name, "StackBackward0") == 0;
}

// Whether a node passes its gradient or parts of it on, which leaves keep as such unless they are expanded.
bool passes_parts(const Node* node) {
    if (node->plan == nullptr || node->plan->op->kernel == nullptr) return is_python_join(node);
    return node->plan->has_lists ? is_join(node->plan->op->kernel->name) : node->plan->op->is_view;
}

// Whether somebody may look at the gradient before it becomes a leaf's: it shows that of a sum is expanded. A leaf
// copies such a gradient in its own steps, which tell nothing else where a dim has one element.
bool is_shown(const Gradient& gradient) {
    PyObject* edge = gradient.node->edge_count == 1 ? gradient.node->edges[0] : nullptr;
    if (gradient.is_shown || edge == nullptr) return gradient.is_shown;
    if (!is_node(edge)) return as_tensor(edge)->array != nullptr && !has_usual_steps(as_tensor(edge)->array);
    return present(as_node(edge)->tensor_hooks) || passes_parts(as_node(edge));
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

// A gradient that is written out, divided, where a chain needs it: nullptr if it is not put off.
PyArrayObject* put_off(const Gradient& gradient, int ndim, const npy_intp* shape, Dims dims, double divisor) {
    const char* name = gradient.plan->op->kernel->name;
    PyArrayObject* grad = gradient.grad();
    int dtype = dtype_of(grad);
    bool fits = (dtype == FLOAT32 || dtype == FLOAT64) && PyArray_MultiplyList(shape, ndim) >= least_deferred;
    Ref held = !fits || divisor == 1 ? Ref::borrow(as_object(grad)) : divided(grad, divisor);
    Ref view = fits && held ? Ref::steal(as_object(expanded(held.array(), ndim, shape, dims))) : Ref();
    PyArrayObject* made = view ? defer_copy(view.array(), name) : nullptr;
    PyErr_Clear();
    if (made == nullptr) settle(name);
    return made;
}

// of sum and mean
bool backward(Gradient& gradient) {
    const Kind& kind = *static_cast<const Kind*>(gradient.plan->op->kernel->data);
    PyArrayObject* grad = gradient.grad();
    if (pending_count != 0 && is_pending(grad)) settle(gradient.plan->op->kernel->name);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(SavedOfTotal::input_shape), shape);
    Dims dims;
    PyObject* dim = gradient.option(SavedOfTotal::dim);
    DECLINE_IF(ndim < 0 || dim == nullptr || !read_dims(dim, ndim, dims));
    double count = kind.divides ? reduced_count(ndim, shape, dims) : 1;
    if (!kind.divides && is_shown(gradient)) return gradient.give(expanded(grad, ndim, shape, dims));
    if (PyArray_SIZE(grad) == 1 && dims == all_dims(ndim) && goes_to_view(gradient, ndim, shape)) {
        return gradient.give(shown_everywhere(grad, ndim, shape, count));
    }
    double divisor = count > 0 ? count : 1;
    if (gradient.is_lazy) {
        PyArrayObject* made = put_off(gradient, ndim, shape, dims, divisor);
        if (made != nullptr) return gradient.give(made);
    }
    return gradient.give(spread(grad, ndim, shape, dims, divisor));
}

KERNEL("sum")
    .forward(total, Total::names)
    .takes(tensor(Total::input).known().halves().filled(), dims(Total::dim, Total::input), flag(Total::keepdim))
    .takes(none(Total::dtype))
    .gradient(backward, SavedOfTotal::names)
    .given(tensor(GRADIENT))
    .with(&sum_kind)
    .lazy();
KERNEL("mean").as("sum").with(&mean_kind);
KERNEL("prod")
    .forward(total, Total::names)
    .takes(tensor(Total::input).known().halves().filled(), dims(Total::dim, Total::input), flag(Total::keepdim))
    .takes(none(Total::dtype))
    .with(&prod_kind);
KERNEL("nansum").as("prod").with(&numbers_kind);
KERNEL("count_nonzero")
    .forward(count_nonzero, Count::names)
    .takes(tensor(Count::input).known().halves().filled(), dims(Count::dim, Count::input));
KERNEL("any")
    .forward(truth, Truth::names)
    .takes(tensor(Truth::input).known().filled(), dims(Truth::dim, Truth::input), flag(Truth::keepdim))
    .with(&any_kind);
KERNEL("all").as("any").with(&all_kind);

}  // namespace

}  // namespace rushlight
