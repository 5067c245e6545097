// Every family of kernels enters the table of its level here.
#include "families.h"

namespace LEVEL {

void fill(rushlight::Table& table) {
    arithmetic(table);
    activations(table);
    bounds(table);
    comparison(table);
    conversion(table);
    division(table);
    exponential(table);
    hyperbolic(table);
    logical(table);
    masking(table);
    powers(table);
    rectifiers(table);
    rounding(table);
    signs(table);
    special(table);
    trigonometric(table);
    where(table);
    optim(table);
    random(table);
    distributions(table);
    reductions(table);
    maxima(table);
    softmax(table);
    statistics(table);
    norms(table);
    normalization(table);
    cumulative(table);
    products(table);
    losses(table);
    binary_losses(table);
    likelihood_losses(table);
    cross_entropy(table);
    convolution(table);
    pooling(table);
    batch_norms(table);
    recurrent(table);
    attention(table);
    planes(table);
    weight_gradient(table);
    taps(table);
}

}  // namespace LEVEL
