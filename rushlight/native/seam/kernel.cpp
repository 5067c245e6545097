// The table of kernels: filled while the extension is loaded, before anything can fail, so it takes no memory of its
// own.
#include "seam/kernel.h"

#include <string>
#include <type_traits>

#include "seam/plan.h"
#include "seam/shortcut.h"

namespace rushlight {

const char* decline_reason = nullptr;
const Word* decline_about = nullptr;

namespace {

constexpr int MOST = 512, SLOTS = 2048;

static_assert(std::is_trivially_default_constructible_v<Kernel>, "filled before it would be constructed");
Kernel kernels[MOST];
int count = 0;
int16_t slots[SLOTS];          // a kernel's place plus one, where its name's hash says or behind it
const char* fault = nullptr;   // what was wrong in a declaration
const char* faulty = nullptr;  // and in which

unsigned hash(const char* name) {
    unsigned sum = 2166136261u;
    while (*name != '\0') sum = (sum ^ static_cast<unsigned char>(*name++)) * 16777619u;
    return sum;
}

// The slot of a name, or the free one where it belongs.
int16_t& slot_of(const char* name) {
    unsigned place = hash(name) % SLOTS;
    while (slots[place] != 0 && std::strcmp(kernels[slots[place] - 1].name, name) != 0) place = (place + 1) % SLOTS;
    return slots[place];
}

void complain(const char* name, const char* words) {
    if (fault != nullptr) return;
    fault = words;
    faulty = name;
}

// "tensors, dim" as names; their number.
int split(const char* kernel, const char* text, Word (&names)[MAX_NAMES]) {
    int found = 0;
    while (*text != '\0') {
        const char* end = std::strchr(text, ',');
        int length = static_cast<int>(end == nullptr ? std::strlen(text) : end - text);
        if (found == MAX_NAMES) {
            complain(kernel, "reads too many values");
            break;
        }
        names[found++] = {text, length};
        text += length;
        while (*text == ',' || *text == ' ') text++;
    }
    return found;
}

bool refuse(const Kernel& kernel, const Word& name, const char* words) {
    Ref read = Ref::steal(PyUnicode_FromStringAndSize(name.start, name.length));
    if (read) PyErr_Format(PyExc_TypeError, "the kernel of '%s' reads '%U', %s", kernel.name, read.get(), words);
    return false;
}

const char* kind_of(const Kernel& kernel) {
    if (kernel.shortcut != nullptr) return "shortcut";
    if (kernel.route != nullptr) return "route";
    return kernel.forward != nullptr || kernel.backward != nullptr ? "op" : "link";
}

PyObject* tell(const Tally& tally) {
    Ref reasons = Ref::steal(PyDict_New());
    if (!reasons) return nullptr;
    for (const auto& each : tally.reasons) {
        if (each.words == nullptr) break;
        Ref words = Ref::steal(PyUnicode_FromString(each.words));
        if (words && each.about != nullptr) {
            Ref about = Ref::steal(PyUnicode_FromStringAndSize(each.about->start, each.about->length));
            words = about ? Ref::steal(PyUnicode_FromFormat("%U: %U", about.get(), words.get())) : Ref();
        }
        Ref number = Ref::steal(PyLong_FromLongLong(each.count));
        if (!words || !number || PyDict_SetItem(reasons.get(), words.get(), number.get()) < 0) return nullptr;
    }
    return Py_BuildValue("(LLO)", static_cast<long long>(tally.accepted), static_cast<long long>(tally.declined),
                         reasons.get());
}

}  // namespace

bool Word::is(PyObject* text) const {
    Py_ssize_t size;
    const char* other = PyUnicode_AsUTF8AndSize(text, &size);
    if (other == nullptr) PyErr_Clear();
    return other != nullptr && size == length && std::memcmp(start, other, length) == 0;
}

void Tally::decline() {
    const char* words = decline_reason == nullptr ? "no reason given" : decline_reason;
    const Word* about = decline_about;
    decline_reason = nullptr;
    decline_about = nullptr;
    declined++;
    for (int i = 0; i < MOST; i++) {
        auto& each = reasons[i];
        // the last one takes what finds no room, and says so
        if (i == MOST - 1) {
            words = "other reasons";
            about = nullptr;
        }
        bool same = each.words == words && each.about == about;
        if (each.words != nullptr && !same) continue;
        if (each.words == nullptr) {
            each.words = words;
            each.about = about;
        }
        each.count++;
        return;
    }
}

Kernel& Declaration::next(const char* name) {
    // a declaration that is refused goes into the last place, which nobody finds
    Kernel* made = &kernels[MOST - 1];
    int16_t& slot = slot_of(name);
    if (slot != 0) {
        complain(name, "is declared twice");
    } else if (count == MOST - 1) {
        complain(name, "is one too many for the table of seam/kernel.cpp");
    } else {
        made = &kernels[count++];
        slot = static_cast<int16_t>(count);
    }
    made->name = name;
    return *made;
}

Declaration::Declaration(const char* name) : kernel(next(name)) {}

Declaration& Declaration::forward(Forward function, const char* names) {
    kernel.forward = function;
    kernel.argument_count = split(kernel.name, names, kernel.arguments);
    return *this;
}

Declaration& Declaration::gradient(Backward function, const char* names) {
    kernel.backward = function;
    kernel.read_count = split(kernel.name, names, kernel.reads);
    return *this;
}

Declaration& Declaration::route(Route function, const char* names) {
    kernel.route = function;
    kernel.argument_count = split(kernel.name, names, kernel.arguments);
    return *this;
}

Declaration& Declaration::shortcut(Shortcut function, const char* names) {
    kernel.shortcut = function;
    kernel.argument_count = split(kernel.name, names, kernel.arguments);
    return *this;
}

void Declaration::add(const Want& want, Want* wants, int& count, int most) {
    if (count == most) return complain(kernel.name, "wants too much");
    wants[count++] = want;
}

Declaration& Declaration::as(const char* name) {
    const char* own = kernel.name;
    if (const Kernel* other = find_kernel(name)) {
        kernel = *other;
    } else {
        complain(own, "is declared as another that comes later");
    }
    kernel.name = own;
    return *this;
}

Declaration& Declaration::with(const void* data) {
    kernel.data = data;
    return *this;
}

Declaration& Declaration::naming(unsigned (*variant)(const Call&)) {
    kernel.variant = variant;
    return *this;
}

Declaration& Declaration::preparing(bool (*prepare)(OpInfo&)) {
    kernel.prepare = prepare;
    return *this;
}

Declaration& Declaration::lazy() {
    kernel.is_lazy = true;
    return *this;
}

Kernel& link(const char* name) { return Declaration(name).kernel; }

Kernel* link_of(PyObject* function) {
    std::string name;
    if (!qualified_name(function, name)) return nullptr;
    Kernel* found = find_kernel(name.c_str());
    // the table keeps the name as long as it lives
    char* kept = found == nullptr ? strdup(name.c_str()) : nullptr;
    if (found == nullptr && kept == nullptr) PyErr_NoMemory();
    if (kept != nullptr) found = &link(kept);
    if (found == nullptr || !check_declarations()) return nullptr;
    found->is_claimed = true;
    return found;
}

Kernel* find_kernel(const char* name) {
    int16_t slot = slot_of(name);
    return slot == 0 ? nullptr : &kernels[slot - 1];
}

bool find_places(const Kernel& kernel, PyObject* names, int8_t (&places)[MAX_NAMES]) {
    for (int i = 0; i < kernel.argument_count; i++) {
        Py_ssize_t place = 0, most = PyTuple_GET_SIZE(names);
        while (place < most && !kernel.arguments[i].is(PyTuple_GET_ITEM(names, place))) place++;
        if (place == most) return refuse(kernel, kernel.arguments[i], "which is no parameter of the function");
        places[i] = static_cast<int8_t>(place);
    }
    return true;
}

bool claim_kernel(OpInfo& op, const char* name) {
    Kernel* kernel = find_kernel(name);
    if (kernel == nullptr) return true;
    for (int i = 0; i < kernel->argument_count; i++) {
        int place = 0, most = static_cast<int>(op.parameters.size());
        while (place < most && !kernel->arguments[i].is(op.parameters[place].name)) place++;
        if (place == most) return refuse(*kernel, kernel->arguments[i], "which is no parameter of the op");
        op.places[i] = static_cast<int8_t>(place);
    }
    op.kernel = kernel;
    if (kernel->prepare != nullptr && !kernel->prepare(op)) return false;
    kernel->is_claimed = true;
    return true;
}

bool check_reads(const OpInfo& op) {
    const Kernel& kernel = *op.kernel;
    Ref saved = Ref::steal(PyObject_CallMethod(op.op, "saved_names", nullptr));
    if (!saved || !PyList_Check(saved.get())) return false;
    for (int i = 0; i < kernel.read_count; i++) {
        bool found = kernel.may_lack >> i & 1;
        for (Py_ssize_t k = 0; !found && k < PyList_GET_SIZE(saved.get()); k++) {
            found = kernel.reads[i].is(PyList_GET_ITEM(saved.get(), k));
        }
        if (!found) return refuse(kernel, kernel.reads[i], "which no formula of the op saves");
    }
    return true;
}

bool check_declarations() {
    if (fault == nullptr) return true;
    PyErr_Format(PyExc_ImportError, "the kernel of '%s' %s", faulty, fault);
    return false;
}

PyObject* report_kernels(PyObject*, PyObject*) {
    Ref found = Ref::steal(PyList_New(0));
    if (!found) return nullptr;
    for (int i = 0; i < count; i++) {
        const Kernel& each = kernels[i];
        Ref forwards = Ref::steal(tell(each.forwards)), backwards = Ref::steal(tell(each.backwards));
        Ref takes = Ref::steal(list_wants(each.wants, each.want_count, each.arguments));
        Ref given = Ref::steal(list_wants(each.given, each.given_count, each.reads));
        if (!forwards || !backwards || !takes || !given) return nullptr;
        Ref row = Ref::steal(Py_BuildValue("(sOOOsOO)", each.name, each.is_claimed ? Py_True : Py_False, forwards.get(),
                                           each.backward == nullptr ? Py_None : backwards.get(), kind_of(each),
                                           takes.get(), given.get()));
        if (!row || PyList_Append(found.get(), row.get()) < 0) return nullptr;
    }
    return found.release();
}

}  // namespace rushlight
