// The families of kernels, one file each, named as in ops/.
#pragma once

#include "table.h"

namespace LEVEL {

using rushlight::Table;

void arithmetic(Table& table);
void activations(Table& table);
void bounds(Table& table);
void comparison(Table& table);
void conversion(Table& table);
void division(Table& table);
void exponential(Table& table);
void hyperbolic(Table& table);
void logical(Table& table);
void masking(Table& table);
void powers(Table& table);
void rectifiers(Table& table);
void rounding(Table& table);
void signs(Table& table);
void special(Table& table);
void trigonometric(Table& table);
void where(Table& table);
void optim(Table& table);
void random(Table& table);
void distributions(Table& table);
void reductions(Table& table);
void maxima(Table& table);
void softmax(Table& table);
void statistics(Table& table);
void norms(Table& table);
void normalization(Table& table);
void cumulative(Table& table);
void products(Table& table);
void losses(Table& table);
void binary_losses(Table& table);
void likelihood_losses(Table& table);
void cross_entropy(Table& table);
void convolution(Table& table);
void pooling(Table& table);
void batch_norms(Table& table);
void recurrent(Table& table);
void attention(Table& table);
void planes(Table& table);
void weight_gradient(Table& table);
void taps(Table& table);

}  // namespace LEVEL
