// The BLAS that NumPy has loaded, found at run time: products of matrices, row-major.
#include "loops/blas.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <string>

#if defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#endif

#include "memory/system.h"
#include "memory/threads.h"

namespace rushlight {

namespace {

// Constants of the C interface to the BLAS.
constexpr int ROW_MAJOR = 101;
constexpr int PLAIN = 111;
constexpr int TRANSPOSED = 112;

// The product of matrices for one integer type, I, and one kind of number, T.
template <class I, class T>
using Gemm = void (*)(int, int, int, I, I, I, T, const T*, I, const T*, I, T, T*, I);

struct Blas {
    std::string library;
    bool wide = false;  // 64-bit integers
    Gemm<int64_t, float> wide_float = nullptr;
    Gemm<int64_t, double> wide_double = nullptr;
    Gemm<int32_t, float> narrow_float = nullptr;
    Gemm<int32_t, double> narrow_double = nullptr;
    void (*set_threads)(int) = nullptr;
    int (*get_threads)() = nullptr;

    bool is_complete() const { return (wide_float && wide_double) || (narrow_float && narrow_double); }
};

#if defined(__linux__)

// How builds name their functions: NumPy's wheels, other builds with 64-bit integers, SciPy's wheels, all others.
struct Naming {
    const char* prefix;
    const char* suffix;
    bool wide;
};
constexpr Naming PLAIN_NAMES = {"", "", false};
constexpr Naming NAMINGS[] = {{"scipy_", "64_", true}, {"", "64_", true}, {"scipy_", "", false}, PLAIN_NAMES};

template <class F>
void look_up(void* library, const Naming& naming, const std::string& name, F& function) {
    void* found = dlsym(library, (naming.prefix + name + naming.suffix).c_str());
    std::memcpy(&function, &found, sizeof found);
}

// A build with 64-bit integers may leave its names plain; OpenBLAS says so in its configuration.
bool has_wide_integers(void* library, const Naming& naming) {
    if (naming.wide) return true;
    const char* (*configuration)() = nullptr;
    look_up(library, naming, "openblas_get_config", configuration);
    return configuration != nullptr && std::strstr(configuration(), "USE64BITINT") != nullptr;
}

bool take_from(void* library, Blas& blas) {
    for (const Naming& naming : NAMINGS) {
        blas.wide = has_wide_integers(library, naming);
        if (blas.wide) {
            look_up(library, naming, "cblas_sgemm", blas.wide_float);
            look_up(library, naming, "cblas_dgemm", blas.wide_double);
        } else {
            look_up(library, naming, "cblas_sgemm", blas.narrow_float);
            look_up(library, naming, "cblas_dgemm", blas.narrow_double);
        }
        if (!blas.is_complete()) continue;
        look_up(library, naming, "openblas_set_num_threads", blas.set_threads);
        look_up(library, naming, "openblas_get_num_threads", blas.get_threads);
        if (blas.set_threads == nullptr) {
            look_up(library, PLAIN_NAMES, "MKL_Set_Num_Threads", blas.set_threads);
            look_up(library, PLAIN_NAMES, "MKL_Get_Max_Threads", blas.get_threads);
        }
        Dl_info file;
        void* function = nullptr;
        std::memcpy(&function, blas.wide ? static_cast<void*>(&blas.wide_float) : &blas.narrow_float, sizeof function);
        if (dladdr(function, &file) != 0 && file.dli_fname != nullptr) blas.library = file.dli_fname;
        return true;
    }
    return false;
}

// NumPy's own extension: a lookup in it goes through the libraries it was linked with, whatever their names.
int note_numpy(dl_phdr_info* info, size_t, void* path) {
    if (std::strstr(info->dlpi_name, "_multiarray_umath") == nullptr) return 0;
    *static_cast<std::string*>(path) = info->dlpi_name;
    return 1;
}

Blas find_blas() {
    std::string path;
    dl_iterate_phdr(note_numpy, &path);
    void* numpy = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    Blas blas;
    // The handle is not closed: NumPy and its BLAS stay as long as the process.
    if (numpy == nullptr || !take_from(numpy, blas)) return Blas();
    return blas;
}

// Libraries by the name of OpenBLAS. Their names stay where they are while they are loaded.
struct Loaded {
    const char* names[8];
    int count = 0;
};

int note_openblas(dl_phdr_info* info, size_t, void* given) {
    auto* loaded = static_cast<Loaded*>(given);
    if (std::strstr(info->dlpi_name, "openblas") == nullptr) return 0;
    loaded->names[loaded->count++] = info->dlpi_name;
    return loaded->count == std::size(loaded->names);
}

// Tell every OpenBLAS but one how many threads to work with: SciPy's wheels bring their own.
void set_other_threads(const std::string& known, int count) {
    Loaded loaded;
    dl_iterate_phdr(note_openblas, &loaded);
    for (int i = 0; i < loaded.count; i++) {
        void* library = loaded.names[i] == known ? nullptr : dlopen(loaded.names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        void (*set_threads)(int) = nullptr;
        for (const Naming& naming : NAMINGS) {
            if (set_threads == nullptr) look_up(library, naming, "openblas_set_num_threads", set_threads);
        }
        if (set_threads != nullptr) set_threads(count);
        dlclose(library);
    }
}

#else

Blas find_blas() { return Blas(); }
void set_other_threads(const std::string&, int) {}

#endif

const Blas& blas() {
    static const Blas* const found = new Blas(find_blas());
    return *found;
}

Gemm<int64_t, float> wide(float) { return blas().wide_float; }
Gemm<int64_t, double> wide(double) { return blas().wide_double; }
Gemm<int32_t, float> narrow(float) { return blas().narrow_float; }
Gemm<int32_t, double> narrow(double) { return blas().narrow_double; }

// Whether the library's integers hold these.
bool fit(std::initializer_list<int64_t> sizes) {
    if (!has_blas()) return false;
    auto fits = [](int64_t size) { return size >= INT_MIN && size <= INT_MAX; };
    return blas().wide || std::all_of(sizes.begin(), sizes.end(), fits);
}

int32_t narrowed(int64_t size) { return static_cast<int32_t>(size); }

// While one lives, the BLAS works in the caller's thread alone: its own threads add up in an order that depends on
// their number.
class OneThread {
public:
    OneThread() : active_(blas().set_threads != nullptr) {
        if (!active_) return;
        std::lock_guard<std::mutex> lock(mutex());
        if (users++ > 0) return;
        before = blas_threads();
        if (before > 1) blas().set_threads(1);
    }
    ~OneThread() {
        if (!active_) return;
        std::lock_guard<std::mutex> lock(mutex());
        if (--users == 0 && before > 1) blas().set_threads(before);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

    // A setting that is asked for meanwhile holds from the end of the last user.
    static void set(int count) {
        std::lock_guard<std::mutex> lock(mutex());
        before = count;
        if (users == 0) blas().set_threads(count);
    }

private:
    // A child of fork() has none of the threads that may have been inside.
    static std::mutex& mutex() {
        static auto* const one = [] {
            auto child = [] {
                users = 0;
                mutex().unlock();
            };
            at_fork([] { mutex().lock(); }, [] { mutex().unlock(); }, child);
            return new std::mutex;
        }();
        return *one;
    }
    static int users;
    static int before;
    const bool active_;
};

int OneThread::users = 0;
int OneThread::before = 0;

// Multiplications up to which no BLAS starts threads, and those that make a piece worth a thread's while.
constexpr double SMALL = 1 << 18;
constexpr double ENOUGH = 1 << 22;

int operation(bool transposed) { return transposed ? TRANSPOSED : PLAIN; }

template <class T>
void call_gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b,
               int64_t ldb, T beta, T* c, int64_t ldc) {
    int on_a = operation(transa), on_b = operation(transb);
    if (blas().wide) {
        wide(T())(ROW_MAJOR, on_a, on_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    } else {
        narrow(T())(ROW_MAJOR, on_a, on_b, narrowed(m), narrowed(n), narrowed(k), alpha, a, narrowed(lda), b,
                    narrowed(ldb), beta, c, narrowed(ldc));
    }
}

// How a product is cut into pieces, rows or columns of c. The cut goes by the shape alone, as the bits of a BLAS depend
// on it: so they do not depend on the number of threads. In one thread, two halves of (256, 256, 256) cost 4% more.
struct Cut {
    bool columns;
    int64_t length, piece;

    Cut(int64_t m, int64_t n, double work, bool prefers_columns) {
        columns = prefers_columns ? n >= 256 || n >= m : !(m >= 256 || m >= n);
        length = columns ? n : m;
        int64_t pieces = length < 512 ? length / 128 : length / 256;
        if (work < ENOUGH * static_cast<double>(pieces)) pieces = static_cast<int64_t>(work / ENOUGH);
        pieces = std::max<int64_t>(pieces, 1);
        piece = pieces == 1 ? length : ((length - 1) / pieces / 16 + 1) * 16;
    }
};

template <class T>
bool any_gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b,
              int64_t ldb, T beta, T* c, int64_t ldc) {
    if (!fit({m, n, k, lda, ldb, ldc})) return false;
    double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    if (work <= SMALL || blas().set_threads == nullptr) {
        call_gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return true;
    }
    OneThread alone;
    // packing costs less by columns in single precision, by rows in double (OpenBLAS)
    Cut cut(m, n, work, sizeof(T) == 4);
    parallel(cut.length, cut.piece, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at += cut.piece) {
            int64_t size = std::min(cut.piece, end - at);
            if (cut.columns) {
                call_gemm(transa, transb, m, size, k, alpha, a, lda, b + at * (transb ? ldb : 1), ldb, beta, c + at,
                          ldc);
            } else {
                call_gemm(transa, transb, size, n, k, alpha, a + at * (transa ? 1 : lda), lda, b, ldb, beta,
                          c + at * ldc, ldc);
            }
        }
    });
    return true;
}

}  // namespace

bool has_blas() { return blas().is_complete(); }

const char* blas_library() { return blas().library.c_str(); }

bool set_blas_threads(int count) {
    set_other_threads(blas().library, count);
    if (blas().set_threads == nullptr) return false;
    OneThread::set(count);
    return true;
}

int blas_threads() { return blas().get_threads == nullptr ? 0 : blas().get_threads(); }

bool gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
    return any_gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
bool gemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
    return any_gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace rushlight
