// Wants: what a kernel takes, declared beside the names that it reads and checked before it runs. What does not meet
// them is left to Python, with the want that failed as the reason.
#pragma once

#include <type_traits>

#include "kernels/row.h"
#include "seam/decline.h"
#include "seam/python.h"

namespace rushlight {

// The gradient that comes in, among the names of what a gradient kernel reads.
enum Incoming : int { GRADIENT = 12 };

// All zero to begin with, as the table of kernels is; the functions below make them.
struct Want {
    enum Kind : uint8_t { TENSOR, TENSORS, NONE, FLAG, DIM, DIMS, INTEGER, NUMBER };
    enum Layout : uint8_t { ANY, ORDERED, DENSE, PACKED };
    Kind kind;
    Layout layout;
    int8_t name;         // among what the kernel reads
    int8_t model;        // another tensor: whose dtype or shape this has, whose dims a DIM counts; -1 for none
    uint8_t dtypes;      // a bit for each dtype of the table; 0 for any at all
    int8_t least, most;  // dims; of TENSORS, how many there are
    bool optional, filled, movable, has_dtype, has_shape, widened;
};

// A tensor. Without more words of any dtype, rank and layout.
struct TensorWant : Want {
    constexpr explicit TensorWant(int name) : Want{} {
        this->name = static_cast<int8_t>(name);
        model = -1;
        most = NPY_MAXDIMS;
    }
    constexpr TensorWant floats() const { return of(1u << FLOAT32 | 1u << FLOAT64); }
    constexpr TensorWant integers() const { return of(1u << INT64); }
    constexpr TensorWant bools() const { return of(1u << BOOL); }
    // any dtype that has loops
    constexpr TensorWant known() const { return of((1u << DTYPES) - 1); }
    // and half precision, which the kernel widens itself
    constexpr TensorWant halves() const { return of(1u << FLOAT16 | 1u << BFLOAT16); }
    // and half precision, which the seam widens before the kernel sees it; what that makes of it is rounded once. So
    // are the tensors that are `like` this one.
    constexpr TensorWant widened() const { return halves().with(&Want::widened); }
    // of elements that are bytes of a usual size, no objects
    constexpr TensorWant movable() const { return with(&Want::movable); }
    constexpr TensorWant rank(int fewest, int largest) const {
        TensorWant changed = *this;
        changed.least = static_cast<int8_t>(fewest);
        changed.most = static_cast<int8_t>(largest);
        return changed;
    }
    constexpr TensorWant rank(int only) const { return rank(only, only); }
    constexpr TensorWant rank_from(int fewest) const { return rank(fewest, NPY_MAXDIMS); }
    // of TENSORS: how many
    constexpr TensorWant count(int fewest, int largest) const { return rank(fewest, largest); }
    // its dims stand in memory in their own order
    constexpr TensorWant ordered() const { return in(ORDERED); }
    // C-contiguous
    constexpr TensorWant dense() const { return in(DENSE); }
    // C-contiguous for the kernel: a copy where it is not
    constexpr TensorWant packed() const { return in(PACKED); }
    // with elements
    constexpr TensorWant filled() const { return with(&Want::filled); }
    // or None; a saved value that was not needed is none either way
    constexpr TensorWant optional() const { return with(&Want::optional); }
    // of the dtype of another tensor, which is declared before
    template <class Name>
    constexpr TensorWant like(Name other) const {
        TensorWant changed = with(&Want::has_dtype);
        changed.model = static_cast<int8_t>(other);
        return changed;
    }
    // and of its shape
    template <class Name>
    constexpr TensorWant shaped(Name other) const {
        return like(other).with(&Want::has_shape);
    }

private:
    constexpr TensorWant with(bool Want::* property) const {
        TensorWant changed = *this;
        changed.*property = true;
        return changed;
    }
    constexpr TensorWant of(unsigned bits) const {
        TensorWant changed = *this;
        changed.dtypes |= static_cast<uint8_t>(bits);
        return changed;
    }
    constexpr TensorWant in(Layout wanted) const {
        TensorWant changed = *this;
        changed.layout = wanted;
        return changed;
    }
};

template <class Name>
constexpr TensorWant tensor(Name name) {
    static_assert(std::is_enum_v<Name>, "wants are of names: see NAMES");
    return TensorWant(name);
}

// A list or tuple of tensors of one dtype.
template <class Name>
constexpr TensorWant tensors(Name name) {
    TensorWant made = tensor(name);
    made.kind = Want::TENSORS;
    return made;
}

template <class Name>
constexpr Want want_of(Want::Kind kind, Name name, int model = -1) {
    static_assert(std::is_enum_v<Name>, "wants are of names: see NAMES");
    Want made{};
    made.kind = kind;
    made.name = static_cast<int8_t>(name);
    made.model = static_cast<int8_t>(model);
    return made;
}

// None: the kernel knows nothing of this option.
template <class Name>
constexpr Want none(Name name) {
    return want_of(Want::NONE, name);
}
// True or False, and nothing that is merely like one: `flag(name)` of a call.
template <class Name>
constexpr Want flag(Name name) {
    return want_of(Want::FLAG, name);
}
// A dimension of a tensor that is declared before, counted from the front: `dim(name)`. Of a number it is 0.
template <class Name, class Model>
constexpr Want dim(Name name, Model model) {
    return want_of(Want::DIM, name, model);
}
// Such a dimension or a sequence of them, None or an empty one for all: a bit for each, `dims(name)`.
template <class Name, class Model>
constexpr Want dims(Name name, Model model) {
    return want_of(Want::DIMS, name, model);
}
// A plain integer: `integer(name)`.
template <class Name>
constexpr Want integer(Name name) {
    return want_of(Want::INTEGER, name);
}
// A plain number: `number(name)`.
template <class Name>
constexpr Want number(Name name) {
    return want_of(Want::NUMBER, name);
}

// What was found where wants are met: arrays and numbers by name.
class Readings {
public:
    Readings() = default;
    Readings(const Readings&) = delete;
    Readings& operator=(const Readings&) = delete;
    ~Readings() {
        if (copies_ != 0) drop_copies();
    }
    template <class Name>
    int dim(Name name) const {
        return static_cast<int>(numbers_[name].integer);
    }
    template <class Name>
    uint64_t dims(Name name) const {
        return static_cast<uint64_t>(numbers_[name].integer);
    }
    template <class Name>
    bool flag(Name name) const {
        return numbers_[name].integer != 0;
    }
    template <class Name>
    int64_t integer(Name name) const {
        return numbers_[name].integer;
    }
    template <class Name>
    double number(Name name) const {
        return numbers_[name].number;
    }

    // NumPy's number of the half precision that was widened to float32; -1 where none was
    int half_type() const { return half_type_; }

protected:
    friend class Meeting;
    void drop_copies();

    // the array of a name that was wanted; nullptr for None, and for what was not saved
    PyArrayObject* found(int name) const { return found_ >> name & 1 ? arrays_[name] : nullptr; }

    PyArrayObject* arrays_[GRADIENT + 1];  // of tensors that were wanted; borrowed, but for the copies
    unsigned found_ = 0, copies_ = 0;      // bits: of those that are there, and of those that are copies of our own
    int half_type_ = -1;
    union {
        int64_t integer;
        double number;
    } numbers_[GRADIENT];
};

// Wants as Python sees them: for each its name, its kind, the bits of its dtypes, the least and most dims, its layout.
PyObject* list_wants(const Want* wants, int count, const Word* names);

struct Call;
struct Gradient;
// Whether a call's arguments, or what a gradient reads, are as the kernel wants them; if not, it declines.
bool meet_wants(Call& call);
bool meet_wants(Gradient& gradient);
// What a kernel made of widened tensors, rounded to their half precision; takes the array. Anything else as it is.
PyArrayObject* rounded_again(const Readings& readings, PyArrayObject* taken);

}  // namespace rushlight
