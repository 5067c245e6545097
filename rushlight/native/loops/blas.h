// The BLAS that NumPy has loaded, found at run time: products of matrices, row-major. It runs in one
// thread; large matrix products are shared among our own, so that their bits do not depend on the number of threads.
#pragma once

#include <cstdint>

namespace rushlight {

// Whether a BLAS was found; looked up once, after NumPy's import. The functions below return false, and have done
// nothing, when there is none or a size does not fit its integers.
bool has_blas();
// The library's file, or "".
const char* blas_library();

// False where the library cannot be told; 0 where it does not say.
bool set_blas_threads(int count);
int blas_threads();

// Rows are `lda` elements apart: at least their length, and at least 1.

// c = alpha op(a) op(b) + beta c, where op transposes if asked to; op(a) is (m, k), op(b) (k, n), c (m, n).
bool gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
bool gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc);

}  // namespace rushlight
