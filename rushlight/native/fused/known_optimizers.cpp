// Known optimizers: a parameter is held by its group's list, what is remembered of it by dicts, and each of these says
// whether it has changed.
#include "fused/known_optimizers.h"

#include "object/tensor.h"

namespace rushlight {

namespace {

bool is_empty(PyObject* dict) { return PyDict_GET_SIZE(dict) == 0; }

bool has_same_params(const KnownOptimizer& known, const KnownGroup& group, size_t begin) {
    if (PyList_GET_SIZE(group.params) != static_cast<Py_ssize_t>(group.end - begin)) return false;
    for (size_t i = begin; i < group.end; i++) {
        const KnownParam& each = known.params[i];
        // one without a state may have died, and another stand in its place
        if (PyList_GET_ITEM(group.params, i - begin) != each.param || !is_any_tensor(each.param)) return false;
        if (each.state.dict != nullptr && !each.state.is_as_it_was()) return false;
    }
    return true;
}

}  // namespace

bool KnownOptimizer::is_as_it_was(PyObject* asked) const {
    if (!REMEMBERS || optimizer != asked || Py_TYPE(asked) != type) return false;
    if (type_version == 0 || version_of(type) != type_version) return false;
    if (fields_of(asked) != fields.dict || !fields.is_as_it_was()) return false;
    if (!defaults.is_as_it_was() || !state.is_as_it_was() || !is_empty(hooks[0]) || !is_empty(hooks[1])) return false;
    if (PyList_GET_SIZE(list) != static_cast<Py_ssize_t>(groups.size())) return false;
    size_t begin = 0;
    for (size_t i = 0; i < groups.size(); i++) {
        const KnownGroup& group = groups[i];
        if (PyList_GET_ITEM(list, i) != group.options.dict || !group.options.is_as_it_was()) return false;
        if (!has_same_params(*this, group, begin)) return false;
        begin = group.end;
    }
    return true;
}

KnownOptimizer& known_optimizer(PyObject* optimizer) {
    // by address: what stands there may be of another one, and then its versions are others
    constexpr size_t PLACES = 16;
    static auto* places = new KnownOptimizer[PLACES];
    return places[(reinterpret_cast<size_t>(optimizer) >> 4) % PLACES];
}

}  // namespace rushlight
