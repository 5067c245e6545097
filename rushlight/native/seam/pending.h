// Pending steps: pointwise calls whose results are there, but not their numbers, which nobody has asked for yet.
//
// A compiled function runs as it stands. Its large pointwise calls are put off; what comes next from Python, other than
// such a call, runs them together first: so nobody can tell, and nothing that Python does has to be guarded against.
#pragma once

#include "kernels/folds.h"
#include "kernels/row.h"
#include "seam/python.h"

namespace rushlight {

class Operands;
struct Tensor;

// for all threads: the GIL is held wherever it is looked at
extern int pending_count;
void run_pending(const char* reason) noexcept;
// Before elements are read or written; the reason is for who asks what broke a chain.
inline void settle(const char* reason) {
    if (pending_count != 0) run_pending(reason);
}
// The same where the only one to hold a tensor is the call that is about to end, as in `f(x).backward(grad)`: its
// numbers go on waiting, for most likely nobody will ever look at them. nullptr: nothing waits.
void settle_but(const Tensor* passing, const char* reason) noexcept;

// Elements from which on a call is put off: below, all operands stay in the cache by themselves.
extern npy_intp least_deferred;

enum class Deferral { DECLINED, DONE, PENDING };
// Put a call off whose result goes to a new array; without a loop it is a copy. `shared`: bits of the operands whose
// memory others than tensors may write to; with these it runs at once, after what is pending.
Deferral defer(const Operands& operands, Loop loop, PyArrayObject* out, int dtype, const char* name, unsigned shared);
// Put a reduction of a pending result off, into a new array of this shape; nullptr, without an exception, where it
// cannot be: what it reads is there then. `dims` are the bits of the dimensions that are reduced.
PyArrayObject* defer_fold(Reduction which, PyArrayObject* array, uint64_t dims, int ndim, const npy_intp* shape,
                          double divisor, const char* name);
// Put the writing out of an array that is expanded off: the new array, nullptr as above.
PyArrayObject* defer_copy(PyArrayObject* expanded, const char* name);
// The tensor around the result of a step, which lacks its array until then; and one that dies.
void hold_pending(Tensor* tensor);
void forget_pending(Tensor* tensor);
bool is_pending(PyArrayObject* array);
// Whether a backward may follow on what is pending.
bool is_recorded_pending();
// Whether only tensors, and nothing that could write without a word, hold the memory of a tensor.
bool is_private(const Tensor* tensor);

// set_pending_log(list or None): what is put off, and what ends a chain, for compiler/explain.py.
// set_least_deferred(count): tests put off small calls too; returns what it was before.
extern PyMethodDef pending_methods[];

}  // namespace rushlight
