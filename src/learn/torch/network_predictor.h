// A trained network that predicts the class of the largest score, the lowest class if scores are
// equal. The softmax of its scores are the probabilities of the classes.
#pragma once

#include <memory>

#include "learn/linear/model/predictor.h"
#include "learn/network/network_file.h"

namespace surety::learn {

// predict() returns InvalidInput for samples that the network cannot read (check_input()), and for
// a label that is not one of its classes, because such samples do not belong to this model. Sparse
// features that the network does not know have weight zero. It computes 256 samples at a time. No
// libtorch header here.
[[nodiscard]] std::unique_ptr<Predictor> make_network_predictor(TrainedNetwork network);

}  // namespace surety::learn
