// A trained network that predicts: the class of the largest score, the lowest of equals.
#pragma once

#include <memory>

#include "learn/network_file.h"
#include "learn/predictor.h"

namespace surety::learn {

// InvalidInput from predict(): samples that are no input of the network (check_input()), or a label
// that is none of its classes, as then they are no data of this model. Sparse features that it does
// not know weigh nothing. Computes 256 samples at a time. No libtorch header here.
[[nodiscard]] std::unique_ptr<Predictor> make_network_predictor(TrainedNetwork network);

}  // namespace surety::learn
