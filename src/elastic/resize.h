// What local SGD makes of another number of workers: how much is learned between two averages, and
// at which rate.
//
// local_steps and the learning rate are meant for some number of workers. With more of them at the
// same settings an average is over more samples: there are fewer averages in a pass, of models that
// went further apart. What to do about it:
//
//   keep batch   as many samples an average as meant, whoever shares them: the steps of each go
//   with
//                1 / workers. Needs no memory, as batches stay what they are. A worker takes one
//                batch at least; what that is too much, the rate makes up for.
//   scale rate   each takes its local_steps; the learning rate goes with the samples an average is
//                over (the linear rule; Goyal et al., "Accurate, Large Minibatch SGD", 2017). It
//                rises over kWarmUp iterations, as a jump may diverge, and falls at once.
//   none         neither.
//
// Pure; not concerned with who takes how many of the batches (shares.h).
#pragma once

#include <cstdint>
#include <string>

#include "elastic/policies.h"

namespace surety::elastic {

struct IterationSize {
  std::uint32_t batches = 0;  // Of all workers together, at least one of each.
  double rate = 1;            // Times the learning rate.
  friend bool operator==(const IterationSize&, const IterationSize&) = default;
};

class Resize {
 public:
  // Of a larger rate, linear in the iterations. Doubled, divergence is less likely yet and a larger
  // rate does its good later.
  static constexpr std::uint32_t kWarmUp = 5;

  // REQUIRES: local_steps >= 1.
  explicit Resize(OnResize rule = OnResize::kKeepBatch, std::uint32_t local_steps = 16);

  // The settings are meant for so many; 0, at first: for those of the first iteration.
  void mean(std::uint32_t workers);
  // The next iteration; the same one again where the last was not committed. REQUIRES: workers
  // >= 1.
  [[nodiscard]] IterationSize iteration(std::uint32_t workers);
  void committed() { since_ = since_ < kWarmUp ? since_ + 1 : since_; }

  // What was done about the number of workers last, and why, for the log; empty: nothing ever.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void change_to(std::uint32_t workers);
  [[nodiscard]] double rate_now() const;

  OnResize rule_;
  std::uint32_t local_steps_;
  std::uint32_t meant_ = 0, workers_ = 0;  // 0: none yet.
  std::uint32_t batches_ = 0;
  double from_ = 1, to_ = 1;  // The rate before and after the last change,
  std::uint32_t since_ = 0;   // and iterations since then.
  std::string reason_;
};

}  // namespace surety::elastic
