#include "bench/fabric_sim/fluid_transport.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace surety::bench::sim {
namespace {

using namespace fabric;
using namespace surety::sim;

constexpr std::string_view kScheme = "fluid:";
// Bytes of an empty message, because a job of the network needs some.
constexpr double kEmptyBytes = 1;

}  // namespace

FluidLinks::FluidLinks(SimulationClock& clock, std::uint32_t hosts, const FluidLinkOptions& options,
                       std::function<void(std::uint32_t)> on_event)
    : clock_(clock), options_(options), on_event_(std::move(on_event)) {
  for (std::uint32_t h = 0; h < hosts; ++h) {
    transports_.push_back(std::unique_ptr<FluidTransport>(new FluidTransport(*this, h)));
  }
}

FluidLinks::~FluidLinks() = default;

void FluidLinks::deliver(std::uint32_t host, TransportEvent event) {
  transports_[host]->events_.push_back(std::move(event));
  on_event_(host);
}

void FluidLinks::send(const Route& route, std::shared_ptr<Message> message) {
  Connection& connection = connections_[route];
  connection.queue.push_back(std::move(message));
  fill_socket(route, connection);
  if (connection.queue.size() == 1) start_first(route, connection);
}

// A message that fits into the socket counts as sent; the first message always fits.
void FluidLinks::fill_socket(const Route& route, Connection& connection) {
  for (const auto& message : connection.queue) {
    if (message->in_socket) continue;
    const auto bytes = static_cast<double>(message->bytes.size());
    const bool first = message == connection.queue.front();
    if (!first && connection.socket_bytes + bytes > options_.socket_bytes) return;
    connection.socket_bytes += bytes;
    message->copy.assign(message->bytes.begin(), message->bytes.end());
    message->in_socket = true;
    deliver(route.first, Sent{message->ticket});
  }
}

void FluidLinks::start_first(const Route& route, Connection& connection) {
  const std::vector<LinkLoad> loads = {{{Link::Kind::kOut, route.first}, options_.bytes_per_byte},
                                       {{Link::Kind::kIn, route.second}, options_.bytes_per_byte}};
  const auto bytes = static_cast<double>(connection.queue.front()->copy.size());
  connection.job = clock_.network().start(loads, std::max(bytes, kEmptyBytes));
  routes_[connection.job] = route;
}

void FluidLinks::ended(JobId job) {
  const auto at = routes_.extract(job);
  if (at.empty()) return;
  const Route route = at.mapped();
  Connection& connection = connections_.at(route);
  const std::shared_ptr<Message> message = std::move(connection.queue.front());
  connection.queue.pop_front();
  connection.socket_bytes -= static_cast<double>(message->copy.size());
  clock_.after(options_.latency_s, [this, route, message] {
    if (transports_[route.second]->forgotten_.contains(route.first)) return;
    deliver(route.second, Received{route.first, message->tag, std::move(message->copy)});
  });
  if (connection.queue.empty()) {
    connections_.erase(route);
    return;
  }
  fill_socket(route, connection);
  start_first(route, connection);
}

void FluidLinks::forget(const Route& route) {
  const auto at = connections_.find(route);
  if (at == connections_.end()) return;
  clock_.network().stop(at->second.job);
  routes_.erase(at->second.job);
  connections_.erase(at);
}

FluidTransport::FluidTransport(FluidLinks& links, std::uint32_t host)
    : links_(links), host_(host), address_(fmt::format("{}{}", kScheme, host)) {}

Result<PeerId> FluidTransport::connect(const std::string& address) {
  PeerId peer = 0;
  const char* end = address.data() + address.size();
  const bool ours = address.starts_with(kScheme) &&
                    std::from_chars(address.data() + kScheme.size(), end, peer).ptr == end;
  if (!ours || peer >= links_.transports_.size()) {
    return fail(ErrorCode::kInvalidInput, "address '{}': expected {}HOST", address, kScheme);
  }
  return peer;
}

Result<std::uint64_t> FluidTransport::send(PeerId peer, const Tag& tag,
                                           std::span<const std::byte> bytes) {
  if (peer >= links_.transports_.size() || peer == host_ || forgotten_.contains(peer)) {
    return fail(ErrorCode::kUnavailable, "peer {} does not exist", peer);
  }
  const FluidLinks::Message message{.ticket = ++tickets_, .tag = tag, .bytes = bytes};
  links_.send({host_, peer}, std::make_shared<FluidLinks::Message>(message));
  return tickets_;
}

std::vector<TransportEvent> FluidTransport::poll(Duration) { return std::exchange(events_, {}); }

void FluidTransport::disconnect(PeerId peer) {
  forgotten_.insert(peer);
  std::erase_if(events_, [peer](const TransportEvent& event) {
    const auto* received = std::get_if<Received>(&event);
    return received != nullptr && received->peer == peer;
  });
  links_.forget({host_, peer});
  links_.forget({peer, host_});
}

std::optional<PortBytes> FluidTransport::port_bytes() {
  const FluidNetwork& network = links_.clock_.network();
  const auto carried = [&](Link::Kind side) {
    return static_cast<std::uint64_t>(network.carried({side, host_}));
  };
  return PortBytes{.out = carried(Link::Kind::kOut), .in = carried(Link::Kind::kIn)};
}

}  // namespace surety::bench::sim
