// Grids: places between the elements of a plane, given by coordinates from -1 to 1. See
// ops/images/resampling/places.py.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace rushlight {

enum Interpolation : int { LINEAR, NEAREST };
enum Border : int { ZEROS, EDGE, REFLECTION };

// How coordinates are read along both dimensions.
struct Reading {
    int mode, border;
    bool align;
    int64_t sizes[2];   // height and width
    int64_t orders[2];  // of the derivative along each, 0 or 1
};

// The elements around one place along a dimension and their weights; those outside have none.
template <class T>
struct Ends {
    int64_t places[2];
    T weights[2];
};

// A place outside, mirrored in, and how it moves when the place does.
template <class T>
void reflect(T& place, T& factor, int64_t size, bool align) {
    T low = align ? T(0) : T(-0.5), width = T(align ? size - 1 : size);
    if (width == 0) {
        place = factor = 0;
        return;
    }
    T offset = place - low, away = std::abs(offset);
    T flips = std::floor(away / width), rest = std::fmod(away, width);
    bool even = std::fmod(flips, T(2)) == 0;
    place = even ? rest + low : width - rest + low;
    factor = T((even ? 1 : -1) * (offset < 0 ? -1 : 1));
}

// What the padding has in the stead of a place outside.
template <class T>
void bring_inside(T& place, T& factor, int64_t size, const Reading& reading) {
    factor = 1;
    if (reading.border == ZEROS) return;
    if (reading.border == REFLECTION) reflect(place, factor, size, reading.align);
    T last = T(size - 1);
    // at the border itself, nothing moves
    if (place <= 0 || place >= last || place != place) factor = 0;
    place = place != place ? T(0) : place < 0 ? T(0) : place > last ? last : place;
}

template <class T>
Ends<T> ends_of(T coordinate, int dim, const Reading& reading) {
    int64_t size = reading.sizes[dim];
    bool steep = reading.orders[dim] > 0;
    double slope = (reading.align ? size - 1 : size) / 2.0;
    T place = reading.align ? (coordinate + 1) * T(slope) : ((coordinate + 1) * T(size) - 1) / 2;
    T factor;
    bring_inside(place, factor, size, reading);
    T scale = steep ? T(slope) * factor : T(1);
    Ends<T> found{};
    bool nearest = reading.mode == NEAREST;
    T left = nearest ? std::nearbyint(place) : std::floor(place), share = place - left;
    for (int end = 0; end < (nearest ? 1 : 2); end++) {
        T at = left + T(end);
        T weight = nearest ? T(!steep) : steep ? T(end == 0 ? -1 : 1) : end == 0 ? 1 - share : share;
        if (!(at >= 0 && at < T(size))) continue;
        found.places[end] = static_cast<int64_t>(at);
        found.weights[end] = weight * scale;
    }
    return found;
}

// Up to four elements around each of the places of one sample: rows first.
template <class T>
struct Around4 {
    int64_t count;
    int taps;
    std::vector<int64_t> places;
    std::vector<T> weights;

    Around4(const Reading& reading, int64_t points)
        : count(points), taps(reading.mode == NEAREST ? 1 : 4), places(taps * points), weights(taps * points) {}
    void read(const Reading& reading, const T* grid) {
        for (int64_t p = 0; p < count; p++, grid += 2) {
            // the grid counts the last dimension first
            Ends<T> rows = ends_of(grid[1], 0, reading), columns = ends_of(grid[0], 1, reading);
            for (int tap = 0; tap < taps; tap++) {
                int row = taps == 1 ? 0 : tap / 2, column = taps == 1 ? 0 : tap % 2;
                places[tap * count + p] = rows.places[row] * reading.sizes[1] + columns.places[column];
                weights[tap * count + p] = rows.weights[row] * columns.weights[column];
            }
        }
    }
    // One channel at the places.
    void take(const T* plane, T* result) const {
        for (int64_t p = 0; p < count; p++) {
            T total = 0;
            for (int tap = 0; tap < taps; tap++) {
                T weight = weights[tap * count + p];
                // outside an image of zeros, infinities in it do not count
                if (weight != 0) total += plane[places[tap * count + p]] * weight;
            }
            result[p] = total;
        }
    }
    // One channel of values shared out: sums in double precision, those of each tap by themselves.
    void spread(const T* values, double* part, double* sums, T* plane, int64_t size) const {
        std::fill_n(sums, size, 0.0);
        for (int tap = 0; tap < taps; tap++) {
            std::fill_n(part, size, 0.0);
            for (int64_t p = 0; p < count; p++) {
                part[places[tap * count + p]] += double(values[p] * weights[tap * count + p]);
            }
            for (int64_t i = 0; i < size; i++) sums[i] += part[i];
        }
        for (int64_t i = 0; i < size; i++) plane[i] = T(sums[i]);
    }
};

}  // namespace rushlight
