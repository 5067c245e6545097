// Inverse trigonometric functions: asin, acos, atan, atan2; branch-free, float and double.
#pragma once

#include "kernels/math/number.h"

namespace LEVEL {
namespace math {

template <class T>
struct HalfPi;  // pi / 2 in two parts

template <>
struct HalfPi<float> {
    static constexpr float high = 0x1.921fb6p+0f, low = -0x1.777a5cp-25f;
};

template <>
struct HalfPi<double> {
    static constexpr double high = 0x1.921fb54442d18p+0, low = 0x1.1a62633145c07p-54;
};

// (asin(x) / x - 1) / x^2 for |x| <= 1/2, of x^2
MATH_INLINE float asin_tail(float z) {
    return polynomial(z, 0.1666666f, 0.075005144f, 0.044515636f, 0.03181553f, 0.014416952f, 0.037539285f);
}

MATH_INLINE double asin_tail(double z) {
    return polynomial(z, 0.1666666666666676, 0.07499999999971174, 0.044642857174112135, 0.03038194273578786,
                      0.02237221412861531, 0.017351628227432116, 0.013980620480784398, 0.011400575398670357,
                      0.01077086315672477, 0.003741919380549942, 0.021621309496905414, -0.020877916868953638,
                      0.03255350820524457);
}

// (atan(x) / x - 1) / x^2 for |x| <= 1, of x^2
MATH_INLINE float atan_tail(float z) {
    return polynomial(z, -0.33333293f, 0.1999836f, -0.1426229f, 0.1094222f, -0.08374951f, 0.057478942f, -0.030709004f,
                      0.01066674f, -0.0017389732f);
}

MATH_INLINE double atan_tail(double z) {
    return polynomial(z, -0.3333333333333302, 0.19999999999944268, -0.14285714282181675, 0.11111110995908832,
                      -0.09090906812665642, 0.07692277677819165, -0.06666386806559987, 0.058804272191223445,
                      -0.052530783065543436, 0.047208494315127504, -0.04215367849911121, 0.03656514353516968,
                      -0.02978335206593911, 0.021838074673802617, -0.013763346705652345, 0.007099985521128468,
                      -0.0028355190990207095, 0.000813964717957847, -0.00014841831625624026, 1.2851805242397334e-05);
}

template <class T>
MATH_INLINE T asin(T x) {
    // above 1/2: pi / 2 - 2 asin(sqrt((1 - |x|) / 2))
    T size = abs(x), rest = (T(1) - size) * T(0.5);
    bool large = size > T(0.5);
    T z = large ? rest : x * x, y = large ? sqrt(rest) : size;
    T tail = y * z * asin_tail(z), half = y + (tail - T(0.5) * HalfPi<T>::low);
    return copysign(large ? HalfPi<T>::high - (half + half) : y + tail, x);
}

template <class T>
MATH_INLINE T acos(T x) {
    T size = abs(x), rest = (T(1) - size) * T(0.5);
    bool large = size > T(0.5);
    T z = large ? rest : x * x, y = large ? sqrt(rest) : x;
    T tail = y * z * asin_tail(z);
    T right = y + tail, left = HalfPi<T>::high - (right - HalfPi<T>::low);
    T near_one = x < 0 ? left + left : right + right;
    T middle = HalfPi<T>::high - (y + (tail - HalfPi<T>::low));
    return large ? near_one : middle;
}

// the angle of (x, y), both >= 0, where `bottom` >= `top` are the two in order
template <class T>
MATH_INLINE T first_quadrant(T top, T bottom, bool steep) {
    T ratio = top / bottom, square = ratio * ratio;
    T tail = ratio * square * atan_tail(square);
    T shallow = ratio + tail;
    return steep ? HalfPi<T>::high - (ratio + (tail - HalfPi<T>::low)) : shallow;
}

template <class T>
MATH_INLINE T atan(T x) {
    T size = abs(x);
    bool steep = size > 1;
    return copysign(first_quadrant(steep ? T(1) : size, steep ? size : T(1), steep), x);
}

template <class T>
MATH_INLINE T atan2(T y, T x) {
    T height = abs(y), width = abs(x);
    bool steep = height > width;
    T top = steep ? width : height, bottom = steep ? height : width;
    // 0 / 0 is the angle 0 here, infinity / infinity that of (1, 1)
    bottom = bottom == 0 ? T(1) : bottom;
    bool corner = top == infinity<T>;
    T angle = first_quadrant(corner ? T(1) : top, corner ? T(1) : bottom, steep);
    T left = HalfPi<T>::high - ((angle - HalfPi<T>::high) - 2 * HalfPi<T>::low);
    T signed_one = copysign(T(1), x);
    T result = copysign(signed_one < 0 ? left : angle, y);
    return x != x ? x : result;
}

}  // namespace math
}  // namespace LEVEL
