#include "runtime/worker/round_run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "base/posix/clock.h"
#include "fabric/allreduce/schedule.h"
#include "fabric/ports/port_message.h"

namespace surety::runtime {
namespace {

// How often the port is sampled during a round.
constexpr Duration kSampleEvery = std::chrono::milliseconds(50);
// After a shorter round, the next round is not measured. In rounds of this length, two samples of
// the port cost at most a hundredth of the time.
constexpr Duration kWorthWatching = std::chrono::milliseconds(20);

fabric::Schedule schedule_of(const worker::Round& round, std::size_t elements) {
  return std::visit(Overloaded{[&](const worker::RoundSum& sum) {
                                 return fabric::all_reduce(
                                     round.members, elements,
                                     sum.shares.value_or(std::vector<double>{}));
                               },
                               [&](const worker::RoundCopy& copy) {
                                 return fabric::distribute(copy.holders, round.members, elements);
                               }},
                    round.kind);
}

}  // namespace

void RoundRun::join(const worker::Round& round, std::vector<float> values, WorkerId self) {
  current_ =
      Current{.sequence = round.sequence, .values = std::move(values), .began = posix::now()};
  current_->failure = begin(round, self);
}

std::optional<worker::RoundFailed> RoundRun::begin(const worker::Round& round, WorkerId self) {
  std::vector<float>& values = current_->values;
  const fabric::Schedule schedule = schedule_of(round, values.size());
  std::map<WorkerId, fabric::PeerId> peers;
  for (const WorkerId member : schedule.members) {
    if (member == self) continue;
    const Result<fabric::PeerId> peer = connections_.open(member);
    if (!peer) return worker::RoundFailed{round.sequence, peer.error(), member};
    peers[member] = *peer;
  }
  const auto* sum = std::get_if<worker::RoundSum>(&round.kind);
  std::vector<float> weights =
      sum != nullptr ? sum->weights : std::vector<float>(schedule.members.size(), 1.0f);
  auto executor =
      std::make_shared<fabric::RoundExecutor>(schedule, self, std::move(weights), values);
  const Result<void> begun = rounds_.begin(round.sequence, std::move(executor), std::move(peers));
  if (!begun) {
    return worker::RoundFailed{round.sequence, begun.error(), rounds_.blamed().value_or(self)};
  }
  current_->is_watched = last_round_ >= kWorthWatching;
  current_->sampled = current_->began;
  if (current_->is_watched) sample_port(&fabric::SumWatch::begin);
  return std::nullopt;
}

void RoundRun::leave(std::uint64_t sequence) {
  if (!current_ || current_->sequence != sequence) return;
  rounds_.abandon();
  current_.reset();
}

std::vector<WorkerId> RoundRun::ask(std::uint64_t sequence) {
  if (!current_ || current_->sequence != sequence) return {};
  return rounds_.ask();
}

Duration RoundRun::patience(Duration wait) const {
  return current_ && current_->is_watched ? std::min(wait, kSampleEvery) : wait;
}

std::optional<worker::RoundFailed> RoundRun::take_failure() {
  if (!current_ || !current_->failure) return std::nullopt;
  return std::exchange(current_, std::nullopt)->failure;
}

std::optional<worker::NetworkEvent> RoundRun::take_end(const Result<bool>& finished,
                                                       WorkerId blamed) {
  if (finished && !*finished) {
    if (current_->is_watched && posix::now() - current_->sampled >= kSampleEvery) {
      sample_port(&fabric::SumWatch::add_sample);
      current_->sampled = posix::now();
    }
    return std::nullopt;
  }
  if (current_->is_watched) sample_port(&fabric::SumWatch::end);
  last_round_ = posix::now() - current_->began;
  Current ended = *std::exchange(current_, std::nullopt);
  if (!finished) return worker::RoundFailed{ended.sequence, finished.error(), blamed};
  worker::RoundResult result{.values = std::move(ended.values)};
  // The rates of an earlier round are no measurement of this one.
  const auto seen = ended.is_watched ? watch_.rates() : std::nullopt;
  if (seen) result.port = fabric::to_proto(*seen);
  return worker::RoundDone{ended.sequence, std::move(result)};
}

void RoundRun::sample_port(void (fabric::SumWatch::*sample)(Time, const fabric::PortBytes&)) {
  if (const auto passed = rounds_.port_bytes()) (watch_.*sample)(posix::now(), *passed);
}

}  // namespace surety::runtime
