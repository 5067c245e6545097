// Pointwise ops: every row of the table, forward and gradient, through one pair of functions.
#include <cstring>

#include "kernels/table.h"
#include "operands.h"
#include "parts.h"
#include "plan.h"

namespace rushlight {

namespace {

// Where the parameters that a row names stand in the op's signature; found at the first call.
struct Known {
    const Pointwise* row = nullptr;
    bool resolved = false;
    int inputs[Pointwise::INPUTS] = {-1, -1, -1};
    int options[Pointwise::OPTIONS] = {-1, -1, -1, -1};
};

Known rows[Table::MOST];

int position_of(const OpInfo& op, const char* name) {
    for (size_t i = 0; i < op.parameters.size(); i++) {
        if (PyUnicode_CompareWithASCIIString(op.parameters[i].name, name) == 0) return static_cast<int>(i);
    }
    return -1;
}

const Known& known_row(const OpInfo& op) {
    auto* known = static_cast<Known*>(const_cast<void*>(op.kernel->data));
    if (!known->resolved) {
        for (int i = 0; i < Pointwise::INPUTS && known->row->inputs[i] != nullptr; i++) {
            known->inputs[i] = position_of(op, known->row->inputs[i]);
        }
        for (int i = 0; i < Pointwise::OPTIONS && known->row->options[i] != nullptr; i++) {
            known->options[i] = position_of(op, known->row->options[i]);
        }
        known->resolved = true;
    }
    return *known;
}

// An option as a number; false for anything but a plain Python number.
bool read_option(PyObject* value, double& number) {
    if (value == nullptr) return false;
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (!PyLong_CheckExact(value)) return false;
    int overflow;
    number = static_cast<double>(PyLong_AsLongLongAndOverflow(value, &overflow));
    return overflow == 0;
}

PyObject* forward(Call& call) {
    const Known& known = known_row(*call.op);
    const Pointwise& row = *known.row;
    PyObject* values[Pointwise::INPUTS];
    int count = 0, dtype = -1;
    for (; count < Pointwise::INPUTS && known.inputs[count] >= 0; count++) {
        PyObject* value = call[known.inputs[count]];
        if (is_tensor(value)) {
            PyArrayObject* array = as_tensor(value)->array;
            int own = dtype_of(array);
            if (own < 0 || (dtype >= 0 && own != dtype)) return nullptr;
            dtype = own;
            value = as_object(array);
        }
        values[count] = value;
    }
    if (dtype < 0 || row.loops[dtype] == nullptr) return nullptr;
    double options[Pointwise::OPTIONS];
    for (int i = 0; i < Pointwise::OPTIONS && known.options[i] >= 0; i++) {
        if (!read_option(call[known.options[i]], options[i])) return nullptr;
    }
    Operands operands;
    for (int i = 0; i < count; i++) {
        if (!operands.add(values[i], dtype)) return nullptr;
    }
    if (!operands.broadcast()) return nullptr;
    int result = row.gives_bool ? static_cast<int>(BOOL) : dtype;
    PyArrayObject* out = call.out;
    if (out != nullptr) {
        if (dtype_of(out) != result || !operands.fits(out)) return nullptr;
        Py_INCREF(out);
    } else if ((out = operands.new_result(type_num_of(result))) == nullptr) {
        return nullptr;
    }
    operands.run(row.loops[dtype], out, options, dtype, result);
    return as_object(out);
}

// The place of a name among what the kernel reads.
int place_of(const Kernel& kernel, const char* name) {
    for (int i = 0; i < MAX_NAMES && kernel.reads[i] != nullptr; i++) {
        if (std::strcmp(kernel.reads[i], name) == 0) return i;
    }
    return -1;
}

// The gradient of one input: a new reference, or nullptr where Python has to do it.
PyArrayObject* slope_of(const Gradient& gradient, const Pointwise& row, int input, const double* options, bool last) {
    const Pointwise::Slope& slope = row.slopes[input];
    PyArrayObject* grad = gradient.grad();
    if (slope.same) {
        Py_INCREF(grad);
        return grad;
    }
    int dtype = dtype_of(grad);
    if (dtype != FLOAT32 && dtype != FLOAT64) return nullptr;
    if (slope.loops[dtype] == nullptr) return nullptr;
    Operands operands;
    if (!operands.add(as_object(grad), dtype)) return nullptr;
    for (int i = 0; i < Pointwise::INPUTS && slope.reads[i] != nullptr; i++) {
        int which = place_of(*gradient.plan->op->kernel, slope.reads[i]);
        PyObject* value = as_object(gradient.array(which));
        if (value == nullptr) value = gradient.option(which);
        if (value == nullptr || !operands.add(value, dtype)) return nullptr;
    }
    if (!operands.broadcast()) return nullptr;
    PyArrayObject* out = grad;
    // an input before this one may have been handed the gradient itself
    bool alone = last && gradient.may_overwrite && Py_REFCNT(grad) == 1;
    if (alone && operands.fits(grad)) {
        Py_INCREF(grad);
    } else if ((out = operands.new_result(type_num_of(dtype))) == nullptr) {
        return nullptr;
    }
    operands.run(slope.loops[dtype], out, options, dtype, dtype);
    return out;
}

bool backward(Gradient& gradient) {
    const Kernel& kernel = *gradient.plan->op->kernel;
    const Known& known = known_row(*gradient.plan->op);
    const Pointwise& row = *known.row;
    double options[Pointwise::OPTIONS];
    for (int i = 0; i < Pointwise::OPTIONS && row.options[i] != nullptr; i++) {
        // one that no formula names is not saved
        PyObject* value = gradient.option(place_of(kernel, row.options[i]));
        if (value != nullptr && !read_option(value, options[i])) return false;
    }
    int count = gradient.plan->input_count;
    for (int k = 0; k < count; k++) {
        int input = 0;
        while (input < Pointwise::INPUTS && known.inputs[input] != gradient.plan->inputs[k]) input++;
        if (input == Pointwise::INPUTS) return false;
        gradient.found[k] = slope_of(gradient, row, input, options, k == count - 1);
        if (gradient.found[k] == nullptr) return false;
    }
    return true;
}

bool has_slopes(const Pointwise& row) {
    for (const Pointwise::Slope& each : row.slopes) {
        if (each.same || each.loops[0] != nullptr) return true;
    }
    return false;
}

}  // namespace

void register_pointwise() {
    const Table& loops = table();
    for (int i = 0; i < loops.pointwise_count; i++) {
        const Pointwise& row = loops.pointwise[i];
        rows[i].row = &row;
        Kernel kernel;
        kernel.name = row.name;
        kernel.forward = forward;
        kernel.backward = has_slopes(row) ? backward : nullptr;
        kernel.data = &rows[i];
        int named = 0;
        for (const char* each : row.inputs) {
            if (each != nullptr) kernel.reads[named++] = each;
        }
        kernel.reads[named++] = "result";
        for (const char* each : row.options) {
            if (each != nullptr && named < MAX_NAMES) kernel.reads[named++] = each;
        }
        add_kernel(kernel);
    }
}

}  // namespace rushlight
