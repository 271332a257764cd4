// Symbolic execution of a schedule. The vector is cut into segments at every boundary that occurs
// in the schedule, so no transfer cuts a segment. For each member and segment, it counts how often
// each input is in the member's sum.
#include "test/support/fabric/allreduce/check_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace surety::fabric {
namespace {

// How often each input is in a sum; empty means that there is no sum yet.
using Counts = std::vector<std::uint32_t>;

class SymbolicRun {
 public:
  SymbolicRun(const Schedule& schedule, std::uint64_t elements)
      : schedule_(schedule), elements_(elements) {}

  // Checks all conditions for an execution of the transfers.
  std::string malformed() const {
    const auto& members = schedule_.members;
    if (members.empty()) return "there are no members";
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (!(members[i - 1] < members[i])) {
        return fmt::format("member {} does not come before {}", members[i - 1], members[i]);
      }
    }
    if (schedule_.parts.size() != members.size()) {
      return fmt::format("found {} parts, expected one for each of {} members",
                         schedule_.parts.size(), members.size());
    }
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
      if (auto wrong = malformed(schedule_.transfers[i], i); !wrong.empty()) return wrong;
    }
    return badly_cut();
  }

  // `inputs[m]` is the input that member m starts with; nullopt means that it starts with nothing.
  void start(const std::vector<std::optional<std::size_t>>& inputs, std::size_t inputs_count) {
    cut();
    const std::size_t segments = starts_.size();
    sums_.assign(inputs.size(), std::vector<Counts>(segments));
    results_ = sums_;
    for (std::size_t m = 0; m < inputs.size(); ++m) {
      for (auto& counts : sums_[m]) {
        if (!inputs[m]) continue;
        counts.assign(inputs_count, 0);
        counts[*inputs[m]] = 1;
      }
    }
  }

  std::string carry_out(const Transfer& transfer) {
    const std::size_t from = index_of(transfer.from);
    const std::size_t to = index_of(transfer.to);
    const auto within = [](Slice inner, Slice outer) {
      return inner.first >= outer.first && end_of(inner) <= end_of(outer);
    };
    const bool contributes = transfer.kind == TransferKind::kContribution;
    const std::size_t owner = contributes ? to : from;
    if (!within(transfer.slice, schedule_.parts[owner])) {
      return fmt::format("step {}: worker {} does not own elements {} to {}", transfer.step,
                         schedule_.members[owner], transfer.slice.first, end_of(transfer.slice));
    }
    for (std::size_t s = segment_at(transfer.slice.first); s < segment_at(end_of(transfer.slice));
         ++s) {
      if (contributes) {
        ++sums_[to][s][from];
        continue;
      }
      if (sums_[from][s].empty()) {
        return fmt::format("step {}: worker {} has nothing to send", transfer.step, transfer.from);
      }
      if (!results_[to][s].empty()) {
        return fmt::format("step {}: worker {} already has element {}", transfer.step, transfer.to,
                           starts_[s]);
      }
      results_[to][s] = sums_[from][s];
    }
    return {};
  }

  // Checks the final value of member m: its own sum if `keeps`, otherwise the result that it
  // received.
  std::string wrong_output(std::size_t m, const Counts& expected, bool keeps_all) const {
    const Slice own = schedule_.parts[m];
    for (std::size_t s = 0; s < starts_.size(); ++s) {
      const bool keeps = keeps_all || (starts_[s] >= own.first && starts_[s] < end_of(own));
      if (keeps && !results_[m][s].empty()) {
        return fmt::format("worker {} receives element {}, which it has already",
                           schedule_.members[m], starts_[s]);
      }
      const Counts& found = keeps ? sums_[m][s] : results_[m][s];
      if (found == expected) continue;
      if (found.empty()) {
        return fmt::format("worker {} never receives element {}", schedule_.members[m], starts_[s]);
      }
      const auto at = std::mismatch(found.begin(), found.end(), expected.begin()).first;
      return fmt::format("worker {}, element {}: the input of worker {} is counted {} times",
                         schedule_.members[m], starts_[s],
                         schedule_.members[static_cast<std::size_t>(at - found.begin())], *at);
    }
    return {};
  }

 private:
  static std::uint64_t end_of(Slice slice) { return slice.first + slice.count; }

  bool is_member(WorkerId id) const {
    return std::binary_search(schedule_.members.begin(), schedule_.members.end(), id);
  }
  std::size_t index_of(WorkerId id) const {
    const auto at = std::lower_bound(schedule_.members.begin(), schedule_.members.end(), id);
    return static_cast<std::size_t>(at - schedule_.members.begin());
  }

  std::string malformed(const Transfer& transfer, std::size_t i) const {
    if (transfer.step != i) return fmt::format("step {} is at position {}", transfer.step, i);
    for (const WorkerId id : {transfer.from, transfer.to}) {
      if (!is_member(id)) return fmt::format("step {}: {} is not a member", i, id);
    }
    if (transfer.from == transfer.to) {
      return fmt::format("step {}: worker {} sends to itself", i, transfer.from);
    }
    if (transfer.slice.count == 0 || transfer.slice.first >= elements_ ||
        transfer.slice.count > elements_ - transfer.slice.first) {
      return fmt::format("step {}: {} elements at {} are not within {}", i, transfer.slice.count,
                         transfer.slice.first, elements_);
    }
    return {};
  }

  // Checks that the parts follow one another without gaps from 0 to the end.
  std::string badly_cut() const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < schedule_.parts.size(); ++i) {
      const Slice part = schedule_.parts[i];
      if (part.first != at || part.count > elements_ - at) {
        return fmt::format("the part of worker {} is {} elements at {}, expected at {}",
                           schedule_.members[i], part.count, part.first, at);
      }
      at += part.count;
    }
    if (at != elements_) return fmt::format("the parts hold {} of {} elements", at, elements_);
    return {};
  }

  void cut() {
    const auto add = [this](Slice slice) {
      starts_.push_back(slice.first);
      starts_.push_back(end_of(slice));
    };
    for (const Slice part : schedule_.parts) add(part);
    for (const Transfer& transfer : schedule_.transfers) add(transfer.slice);
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
    SURETY_CHECK(!starts_.empty() && starts_.back() == elements_);
    starts_.pop_back();  // No segment starts at the end.
  }
  std::size_t segment_at(std::uint64_t element) const {
    return static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end(), element) -
                                    starts_.begin());
  }

  const Schedule& schedule_;
  const std::uint64_t elements_;
  std::vector<std::uint64_t> starts_;         // First element of each segment.
  std::vector<std::vector<Counts>> sums_;     // [member][segment]: the sum that it would send.
  std::vector<std::vector<Counts>> results_;  // [member][segment]: the result that it was sent.
};

}  // namespace

std::string check_schedule(const Schedule& schedule, std::uint64_t elements) {
  SymbolicRun run(schedule, elements);
  if (auto wrong = run.malformed(); !wrong.empty()) return wrong;
  const std::size_t count = schedule.members.size();
  std::vector<std::optional<std::size_t>> inputs(count);
  for (std::size_t m = 0; m < count; ++m) inputs[m] = m;
  run.start(inputs, count);
  for (const Transfer& transfer : schedule.transfers) {
    if (auto wrong = run.carry_out(transfer); !wrong.empty()) return wrong;
  }
  for (std::size_t m = 0; m < count; ++m) {
    if (auto wrong = run.wrong_output(m, Counts(count, 1), false); !wrong.empty()) return wrong;
  }
  return {};
}

std::string check_distribution(const Schedule& schedule, const std::vector<WorkerId>& holders,
                               std::uint64_t elements) {
  SymbolicRun run(schedule, elements);
  if (auto wrong = run.malformed(); !wrong.empty()) return wrong;
  const std::size_t count = schedule.members.size();
  std::vector<std::optional<std::size_t>> inputs(count);
  for (std::size_t m = 0; m < count; ++m) {
    if (std::find(holders.begin(), holders.end(), schedule.members[m]) != holders.end()) {
      inputs[m] = 0;  // All holders have the same vector: input 0.
    }
  }
  run.start(inputs, 1);
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.kind == TransferKind::kContribution) {
      return fmt::format("step {}: found a contribution, but a distribution adds nothing up",
                         transfer.step);
    }
    if (auto wrong = run.carry_out(transfer); !wrong.empty()) return wrong;
  }
  for (std::size_t m = 0; m < count; ++m) {
    if (auto wrong = run.wrong_output(m, Counts(1, 1), inputs[m].has_value()); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

}  // namespace surety::fabric
