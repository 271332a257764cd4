// Carries out the effects of a simulated worker's step machine (worker/operations/host.h), except
// those of the network, by calls of the parts of the process.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/process/coordinator_link.h"
#include "sim/process/exchange_inbox.h"
#include "sim/process/process_start.h"
#include "sim/process/processor.h"
#include "sim/process/world.h"
#include "worker/machine.h"

namespace surety::sim {

class SimHost final : public worker::Host {
 public:
  // The arguments must outlive this.
  SimHost(const World& world, const ProcessStart& start, worker::Machine& machine,
          Lifecycle& lifecycle, CoordinatorLink& link, Processor& processor,
          const ExchangeInbox& inbox)
      : world_(world),
        start_(start),
        machine_(machine),
        lifecycle_(lifecycle),
        link_(link),
        processor_(processor),
        inbox_(inbox) {}

  [[nodiscard]] Time now() const override { return Time{from_seconds(world_.queue.now_s())}; }
  void answer(const proto::FromWorker& message) override;
  void wake_after(Duration delay, std::uint64_t timer) override;
  void start(worker::Work work) override;
  void stop_work() override { processor_.stop(); }
  [[nodiscard]] bool watches_exchanges() const override { return true; }
  void on_exchanged(std::uint64_t sequence, const std::vector<float>& after,
                    const std::vector<double>& sum) override;

 private:
  const World& world_;
  const ProcessStart& start_;
  worker::Machine& machine_;
  Lifecycle& lifecycle_;
  CoordinatorLink& link_;
  Processor& processor_;
  const ExchangeInbox& inbox_;
};

}  // namespace surety::sim
