// Order: elements as keys that sort as they do, equal ones in the order of the input, NaN last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace rushlight {

// An element as an unsigned number with the same order, and where it stands.
template <class Key>
struct Placed {
    Key key, place;
};

template <class T>
struct KeyOf;

template <>
struct KeyOf<int64_t> {
    using Key = uint64_t;
    static Key of(int64_t value) { return static_cast<Key>(value) ^ (Key{1} << 63); }
};

// A float's bits, the sign turned, and all of them if it is negative; both zeros are one key, all NaN another.
template <class T, class Bits>
struct KeyOfFloat {
    using Key = Bits;
    static Key of(T value) {
        constexpr Key SIGN = Key{1} << (sizeof(Key) * 8 - 1);
        Key bits;
        value += 0;
        std::memcpy(&bits, &value, sizeof(bits));
        Key key = bits & SIGN ? ~bits : bits | SIGN;
        return value == value ? key : ~Key{0};
    }
};

template <>
struct KeyOf<float> : KeyOfFloat<float, uint32_t> {};
template <>
struct KeyOf<double> : KeyOfFloat<double, uint64_t> {};

// One row of elements as entries, and room to sort them.
template <class T>
class Order {
public:
    using Key = typename KeyOf<T>::Key;

    explicit Order(int64_t room) : room(room), entries(new (std::nothrow) Placed<Key>[2 * room]) {}
    explicit operator bool() const { return entries != nullptr; }

    // All elements of the row in order.
    const Placed<Key>* sort(const T* from, int64_t step, int64_t count, bool descending) {
        Placed<Key>* own = all(from, step, count, descending);
        return count < FEW ? sort_few(own, count) : sort_digits(own, own + room, count);
    }

    // The first elements in order, or all.
    const Placed<Key>* first_or_all(const T* from, int64_t step, int64_t count, int64_t wanted, bool descending) {
        constexpr int64_t MOST_KEPT = 32;  // beyond which sorting all is better
        if (wanted <= MOST_KEPT && wanted < count) return first(from, step, count, wanted, descending);
        const Placed<Key>* found = sort(from, step, count, descending);
        met_equal = wanted < count && found[wanted].key == found[wanted - 1].key;
        return found;
    }

    // An element of the row as others compare it.
    static Placed<Key> entry(T value, int64_t place, bool descending) {
        Key key = KeyOf<T>::of(value);
        return {descending ? static_cast<Key>(~key) : key, static_cast<Key>(place)};
    }

    // The row as it stands, to be moved by others.
    Placed<Key>* all(const T* from, int64_t step, int64_t count, bool descending) {
        Placed<Key>* own = entries.get();
        for (int64_t i = 0; i < count; i++) own[i] = entry(from[i * step], i, descending);
        return own;
    }

    // Whether the elements that were found first stand as they do in any order; not, perhaps, if some have equals.
    bool are_decided(const Placed<Key>* found, int64_t wanted) const {
        for (int64_t i = 1; i < wanted; i++) {
            if (found[i].key == found[i - 1].key) return false;
        }
        return !met_equal;
    }

private:
    static constexpr int64_t FEW = 48;

    // The first few elements in order, which are kept sorted while the others pass by.
    const Placed<Key>* first(const T* from, int64_t step, int64_t count, int64_t wanted, bool descending) {
        Placed<Key>* own = entries.get();
        int64_t held = 0;
        Key last = 0;  // of those kept, once they are enough
        met_equal = false;
        for (int64_t i = 0; i < count; i++) {
            Placed<Key> next = entry(from[i * step], i, descending);
            const bool is_full = held == wanted;
            if (is_full && next.key >= last) {
                if (next.key == last) met_equal = true;
                continue;
            }
            int64_t to = is_full ? held - 1 : held++;
            for (; to > 0 && own[to - 1].key > next.key; to--) own[to] = own[to - 1];
            own[to] = next;
            if (is_full) met_equal = last == own[held - 1].key;
            last = own[held - 1].key;
        }
        return own;
    }

    static Placed<Key>* sort_few(Placed<Key>* own, int64_t count) {
        for (int64_t i = 1; i < count; i++) {
            Placed<Key> next = own[i];
            int64_t to = i;
            for (; to > 0 && own[to - 1].key > next.key; to--) own[to] = own[to - 1];
            own[to] = next;
        }
        return own;
    }

    // Byte by byte of the keys, the lowest first; one that all keys share is passed over, and not even counted: rows of
    // 300 small integers take half the time.
    static Placed<Key>* sort_digits(Placed<Key>* own, Placed<Key>* other, int64_t count) {
        constexpr int DIGITS = sizeof(Key), VALUES = 256;
        Key varied = 0;
        for (int64_t i = 1; i < count; i++) varied |= own[i].key ^ own[0].key;
        int64_t starts[DIGITS][VALUES];
        int digits[DIGITS], digit_count = 0;
        for (int digit = 0; digit < DIGITS; digit++) {
            if ((varied >> digit * 8 & 255) == 0) continue;
            std::fill_n(starts[digit_count], VALUES, 0);
            digits[digit_count++] = digit;
        }
        for (int64_t i = 0; i < count; i++) {
            for (int k = 0; k < digit_count; k++) starts[k][own[i].key >> digits[k] * 8 & 255]++;
        }
        for (int k = 0; k < digit_count; k++) {
            int digit = digits[k];
            int64_t *next = starts[k], sum = 0;
            for (int value = 0; value < VALUES; value++) sum += std::exchange(next[value], sum);
            for (int64_t i = 0; i < count; i++) other[next[own[i].key >> digit * 8 & 255]++] = own[i];
            std::swap(own, other);
        }
        return own;
    }

    int64_t room;
    std::unique_ptr<Placed<Key>[]> entries;
    bool met_equal = false;  // whether an element that was left out equals the last one that was not
};

// Whether the places of so many elements can be told by any key.
inline bool is_orderable(int64_t count) { return count > 0 && count < INT32_MAX; }

}  // namespace rushlight
