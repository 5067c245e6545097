// Checksums: the CRC-32 of zip files by products without carries, five times as fast as the tables of zlib.
#include "memory/checksum.h"

#include <array>
#include <cstdint>

#include "seam/guard.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define RUSHLIGHT_FOLDS
#endif

namespace rushlight {

#ifdef RUSHLIGHT_FOLDS

namespace {

constexpr uint32_t POLYNOMIAL = 0xEDB88320;
// below so many bytes other threads need not be let in
constexpr Py_ssize_t LONG = 1 << 16;

constexpr std::array<uint32_t, 256> remainders() {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >> 1) ^ POLYNOMIAL : rest >> 1;
        table[byte] = rest;
    }
    return table;
}

constexpr std::array<uint32_t, 256> REMAINDERS = remainders();

uint32_t by_bytes(uint32_t state, const uint8_t* data, size_t size) {
    for (size_t i = 0; i < size; i++) state = REMAINDERS[(state ^ data[i]) & 0xFF] ^ (state >> 8);
    return state;
}

// What 16 bytes are worth so many bits later: each half times a power of x, modulo the polynomial.
__attribute__((target("pclmul,sse4.1"))) inline __m128i moved(__m128i sum, __m128i powers) {
    return _mm_xor_si128(_mm_clmulepi64_si128(sum, powers, 0x00), _mm_clmulepi64_si128(sum, powers, 0x11));
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i at(const uint8_t* data) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

// The state after at least 64 bytes: four sums of 16 bytes run side by side, then become one, whose bytes leave the
// same remainder as all that were read.
__attribute__((target("pclmul,sse4.1"))) uint32_t by_folding(uint32_t state, const uint8_t* data, size_t size) {
    const __m128i by_512_bits = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
    const __m128i by_128_bits = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    __m128i sums[4];
    for (int i = 0; i < 4; i++) sums[i] = at(data + 16 * i);
    sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(state)));
    size_t place = 64;
    for (; place + 64 <= size; place += 64) {
        for (int i = 0; i < 4; i++) sums[i] = _mm_xor_si128(moved(sums[i], by_512_bits), at(data + place + 16 * i));
    }
    __m128i sum = sums[0];
    for (int i = 1; i < 4; i++) sum = _mm_xor_si128(moved(sum, by_128_bits), sums[i]);
    uint8_t rest[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), sum);
    return by_bytes(by_bytes(0, rest, 16), data + place, size - place);
}

uint32_t crc32(uint32_t before, const uint8_t* data, size_t size) {
    return ~(size < 64 ? by_bytes(~before, data, size) : by_folding(~before, data, size));
}

PyObject* crc32_of(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "crc32 takes bytes and the checksum of those before");
    unsigned long before = 0;
    if (count == 2) {
        before = PyLong_AsUnsignedLongMask(arguments[1]);
        if (before == static_cast<unsigned long>(-1) && PyErr_Occurred()) return nullptr;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(arguments[0], &view, PyBUF_SIMPLE) < 0) return nullptr;
    uint32_t found;
    const uint8_t* data = static_cast<const uint8_t*>(view.buf);
    size_t size = static_cast<size_t>(view.len);
    if (view.len < LONG) {
        found = crc32(static_cast<uint32_t>(before), data, size);
    } else {
        Py_BEGIN_ALLOW_THREADS found = crc32(static_cast<uint32_t>(before), data, size);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&view);
    return PyLong_FromUnsignedLong(found);
}

PyMethodDef methods[] = {
    {"crc32", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<crc32_of>)), METH_FASTCALL,
     "The CRC-32 of bytes, which may go on from that of earlier ones."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_checksum(PyObject* module) {
    bool folds = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
    return !folds || PyModule_AddFunctions(module, methods) == 0;
}

#else

bool add_checksum(PyObject*) { return true; }

#endif

}  // namespace rushlight
