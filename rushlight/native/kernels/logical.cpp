// Logical: and, or, not, of truth values and of bits.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(And, (T x, T y), bool((x != 0) & (y != 0)))
FORMULA(Or, (T x, T y), bool((x != 0) | (y != 0)))
FORMULA(Xor, (T x, T y), (x != 0) != (y != 0))
FORMULA(Not, (T x), x == 0)

// a shift beyond the number, or a negative one, leaves nothing but the sign
FORMULA(BitsUp, (T x, T y),
        static_cast<uint64_t>(y) < 64 ? static_cast<T>(static_cast<uint64_t>(x) << (static_cast<uint64_t>(y) & 63))
                                      : T(0))
FORMULA(BitsDown, (T x, T y), x >> (static_cast<uint64_t>(y) < 64 ? y : T(63)))
FORMULA(CommonBits, (T x, T y), x& y)
FORMULA(AllBits, (T x, T y), x | y)
FORMULA(DifferentBits, (T x, T y), x ^ y)
FORMULA(OtherBits, (T x), ~x)

}  // namespace

void logical(Table& table) {
    Row(table, "logical_and", "input", "other").all<And>();
    Row(table, "logical_or", "input", "other").all<Or>();
    Row(table, "logical_xor", "input", "other").all<Xor>();
    Row(table, "logical_not", "input").all<Not>();
    Row(table, "bitwise_and", "input", "other").integers<CommonBits>().bools<CommonBits>();
    Row(table, "bitwise_or", "input", "other").integers<AllBits>().bools<AllBits>();
    Row(table, "bitwise_xor", "input", "other").integers<DifferentBits>().bools<DifferentBits>();
    Row(table, "bitwise_left_shift", "input", "other").integers<BitsUp>();
    Row(table, "bitwise_right_shift", "input", "other").integers<BitsDown>();
    Row(table, "bitwise_not", "input").integers<OtherBits>().bools<Not>();
}

}  // namespace LEVEL
