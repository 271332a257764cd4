#include "bench/fabric/bandwidth_trace.h"

#include <set>
#include <vector>

#include "base/posix/clock.h"
#include "fabric/network/port.h"

namespace surety::bench {

using namespace fabric;

BandwidthTrace::BandwidthTrace(const ShapedNetwork& network, const sim::WorldOptions& world)
    : network_(network), options_(world), thread_([this] { run(); }) {}

BandwidthTrace::~BandwidthTrace() {
  stopping_ = true;
  thread_.join();
  const double mbit = options_.bytes_per_s / kBytesPerMbit;
  for (std::uint32_t h = 0; h < options_.workers + options_.servers; ++h) {
    (void)network_.shape(host_of(options_, h), mbit, mbit);
  }
}

void BandwidthTrace::run() {
  sim::World world(options_);
  std::vector<Port> ports(world.hosts());
  const Time began = posix::now();
  auto change = world.next_change();
  while (!stopping_) {
    const double now_s = to_seconds(posix::now() - began);
    std::set<std::uint32_t> changed;
    for (; change && change->at_s <= now_s; change = world.next_change()) {
      Port& port = ports[change->link.index];
      const bool out = change->link.kind == surety::sim::Link::Kind::kOut;
      (out ? port.out_bytes_per_s : port.in_bytes_per_s) = change->bytes_per_s;
      changed.insert(change->link.index);
    }
    for (const std::uint32_t h : changed) {
      (void)network_.shape(host_of(options_, h), ports[h].out_bytes_per_s / kBytesPerMbit,
                           ports[h].in_bytes_per_s / kBytesPerMbit);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace surety::bench
