// Guards: around every function that Python calls, so that no C++ exception leaves native code.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "seam/pending.h"
#include "seam/python.h"

namespace rushlight {

// The exception in flight as one of Python's, unless it left one already.
inline void set_caught() {
    if (PyErr_Occurred()) return;
    try {
        throw;
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        // std::length_error and kin: sizes that no memory could hold
        PyErr_Format(PyExc_MemoryError, "native code gave up: %s", error.what());
    }
}

// What a C function of Python's returns when it has set an exception.
template <class T>
constexpr T failure() {
    if constexpr (std::is_pointer_v<T>) {
        return nullptr;
    } else if constexpr (!std::is_void_v<T>) {
        return static_cast<T>(-1);
    }
}

template <auto function, bool settles>
struct Guard;

template <class Result, class... Given, Result (*function)(Given...), bool settles>
struct Guard<function, settles> {
    static Result call(Given... given) noexcept {
        try {
            if constexpr (settles) settle("a look at elements, or a write");
            return function(given...);
        } catch (...) {
            set_caught();
        }
        return failure<Result>();
    }
};

// `guarded<step>` in place of `step` in a table of methods, fields or slots: what is pending runs first.
template <auto function>
constexpr auto guarded = &Guard<function, true>::call;
// The same for what neither reads nor writes elements, so that a chain may go on.
template <auto function>
constexpr auto guarded_aside = &Guard<function, false>::call;

}  // namespace rushlight
