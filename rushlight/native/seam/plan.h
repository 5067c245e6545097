// An op as native code knows it: its parameters, its kernel, and what is saved for its gradients.
#pragma once

#include <type_traits>
#include <vector>

#include "kernels/row.h"
#include "memory/arrays.h"
#include "memory/small_list.h"
#include "object/location.h"
#include "object/tensor.h"
#include "seam/kernel.h"
#include "seam/python.h"

namespace rushlight {

constexpr int MAX_INPUTS = 8;  // differentiable inputs of an op

struct Parameter {
    PyObject* name = nullptr;
    PyObject* fallback = nullptr;  // the default; nullptr where there is none
    bool keyword = false;          // keyword only
    bool is_size = false;          // sizes, which may be given one by one
    bool is_tensor = false;
    bool is_list = false;   // a list of tensors
    bool optional = false;  // a tensor, or None
    bool strict = false;    // a tensor, and no number
    bool wraps = false;     // a number here is a tensor without dimensions to torch
    bool is_flag = false;   // True or False, and nothing that is like them
    bool is_real = false;   // a number that need not be whole
};

// MEMORY: an argument as it is in memory at the call, whatever its .data is later
// FOLDED: the memory of what is no matrix, see Op.folds in declare.py.
enum class Source : char { ARGUMENT, MEMORY, FOLDED, SHAPE, GEOMETRY, RESULT };

// For one choice of inputs that need gradients: what is saved, and where the gradients go.
struct OpPlan {
    PyObject* python = nullptr;  // the Plan of declare.py
    const OpInfo* op = nullptr;
    unsigned needs = 0;
    int inputs[MAX_INPUTS] = {};
    int input_count = 0;
    struct {
        Source kind;
        int position;
    } sources[MAX_ARGUMENTS] = {};
    int source_count = 0;
    bool has_lists = false;
    bool keeps_tensors = false;
    bool may_keep_numbers = false;  // in place of all tensors that it would save
    // for each of the kernel's `reads`: its place among the saved values, or -1
    int places[MAX_NAMES] = {};
};

// How a batch of samples is run, where native code knows: see ops/machine/transforms/words.py.
// PLAIN: one more dimension in front is no matter; FRONT: nor is it where the first tensor alone has it; SHIFTED:
// options count one dimension more; NAMED: so do the dims that must be named
enum class BatchWord : char { OTHER, ELEMENTWISE, PLAIN, FRONT, SHIFTED, NAMED };

enum class Entry : char { CALL, INPLACE, EITHER, COMPOSED };

struct OpInfo {
    PyObject* op = nullptr;  // the Op of declare.py (borrowed: the function that owns this holds it)
    Kernel* kernel = nullptr;
    int8_t places[MAX_NAMES] = {};  // where what the kernel reads stands in the signature
    Entry entry = Entry::CALL;
    bool is_view = false;
    bool has_results = false;  // several results, returned as a named tuple
    // owned, from the first call of the body on: what Python calls for an op
    PyObject *rule = nullptr, *body = nullptr, *layout = nullptr;
    std::vector<Parameter> parameters;
    int positional = 0;  // how many may be given by position
    int size_position = -1;
    int inplace_position = -1;
    unsigned tensors = 0, lists = 0, wraps = 0;  // bits
    // known after the first call
    bool settled = false;
    // for calls with this many tensors of one shape and dtype, float32 or float64, and all options at their defaults
    Loop direct[2] = {};
    int direct_count = 0;
    unsigned differentiable = 0;
    bool is_single = false;  // a level may take its layer off each argument by itself
    BatchWord word = BatchWord::OTHER;
    unsigned dims = 0, shapes = 0, indices = 0;  // bits, of options that a batch dimension moves
    bool is_linear = false;                      // it does to tangents what it does to tensors
    bool has_slope = false;                      // its gradient formulas are its derivatives along tangents
    unsigned factors = 0;                        // bits, of a product: the inputs that it is linear in, each by itself
    std::vector<int> partners;                   // see Op.partners in declare.py
    std::vector<OpPlan*> plans;
    // the class of its nodes: one, or one for each kind of the arguments that its name depends on
    std::vector<int> node_reads;
    PyObject* node_class = nullptr;
    std::vector<std::pair<unsigned, PyObject*>> node_classes;
    // that of writes where it is another, and whether native code may record them; see Op.write_class
    PyObject* write_class = nullptr;
    bool records_writes = false;
};

// One call of an op: its arguments in the order of the signature, defaults filled in.
struct Call : Readings {
    const OpInfo* op = nullptr;
    PyObject* arguments[MAX_ARGUMENTS] = {};  // borrowed
    PyObject* sizes = nullptr;                // owned: sizes that were given one by one
    unsigned needs = 0;                       // a bit for each input that requires grad
    Tensor* cut = nullptr;                    // an input whose history was cut
    bool has_inference = false;               // an input was made in inference mode
    PyArrayObject* out = nullptr;             // borrowed: an in-place call writes here; a kernel may ignore it
    Small<PyArrayObject*, 8> results;         // owned, until they become tensors
    bool several = false;                     // a tuple, also of one result
    bool is_pending = false;                  // the numbers of the result are
    const Place* place = nullptr;             // the user's line, where it is known already

    ~Call() {
        Py_XDECREF(sizes);
        for (PyArrayObject* each : results) Py_XDECREF(each);
    }
    // The next result: a new array, C-contiguous and uninitialised.
    PyArrayObject* make(int ndim, const npy_intp* dims, int type) { return keep(made(new_array(ndim, dims, type))); }
    PyArrayObject* make_zeros(int ndim, const npy_intp* dims, int type) {
        return keep(made(zeros_array(ndim, dims, type)));
    }
    // The same, of the shape of another array, and of its dtype.
    PyArrayObject* make_like(PyArrayObject* model) {
        return make(PyArray_NDIM(model), PyArray_DIMS(model), PyArray_TYPE(model));
    }
    // The next result, an array that was made otherwise: takes the reference. False for nullptr.
    bool give(PyArrayObject* array) { return array != nullptr && keep(array) != nullptr; }
    bool give(Ref array) { return give(array.release_array()); }
    // an argument by its name among what the kernel reads; borrowed
    template <class Name>
    PyObject* operator[](Name name) const {
        static_assert(std::is_enum_v<Name>, "arguments are read by name: see NAMES");
        return arguments[op->places[name]];
    }
    template <class Name>
    bool is_tensor(Name name) const {
        return rushlight::is_tensor((*this)[name]);
    }
    // the array of a tensor argument, packed where that was wanted, nullptr for what is none; borrowed
    template <class Name>
    PyArrayObject* array(Name name) const {
        return found_ >> name & 1 ? arrays_[name] : own_array(name);
    }
    // the same as the tensor has it; borrowed
    template <class Name>
    PyArrayObject* own_array(Name name) const {
        return is_tensor(name) ? as_tensor((*this)[name])->array : nullptr;
    }

private:
    PyArrayObject* keep(PyArrayObject* array) {
        Ref owner = Ref::steal(as_object(array));  // until the list, which may have to grow, has it
        results.push_back(array);
        return owner.release_array();
    }
};

// One node's turn in a backward: gradients of its outputs come in, gradients of its inputs go out.
struct Gradient : Readings {
    const OpPlan* plan = nullptr;
    struct Node* node = nullptr;
    PyArrayObject* const* grads = nullptr;  // borrowed; nullptr for an output that nobody used
    int grad_count = 0;
    // whether `grads[0]` is nobody else's, so that a result may be written over it
    bool may_overwrite = false;
    // whether it may be put off: see seam/pending.h
    bool is_lazy = false;
    // of a function transform whose backward this is, or nullptr: what was saved is read below it
    const struct Level* level = nullptr;
    // whether somebody may look at what is found: `autograd.grad` asked for it, or a hook waits for it
    bool is_shown = false;
    PyArrayObject* found[MAX_INPUTS] = {};  // by the order of plan->inputs: new references
    // for an op on a list of tensors, instead: one for each edge, nullptr where none is wanted
    std::vector<PyArrayObject*> parts;

    // what nobody has taken
    ~Gradient() {
        for (PyArrayObject* each : found) Py_XDECREF(each);
        for (PyArrayObject* each : parts) Py_XDECREF(each);
    }
    // packed where that was wanted
    PyArrayObject* grad() const { return found_ >> GRADIENT & 1 ? arrays_[GRADIENT] : grads[0]; }
    // whether somebody used another result than the first
    bool has_other_grads() const {
        for (int i = 1; i < grad_count; i++) {
            if (grads[i] != nullptr) return true;
        }
        return false;
    }
    // The gradient of the only input: a new array, C-contiguous and uninitialised.
    PyArrayObject* make(int ndim, const npy_intp* dims, int type) {
        return found[0] = rushlight::made(new_array(ndim, dims, type));
    }
    PyArrayObject* make_zeros(int ndim, const npy_intp* dims, int type) {
        return found[0] = rushlight::made(zeros_array(ndim, dims, type));
    }
    PyArrayObject* make_like(PyArrayObject* model) {
        return make(PyArray_NDIM(model), PyArray_DIMS(model), PyArray_TYPE(model));
    }
    // The same, an array that was made otherwise: takes the reference. False for nullptr.
    bool give(PyArrayObject* array) {
        found[0] = array;
        return array != nullptr;
    }
    bool give(Ref array) { return give(array.release_array()); }
    // `grad` itself
    bool pass_on() { return give(Ref::borrow(as_object(grad()))); }
    // the same, if the gradient of an input is wanted
    template <class Name>
    bool pass_on(Name name) {
        return fill(name, [&] { return Ref::borrow(as_object(grad())).release_array(); });
    }
    // What `find` makes, if the gradient of an input is wanted. False where that is nullptr.
    template <class Name, class Find>
    bool fill(Name name, Find find) {
        int place = place_of(name);
        return place < 0 || (found[place] = find()) != nullptr;
    }
    // where the gradient of an input goes in `found`, by its name among what the kernel reads; -1 if nobody wants it
    template <class Name>
    int place_of(Name name) const {
        static_assert(std::is_enum_v<Name>, "inputs are read by name: see NAMES");
        return place_at(plan->op->places[name]);
    }
    int place_at(int position) const {
        for (int i = 0; i < plan->input_count; i++) {
            if (plan->inputs[i] == position) return i;
        }
        return -1;
    }
    // a saved value by its name among what the gradient reads: an array for a tensor, else nullptr; borrowed
    template <class Name>
    PyArrayObject* array(Name name) const {
        static_assert(std::is_enum_v<Name>, "saved values are read by name: see NAMES");
        return found_ >> name & 1 ? arrays_[name] : array_at(name);
    }
    // the same as the tensor has it
    template <class Name>
    PyArrayObject* own_array(Name name) const {
        return array_at(name);
    }
    // the same for an option, a number or a shape; borrowed
    template <class Name>
    PyObject* option(Name name) const {
        static_assert(std::is_enum_v<Name>, "saved values are read by name: see NAMES");
        return option_at(name);
    }
    PyArrayObject* array_at(int which) const;
    PyObject* option_at(int which) const;
};

// The plan for these needs, made at first use; nullptr with or without an exception if there is none.
const OpPlan* make_plan(OpInfo* op, unsigned needs);
inline const OpPlan* plan_for(OpInfo* op, unsigned needs) {
    for (const OpPlan* plan : op->plans) {
        if (plan->needs == needs) return plan;
    }
    return make_plan(op, needs);
}
// What one row of Plan.formulas makes of the values: a new reference, nullptr with an exception.
PyObject* apply_formula(PyObject* row, PyObject* values);
// The class of a call's node; borrowed.
PyTypeObject* choose_node_class(OpInfo* op, const Call& call);
inline PyTypeObject* node_class_for(OpInfo* op, const Call& call) {
    return op->node_class != nullptr ? reinterpret_cast<PyTypeObject*>(op->node_class) : choose_node_class(op, call);
}

}  // namespace rushlight
