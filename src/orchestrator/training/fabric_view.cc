#include "orchestrator/training/fabric_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "fabric/ports/port_message.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {
namespace {

// Longest text about a decision from a worker in a log line, in bytes.
constexpr std::size_t kWhyMax = 400;

}  // namespace

void FabricView::observe(WorkerId worker, const proto::StepDone& done) {
  if (done.updates_dropped() > 0) {
    remarks_.push_back(
        fmt::format("{} dropped because of staleness", counted(done.updates_dropped(), "update")));
  }
  if (done.placements() > 0) {
    remarks_.push_back(fmt::format("parts of the model moved to other workers, {}: {}",
                                   counted(done.placements(), "time"),
                                   plain_text(done.placed_why(), kWhyMax)));
  }
  if (!done.has_port()) return;
  // An invalid port report is ignored.
  if (const auto seen = fabric::from_proto(done.port())) ports_.observe(worker, *seen);
}

std::vector<double> FabricView::shares_of_sum(const std::vector<WorkerId>& members) {
  std::vector<double> shares = ports_.shares(members);
  if (shares.empty() != follows_ports_) return shares;
  follows_ports_ = !shares.empty();
  if (!follows_ports_) {
    remarks_.push_back(
        "all workers add up equal parts of the model: their ports have similar rates");
    return shares;
  }
  const auto least = static_cast<std::size_t>(std::ranges::min_element(shares) - shares.begin());
  remarks_.push_back(
      fmt::format("worker {}, whose port carries {:.3g} MB/s, adds up {:.0f} % of the model "
                  "instead of {:.0f} %",
                  members[least], ports_.bytes_per_s(members[least]) / 1e6, 100 * shares[least],
                  100 / static_cast<double>(members.size())));
  return shares;
}

}  // namespace surety::orchestrator
