// The level of the CPU: which of the compiled forms of kernels/ this machine runs.
#include <cstdlib>
#include <cstring>

#include "kernels/table.h"

#ifdef RUSHLIGHT_HAS_BASELINE
namespace baseline {
void fill(rushlight::Table& table);
}
#endif
#ifdef RUSHLIGHT_HAS_AVX2
namespace avx2 {
void fill(rushlight::Table& table);
}
#endif
#ifdef RUSHLIGHT_HAS_AVX512
namespace avx512 {
void fill(rushlight::Table& table);
}
#endif

namespace rushlight {

namespace {

// A level that was compiled; the build may leave some out.
struct CpuLevel {
    const char* name;
    bool (*runs_here)();
    void (*fill)(Table& table);
};

#if defined(RUSHLIGHT_HAS_AVX2) || defined(RUSHLIGHT_HAS_AVX512)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

// the best one first
const CpuLevel LEVELS[] = {
#ifdef RUSHLIGHT_HAS_AVX512
    {"avx512",
     [] {
         return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
     },
     avx512::fill},
#endif
#ifdef RUSHLIGHT_HAS_AVX2
    {"avx2", has_avx2, avx2::fill},
#endif
#ifdef RUSHLIGHT_HAS_BASELINE
    {"baseline", [] { return true; }, baseline::fill},
#endif
};

// The level that is asked for, or else the best that runs here; nullptr if none of those that were compiled does.
const CpuLevel* find_level(const char* asked) {
    const CpuLevel* best = nullptr;
    for (const CpuLevel& each : LEVELS) {
        if (!each.runs_here()) continue;
        if (asked != nullptr && std::strcmp(asked, each.name) == 0) return &each;
        if (best == nullptr || asked != nullptr) best = &each;
    }
    return best;
}

Table* choose() {
    auto* made = new Table;
    if (const CpuLevel* level = find_level(std::getenv("RUSHLIGHT_LEVEL"))) {
        made->level = level->name;
        level->fill(*made);
    }
    return made;
}

}  // namespace

int levels_here(const char** names) {
    int count = 0;
    for (const CpuLevel& each : LEVELS) {
        if (each.runs_here()) names[count++] = each.name;
    }
    return count;
}

const Table& table() {
    static const Table* chosen = choose();
    return *chosen;
}

}  // namespace rushlight
