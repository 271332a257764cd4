#include "bench/lanes/run.h"

#include <algorithm>

#include "base/check.h"

namespace surety::bench {
namespace {

using namespace fabric;

constexpr std::size_t kRefusalsMax = 16;

}  // namespace

LaneRun::LaneRun(Transport& transport, WorkerId self, std::map<WorkerId, PeerId> peers,
                 const LaneRunOptions& options, std::unique_ptr<BlockedExecutor> executor,
                 LanePlanning planning)
    : transport_(transport),
      self_(self),
      peers_(std::move(peers)),
      options_(options),
      executor_(std::move(executor)),
      planning_(planning) {
  SURETY_CHECK(executor_ != nullptr && options_.window_first >= 1);
  const bool plans = planning_.planner != nullptr && planning_.port_estimates != nullptr;
  SURETY_CHECK(plans == (self_ == options_.planner));
  for (const auto& [host, peer] : peers_) hosts_[peer] = host;
}

Result<bool> LaneRun::advance(Time now, std::vector<TransportEvent> events) {
  for (auto& event : events) SURETY_TRY(handle(now, std::move(event)));
  SURETY_TRY(grant_blocks(now));
  SURETY_TRY(send_data());
  SURETY_TRY(measure(now));
  counts_.staged_bytes_max = std::max(counts_.staged_bytes_max, executor_->staged_bytes());
  return executor_->finished() && in_flight_.empty();
}

Result<void> LaneRun::handle(Time now, TransportEvent event) {
  if (auto* received = std::get_if<Received>(&event)) return on_received(now, std::move(*received));
  if (const auto* sent = std::get_if<Sent>(&event)) {
    return on_sent(sent->ticket);
  }
  const auto& lost = std::get<PeerLost>(event);
  const auto host = hosts_.find(lost.peer);
  // A host that is lost after our part is complete was not needed any more.
  if (host == hosts_.end() || executor_->finished()) return {};
  return fail(ErrorCode::kUnavailable, "round {}: host {}: {}", options_.round, host->second,
              lost.reason);
}

Result<void> LaneRun::on_received(Time now, Received message) {
  if (message.tag.round != options_.round) return {};  // The message is of an abandoned run.
  const auto host = hosts_.find(message.peer);
  if (host == hosts_.end() || message.tag.sender != host->second.value) {
    return fail(ErrorCode::kCorrupt,
                "round {}: a message in the name of host {} arrived from another host",
                options_.round, message.tag.sender);
  }
  const WorkerId from = host->second;
  if (message.tag.step >= kGrantStep) return on_control(now, from, message);
  in_bytes_ += message.bytes.size();
  const auto taken =
      executor_->receive(from, decode_block_step(message.tag.step), std::move(message.bytes));
  if (taken) return {};
  if (taken.error().code != ErrorCode::kInvalidInput) {
    return fail_in(taken.error(), "round {}", options_.round);
  }
  if (refusals_.size() < kRefusalsMax) refusals_.push_back(taken.error().message);
  return {};
}

Result<void> LaneRun::on_control(Time now, WorkerId from, const Received& message) {
  if (message.tag.step == kReportStep && planning_.port_estimates != nullptr) {
    SURETY_TRY(const PortSample sample, decode_report(message.bytes));
    planning_.port_estimates->observe(now, from, sample);
    return {};
  }
  if (message.tag.step != kGrantStep || from != options_.planner) {
    return fail(ErrorCode::kCorrupt, "round {}: host {} sent step {:#x}, which it may not send",
                options_.round, from, message.tag.step);
  }
  SURETY_TRY(const BlockGrant grant, decode_grant(executor_->operation(), message.bytes));
  return executor_->start(grant.block, grant.lanes);
}

Result<void> LaneRun::on_sent(std::uint64_t ticket) {
  const auto at = in_flight_.find(ticket);
  if (at == in_flight_.end()) return {};
  const InFlight message = std::move(at->second);
  in_flight_.erase(at);
  if (message.control) return {};
  out_bytes_ += message.bytes;
  --sending_[message.to];
  return executor_->sent(message.step);
}

Result<void> LaneRun::grant_blocks(Time now) {
  if (planning_.planner == nullptr) return {};
  const std::uint32_t blocks = executor_->operation().blocks;
  while (executor_->blocks_started() < blocks) {
    const std::uint32_t finished = executor_->blocks_finished();
    const std::uint32_t window = std::min(options_.window_first + finished, options_.window_max);
    const std::uint32_t block = executor_->blocks_started();
    if (block - finished >= window) return {};
    SURETY_TRY(auto lanes, planning_.planner->lanes(block, planning_.port_estimates->ports(now)));
    for (const auto& [host, peer] : peers_) {
      SURETY_TRY(send_control(host, kGrantStep, encode_grant({block, lanes})));
    }
    SURETY_TRY(executor_->start(block, lanes));
    SURETY_TRY(send_data());
  }
  return {};
}

Result<PeerId> LaneRun::peer_of(WorkerId host) const {
  const auto at = peers_.find(host);
  if (at != peers_.end()) return at->second;
  return fail(ErrorCode::kInvalidInput, "round {}: no connection to host {}", options_.round, host);
}

Result<void> LaneRun::send_data() {
  for (const WorkerId host : executor_->destinations()) {
    SURETY_TRY(const PeerId peer, peer_of(host));
    while (sending_[host] < options_.sends_per_peer) {
      auto send = executor_->next_send(host);
      if (!send) break;
      const Tag tag{options_.round, self_.value, encode_block_step(send->step)};
      const auto ticket = transport_.send(peer, tag, send->bytes);
      if (!ticket) return fail_in(ticket.error(), "round {}: host {}", options_.round, host);
      counts_.data_bytes += send->bytes.size();
      ++sending_[host];
      in_flight_[*ticket] = {host, false, send->step, send->bytes.size(), std::move(send->keep)};
    }
  }
  return {};
}

Result<void> LaneRun::send_control(WorkerId to, std::uint32_t step, std::vector<std::byte> bytes) {
  SURETY_TRY(const PeerId peer, peer_of(to));
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const auto ticket = transport_.send(peer, {options_.round, self_.value, step}, *kept);
  if (!ticket) return fail_in(ticket.error(), "round {}: host {}", options_.round, to);
  counts_.control_bytes += kept->size();
  in_flight_[*ticket] = {to, true, {}, kept->size(), kept};
  return {};
}

// One slow peer delays its own connection, not our port. The port is backlogged only while most
// other hosts wait for us, or we wait for them.
Result<void> LaneRun::measure(Time now) {
  if (!options_.measures) return {};
  std::size_t full = 0;
  for (const auto& [host, count] : sending_) full += count >= options_.sends_per_peer ? 1 : 0;
  const auto most = [&](std::size_t count) { return count > 1 && count * 2 > peers_.size(); };
  const auto out = out_.pass(now, std::exchange(out_bytes_, 0), most(full));
  const auto in = in_.pass(now, std::exchange(in_bytes_, 0), most(executor_->waiting_for().size()));
  if (!out && !in) return {};
  const PortSample sample{out.value_or(0), in.value_or(0)};
  if (planning_.port_estimates != nullptr) {
    planning_.port_estimates->observe(now, self_, sample);
    return {};
  }
  return send_control(options_.planner, kReportStep, encode_report(sample));
}

}  // namespace surety::bench
