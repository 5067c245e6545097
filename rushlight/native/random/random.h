// Random numbers: the stream behind a Generator, and draws from it. See the files of core/random/.
#pragma once

#include "kernels/random.h"
#include "seam/python.h"

namespace rushlight {

// The words of a Mersenne Twister, and the half of a pair of normals that nobody asked for.
struct Stream {
    PyObject_HEAD uint32_t words[TWISTER_WORDS];
    int position;  // of the next word; TWISTER_WORDS when the block is used up
    bool has_kept_normal;
    double kept_normal;
};

extern PyTypeObject StreamType;  // the base of core.streams.Generator

inline bool is_stream(PyObject* object) { return PyObject_TypeCheck(object, &StreamType); }
inline Stream& as_stream(PyObject* object) { return *reinterpret_cast<Stream*>(object); }

// The generator that an argument names, the default one for None and nullptr; nullptr for what Python has to refuse.
Stream* stream_of(PyObject* generator);

// The next `count` words.
void draw_words(Stream& stream, uint32_t* words, int64_t count);

// Each fills `count` contiguous elements of a NumPy type; false, with nothing drawn, for what Python has to do.
bool draw_uniform(Stream& stream, int type, void* numbers, int64_t count, double low, double high);
bool draw_normal(Stream& stream, int type, void* numbers, int64_t count, double mean, double std, bool contiguous);
bool draw_exponential(Stream& stream, int type, void* numbers, int64_t count, double rate);
// `one` with probability p, else 0; a boolean is always 1 or 0
bool draw_coins(Stream& stream, int type, void* numbers, int64_t count, double p, double one);
bool draw_integers(Stream& stream, int type, void* numbers, int64_t count, int64_t low, int64_t high);
bool draw_permutation(Stream& stream, int type, void* numbers, int64_t count);
// ones with the probabilities in `chances`, which has the same type
bool draw_coins_by(Stream& stream, int type, void* numbers, int64_t count, const void* chances);
// `samples` indices from each of `rows` rows of weights
bool draw_indices(Stream& stream, int type, const void* weights, int64_t rows, int64_t width, int64_t samples,
                  bool replacement, int64_t* indices);

// The stream's type, and the shortcuts and kernels that draw; false with an exception.
bool add_random(PyObject* module);

}  // namespace rushlight
