// The level of the CPU: which of the compiled forms of kernels/ this machine runs.
#include <cstdlib>
#include <cstring>

#include "kernels/table.h"

namespace baseline {
void fill(rushlight::Table& table);
}
#ifdef RUSHLIGHT_X86
namespace avx2 {
void fill(rushlight::Table& table);
}
namespace avx512 {
void fill(rushlight::Table& table);
}
#endif

namespace rushlight {

namespace {

Table* choose() {
    auto* made = new Table;
    const char* asked = std::getenv("RUSHLIGHT_LEVEL");
    auto allows = [&](const char* level) { return asked == nullptr || std::strcmp(asked, level) == 0; };
    (void)allows;
#ifdef RUSHLIGHT_X86
    __builtin_cpu_init();
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (has_avx512 && allows("avx512")) {
        made->level = "avx512";
        avx512::fill(*made);
        return made;
    }
    if (has_avx2 && allows("avx2")) {
        made->level = "avx2";
        avx2::fill(*made);
        return made;
    }
#endif
    made->level = "baseline";
    baseline::fill(*made);
    return made;
}

}  // namespace

const Table& table() {
    static const Table* chosen = choose();
    return *chosen;
}

}  // namespace rushlight
