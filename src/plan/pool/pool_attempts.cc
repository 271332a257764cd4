#include "plan/pool/pool_attempts.h"

#include <algorithm>

#include "base/check.h"
#include "plan/pool/past_best.h"

namespace surety::plan {
namespace {

// First passes of the current attempt, which show little about its version.
constexpr double kPassesUntold = 3;
constexpr double kPassesToJudge = 6;       // Further passes until the version counts as tried.
constexpr std::size_t kCandidatesMax = 4;  // Attempts that may continue.

}  // namespace

void PoolAttempts::on_pass(const PoolPass& pass, std::uint32_t version, double start) {
  SURETY_CHECK(pass.attempt <= all_.size());
  if (pass.attempt == all_.size()) all_.emplace_back();
  PoolAttempt& attempt = all_[pass.attempt];
  if (attempt.passes == 0) attempt.fall = Fall(start);
  attempt.fall.on_pass(std::min(start, pass.metric));
  attempt.variant = pass.variant;
  attempt.passes = pass.passes;
  attempt.metric = pass.metric;
  attempt.best = std::min(attempt.best, pass.metric);
  if (attempt.version != version) attempt.in_version.clear();
  attempt.version = version;
  attempt.in_version.push_back({pass.metric, pass.metric_se});
  attempt.is_past_best = can_be_past_best_ && is_past_its_best(attempt.in_version);
  current_ = pass.attempt;
  is_loaded_ = true;
  if (!best_ || pass.metric < best_->metric) best_ = {pass.attempt, pass.metric};
}

void PoolAttempts::on_lost(std::uint32_t attempt) {
  if (attempt < all_.size()) all_[attempt].is_ended = true;
  if (current_ == attempt) current_.reset();
}

void PoolAttempts::on_failed_start(std::uint32_t variant) {
  all_.push_back({.variant = variant, .is_ended = true});
  unload();
}

bool PoolAttempts::any_has(std::uint32_t passes) const {
  return std::ranges::any_of(all_, [&](const PoolAttempt& one) { return one.passes >= passes; });
}

std::size_t PoolAttempts::no_better(std::uint32_t passes_max) const {
  if (!best_) return 0;
  const std::uint32_t best = best_->attempt;
  if (current_ == best && !is_over(all_[best], passes_max)) return 0;
  std::size_t count = 0;
  for (std::uint32_t a = 0; a < all_.size(); ++a) {
    const bool was_left = a > best && a != current_ && all_[a].passes > 0;
    count += is_over(all_[a], passes_max) || was_left ? 1 : 0;
  }
  return count;
}

std::vector<double> PoolAttempts::bests(std::uint32_t passes_max) const {
  std::vector<double> bests;
  for (const PoolAttempt& attempt : all_) {
    if (is_over(attempt, passes_max) || attempt.passes >= kPassesToCompare) {
      bests.push_back(attempt.best);
    }
  }
  return bests;
}

std::vector<PoolCandidate> PoolAttempts::candidates(std::uint32_t passes_max) const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t a = 0; a < all_.size(); ++a) {
    const bool may_continue = !all_[a].is_ended && !all_[a].is_past_best;
    if (may_continue && all_[a].passes < passes_max) order.push_back(a);
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if ((a == current_) != (b == current_)) return a == current_;
    return all_[a].metric < all_[b].metric;
  });
  if (order.size() > kCandidatesMax) order.resize(kCandidatesMax);
  std::vector<PoolCandidate> out;
  for (const std::uint32_t a : order) {
    out.push_back({a, all_[a].variant, a == current_ && is_loaded_, all_[a].passes});
  }
  return out;
}

std::vector<std::uint32_t> PoolAttempts::abandoned(std::uint32_t passes_max) const {
  std::vector<std::uint32_t> out;
  const std::vector<PoolCandidate> kept = candidates(passes_max);
  for (std::uint32_t a = 0; a < all_.size(); ++a) {
    const bool is_candidate = std::ranges::find(kept, a, &PoolCandidate::attempt) != kept.end();
    if (!is_candidate && !(best_ && best_->attempt == a)) out.push_back(a);
  }
  return out;
}

std::vector<double> PoolAttempts::times_tried(const PoolSpec& spec) const {
  std::vector<double> times(spec.versions.size());
  for (std::uint32_t a = 0; a < all_.size(); ++a) {
    const double counted =
        std::max(0.0, static_cast<double>(all_[a].passes) - kPassesUntold) / kPassesToJudge;
    times[spec.variants[all_[a].variant].version] += a == current_ ? std::min(1.0, counted) : 1;
  }
  return times;
}

}  // namespace surety::plan
