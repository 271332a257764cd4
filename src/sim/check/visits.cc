#include "sim/check/visits.h"

#include <algorithm>

namespace surety::sim {

void Visits::forget() {
  pending_.clear();
  visited_.clear();
  samples_ = 0;
  pass_ = 0;
}

void Visits::on_restart(const std::vector<proto::JournalRecord>&) {
  forget();
  session_ = 0;
}

void Visits::on_command(WorkerId to, const proto::ToWorker& message) {
  if (message.has_welcome() || message.has_bye()) return;
  if (message.has_prepare() && message.prepare().session() != session_) {
    session_ = message.prepare().session();
    session_samples_ = message.prepare().task().samples();
    forget();
  }
  decide(message);
  if (!message.has_step() || message.step().resum()) return;
  Pending& step = pending_[message.sequence()];
  step.iteration = message.step().iteration();
  step.pass = message.step().pass();
  step.averages = message.step().averages();
  step.parts[to].items = {message.step().items().begin(), message.step().items().end()};
}

void Visits::on_answer(WorkerId from, const proto::FromWorker& message) {
  const auto step = pending_.find(message.sequence());
  if (!message.has_step_done() || step == pending_.end()) return;
  const auto part = step->second.parts.find(from);
  if (part == step->second.parts.end() || part->second.has_answered) return;
  part->second.has_answered = true;
  part->second.samples = message.step_done().samples();
}

// The command after a step says whether the step was committed.
void Visits::decide(const proto::ToWorker& message) {
  while (!pending_.empty() && pending_.begin()->first < message.sequence()) {
    const Pending& step = pending_.begin()->second;
    const bool all = std::all_of(step.parts.begin(), step.parts.end(),
                                 [](const auto& part) { return part.second.has_answered; });
    if (message.model_iteration() >= step.iteration) {
      if (!all)
        violated(fmt::format("iteration {} was committed, although a part of its work is missing",
                             step.iteration));
      commit(step);
    }
    pending_.erase(pending_.begin());
  }
}

void Visits::commit(const Pending& step) {
  if (step.pass != pass_) {
    visited_.clear();
    samples_ = 0;
    pass_ = step.pass;
  }
  averages_ = step.averages;
  for (const auto& [worker, part] : step.parts) {
    std::uint64_t left = part.samples;
    for (const proto::WorkItem& item : part.items) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(item.count(), left));
      left -= count;
      if (count > 0) visit(step.pass, item.chunk(), {item.first(), item.first() + count});
    }
    if (left > 0) {
      violated(
          fmt::format("iteration {}: worker {} has learned from {} samples more than it received",
                      step.iteration, worker, left));
    }
  }
}

void Visits::visit(std::uint32_t pass, std::uint32_t chunk, Span span) {
  samples_ += span.end - span.first;
  std::vector<Span>& spans = visited_[chunk];
  const auto after =
      std::find_if(spans.begin(), spans.end(), [&](Span s) { return s.first >= span.first; });
  const bool overlaps = (after != spans.end() && after->first < span.end) ||
                        (after != spans.begin() && std::prev(after)->end > span.first);
  if (overlaps) {
    violated(fmt::format("pass {}: samples {} to {} of chunk {} were visited twice", pass,
                         span.first, span.end - 1, chunk));
  }
  if (after != spans.begin() && std::prev(after)->end == span.first) {
    std::prev(after)->end = span.end;
  } else {
    spans.insert(after, span);
  }
}

void Visits::on_append(const proto::JournalRecord& record) {
  if (!record.has_pass_done() || !averages_) return;
  if (record.pass_done().pass() == pass_ + 1 && samples_ == session_samples_) return;
  violated(fmt::format("pass {} ended with {} of {} samples visited", record.pass_done().pass(),
                       samples_, session_samples_));
}

}  // namespace surety::sim
