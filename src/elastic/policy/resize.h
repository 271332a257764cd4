// The reaction of local SGD to another number of workers: the number of samples between two
// averages, and the learning rate.
//
// local_steps and the learning rate are intended for some number of workers. With more workers and
// the same settings, an average covers more samples. Then a pass has fewer averages, and the
// averaged models differ more. The rules:
//
//   keep batch   An average covers as many samples as intended, for any number of workers: the
//                steps of each are proportional to 1 / workers. It needs no more memory, because
//                the batch size does not change. A worker takes at least one batch; if this makes
//                too many samples, a higher learning rate compensates for it.
//   scale rate   Each worker takes its local_steps; the learning rate is proportional to the
//                samples of an average (the linear rule; Goyal et al., "Accurate, Large Minibatch
//                SGD", 2017). It rises over kWarmUp iterations, because training may diverge after
//                a jump, and falls at once.
//   none         Neither.
//
// Pure code; shares.h decides how many of the batches each worker takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "elastic/policy/policies.h"

namespace surety::elastic {

struct IterationSize {
  // Batches of all workers together, at least one each.
  std::uint32_t batches = 0;
  double rate = 1;  // Factor on the learning rate.
  friend bool operator==(const IterationSize&, const IterationSize&) = default;
};

class Resize {
 public:
  // Iterations over which a larger rate rises linearly. If the number is doubled, divergence is
  // even less likely, and the larger rate takes effect later.
  static constexpr std::uint32_t kWarmUp = 5;

  // REQUIRES: local_steps >= 1.
  explicit Resize(OnResize rule = OnResize::kKeepBatch, std::uint32_t local_steps = 16);

  // Sets the number of workers that the settings are intended for. Until then it is that of the
  // first iteration. REQUIRES: workers >= 1.
  void set_reference_workers(std::uint32_t workers);
  // The size of the next iteration. It is the same again if the last iteration was not committed.
  // REQUIRES: workers >= 1.
  [[nodiscard]] IterationSize iteration(std::uint32_t workers);
  void on_committed() { since_ = since_ < kWarmUp ? since_ + 1 : since_; }

  // The last reaction to the number of workers and its reason, for the log; empty if there was no
  // reaction.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void change_to(std::uint32_t workers);
  [[nodiscard]] double rate_now() const;

  OnResize rule_;
  std::uint32_t local_steps_;
  // Both are set from the first iteration on.
  std::optional<std::uint32_t> reference_workers_;
  std::optional<std::uint32_t> workers_;
  std::uint32_t batches_ = 0;
  double from_ = 1;          // The rate before the last change.
  double to_ = 1;            // The rate after the last change.
  std::uint32_t since_ = 0;  // Iterations since that change, at most kWarmUp.
  std::string reason_;
};

}  // namespace surety::elastic
