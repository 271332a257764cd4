#include "bench/fabric_sim/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace surety::bench::sim {

using namespace fabric;

void Ledger::on_accepted(const UpdateId& update, const Model& read) {
  if (!live_.emplace(update, Update{read}).second) add_violation("an update was accepted twice");
}

void Ledger::on_applied(const GrantedRound& round, double now_s) {
  const Grant& grant = round.grant;
  const BlockMask bit = block_bit(grant.block);
  for (const UpdateId& id : round.updates) {
    const auto at = live_.find(id);
    if (at == live_.end() || ((at->second.applied | at->second.dropped) & bit) != 0) {
      add_violation(
          fmt::format("round {}: block {} of worker {} was applied again, or after it was dropped",
                      grant.round, grant.block, id.worker));
      continue;
    }
    at->second.applied |= bit;
    const Read& read = at->second.read[grant.block];
    const std::uint64_t staleness = versions_[grant.block]++ - read.version;
    staleness_.versions += static_cast<double>(staleness);
    staleness_.read_to_commit_s += now_s - read.at_s;
    staleness_.most = std::max(staleness_.most, staleness);
    ++staleness_.count;
  }
  members_most_ = std::max(members_most_, static_cast<std::uint32_t>(grant.members.size()));
}

void Ledger::on_dropped(const UpdateId& update, BlockMask blocks) {
  const auto at = live_.find(update);
  if (at == live_.end()) return;
  if ((at->second.applied & blocks) != 0) add_violation("an applied block was dropped");
  at->second.dropped |= blocks;
}

bool Ledger::on_done(const UpdateId& update) {
  const auto at = live_.find(update);
  if (at == live_.end() || (at->second.applied | at->second.dropped) != all_blocks(blocks_)) {
    add_violation(
        fmt::format("worker {}: an update is complete before all of its blocks were "
                    "applied or dropped",
                    update.worker));
  }
  const bool has_applied = at != live_.end() && at->second.applied != 0;
  if (at != live_.end()) live_.erase(at);
  return has_applied;
}

}  // namespace surety::bench::sim
