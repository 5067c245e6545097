// Joined loops: two steps of a chain in one, so that what lies between them is never stored. To the same bits as the
// two rows, whose formulas stand here again.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Add, (T x, T y), x + y)
FORMULA(Subtract, (T x, T y), x - y)
FORMULA(Multiply, (T x, T y), x* y)
FORMULA(Divide, (T x, T y), x / y)
FORMULA(Rectify, (T x), x < 0 ? 0 : x)

template <class First, class Second>
struct Before {
    template <class T>
    static ALWAYS_INLINE auto value(T x, T y, T other) {
        return Second::template value<T>(First::template value<T>(x, y), other);
    }
};
template <class First, class Second>
struct Behind {
    template <class T>
    static ALWAYS_INLINE auto value(T x, T y, T other) {
        return Second::template value<T>(other, First::template value<T>(x, y));
    }
};
template <class First, class Second>
struct Alone {
    template <class T>
    static ALWAYS_INLINE T value(T x, T y) {
        return Second::template value<T>(First::template value<T>(x, y));
    }
};

template <class Both>
ALWAYS_INLINE void join(Table& table, const char* first, const char* second, int place) {
    rushlight::Joined& joined = table.new_joined();
    joined.first = first;
    joined.second = second;
    joined.place = place;
    joined.loops[0] = Form<Both, float>::loop;
    joined.loops[1] = Form<Both, double>::loop;
}

template <class First>
ALWAYS_INLINE void join_all(Table& table, const char* first) {
    join<Before<First, Add>>(table, first, "add", 0);
    join<Behind<First, Add>>(table, first, "add", 1);
    join<Before<First, Subtract>>(table, first, "sub", 0);
    join<Behind<First, Subtract>>(table, first, "sub", 1);
    join<Before<First, Multiply>>(table, first, "mul", 0);
    join<Behind<First, Multiply>>(table, first, "mul", 1);
    join<Before<First, Divide>>(table, first, "div", 0);
    join<Behind<First, Divide>>(table, first, "div", 1);
    join<Alone<First, Rectify>>(table, first, "relu", 0);
}

}  // namespace

void joined(Table& table) {
    join_all<Add>(table, "add");
    join_all<Subtract>(table, "sub");
    join_all<Multiply>(table, "mul");
    join_all<Divide>(table, "div");
}

}  // namespace LEVEL
