#include "fabric/ports/sum_ports.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace surety::fabric {
namespace {

// Less than that is control.
constexpr std::uint64_t kMoves = std::uint64_t{1} << 14;
constexpr Duration kLook = std::chrono::milliseconds(50);  // PortWatch::look()
// Of an equal share: less is not worth another schedule.
constexpr double kWorthIt = 0.1;

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
  moves_ = false;
}

void SumWatch::look(Time now, const PortBytes& passed) {
  // A network interface that was made anew counts from zero.
  if (passed.out < before_.out || passed.in < before_.in) return begin(now, passed);
  const PortBytes more{passed.out - before_.out, passed.in - before_.in};
  moves_ = moves_ || more.out + more.in >= kMoves;
  if (!moves_) return begin(now, passed);
  const Duration at = elapsed_ + (now - began_);
  if (at - looked_ < kLook) return;
  looked_ = at;
  watch_.look(Time{at}, {carried_.out + more.out, carried_.in + more.in});
}

void SumWatch::end(Time now, const PortBytes& passed) {
  look(now, passed);
  elapsed_ += now - began_;
  carried_.out += passed.out - before_.out;
  carried_.in += passed.in - before_.in;
  begin(now, passed);
}

// The upper one of the middle.
double SumPorts::typical() const {
  std::vector<double> rates;
  for (const auto& [worker, port] : ports_) rates.push_back(port.fastest);
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::ranges::nth_element(rates, middle);
  return *middle;
}

void SumPorts::observe(WorkerId worker, const PortWatch::Seen& seen) {
  Port& port = ports_[worker];
  for (const CarriedRate& side : {seen.out, seen.in}) {
    port.fastest = std::max(port.fastest, side.burst_bytes_per_s);
  }
  const auto out = capacity_of(seen.out, typical()), in = capacity_of(seen.in, typical());
  if (!out && !in) return;
  port.bytes_per_s = std::min(out.value_or(*in), in.value_or(*out));
}

double SumPorts::bytes_per_s(WorkerId worker) const {
  const auto port = ports_.find(worker);
  return port != ports_.end() ? port->second.bytes_per_s : 0;
}

std::vector<double> SumPorts::shares(const std::vector<WorkerId>& members) const {
  if (members.size() <= 2 || ports_.empty()) return {};
  const double usual = typical();
  std::vector<double> rates;
  for (const WorkerId member : members) {
    const double known = bytes_per_s(member);
    rates.push_back(known > 0 ? std::min(known, usual) : usual);
  }
  if (!(usual > 0)) return {};
  std::vector<double> shares = shares_of_sum(rates);
  const double equal = 1 / static_cast<double>(members.size());
  const bool is_worth_it = std::ranges::any_of(
      shares, [=](double share) { return std::abs(share - equal) > kWorthIt * equal; });
  return is_worth_it ? shares : std::vector<double>{};
}

}  // namespace surety::fabric
