// A trained network that predicts the class of the largest score, the lowest class if scores are
// equal.
#pragma once

#include <memory>

#include "learn/linear/model/predictor.h"
#include "learn/network/network_file.h"

namespace surety::learn {

// InvalidInput from predict(): samples that are no input of the network (check_input()), or a label
// that is none of its classes, because such samples do not belong to this model. Sparse features
// that the network does not know have weight zero. It computes 256 samples at a time. No libtorch
// header here.
[[nodiscard]] std::unique_ptr<Predictor> make_network_predictor(TrainedNetwork network);

}  // namespace surety::learn
