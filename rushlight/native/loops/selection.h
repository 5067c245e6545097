// Selection: which of equal elements come first where torch does not sort stably. See ops/reductions/selecting.py.
#pragma once

#include <cstdint>
#include <utility>

#include "loops/order.h"

namespace rushlight {

// The entries of one row, moved as the algorithms move them.
template <class Key>
class Selection {
public:
    using Entry = Placed<Key>;

    Selection(Entry* row, int64_t count) : row(row), count(count) {}

    // Whether so few of so many are wanted that a heap of them is kept.
    static bool is_scarce(int64_t wanted, int64_t count) { return wanted * 64 <= count; }

    // The lowest of all entries, in order, where the row holds the first of them and `next(place)` gives those behind.
    template <class Next>
    void top_scarce(int64_t all, Next next) {
        keep_lowest(0, count, count);
        for (int64_t place = count; place < all; place++) {
            Entry entry = next(place);
            if (entry.key < row[0].key) sink(row, 0, count, entry);
        }
        sort_heap(0, count);
    }

    // The lowest entries, in order or as the selection left them.
    void top(int64_t wanted, bool is_sorted) {
        if (is_scarce(wanted, count)) {
            sort_first(0, wanted, count);
            return;
        }
        select(wanted - 1);
        if (is_sorted) sort(wanted - 1);
    }

    // The first so many entries in order.
    void sort(int64_t wanted) {
        if (wanted > 1) sort_part(0, wanted, depth_of(wanted));
        insert(0, wanted);
    }

    // Quickselect with the median of three; where the entry of this number stood.
    int64_t place_of(int64_t number) {
        int64_t first = 0, last = count - 1;
        while (last > first + 1) {
            std::swap(row[first + (last - first) / 2], row[first + 1]);
            order_two(first + 1, last);
            order_two(first, last);
            order_two(first + 1, first);
            int64_t low = first + 1, high = last;
            const Key pivot = row[first].key;
            while (true) {
                do low++;
                while (row[low].key < pivot);
                do high--;
                while (row[high].key > pivot);
                if (high < low) break;
                std::swap(row[low], row[high]);
            }
            std::swap(row[first], row[high]);
            if (high <= number) first = low;
            if (high >= number) last = high - 1;
        }
        if (last == first + 1) order_two(first, last);
        return static_cast<int64_t>(row[number].place);
    }

private:
    static constexpr int64_t FEW = 16;

    static int depth_of(int64_t count) {
        int depth = 0;
        while (count >>= 1) depth += 2;
        return depth;
    }

    void order_two(int64_t low, int64_t high) {
        if (row[low].key > row[high].key) std::swap(row[low], row[high]);
    }

    void select(int64_t nth) {
        int64_t first = 0, last = count;
        for (int depth = depth_of(count); last - first > 3; depth--) {
            if (depth == 0) {
                keep_lowest(first, nth + 1, last);
                std::swap(row[first], row[nth]);
                return;
            }
            int64_t cut = partition(first, last);
            (cut <= nth ? first : last) = cut;
        }
        insert(first, last);
    }

    void sort_part(int64_t first, int64_t last, int depth) {
        for (; last - first > FEW; depth--) {
            if (depth == 0) {
                sort_first(first, last, last);
                return;
            }
            int64_t cut = partition(first, last);
            sort_part(cut, last, depth - 1);
            last = cut;
        }
    }

    int64_t partition(int64_t first, int64_t last) {
        std::swap(row[first], row[middle_of(first + 1, first + (last - first) / 2, last - 1)]);
        const Key pivot = row[first].key;
        for (int64_t low = first + 1, high = last;; low++) {
            while (row[low].key < pivot) low++;
            do high--;
            while (row[high].key > pivot);
            if (low >= high) return low;
            std::swap(row[low], row[high]);
        }
    }

    int64_t middle_of(int64_t one, int64_t two, int64_t three) const {
        const Key a = row[one].key, b = row[two].key, c = row[three].key;
        if (a < b) return b < c ? two : a < c ? three : one;
        return a < c ? one : b < c ? three : two;
    }

    void insert(int64_t first, int64_t last) {
        for (int64_t place = first + 1; place < last; place++) {
            Entry entry = row[place];
            int64_t to = place;
            for (; to > first && entry.key < row[to - 1].key; to--) row[to] = row[to - 1];
            row[to] = entry;
        }
    }

    void sort_first(int64_t first, int64_t middle, int64_t last) {
        keep_lowest(first, middle, last);
        sort_heap(first, middle);
    }

    void sort_heap(int64_t first, int64_t middle) {
        for (int64_t end = middle - 1; end > first; end--) {
            Entry entry = row[end];
            row[end] = row[first];
            sink(row + first, 0, end - first, entry);
        }
    }

    void keep_lowest(int64_t first, int64_t middle, int64_t last) {
        int64_t held = middle - first;
        for (int64_t parent = (held - 2) / 2; parent >= 0 && held > 1; parent--) {
            sink(row + first, parent, held, row[first + parent]);
        }
        for (int64_t place = middle; place < last; place++) {
            if (!(row[place].key < row[first].key)) continue;
            Entry entry = row[place];
            row[place] = row[first];
            sink(row + first, 0, held, entry);
        }
    }

    static void sink(Entry* heap, int64_t hole, int64_t held, Entry entry) {
        int64_t top = hole, child = hole;
        while (child < (held - 1) / 2) {
            child = 2 * child + 2;
            if (heap[child].key < heap[child - 1].key) child--;
            heap[hole] = heap[child];
            hole = child;
        }
        if (held % 2 == 0 && child == (held - 2) / 2) {
            child = 2 * child + 1;
            heap[hole] = heap[child];
            hole = child;
        }
        for (; hole > top && heap[(hole - 1) / 2].key < entry.key; hole = (hole - 1) / 2) {
            heap[hole] = heap[(hole - 1) / 2];
        }
        heap[hole] = entry;
    }

    Entry* row;
    int64_t count;
};

}  // namespace rushlight
