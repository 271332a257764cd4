// Probe: measures the speed of a link. The recipient reports that it is ready. Then the sender
// sends a small blob and a large one. The recipient measures the time from the arrival of the small
// blob to that of the large one. So the start of neither side is part of the time, and no blob
// arrives before the recipient waits for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "worker/operations/operation.h"

namespace surety::worker {

class Probe final : public Operation {
 public:
  using Operation::Operation;

  void begin() override;
  void on_work_done(const Result<void>& outcome) override { static_cast<void>(outcome); }
  void on_time(std::uint64_t timer) override;
  void on_blob() override;
  void on_blob_sent(WorkerId to) override;
  void on_lost(WorkerId worker, const std::string& why) override;

 private:
  [[nodiscard]] const proto::Probe& order() const { return command().probe(); }
  [[nodiscard]] bool sends() const { return WorkerId{order().from().worker()} == state().self; }
  [[nodiscard]] WorkerId other() const {
    return WorkerId{sends() ? order().to().worker() : order().from().worker()};
  }
  [[nodiscard]] fabric::Tag tag(WorkerId sender, std::uint32_t step) const {
    return {.round = sequence(), .sender = sender.value, .step = step};
  }
  // Sends a blob of zeros. Returns false if the other worker cannot be reached; then it is blamed.
  [[nodiscard]] bool send(std::uint32_t step, std::uint64_t bytes);

  std::uint32_t sends_left_ = 0;        // Blobs that have not left the sender yet.
  std::optional<std::uint64_t> timer_;  // Present after begin().
  std::optional<Time> first_came_;
};

}  // namespace surety::worker
