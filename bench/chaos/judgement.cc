#include "judgement.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>

namespace surety::bench {
namespace {

struct Pass {
  double began_unix_s = 0;
  double ended_unix_s = 0;
};

double started_unix_s(const Records& journal) {
  return journal.empty() ? 0 : journal.front().run_began().started_unix_s();
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

Judgement judge(const Records& journal, std::uint64_t samples,
                const std::vector<InjectedFault>& faults) {
  Judgement found;
  std::vector<Pass> passes;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> checkpoints{0};
  const double start = started_unix_s(journal);
  double saving_s = 0;
  for (const proto::JournalRecord& record : journal) {
    if (record.has_checkpoint_committed()) {
      checkpoints.push_back(record.checkpoint_committed().pass());
      if (!passes.empty()) saving_s += start + record.run_s() - passes.back().ended_unix_s;
    }
    if (!record.has_pass_done()) continue;
    const proto::PassDone& done = record.pass_done();
    ++found.passes;
    found.samples_off += distance(done.samples(), samples);
    const bool continues = done.pass() == last + 1 || done.pass() == checkpoints.back() + 1;
    found.out_of_order += !continues;
    last = done.pass();
    const double ended = start + record.run_s();
    if (!passes.empty()) {
      found.longest_s = std::max(found.longest_s, ended - passes.back().ended_unix_s);
    }
    passes.push_back({ended - done.seconds() - done.eval_seconds(), ended});
  }
  if (passes.size() > 1) {
    found.saving_share = saving_s / (passes.back().ended_unix_s - passes.front().ended_unix_s);
  }
  for (const InjectedFault& fault : faults) {
    const auto next = std::find_if(passes.begin(), passes.end(), [&](const Pass& pass) {
      return pass.began_unix_s >= fault.unix_s;
    });
    if (next == passes.end()) continue;
    // A pass that began before the fault may have to be repeated because of it; this time also
    // counts.
    found.recovery_s[fault.kind].push_back(next->ended_unix_s - fault.unix_s);
  }
  return found;
}

std::uint32_t records_lost(const Records& once, const Records& now) {
  std::size_t durable = 0;  // A pass is not durable: if it is lost, it is trained again.
  for (std::size_t i = 0; i < once.size(); ++i) {
    if (once[i].has_checkpoint_committed() || once[i].has_run_began()) durable = i + 1;
  }
  std::uint32_t lost = 0;
  for (std::size_t i = 0; i < durable; ++i) {
    lost += i >= now.size() || !google::protobuf::util::MessageDifferencer::Equals(now[i], once[i]);
  }
  return lost;
}

}  // namespace surety::bench
