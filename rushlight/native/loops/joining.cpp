// Joining: copies that nobody needs, and neighbours that share one loop.
#include "loops/joining.h"

#include <algorithm>
#include <cstring>

namespace rushlight {

namespace {

// The loop of the first row of an op.
Loop loop_named(const char* name, int dtype) {
    const Table& loops = table();
    for (int i = 0; i < loops.pointwise_count; i++) {
        if (std::strcmp(loops.pointwise[i].name, name) == 0) return loops.pointwise[i].loops[dtype];
    }
    return nullptr;
}

// The joined loops by the loops that they stand for, found once.
struct Joints {
    struct {
        Loop first, second, both;
        int place;
    } all[2 * Table::MOST_JOINED];
    int count = 0;

    Joints() {
        const Table& loops = table();
        for (int i = 0; i < 2 * loops.joined_count; i++) {
            const Joined& joined = loops.joined[i / 2];
            Loop first = loop_named(joined.first, i % 2), second = loop_named(joined.second, i % 2);
            if (first != nullptr && second != nullptr)
                all[count++] = {first, second, joined.loops[i % 2], joined.place};
        }
    }
    Loop find(Loop first, Loop second, int place) const {
        for (int i = 0; i < count; i++) {
            if (all[i].first == first && all[i].second == second && all[i].place == place) return all[i].both;
        }
        return nullptr;
    }
};

// How often later steps read a result.
int uses_of(const ChainStep* steps, int s, int count) {
    int uses = 0;
    for (int t = s + 1; t < count; t++) {
        for (int i = 0; steps[t].needed && i < steps[t].count; i++) uses += steps[t].inputs[i].step == s;
    }
    return uses;
}

// Do two steps in one where the second alone reads the first's result, in the dtype that it has.
void join(ChainStep& first, ChainStep& second, int s) {
    static const Joints joints;
    for (int i = 0; i < second.count; i++) {
        const ChainInput& input = second.inputs[i];
        if (input.step != s || input.own != input.dtype) continue;
        Loop both = joints.find(first.loop, second.loop, i);
        if (both == nullptr) return;
        ChainStep made = first;
        for (int k = 0; k < second.count; k++) {
            if (k != i) made.inputs[made.count++] = second.inputs[k];
        }
        made.loop = both;
        made.dtype = second.dtype;
        made.result = second.result;
        second = made;
        first.needed = false;
        return;
    }
}

// Steps that follow each other, where a loop for both is there.
void join_neighbours(ChainStep* steps, int count) {
    int before = -1;
    for (int t = 0; t < count; t++) {
        if (!steps[t].needed || steps[t].fold != nullptr) continue;
        bool may_join = before >= 0 && steps[before].result == nullptr && uses_of(steps, before, count) == 1;
        if (may_join) join(steps[before], steps[t], before);
        before = t;
    }
}

// What is the same everywhere, or read once, is read from where it is copied from.
void pass_copy(ChainStep* steps, int s, int count) {
    const ChainInput& from = steps[s].inputs[0];
    if (!from.single && uses_of(steps, s, count) > 1) return;
    bool all = true;
    for (int t = s + 1; t < count; t++) {
        for (int i = 0; steps[t].needed && i < steps[t].count; i++) {
            ChainInput& input = steps[t].inputs[i];
            if (input.step != s) continue;
            if (steps[t].fold != nullptr) {
                all = false;
                continue;
            }
            int dtype = input.dtype;
            input = from;
            input.dtype = dtype;
            if (!from.single) continue;
            table().convert[from.dtype][dtype](from.value, input.value, 1);
            input.own = dtype;
        }
    }
    steps[s].needed = !all || steps[s].result != nullptr;
}

}  // namespace

void join_steps(ChainStep* steps, int count) {
    for (int s = 0; s < count; s++) {
        if (steps[s].needed && steps[s].is_copy()) pass_copy(steps, s, count);
    }
    join_neighbours(steps, count);
}

}  // namespace rushlight
