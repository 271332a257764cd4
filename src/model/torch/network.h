// A NetSpec that computes: a libtorch network whose values are in one flat buffer.
//
// parameters() is the network, in the layout of the spec (model/layout.h). Values that are written
// there are used by the next batch. The vector can be sent and stored as it is. gradients() has the
// same layout. There is no optimiser here: a step is arithmetic on the two buffers.
//
// This header includes no libtorch header, to keep the build of its users fast.
//
// One thread calls a network. Results are repeatable bit by bit with one thread, one BLAS kernel
// and one seed.
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
  // All values are zero until parameters() is written. REQUIRES: a valid spec.
  explicit TorchNetwork(const NetSpec& spec);
  ~TorchNetwork();
  TorchNetwork(TorchNetwork&&) noexcept;
  TorchNetwork& operator=(TorchNetwork&&) noexcept;

  [[nodiscard]] const NetSpec& spec() const;

  // Both have layout_of(spec).size values, at the same address during the network's life (also
  // after moves).
  [[nodiscard]] std::span<float> parameters();
  [[nodiscard]] std::span<float> gradients();  // Always 0 for running statistics.

  // One forward and backward pass in training mode. Returns the mean cross-entropy of the batch,
  // writes its gradient to gradients() (nothing is accumulated), and updates the running
  // statistics.
  // REQUIRES: labels.size() >= 1; inputs.size() == labels.size() * features; 0 <= label < classes;
  // at least two values for each channel of a batch norm (networks of the zoo have them in each
  // sample).
  double train_batch(std::span<const float> inputs, std::span<const std::int64_t> labels);

  // Forward pass in evaluation mode, all samples as one batch. Writes the cross-entropy of each
  // sample, and 1 if the largest score (if equal, that of the lowest class) belongs to the label,
  // else 0. Changes nothing in the network.
  // REQUIRES: as for train_batch(); one loss and one flag for each label.
  void evaluate(std::span<const float> inputs, std::span<const std::int64_t> labels,
                std::span<float> losses, std::span<std::uint8_t> correct);

  // Scores in evaluation mode, N x classes. REQUIRES: scores.size() == N * classes.
  void predict(std::span<const float> inputs, std::span<float> scores);

  // Runs both networks on the inputs in evaluation mode, layer by layer. If the inputs of a linear
  // or convolutional layer differ from those in the teacher, `fit` gets the sums of the layer's
  // least squares, with the teacher's outputs as targets. `fit` may change parameters() of that
  // layer and of a batch norm behind it. A layer of more than kFitUnknownsMax unknowns (inputs of
  // an output, and the constant) is not changed. `channels` lists for each layer the teacher's
  // outputs that this network has. `stopped` is called before each layer and for each block of its
  // samples. If it returns true, fit_to() returns false: the layers before that one are changed,
  // the others are not. It takes memory for the activations of all samples in the layers that are
  // held at once, and at most some hundred MiB for the sums. REQUIRES: the teacher has the same
  // layers, with at least as many channels; one list of channels for each layer; inputs as for
  // predict().
  bool fit_to(const TorchNetwork& teacher, const std::vector<std::vector<std::uint32_t>>& channels,
              std::span<const float> inputs, const FitLayer& fit,
              const std::function<bool()>& stopped);

  // Restarts the stream from which dropout draws, with this seed. Each network has its own stream.
  void seed(std::uint64_t seed);

 private:
  struct State;
  class Walk;
  std::unique_ptr<State> state_;
};

// Sets the number of threads that libtorch uses in the whole process. REQUIRES: threads >= 1.
void set_torch_threads(int threads);

}  // namespace surety::model
