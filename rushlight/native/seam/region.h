// Regions: what runs inside of a compiled function. See compiler/region.py.
#pragma once

#include "seam/pending.h"
#include "seam/state.h"

namespace rushlight {

// While it lives, calls may be put off. At its end pending steps run; those of a graph wait, for its backward can go
// with them.
class Region {
public:
    explicit Region(bool whole) : compiled(state.compiled), whole(state.whole) {
        state.compiled = true;
        state.whole = this->whole || whole;
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() {
        leave(compiled);
        state.whole = whole;
    }
    static void leave(bool before) {
        if (!before && !is_recorded_pending()) settle("the end of the function");
        state.compiled = before;
    }
    // Whether a function that is to be compiled runs as it stands: it is inside of one that is, or a stance says so.
    static bool is_idle(bool whole) { return is_off || (state.compiled && state.whole >= whole); }
    static bool is_off;

private:
    bool compiled, whole;
};

// run_compiled(function, fullgraph, args, kwargs): one call of a compiled function.
// make_compiled(function, fullgraph): a callable that looks like the function, each of whose calls is a compiled one.
// force_eager(bool): whether such functions run as they stand, for all threads.
bool add_regions(PyObject* module);

}  // namespace rushlight
