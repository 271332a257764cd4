// Networks by name, for images and for tables (1 x 1 x features) of any reasonable size.
//
// mlp        two hidden layers of 256 and 128 (ReLU).
// lenet5     LeCun 1998 with ReLU and max pooling; 28x28 images are padded to 32x32: 61,706
//            parameters on 28x28x1.
// alexnet    Krizhevsky 2012 for 32x32 inputs: 3x3 kernels, half the channels (32, 96, 192, 128,
//            128) and a quarter of the hidden units (1024), so that two CPU cores can train it:
//            2.2 M parameters on 32x32x3.
// mobilenet  MobileNetV1 (Howard 2017), 13 depthwise separable blocks, width 0.5, first stride 1:
//            0.8 M parameters on 32x32x3.
// resnet20   He 2016 for CIFAR, 1x1 projections where the shape changes: 272,474 parameters on
//            32x32x3.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/net_spec.h"

namespace surety::model {

// Linear models are not networks; they are in learn/linear/glm_task.h.
// logistic, svm, svm-l2, ridge, lasso, elastic-net
[[nodiscard]] std::span<const std::string> linear_names();
[[nodiscard]] bool is_linear(std::string_view name);
[[nodiscard]] bool is_regression(std::string_view name);  // ridge, lasso, elastic-net

[[nodiscard]] std::span<const std::string> zoo_names();

// ENSURES: a valid spec. InvalidInput for an unknown name (the message suggests the nearest one),
// an image that is too small for the network, no channel, or fewer than two classes.
[[nodiscard]] Result<NetSpec> zoo(std::string_view name, const Input& input);

}  // namespace surety::model
