// Small lists: the first items have their places in the list itself, so that a short list takes no memory.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

namespace rushlight {

template <class Item, int few>
class Small {
    static_assert(std::is_trivially_copyable_v<Item>, "items are moved as bytes");

public:
    Small() = default;
    Small(const Small&) = delete;
    Small& operator=(const Small&) = delete;
    ~Small() {
        if (items != inside()) std::free(items);
    }

    int size() const { return count; }
    bool empty() const { return count == 0; }
    Item& operator[](int i) { return items[i]; }
    Item& back() { return items[count - 1]; }
    Item* begin() { return items; }
    Item* end() { return items + count; }
    void push_back(Item item) {
        if (count == room) grow();
        new (&items[count++]) Item(item);
    }
    void pop_back() { count--; }
    void clear() { count = 0; }

private:
    Item* inside() { return reinterpret_cast<Item*>(memory); }
    void grow() {
        void* larger = std::malloc(2 * room * sizeof(Item));
        if (larger == nullptr) throw std::bad_alloc();
        std::memcpy(larger, static_cast<void*>(items), count * sizeof(Item));
        if (items != inside()) std::free(items);
        items = static_cast<Item*>(larger);
        room *= 2;
    }

    int count = 0, room = few;
    Item* items = inside();
    alignas(Item) char memory[few * sizeof(Item)];
};

}  // namespace rushlight
