// The loops of optimizer steps and of gradient clipping: what kernels/optim.cpp fills for one level of CPU.
#pragma once

#include <cmath>
#include <cstdint>

namespace rushlight {

enum Method { SGD, ADAM, RMSPROP, METHODS };

// The numbers of one parameter's step, as the formulas of optim/*.py have them where the array work begins.
struct StepNumbers {
    double scale = 1;         // of the gradient: -1 to maximize, and smaller where its norm is clipped
    double bound = INFINITY;  // of the elements of the gradient, either way
    double decay = 0;         // of the weights, added to the gradient
    double shrink = 1;        // of the weights themselves: AdamW's decay
    double rate = 0;          // of the step
    double eps = 0;           // added to the root
    double keep_mean = 0;     // SGD's and RMSprop's momentum
    double new_mean = 0;      // the weight of the new gradient in the running mean
    double keep_square = 0;   // the weights of the old and of the new square
    double new_square = 0;
    bool nesterov = false;
};

// The arrays of a step, in the order of the loops; nullptr where a method with these options remembers less:
//   SGD      momentum_buffer
//   ADAM     exp_avg, exp_avg_sq, max_exp_avg_sq
//   RMSPROP  square_avg, momentum_buffer, grad_avg
struct StepArrays {
    static constexpr int STATES = 3;
    void* param = nullptr;
    const void* grad = nullptr;
    void* state[STATES] = {};
};

// Float32 first, float64 second. No two arrays of one step may overlap.
struct OptimLoops {
    // moves the elements from `begin` to `end`
    void (*step[METHODS][2])(const StepNumbers& numbers, const StepArrays& arrays, int64_t begin, int64_t end) = {};
    // the sum of the products of `count` elements, the same to the last bit on every level
    double (*dot[2])(const void* one, const void* other, int64_t count) = {};
    void (*scale[2])(void* values, double factor, int64_t count) = {};
};

}  // namespace rushlight
