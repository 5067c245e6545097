// Connectionist temporal classification: the ways through a text that lead to each of its letters. See
// ops/sequences/ctc.py.
#include <cmath>
#include <limits>

#include "memory/arrays.h"
#include "seam/call.h"

namespace rushlight {

namespace {

NAMES(Ctc, log_probs, targets, lengths, target_lengths, blank, zero_infinity);

// log(exp(a) + exp(b)), as NumPy computes it.
template <class T>
T add_logs(T a, T b) {
    if (a == b) return a + T(0.693147180559945309417232121458176568);
    T apart = a - b;
    if (apart > 0) return a + std::log1p(std::exp(-apart));
    return apart <= 0 ? b + std::log1p(std::exp(apart)) : apart;
}

struct Texts {
    npy_intp moments, rows, classes, letters;
    int64_t blank;
    const int64_t *targets, *lengths, *target_lengths;

    // a text is read with a blank before and after each letter
    npy_intp places() const { return 2 * letters + 1; }
    int64_t letter(npy_intp row, npy_intp place) const {
        return place % 2 == 0 ? blank : targets[row * letters + place / 2];
    }
    // Whether the blank before a letter may be left out.
    bool leaps(npy_intp row, npy_intp place) const {
        return place % 2 == 1 && place >= 3 && letter(row, place) != letter(row, place - 2);
    }
};

// The ways up to each moment that end at each place of a row's text; those that no length reaches are none.
template <class T>
void follow(const Texts& texts, npy_intp row, const T* log_probs, T* alpha) {
    const T none = -std::numeric_limits<T>::infinity();
    npy_intp places = texts.places();
    for (npy_intp t = 0; t < texts.moments; t++) {
        const T* scores = log_probs + (t * texts.rows + row) * texts.classes;
        T *now = alpha + (t * texts.rows + row) * places, *before = now - texts.rows * places;
        for (npy_intp s = 0; s < places; s++) {
            bool reached = t < texts.lengths[row];
            if (t == 0 || !reached) {
                now[s] = reached && s < 2 ? scores[texts.letter(row, s)] : none;
                continue;
            }
            T ways = before[s];
            if (s > 0) ways = add_logs(ways, before[s - 1]);
            if (texts.leaps(row, s)) ways = add_logs(ways, before[s - 2]);
            now[s] = scores[texts.letter(row, s)] + ways;
        }
    }
}

// All ways to the end of a row's text, negated: at its last letter or at the blank after it.
template <class T>
T loss_of(const Texts& texts, npy_intp row, const T* alpha) {
    const T none = -std::numeric_limits<T>::infinity();
    int64_t length = texts.lengths[row], letters = texts.target_lengths[row];
    if (length == 0) return letters == 0 ? -T(0) : -none;
    const T* last = alpha + ((length - 1) * texts.rows + row) * texts.places();
    return -add_logs(last[2 * letters], letters > 0 ? last[2 * letters - 1] : none);
}

template <class T>
void score(const Texts& texts, const T* log_probs, T* losses, T* alpha) {
    for (npy_intp row = 0; row < texts.rows; row++) {
        follow(texts, row, log_probs, alpha);
        losses[row] = loss_of(texts, row, alpha);
    }
}

bool ctc_forward(Call& call) {
    PyArrayObject *log_probs = call.array(Ctc::log_probs), *targets = call.array(Ctc::targets);
    PyArrayObject *lengths = call.array(Ctc::lengths), *target_lengths = call.array(Ctc::target_lengths);
    Texts texts{PyArray_DIM(log_probs, 0),        PyArray_DIM(log_probs, 1),
                PyArray_DIM(log_probs, 2),        PyArray_DIM(targets, 1),
                call.integer(Ctc::blank),         elements<const int64_t>(targets),
                elements<const int64_t>(lengths), elements<const int64_t>(target_lengths)};
    DECLINE_IF(PyArray_DIM(targets, 0) != texts.rows || texts.blank < 0 || texts.blank >= texts.classes);
    DECLINE_IF(PyArray_DIM(lengths, 0) != texts.rows || PyArray_DIM(target_lengths, 0) != texts.rows);
    for (npy_intp row = 0; row < texts.rows; row++) {
        DECLINE_IF(texts.lengths[row] < 0 || texts.lengths[row] > texts.moments);
        DECLINE_IF(texts.target_lengths[row] < 0 || texts.target_lengths[row] > texts.letters);
        for (npy_intp s = 1; s < texts.places(); s += 2) {
            DECLINE_IF(texts.letter(row, s) < 0 || texts.letter(row, s) >= texts.classes);
        }
    }
    npy_intp dims[] = {texts.moments, texts.rows, texts.places()};
    PyArrayObject* losses = call.make(1, dims + 1, PyArray_TYPE(log_probs));
    PyArrayObject* alpha = call.make(3, dims, PyArray_TYPE(log_probs));
    if (PyArray_TYPE(log_probs) == NPY_FLOAT32) {
        score(texts, elements<const float>(log_probs), elements<float>(losses), elements<float>(alpha));
    } else {
        score(texts, elements<const double>(log_probs), elements<double>(losses), elements<double>(alpha));
    }
    return true;
}

KERNEL("_ctc_loss")
    .forward(ctc_forward, Ctc::names)
    .takes(tensor(Ctc::log_probs).floats().rank(3).filled().packed(), integer(Ctc::blank))
    .takes(tensor(Ctc::targets).integers().rank(2).packed(), tensor(Ctc::lengths).integers().rank(1).packed())
    .takes(tensor(Ctc::target_lengths).integers().rank(1).packed());

}  // namespace

}  // namespace rushlight
