#include "fabric/ports/sum_ports.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "fabric/ports/typical_rate.h"

namespace surety::fabric {
namespace {

// Bytes; less than this is control traffic.
constexpr std::uint64_t kMoves = std::uint64_t{1} << 14;
// The sampling interval of PortWatch::add_sample().
constexpr Duration kSampleInterval = std::chrono::milliseconds(50);
// The part of the typical rate above which a port is not slow, as for the owners of an exchange.
constexpr double kSlow = 0.5;

}  // namespace

std::vector<double> shares_of_sum(const std::vector<double>& ports) {
  const std::size_t count = ports.size();
  std::vector<double> shares(count, 1 / static_cast<double>(count));
  if (count <= 2) return shares;
  const double slowest = *std::ranges::min_element(ports);
  SURETY_CHECK(slowest > 0);
  const double all = std::accumulate(ports.begin(), ports.end(), 0.0);
  const double others = static_cast<double>(count) - 2;
  const double together = 2 * (static_cast<double>(count) - 1) / all;
  const double time = std::max(together, 1 / slowest);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = std::max(0.0, (time * ports[i] - 1) / others);
    sum += shares[i];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

void SumWatch::begin(Time now, const PortBytes& passed) {
  began_ = now;
  before_ = passed;
  is_moving_ = false;
}

void SumWatch::add_sample(Time now, const PortBytes& passed) {
  // A network interface that was created anew counts from zero.
  if (passed.out < before_.out || passed.in < before_.in) return begin(now, passed);
  const PortBytes more{passed.out - before_.out, passed.in - before_.in};
  is_moving_ = is_moving_ || more.out + more.in >= kMoves;
  if (!is_moving_) return begin(now, passed);
  const Duration at = elapsed_ + (now - began_);
  if (at - sampled_ < kSampleInterval) return;
  sampled_ = at;
  watch_.add_sample(Time{at}, {carried_.out + more.out, carried_.in + more.in});
}

void SumWatch::end(Time now, const PortBytes& passed) {
  add_sample(now, passed);
  elapsed_ += now - began_;
  carried_.out += passed.out - before_.out;
  carried_.in += passed.in - before_.in;
  begin(now, passed);
}

double SumPorts::typical() const {
  std::vector<double> rates;
  for (const auto& [worker, port] : ports_) rates.push_back(port.fastest);
  return typical_rate(std::move(rates)).value_or(0);
}

void SumPorts::observe(WorkerId worker, const PortWatch::Rates& seen) {
  Port& port = ports_[worker];
  for (const CarriedRate& side : {seen.out, seen.in}) {
    port.fastest = std::max(port.fastest, side.burst_bytes_per_s);
  }
  const auto out = capacity_of(seen.out, typical());
  const auto in = capacity_of(seen.in, typical());
  if (!out && !in) return;
  const double known = std::min(out.value_or(*in), in.value_or(*out));
  port.slow_bytes_per_s = known < kSlow * typical() ? std::optional(known) : std::nullopt;
}

std::optional<double> SumPorts::slow_bytes_per_s(WorkerId worker) const {
  const auto port = ports_.find(worker);
  return port != ports_.end() ? port->second.slow_bytes_per_s : std::nullopt;
}

double SumPorts::bytes_per_s(WorkerId worker) const {
  return slow_bytes_per_s(worker).value_or(typical());
}

std::vector<double> SumPorts::shares(const std::vector<WorkerId>& members) const {
  if (members.size() <= 2 || ports_.empty() || !(typical() > 0)) return {};
  std::vector<double> rates;
  bool is_any_slow = false;
  for (const WorkerId member : members) {
    is_any_slow = is_any_slow || slow_bytes_per_s(member);
    rates.push_back(bytes_per_s(member));
  }
  return is_any_slow ? shares_of_sum(rates) : std::vector<double>{};
}

}  // namespace surety::fabric
