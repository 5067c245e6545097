// Wants: the one place where what kernels declare is checked.
#include "seam/wants.h"

#include "loops/convert.h"
#include "loops/copy.h"
#include "loops/folding.h"
#include "memory/arrays.h"
#include "seam/numbers.h"
#include "seam/plan.h"

namespace rushlight {

constexpr Word GRADIENT_NAME = {"gradient", 8};

// One look at all wants of a kernel.
class Meeting {
public:
    Meeting(Readings& readings, const Word* names) : readings_(readings), names_(names) {}

    // `value` is nullptr for what was not saved.
    bool meet(const Want& want, PyObject* value) {
        switch (want.kind) {
            case Want::TENSOR: return meet_tensor(want, value);
            case Want::TENSORS: return meet_tensors(want, value);
            case Want::NONE: return value == nullptr || value == Py_None || fail(want, "not None");
            case Want::FLAG: return meet_flag(want, value);
            case Want::DIM: return meet_dim(want, value);
            case Want::DIMS: return meet_dims(want, value);
            case Want::INTEGER:
                return value == nullptr || plain_integer(value, readings_.numbers_[want.name].integer) ||
                       fail(want, "no plain integer");
            case Want::NUMBER:
                return value == nullptr || plain_number(value, readings_.numbers_[want.name].number) ||
                       fail(want, "no plain number");
        }
        return false;
    }
    bool meet_array(const Want& want, PyArrayObject* array) {
        if (array == nullptr) return fail(want, "no tensor");
        if (!has_dtype(want, array)) return fail(want, "another dtype");
        int ndim = PyArray_NDIM(array);
        if (ndim < want.least || ndim > want.most) return fail(want, "another number of dims");
        if (want.movable && !is_movable(array)) return fail(want, "elements of another kind");
        if (want.filled && element_count(array) == 0) return fail(want, "empty");
        if (is_widened(want, array) && kept_dtype_of(array) >= DTYPES) return widen(want, array);
        if (want.model >= 0 && !meet_model(want, array)) return false;
        // float32 beside half precision, which only looks alike now
        if (want.has_dtype && was_widened(want.model)) return fail(want, "a dtype of its own");
        keep(want, array);
        if (want.layout == Want::ANY || PyArray_IS_C_CONTIGUOUS(array)) return true;
        if (want.layout == Want::PACKED) return pack(want, array);
        return is_laid_out(want, array) || fail(want, "in another order in memory");
    }

private:
    static bool has_dtype(const Want& want, PyArrayObject* array) {
        if (want.dtypes == 0) return true;
        int dtype = kept_dtype_of(array);
        return dtype >= 0 && (want.dtypes >> dtype & 1);
    }
    static bool is_laid_out(const Want& want, PyArrayObject* array) {
        if (want.layout == Want::ORDERED) return is_ordered(array);
        return want.layout == Want::ANY || PyArray_IS_C_CONTIGUOUS(array);
    }
    void keep(const Want& want, PyArrayObject* array) {
        readings_.arrays_[want.name] = array;
        readings_.found_ |= 1u << want.name;
    }
    bool fail(const Want& want, const char* words) {
        return declined(words, want.name == GRADIENT ? &GRADIENT_NAME : &names_[want.name]);
    }
    bool meet_tensor(const Want& want, PyObject* value) {
        if (value != nullptr && is_tensor(value)) return meet_array(want, plain_array(as_tensor(value)));
        if (value == nullptr || (want.optional && value == Py_None)) return true;
        // a result that was saved
        if (PyArray_CheckExact(value)) return meet_array(want, reinterpret_cast<PyArrayObject*>(value));
        return fail(want, "no tensor");
    }
    bool meet_tensors(const Want& want, PyObject* list) {
        if (list == nullptr || (!PyList_CheckExact(list) && !PyTuple_CheckExact(list))) return fail(want, "no list");
        Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
        bool limited = want.most < NPY_MAXDIMS;
        if (count < want.least || (limited && count > want.most)) return fail(want, "another number of tensors");
        PyArrayObject* first = nullptr;
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject* each = PySequence_Fast_GET_ITEM(list, i);
            PyArrayObject* array = is_tensor(each) ? as_tensor(each)->array : nullptr;
            if (array == nullptr) return fail(want, "something else than tensors");
            if (first == nullptr) first = array;
            if (PyArray_DESCR(array) != PyArray_DESCR(first)) return fail(want, "several dtypes");
            if (!has_dtype(want, array)) return fail(want, "another dtype");
            if (!is_laid_out(want, array)) return fail(want, "in another order in memory");
        }
        return first == nullptr || !want.movable || is_movable(first) || fail(want, "elements of another kind");
    }
    bool meet_model(const Want& want, PyArrayObject* array) {
        PyArrayObject* model = readings_.found(want.model);
        if (model == nullptr) return true;
        if (want.has_dtype && PyArray_TYPE(array) != PyArray_TYPE(model)) return fail(want, "a dtype of its own");
        if (want.has_shape && !have_same_shape(array, model)) return fail(want, "a shape of its own");
        return true;
    }
    // itself, or what it is like
    bool is_widened(const Want& want, PyArrayObject* array) const {
        bool follows = want.has_dtype && readings_.found(want.model) != nullptr;
        return want.widened || (follows && PyArray_TYPE(array) == readings_.half_type_);
    }
    bool was_widened(int name) const {
        return readings_.half_type_ >= 0 && readings_.found(name) != nullptr && (readings_.copies_ >> name & 1) != 0;
    }
    bool widen(const Want& want, PyArrayObject* array) {
        int ndim = PyArray_NDIM(array);
        bool is_other = readings_.half_type_ >= 0 && readings_.half_type_ != PyArray_TYPE(array);
        if (is_other) return fail(want, "a dtype of its own");
        if (!is_laid_out(want, array) && want.layout != Want::PACKED) return fail(want, "in another order in memory");
        PyArrayObject* copy = want.layout == Want::PACKED ? new_array(ndim, PyArray_DIMS(array), NPY_FLOAT32)
                                                          : new_array_like_strides(ndim, PyArray_DIMS(array),
                                                                                   PyArray_STRIDES(array), NPY_FLOAT32);
        if (copy == nullptr) return fail(want, "no memory for a copy");
        convert_into(copy, array);
        if (want.model >= 0 && !meet_model(want, copy)) {
            drop(copy);
            return false;
        }
        readings_.half_type_ = PyArray_TYPE(array);
        keep(want, copy);
        readings_.copies_ |= 1u << want.name;
        return true;
    }
    bool pack(const Want& want, PyArrayObject* array) {
        PyArrayObject* copy = packed_copy(array);
        if (copy == nullptr) return fail(want, "no memory for a copy");
        keep(want, copy);
        readings_.copies_ |= 1u << want.name;
        return true;
    }
    bool meet_flag(const Want& want, PyObject* value) {
        if (value != nullptr && value != Py_True && value != Py_False) return fail(want, "neither True nor False");
        readings_.numbers_[want.name].integer = value == Py_True;
        return true;
    }
    bool meet_dim(const Want& want, PyObject* value) {
        PyArrayObject* model = readings_.found(want.model);
        int64_t given, most = model == nullptr || PyArray_NDIM(model) == 0 ? 1 : PyArray_NDIM(model);
        if (value == nullptr) return true;
        if (!plain_integer(value, given) || given < -most || given >= most) return fail(want, "no dim");
        readings_.numbers_[want.name].integer = given < 0 ? given + most : given;
        return true;
    }
    bool meet_dims(const Want& want, PyObject* value) {
        PyArrayObject* model = readings_.found(want.model);
        Dims found;
        if (value == nullptr) return true;
        if (!read_dims(value, model == nullptr ? 0 : PyArray_NDIM(model), found)) return fail(want, "no dims");
        readings_.numbers_[want.name].integer = static_cast<int64_t>(found);
        return true;
    }

    Readings& readings_;
    const Word* names_;
};

void Readings::drop_copies() {
    for (int name = 0; name <= GRADIENT; name++) {
        if (copies_ >> name & 1) drop(arrays_[name]);
    }
}

PyArrayObject* rounded_again(const Readings& readings, PyArrayObject* taken) {
    if (readings.half_type() < 0 || taken == nullptr || PyArray_TYPE(taken) != NPY_FLOAT32) return taken;
    Ref wide = Ref::steal(as_object(taken));
    PyArrayObject* half = made(
        new_array_like_strides(PyArray_NDIM(taken), PyArray_DIMS(taken), PyArray_STRIDES(taken), readings.half_type()));
    convert_into(half, taken);
    return half;
}

PyObject* list_wants(const Want* wants, int count, const Word* names) {
    constexpr const char* KINDS[] = {"tensor", "tensors", "none", "flag", "dim", "dims", "integer", "number"};
    constexpr const char* LAYOUTS[] = {"any", "ordered", "dense", "packed"};
    Ref found = Ref::steal(PyList_New(0));
    for (int i = 0; found && i < count; i++) {
        const Want& each = wants[i];
        const Word& name = each.name == GRADIENT ? GRADIENT_NAME : names[each.name];
        Ref row = Ref::steal(Py_BuildValue("(s#siiis)", name.start, static_cast<Py_ssize_t>(name.length),
                                           KINDS[each.kind], each.dtypes, each.least, each.most, LAYOUTS[each.layout]));
        if (!row || PyList_Append(found.get(), row.get()) < 0) return nullptr;
    }
    return found.release();
}

bool meet_wants(Call& call) {
    const Kernel& kernel = *call.op->kernel;
    Meeting meeting(call, kernel.arguments);
    for (int i = 0; i < kernel.want_count; i++) {
        const Want& want = kernel.wants[i];
        if (!meeting.meet(want, call.arguments[call.op->places[want.name]])) return false;
    }
    return true;
}

bool meet_wants(Gradient& gradient) {
    const Kernel& kernel = *gradient.plan->op->kernel;
    Meeting meeting(gradient, kernel.reads);
    for (int i = 0; i < kernel.given_count; i++) {
        const Want& want = kernel.given[i];
        bool met = want.name == GRADIENT ? meeting.meet_array(want, gradient.grads[0])
                                         : meeting.meet(want, gradient.option_at(want.name));
        if (!met) return false;
    }
    return true;
}

}  // namespace rushlight
