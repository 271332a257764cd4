// A NetSpec that computes: a libtorch network whose values live in one flat buffer.
//
// parameters() is the network, in the layout of the spec (model/layout.h): what is written there is
// what the next batch uses, and what is read there is sent and stored as it is. gradients() has the
// same layout. There is no optimiser here: a step is arithmetic on the two buffers.
//
// No libtorch header is included here, so that callers do not pay for it.
//
// One thread calls a network. Bitwise repeatable with one thread, one BLAS kernel and one seed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/layer_fit.h"
#include "model/net_spec.h"

namespace surety::model {

class TorchNetwork {
 public:
  // All values zero until parameters() is written. REQUIRES: a valid spec.
  explicit TorchNetwork(const NetSpec& spec);
  ~TorchNetwork();
  TorchNetwork(TorchNetwork&&) noexcept;
  TorchNetwork& operator=(TorchNetwork&&) noexcept;

  [[nodiscard]] const NetSpec& spec() const;

  // Both of layout_of(spec).size values, at one address for the network's life (moves included).
  [[nodiscard]] std::span<float> parameters();
  [[nodiscard]] std::span<float> gradients();  // Of running statistics: always 0.

  // Forward and backward in training mode: returns the mean cross-entropy of the batch, leaves its
  // gradient in gradients() (nothing is accumulated), and moves the running statistics.
  // REQUIRES: labels.size() >= 1; inputs.size() == labels.size() * features; 0 <= label < classes;
  // at least two values per channel of a batch norm (networks of the zoo have them in each sample).
  double train_batch(std::span<const float> inputs, std::span<const std::int64_t> labels);

  // Forward in evaluation mode, all samples as one batch: cross-entropy of each sample, and 1 where
  // the largest score (ties: the lowest class) is the label's, else 0. Changes nothing.
  // REQUIRES: as train_batch; one loss and one flag per label.
  void evaluate(std::span<const float> inputs, std::span<const std::int64_t> labels,
                std::span<float> losses, std::span<std::uint8_t> correct);

  // Scores in evaluation mode, N x classes. REQUIRES: scores.size() == N * classes.
  void predict(std::span<const float> inputs, std::span<float> scores);

  // Runs both networks on the inputs in evaluation mode, layer after layer. For each linear or
  // convolutional layer that reads other values than the teacher's: `fit` gets the sums of its
  // least squares, with the teacher's answers as the targets, and may change parameters() of that
  // layer and of a batch norm behind it. A layer of more than kFitUnknownsMax unknowns (inputs of
  // an output, and the constant) is left as it is. `channels` holds for each layer which of the
  // teacher's outputs ours are. `stopped` is asked before each layer and for each block of its
  // samples: false where it was true; the layers before that one are changed then, and the rest is
  // as it was. Takes memory for the activations of all samples in the layers that are held at once,
  // and some hundred MiB at most for the sums.
  // REQUIRES: the teacher has the same layers, with as many channels or more; one list of channels
  // for each layer; inputs as predict() wants them.
  bool fit_to(const TorchNetwork& teacher, const std::vector<std::vector<std::uint32_t>>& channels,
              std::span<const float> inputs, const FitLayer& fit,
              const std::function<bool()>& stopped);

  // Starts the stream that dropout draws from anew; it is this network's own.
  void seed(std::uint64_t seed);

 private:
  struct State;
  class Walk;
  std::unique_ptr<State> state_;
};

// Threads that libtorch computes with, in the whole process. REQUIRES: threads >= 1.
void set_torch_threads(int threads);

}  // namespace surety::model
