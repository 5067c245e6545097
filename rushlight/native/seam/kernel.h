// Kernels: declared beside their code under the op's qualified name, with what they read by the names of its signature.
#pragma once

#include <cstdint>
#include <cstring>

#include "seam/decline.h"
#include "seam/python.h"
#include "seam/wants.h"

// The arguments that a kernel reads, or the saved values that its gradient reads: `NAMES(Cat, tensors, dim)` makes
// `Cat::tensors` and `Cat::dim`, which `call[...]` takes, and `Cat::names` for the declaration.
#define NAMES(list, ...)                                   \
    struct list {                                          \
        enum Name : int { __VA_ARGS__ };                   \
        static constexpr const char* names = #__VA_ARGS__; \
    }

namespace rushlight {

constexpr int MAX_ARGUMENTS = 12;  // parameters of an op
constexpr int MAX_NAMES = 12;      // of them, or of the saved values, that a kernel reads
static_assert(MAX_NAMES == GRADIENT, "the gradient stands behind the names");

struct Arguments;
struct Call;
struct Gradient;
struct OpInfo;

// A forward kernel makes the results through the call and returns true, or declines.
using Forward = bool (*)(Call&);
// A gradient kernel makes the gradients of the inputs that are wanted and returns true, or declines.
using Backward = bool (*)(Gradient&);
// A composed function's way to its inner ops: returns what the function returns, a new reference, or declines.
// An exception that is set is forgotten: Python runs the function again and words it.
using Route = PyObject* (*)(Call&);
// The native way of a Python function: returns what it returns, a new reference, or declines.
// An exception that is set is forgotten, unless it had decided.
using Shortcut = PyObject* (*)(const Arguments&);

// A word of a list of names.
struct Word {
    const char* start;
    int length;

    bool is(const char* text) const { return std::strncmp(start, text, length) == 0 && text[length] == '\0'; }
    bool is(PyObject* text) const;
};

// How often a kernel did its work, and how often it declined for which reason.
struct Tally {
    static constexpr int MOST = 24;
    int64_t accepted, declined;
    struct {
        const char* words;
        const Word* about;
        int64_t count;
    } reasons[MOST];

    // one more for `decline_reason`, which is then forgotten
    void decline();
};

// What is known of an op by its name. All zero to begin with, without a constructor: declarations in other files may
// come before the initialisation of this one.
struct Kernel {
    const char* name;           // the op's name in ops/, such as "nn.functional.linear"
    Word arguments[MAX_NAMES];  // what `forward` or `route` reads, by the names of the signature
    int argument_count;
    Forward forward;
    Word reads[MAX_NAMES];  // the saved values that `backward` reads, by the names the formulas use
    int read_count;
    unsigned may_lack;                            // bits of `reads` that no formula need name
    Want wants[MAX_NAMES], given[MAX_NAMES + 1];  // what `forward` takes, and what `backward` does
    int want_count, given_count;
    Backward backward;
    Route route;                   // instead of `forward`, for a composed function
    Shortcut shortcut;             // instead of both, for a Python function such as "core.random.random.uniform"
    const void* data;              // for a kernel that serves many ops: which one
    bool (*prepare)(OpInfo&);      // looks up more names in the signature; false with an exception where one is missing
    void (*find_direct)(OpInfo&);  // finds OpInfo::direct, once the formulas are known
    // where the node's name depends on more than the kinds of arguments: a number for each name, 0 for unknown
    unsigned (*variant)(const Call&);
    bool is_claimed;  // an op of this name was declared
    bool is_lazy;     // takes operands whose numbers are pending
    Tally forwards, backwards;
};

// A kernel in the making: `KERNEL("cat").forward(cat, Cat::names).gradient(cat_gradient, CatSaved::names);`, with what
// it takes behind each: `.takes(tensor(Flip::input).dense())`, `.given(tensor(GRADIENT).floats())`.
class Declaration {
public:
    explicit Declaration(const char* name);
    Declaration& forward(Forward function, const char* names);
    Declaration& gradient(Backward function, const char* names = "");
    Declaration& route(Route function, const char* names);
    Declaration& shortcut(Shortcut function, const char* names);
    // what the forward kernel takes of its arguments, and the gradient of what was saved
    template <class... Wants>
    Declaration& takes(const Wants&... wants) {
        (add(wants, kernel.wants, kernel.want_count, MAX_NAMES), ...);
        return *this;
    }
    template <class... Wants>
    Declaration& given(const Wants&... wants) {
        (add(wants, kernel.given, kernel.given_count, MAX_NAMES + 1), ...);
        return *this;
    }
    // all that was declared of another kernel, earlier in the same file: `KERNEL("triu").as("tril").with(&upper);`
    Declaration& as(const char* name);
    Declaration& with(const void* data);
    Declaration& naming(unsigned (*variant)(const Call&));
    Declaration& preparing(bool (*prepare)(OpInfo&));
    Declaration& lazy();
    Kernel& kernel;

private:
    static Kernel& next(const char* name);
    void add(const Want& want, Want* wants, int& count, int most);
};

#define RUSHLIGHT_JOIN(one, two) one##two
#define RUSHLIGHT_JOINED(one, two) RUSHLIGHT_JOIN(one, two)
#define KERNEL(...)                                                                                 \
    [[maybe_unused]] static const ::rushlight::Declaration RUSHLIGHT_JOINED(kernel_, __COUNTER__) = \
        ::rushlight::Declaration(__VA_ARGS__)

// What native code does for Python besides ops and functions: the calls of modules, the steps of optimizers. Its own
// code counts it: `Kernel& calls = link("nn.modules.module.Module.__call__");`
Kernel& link(const char* name);
// The link of a Python function that is named at run time. nullptr with an exception if there is no room.
Kernel* link_of(PyObject* function);

Kernel* find_kernel(const char* name);
// Where each argument that the kernel reads stands in a tuple of names. False with a TypeError where one does not.
bool find_places(const Kernel& kernel, PyObject* names, int8_t (&places)[MAX_NAMES]);
// Gives an op its kernel: what that reads is looked up in the signature. False with a TypeError where it is not there.
bool claim_kernel(OpInfo& op, const char* name);
// Whether the op's formulas save what the gradient reads. False with a TypeError where they do not.
bool check_reads(const OpInfo& op);
// False with an ImportError if a declaration was wrong in itself: a name given twice, too many of them.
bool check_declarations();
// kernel_report(): for each kernel its name, whether an op has it, and its tallies.
PyObject* report_kernels(PyObject*, PyObject*);

}  // namespace rushlight
