// Clipping: gradients scaled to a largest norm over all of them. See nn/utils/clip_grad.py. For the row
// "clip_grad_norm_ of 50 tensors of 64".
#include <cmath>
#include <vector>

#include "fused/optim.h"
#include "kernels/table.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/shortcut.h"

namespace rushlight {

namespace {

// Float32 gradients have a float32 norm, which is infinite where the sum of the squares is too large for one.
double root(double squares, int type) {
    return type == 0 ? std::sqrt(static_cast<float>(squares)) : std::sqrt(squares);
}

// The gradients of a list of tensors, if all are of one dtype and dense; no code of a program runs meanwhile.
bool gather(PyObject* parameters, std::vector<Tensor*>& grads, int& type) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parameters); i++) {
        PyObject* param = PyList_GET_ITEM(parameters, i);
        DECLINE_IF(!is_any_tensor(param));
        if (as_tensor(param)->grad == nullptr) continue;
        Tensor* grad = as_tensor(as_tensor(param)->grad);
        DECLINE_IF(grad->array == nullptr || layout_of(grad->array) == 0 || !PyArray_ISWRITEABLE(grad->array));
        int found = loop_type(grad->array);
        DECLINE_IF(found < 0 || (!grads.empty() && found != type) || storage_of(grad) == nullptr);
        type = found;
        grads.push_back(grad);
    }
    DECLINE_IF(grads.empty());
    return true;
}

PyObject* tensor_of(double value, int type) {
    PyArrayObject* array = new_array(0, nullptr, type == 0 ? NPY_FLOAT : NPY_DOUBLE);
    if (array == nullptr) return nullptr;
    if (type == 0) {
        *static_cast<float*>(PyArray_DATA(array)) = static_cast<float>(value);
    } else {
        *static_cast<double*>(PyArray_DATA(array)) = value;
    }
    return as_object(wrap(array));
}

NAMES(ClipNorm, parameters, max_norm, norm_type, error_if_nonfinite);

// The norm before, with the gradients scaled.
PyObject* clip_norm(const Arguments& arguments) {
    PyObject *parameters = arguments[ClipNorm::parameters], *given = arguments[ClipNorm::max_norm];
    double largest, order;
    UserLine line;
    std::vector<Tensor*> grads;
    int type = 0;
    DECLINE_IF(parameters == nullptr || !PyList_Check(parameters) || !read_number(given, largest));
    DECLINE_IF(!read_number(arguments[ClipNorm::norm_type], order) || order != 2);
    if (!gather(parameters, grads, type)) return nullptr;
    double squares = 0;
    for (Tensor* grad : grads) {
        double norm = root(dot(grad->array, grad->array, type), type);
        squares += norm * norm;
    }
    double total = root(squares, type);
    DECLINE_IF(arguments[ClipNorm::error_if_nonfinite] != Py_False && !std::isfinite(total));
    // NaN scales too
    double factor = largest / (total + 1e-6);
    // before the first write, after which nothing may fail
    Ref norm = Ref::steal(tensor_of(total, type));
    if (!norm) return nullptr;
    std::vector<Ref> storages;
    storages.reserve(grads.size());
    for (Tensor* grad : grads) {
        if (!(factor >= 1)) scale(grad->array, type, factor);
        storages.push_back(Ref::borrow(as_object(grad->storage)));
    }
    for (Ref& each : storages) count_write(reinterpret_cast<Storage*>(each.get()), line.place);
    return norm.release();
}

KERNEL("nn.utils.clip_grad.clip_norm").shortcut(clip_norm, ClipNorm::names);

}  // namespace

// Summed in blocks, whose number does not depend on the threads.
double dot(PyArrayObject* one, PyArrayObject* other, int type) {
    auto loop = table().optim.dot[type];
    const char *x = PyArray_BYTES(one), *y = PyArray_BYTES(other);
    int64_t size = PyArray_SIZE(one), itemsize = PyArray_ITEMSIZE(one);
    if (size <= OPTIM_GRAIN) return loop(x, y, size);
    std::vector<double> sums((size + OPTIM_GRAIN - 1) / OPTIM_GRAIN);
    parallel(size, OPTIM_GRAIN, [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += OPTIM_GRAIN) {
            int64_t count = end - begin < OPTIM_GRAIN ? end - begin : OPTIM_GRAIN;
            sums[begin / OPTIM_GRAIN] = loop(x + begin * itemsize, y + begin * itemsize, count);
        }
    });
    double total = 0;
    for (double each : sums) total += each;
    return total;
}

void scale(PyArrayObject* array, int type, double factor) {
    auto loop = table().optim.scale[type];
    char* data = PyArray_BYTES(array);
    int64_t itemsize = PyArray_ITEMSIZE(array);
    parallel(PyArray_SIZE(array), OPTIM_GRAIN,
             [&](int64_t begin, int64_t end) { loop(data + begin * itemsize, factor, end - begin); });
}

}  // namespace rushlight
