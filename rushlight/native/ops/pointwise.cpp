// Pointwise ops: every row of the table, forward and gradient, through one pair of functions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/table.h"
#include "loops/operands.h"
#include "memory/arrays.h"
#include "ops/second_inputs.h"
#include "seam/parts.h"
#include "seam/pending.h"
#include "seam/plan.h"
#include "seam/promotion.h"
#include "seam/state.h"

namespace rushlight {

namespace {

// A condition of a row, with the place of its argument.
struct Test {
    Condition condition;
    int position = -1;             // in the op's signature
    int read = -1;                 // among what the kernel reads
    bool promotes = false;         // the argument may be a tensor: as a number it takes part in promotion
    PyObject* expected = nullptr;  // the object that most calls have there, such as 1
};

// The gradient of one input, with the places of what it reads among what the kernel reads.
struct Slope {
    const Pointwise::Slope* row = nullptr;
    int position = -1;
    int reads[Pointwise::INPUTS];
    int count = 0;
};

// A row, with the places of what it names in the op's signature.
struct Form {
    const Pointwise* row = nullptr;
    int inputs[Pointwise::INPUTS];
    int count = 0;
    unsigned options = 0;  // bits of the inputs that are never tensors, so that they do not take part in promotion
    Test tests[Pointwise::CONDITIONS];
    int test_count = 0;
    Slope slopes[Pointwise::INPUTS];
    int slope_count = 0;
};

// The rows of one op. Places are found at the first call, when the signature is known.
struct Forms {
    std::vector<Form> all;
    bool resolved = false;
};

// The place of a parameter; -1 with an exception where the op has none of that name.
int position_of(const OpInfo& op, const char* name) {
    for (size_t i = 0; i < op.parameters.size(); i++) {
        if (PyUnicode_CompareWithASCIIString(op.parameters[i].name, name) == 0) return static_cast<int>(i);
    }
    PyErr_Format(PyExc_TypeError, "a row of '%s' reads '%s', which is no parameter of the op", op.kernel->name, name);
    return -1;
}

int read_of(const Kernel& kernel, const char* name) {
    for (int i = 0; i < kernel.read_count; i++) {
        if (kernel.reads[i].is(name)) return i;
    }
    return -1;
}

bool resolve_test(Test& test, const OpInfo& op) {
    const Condition& condition = test.condition;
    test.position = position_of(op, condition.name);
    test.read = read_of(*op.kernel, condition.name);
    if (test.position < 0) return false;
    test.promotes = op.parameters[test.position].is_tensor && condition.kind == Condition::VALUE;
    // small integers and interned texts are one object everywhere
    if (condition.kind == Condition::VALUE) test.expected = PyLong_FromDouble(condition.value);
    if (condition.kind == Condition::TEXT) test.expected = PyUnicode_InternFromString(condition.text);
    if (condition.kind == Condition::VALUE && PyLong_AsDouble(test.expected) != condition.value) {
        Py_CLEAR(test.expected);
    }
    return true;
}

// False with an exception if the op has no parameter of a name that the row uses.
bool resolve(Form& form, const OpInfo& op) {
    for (int i = 0; i < form.count; i++) {
        form.inputs[i] = position_of(op, form.row->inputs[i]);
        if (form.inputs[i] < 0) return false;
        if (!op.parameters[form.inputs[i]].is_tensor) form.options |= 1u << i;
    }
    for (int i = 0; i < form.test_count; i++) {
        if (!resolve_test(form.tests[i], op)) return false;
    }
    for (int i = 0; i < form.slope_count; i++) {
        Slope& slope = form.slopes[i];
        slope.position = position_of(op, slope.row->input);
        if (slope.position < 0) return false;
        for (int k = 0; k < slope.count; k++) slope.reads[k] = read_of(*op.kernel, slope.row->reads[k]);
    }
    return true;
}

Forms& forms_of(const OpInfo& op) { return *static_cast<Forms*>(const_cast<void*>(op.kernel->data)); }

// Looks up the names of all rows, once for both forms of an op.
bool prepare(OpInfo& op) {
    Forms& forms = forms_of(op);
    for (Form& each : forms.all) {
        if (!forms.resolved && !resolve(each, op)) return false;
    }
    forms.resolved = true;
    return true;
}

// Whether an argument is as a condition wants it. One that was not saved makes no difference to the gradient.
bool holds(const Test& test, PyObject* value) {
    if (value == nullptr || (value == test.expected)) return true;
    switch (test.condition.kind) {
        case Condition::NONE: return value == Py_None;
        case Condition::TENSOR: return is_tensor(value);
        case Condition::NUMBER: return PyFloat_CheckExact(value) || PyLong_CheckExact(value);
        case Condition::TEXT:
            return PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, test.condition.text) == 0;
        case Condition::VALUE: break;
    }
    if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value) == test.condition.value;
    if (!PyLong_CheckExact(value)) return false;
    int overflow;
    return static_cast<double>(PyLong_AsLongLongAndOverflow(value, &overflow)) == test.condition.value && !overflow;
}

// The first row whose conditions hold; `argument` gives the value that a test looks at.
template <class Argument>
const Form* choose(const Forms& forms, Argument argument) {
    for (const Form& form : forms.all) {
        bool fits = true;
        for (int i = 0; fits && i < form.test_count; i++) fits = holds(form.tests[i], argument(form.tests[i]));
        if (fits) return &form;
    }
    return nullptr;
}

// The dtype that the op's arguments are brought to, or -1.
int promoted_dtype(const Form& form, const Call& call) {
    Promotion promotion;
    for (int i = 0; i < form.count; i++) {
        if ((form.options | form.row->masks) >> i & 1) continue;
        PyObject* value = call.arguments[form.inputs[i]];
        bool known = is_tensor(value) ? promotion.add(plain_array(as_tensor(value))) : promotion.add_number(value);
        if (!known) return -1;
    }
    for (int i = 0; i < form.test_count; i++) {
        if (form.tests[i].promotes && !promotion.add_number(call.arguments[form.tests[i].position])) return -1;
    }
    Rule rule = form.row->rule;
    if (rule == Rule::MATCH) return promotion.match();
    if (rule == Rule::NO_BOOLS && promotion.has_bools()) return -1;
    int dtype = promotion.result();
    return rule == Rule::FLOAT && (dtype == INT64 || dtype == BOOL) ? default_dtype() : dtype;
}

// The same where all tensors have one float dtype, as they mostly do.
int common_dtype(const Form& form, const Call& call) {
    int dtype = -1;
    for (int i = 0; i < form.count; i++) {
        PyObject* value = call.arguments[form.inputs[i]];
        if (PyBool_Check(value)) return promoted_dtype(form, call);
        if (!is_tensor(value) || form.row->masks >> i & 1) continue;
        int own = dtype_of(plain_array(as_tensor(value)));
        if ((own != FLOAT32 && own != FLOAT64) || (dtype >= 0 && own != dtype)) return promoted_dtype(form, call);
        dtype = own;
    }
    return dtype < 0 ? promoted_dtype(form, call) : dtype;
}

// A number as the nearest one of this half precision; nullptr where it is none, or too large for the loops.
PyObject* rounded(PyObject* value, int half) {
    if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return nullptr;
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return nullptr;
    }
    auto single = static_cast<float>(number);
    char kept[2];
    float back;
    table().shorten[half - DTYPES](&single, kept, 1);
    table().widen[half - DTYPES](kept, &back, 1);
    if (!std::isfinite(back) && std::isfinite(number)) return nullptr;
    return PyFloat_FromDouble(back);
}

bool accepts_numbers(const Form& form, const Call& call) {
    double numbers[Pointwise::INPUTS] = {};
    for (int i = 0; i < form.count; i++) {
        PyObject* value = call.arguments[form.inputs[i]];
        if (PyFloat_CheckExact(value)) numbers[i] = PyFloat_AS_DOUBLE(value);
        if (PyLong_CheckExact(value)) numbers[i] = PyLong_AsDouble(value);
    }
    if (PyErr_Occurred()) return false;
    return form.row->accepts(numbers);
}

// Whether a number is rounded to the half precision of the tensors that it meets, as Python does.
bool is_rounded(const Form& form, int input) {
    for (const char* keeps : {"mul", "div", "lerp", "nn.functional.elu", "celu"}) {
        if (std::strcmp(form.row->name, keeps) == 0) return false;
    }
    return !(form.options >> input & 1) || std::strcmp(form.row->inputs[input], "alpha") == 0;
}

// Half precision that all tensors of a call have, or -1. A division that rounds is Python's: torch does it in half
// precision itself.
int half_dtype(const Form& form, const Call& call) {
    int found = -1;
    for (int i = 0; i < form.count; i++) {
        PyObject* value = call.arguments[form.inputs[i]];
        if (form.row->masks >> i & 1) continue;
        if (is_tensor(value)) {
            int own = kept_dtype_of(plain_array(as_tensor(value)));
            if (own < DTYPES || (found >= 0 && own != found)) return -1;
            found = own;
        }
    }
    if (found < 0 || is_polynomial(*form.row)) return -1;
    // a quotient that rounds, the next number and the largest one are those of half precision itself
    for (const char* own : {"floor_divide", "nextafter", "nan_to_num"}) {
        if (std::strcmp(form.row->name, own) == 0) return -1;
    }
    for (int i = 0; i < form.test_count; i++) {
        if (form.tests[i].condition.kind == Condition::TEXT && std::strcmp(form.row->name, "div") == 0) return -1;
    }
    return found;
}

// The op's arguments as what the loops read; false where Python has to look.
bool add_arguments(Operands& operands, const Form& form, const Call& call, int dtype, int half) {
    for (int i = 0; i < form.count; i++) {
        PyObject* value = call.arguments[form.inputs[i]];
        bool mask = form.row->masks >> i & 1;
        if (is_tensor(value)) {
            PyArrayObject* array = plain_array(as_tensor(value));
            DECLINE_IF(mask && PyArray_TYPE(array) != NPY_BOOL);
            DECLINE_IF(half >= 0 && !mask ? !operands.add_half(array) : !operands.add(array, mask ? +BOOL : dtype));
            continue;
        }
        Ref number = half >= 0 && is_rounded(form, i) ? Ref::steal(rounded(value, half)) : Ref::borrow(value);
        DECLINE_IF(!number);
        // True is no alpha
        DECLINE_IF(mask || (PyBool_Check(value) && form.options >> i & 1) || !operands.add_number(number.get(), dtype));
        operands.has_number = operands.has_number || (call.op->wraps >> form.inputs[i] & 1);
    }
    DECLINE_IF(!operands.broadcast() || (form.row->rows_only && !operands.in_rows()));
    return true;
}

// NumPy's number of a result's dtype; bfloat16 has one that only its arrays tell.
int type_of(int dtype, const Operands& operands) {
    if (dtype < DTYPES) return type_num_of(dtype);
    for (int i = 0; i < operands.count; i++) {
        if (operands.items[i].own == dtype) return PyArray_TYPE(operands.items[i].array);
    }
    return -1;
}

// Whether a call inside of a compiled function was put off, or done with those that were; if not, all that it reads is
// there.
bool put_off(Call& call, const Form& form, const Operands& operands, Loop loop, PyArrayObject* out, int result) {
    if (state.compiled && state.levels == nullptr) {
        unsigned shared = 0;
        for (int i = 0; i < form.count; i++) {
            PyObject* value = call.arguments[form.inputs[i]];
            bool is_there = is_tensor(value) && as_tensor(value)->array != nullptr && !operands.items[i].single;
            if (is_there && !is_private(as_tensor(value))) shared |= 1u << i;
        }
        Deferral done = defer(operands, loop, out, result, call.op->kernel->name, shared);
        call.is_pending = done == Deferral::PENDING;
        if (done != Deferral::DECLINED) return true;
    }
    for (int i = 0; pending_count != 0 && i < operands.count; i++) {
        PyArrayObject* array = operands.items[i].array;
        if (array != nullptr && is_pending(array)) settle(call.op->kernel->name);
    }
    return false;
}

// A half-precision call that looks at bits alone; false with nothing done where the numbers have to be looked at.
bool forward_half_bits(Call& call, const Form& form, int half) {
    Operands operands;
    if (state.compiled || form.row->half_bits == nullptr) return false;
    for (int i = 0; i < form.count; i++) {
        PyObject* value = call.arguments[form.inputs[i]];
        if (!is_tensor(value) || !operands.add_half_bits(plain_array(as_tensor(value)))) return false;
    }
    if (!operands.broadcast()) return false;
    PyArrayObject* out = call.out;
    if (out != nullptr) {
        if (kept_dtype_of(out) != half || !operands.may_write(out)) return false;
        Py_INCREF(out);
    } else if ((out = operands.make_result(type_of(half, operands), form.row->packed)) == nullptr) {
        return false;
    }
    operands.run(form.row->half_bits, out, half, half);
    return call.give(out);
}

bool forward(Call& call) {
    const Forms& forms = forms_of(*call.op);
    const Form* form = choose(forms, [&](const Test& test) { return call.arguments[test.position]; });
    DECLINE_IF(form == nullptr);
    const Pointwise& row = *form->row;
    int dtype = common_dtype(*form, call);
    int half = dtype < 0 ? half_dtype(*form, call) : -1;
    if (half >= 0) dtype = FLOAT32;
    if (half >= 0 && forward_half_bits(call, *form, half)) return true;
    if (half >= 0 && PyErr_Occurred() != nullptr) return false;
    DECLINE_IF(dtype < 0 || row.loops[dtype] == nullptr);
    DECLINE_IF(row.accepts != nullptr && !accepts_numbers(*form, call));
    Operands operands;
    if (!add_arguments(operands, *form, call, dtype, half)) return false;
    DECLINE_IF(divides_integers(row, dtype) && !has_no_zeros(operands.items[1]));
    DECLINE_IF(is_polynomial(row) && !has_low_degrees(operands.items[1]));
    int result = row.gives_bool ? static_cast<int>(BOOL) : half >= 0 ? half : dtype;
    PyArrayObject* out = call.out;
    if (out != nullptr && row.gives_bool && kept_dtype_of(out) != BOOL) {
        DECLINE_IF(kept_dtype_of(out) < 0 || !operands.may_write(out));
        operands.run(row.loops[dtype], out, kept_dtype_of(out), BOOL);
        return call.give(Ref::borrow(as_object(out)));
    }
    if (out != nullptr) {
        DECLINE_IF(kept_dtype_of(out) != result || !operands.may_write(out));
        Py_INCREF(out);
    } else if ((out = operands.make_result(type_of(result, operands), row.packed)) == nullptr) {
        return false;
    }
    if (call.out != nullptr || !put_off(call, *form, operands, row.loops[dtype], out, result)) {
        operands.run(row.loops[dtype], out, result);
    }
    return call.give(out);
}

// Whether a condition holds where the first arguments are tensors and the others have their defaults.
bool holds_by_default(const Test& test, const OpInfo& op, int tensors) {
    if (test.position < tensors) return test.condition.kind == Condition::TENSOR;
    PyObject* fallback = op.parameters[test.position].fallback;
    return fallback != nullptr && holds(test, fallback);
}

// See OpInfo::direct.
void find_direct(OpInfo& op) {
    for (const Form& form : forms_of(op).all) {
        bool fits = true;
        for (int i = 0; fits && i < form.test_count; i++) fits = holds_by_default(form.tests[i], op, form.count);
        if (!fits) continue;
        const Pointwise& row = *form.row;
        bool plain =
            form.count <= 2 && row.masks == 0 && form.options == 0 && !row.gives_bool && row.accepts == nullptr;
        for (int i = 0; i < form.count; i++) plain = plain && form.inputs[i] == i;
        for (size_t i = form.count; i < op.parameters.size(); i++)
            plain = plain && op.parameters[i].fallback != nullptr;
        if (!plain || row.loops[FLOAT32] == nullptr || row.loops[FLOAT64] == nullptr) return;
        op.direct[0] = row.loops[FLOAT32];
        op.direct[1] = row.loops[FLOAT64];
        op.direct_count = form.count;
        return;
    }
}

// A saved value, as an operand of a gradient. A formula may compute with several floats of a shorter dtype, or with
// integers and bools, before they meet `grad`: Python does.
bool add_saved(Operands& operands, const Gradient& gradient, int read, int dtype, bool several) {
    PyArrayObject* array = gradient.array_at(read);
    if (array == nullptr) {
        PyObject* number = gradient.option_at(read);
        return number != nullptr && operands.add_number(number, dtype);
    }
    int type = PyArray_TYPE(array);
    bool shorter = dtype == FLOAT64 && type == NPY_FLOAT32;
    if (several && (shorter || (dtype != BOOL && !PyTypeNum_ISFLOAT(type)))) return declined("saved dtypes differ");
    return operands.add(array, dtype);
}

// The same where `grad` is of half precision: what it meets is of the same, or a mask.
bool add_saved_half(Operands& operands, const Gradient& gradient, int read, bool mask) {
    PyArrayObject* array = gradient.array_at(read);
    if (array == nullptr || mask) return add_saved(operands, gradient, read, mask ? +BOOL : +FLOAT32, false);
    return PyArray_TYPE(array) == PyArray_TYPE(gradient.grad()) && operands.add_half(array);
}

// Whether the gradient of an input may be written over `grad`: an input before this one may have been handed it.
bool may_overwrite(const Gradient& gradient, bool last) {
    return last && gradient.may_overwrite && Py_REFCNT(gradient.grad()) == 1;
}

// Arrays that lie in memory alike and are read as they are: where their elements stand, after those of `grad`. Returns
// how many elements, 0 where there is more to look at.
npy_intp find_inputs(const Gradient& gradient, const Slope& slope, const void** inputs) {
    PyArrayObject* grad = gradient.grad();
    npy_intp size = element_count(grad);
    if (slope.row->masks != 0 || size > PARALLEL || !PyArray_IS_C_CONTIGUOUS(grad)) return 0;
    inputs[0] = PyArray_DATA(grad);
    for (int i = 0; i < slope.count; i++) {
        PyArrayObject* array = gradient.array_at(slope.reads[i]);
        if (array == nullptr || !PyArray_ISCARRAY_RO(array) || PyArray_TYPE(array) != PyArray_TYPE(grad) ||
            !have_same_shape(array, grad)) {
            return 0;
        }
        inputs[i + 1] = PyArray_DATA(array);
    }
    return size;
}

// A gradient that is put off, or done with those that were: a new reference, nullptr where it cannot be made.
PyArrayObject* put_off(const Gradient& gradient, const Operands& operands, Loop loop, int dtype) {
    PyArrayObject* out = operands.new_result(dtype);
    if (out == nullptr) return nullptr;
    // no user's code runs in between: memory that others hold is as safe as any
    if (defer(operands, loop, out, dtype, gradient.plan->op->kernel->name, 0) == Deferral::DECLINED) {
        settle("a gradient of another kind");
        operands.run(loop, out, dtype);
    }
    return out;
}

// The gradient of one input: a new reference, or nullptr where Python has to do it.
PyArrayObject* slope_of(const Gradient& gradient, const Slope& slope, bool last) {
    PyArrayObject* grad = gradient.grad();
    int kept = kept_dtype_of(grad);
    bool half = kept >= DTYPES;
    int dtype = half ? +FLOAT32 : kept;
    if (dtype != FLOAT32 && dtype != FLOAT64) return nullptr;
    Loop loop = slope.row->loops[dtype];
    if (loop == nullptr) {
        Py_INCREF(grad);
        return grad;
    }
    const void* inputs[Pointwise::INPUTS + 1];
    if (gradient.is_lazy && half) settle("half precision");
    bool is_lazy = gradient.is_lazy && !half;
    if (npy_intp size = half || is_lazy ? 0 : find_inputs(gradient, slope, inputs)) {
        PyArrayObject* out = may_overwrite(gradient, last) ? grad : new_array_like(grad, size);
        if (out == grad) Py_INCREF(grad);
        if (out != nullptr) loop(inputs, PyArray_DATA(out), size);
        return out;
    }
    Operands operands;
    if (half ? !operands.add_half(grad) : !operands.add(grad, dtype)) return nullptr;
    for (int i = 0; i < slope.count; i++) {
        bool mask = slope.row->masks >> i & 1, several = slope.count > 1;
        bool added = half ? add_saved_half(operands, gradient, slope.reads[i], mask)
                          : add_saved(operands, gradient, slope.reads[i], mask ? +BOOL : dtype, several);
        if (!added) return nullptr;
    }
    if (!operands.broadcast()) return nullptr;
    PyArrayObject* out = grad;
    if (is_lazy) return put_off(gradient, operands, loop, dtype);
    if (may_overwrite(gradient, last) && operands.has_shape(grad)) {
        Py_INCREF(grad);
    } else if ((out = operands.make_result(PyArray_TYPE(grad))) == nullptr) {
        return nullptr;
    }
    operands.run(loop, out, kept);
    return out;
}

bool backward(Gradient& gradient) {
    const Forms& forms = forms_of(*gradient.plan->op);
    const Form* form = choose(forms, [&](const Test& test) { return gradient.option_at(test.read); });
    if (form == nullptr) return false;
    if (gradient.is_lazy && element_count(gradient.grad()) < least_deferred) {
        settle(gradient.plan->op->kernel->name);
        gradient.is_lazy = false;
    }
    int count = gradient.plan->input_count;
    for (int k = 0; k < count; k++) {
        const Slope* slope = nullptr;
        for (int i = 0; i < form->slope_count; i++) {
            if (form->slopes[i].position == gradient.plan->inputs[k]) slope = &form->slopes[i];
        }
        if (slope == nullptr) return false;
        gradient.found[k] = slope_of(gradient, *slope, k == count - 1);
        if (gradient.found[k] == nullptr) return false;
    }
    return true;
}

Form make_form(const Pointwise& row) {
    Form form;
    form.row = &row;
    while (form.count < Pointwise::INPUTS && row.inputs[form.count] != nullptr) form.count++;
    for (const Condition& each : row.when) {
        if (each.name != nullptr) form.tests[form.test_count++].condition = each;
    }
    for (const Pointwise::Slope& each : row.slopes) {
        if (each.input == nullptr) continue;
        Slope& slope = form.slopes[form.slope_count++];
        slope.row = &each;
        while (slope.count < Pointwise::INPUTS && each.reads[slope.count] != nullptr) slope.count++;
    }
    return form;
}

// Its place among what the kernel reads, where it is added if it is new; -1 if there is no room.
int add_read(Kernel& kernel, const char* name) {
    int place = read_of(kernel, name);
    if (place >= 0 || kernel.read_count == MAX_NAMES) return place;
    kernel.reads[kernel.read_count] = {name, static_cast<int>(std::strlen(name))};
    return kernel.read_count++;
}

bool register_form(Kernel& kernel, Forms& forms, const Pointwise& row) {
    forms.all.push_back(make_form(row));
    const Form& form = forms.all.back();
    for (int i = 0; i < form.slope_count; i++) {
        kernel.backward = backward;
        for (int k = 0; k < form.slopes[i].count; k++) {
            if (add_read(kernel, form.slopes[i].row->reads[k]) < 0) return false;
        }
    }
    return true;
}

// What a condition looks at may be saved or not.
bool register_tests(Kernel& kernel, const Forms& forms) {
    for (const Form& form : forms.all) {
        for (int i = 0; i < form.test_count; i++) {
            int known = kernel.read_count, place = add_read(kernel, form.tests[i].condition.name);
            if (place < 0) return false;
            if (place == known) kernel.may_lack |= 1u << place;
        }
    }
    return true;
}

bool register_op(const Table& loops, int first) {
    const char* name = loops.pointwise[first].name;
    Kernel& kernel = Declaration(name).forward(forward, "").preparing(prepare).kernel;
    kernel.find_direct = find_direct;
    kernel.is_lazy = true;
    auto* forms = new Forms;
    kernel.data = forms;
    for (int i = first; i < loops.pointwise_count; i++) {
        bool same = std::strcmp(loops.pointwise[i].name, name) == 0;
        if (same && !register_form(kernel, *forms, loops.pointwise[i])) return false;
    }
    return register_tests(kernel, *forms);
}

}  // namespace

bool register_pointwise() {
    const Table& loops = table();
    if (loops.is_full) {
        PyErr_Format(PyExc_ImportError, "there are more pointwise rows than Table::MOST");
        return false;
    }
    for (int i = 0; i < loops.pointwise_count; i++) {
        const char* name = loops.pointwise[i].name;
        const Kernel* known = find_kernel(name);
        bool done = known != nullptr && known->forward == forward;
        if (done || register_op(loops, i)) continue;
        PyErr_Format(PyExc_ImportError, "the rows of '%s' read more values than MAX_NAMES", name);
        return false;
    }
    return true;
}

}  // namespace rushlight
