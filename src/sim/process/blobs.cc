#include "sim/process/blobs.h"

namespace surety::sim {
namespace {

constexpr double kHeaderBytes = 64;

}  // namespace

Blobs::Blobs(EventQueue& queue, Network& network, Lifecycle& lifecycle, HostIndex host, Peers peers,
             Owner owner)
    : queue_(queue),
      network_(network),
      lifecycle_(lifecycle),
      host_(host),
      peers_(std::move(peers)),
      owner_(std::move(owner)) {}

Result<void> Blobs::send(WorkerId to, const fabric::Tag& tag, Bytes bytes, std::uint64_t zeros) {
  SURETY_TRY(const HostIndex host, peers_.find(to));
  const Bulk bulk{.senders = {host_},
                  .receivers = {host},
                  .bytes = kHeaderBytes + static_cast<double>(bytes.size() + zeros)};
  auto end = [this, to, tag, bytes = std::move(bytes)](bool has_arrived) {
    end_transfer(to, tag, bytes, has_arrived);
  };
  if (host == host_) {
    queue_.after(network_.options().latency_s, [end = std::move(end)] { end(true); });
  } else {
    network_.start(bulk, std::move(end));
  }
  return {};
}

void Blobs::end_transfer(WorkerId to, const fabric::Tag& tag, const Bytes& bytes,
                         bool has_arrived) {
  const bool is_there = has_arrived && peers_.deliver(to, tag, bytes);
  lifecycle_.soon(
      [this, to, tag, is_there] { (is_there ? owner_.on_sent : owner_.on_lost)(tag, to); });
}

void Blobs::arrive(const fabric::Tag& tag, const Bytes& bytes) {
  lifecycle_.soon([this, tag, bytes] {
    // A blob that arrives twice is kept once.
    static_cast<void>(mailbox_.add_blob(tag, bytes));
    owner_.on_blob();
  });
}

}  // namespace surety::sim
