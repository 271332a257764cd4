// The transport of a worker that never has peers: it reaches nobody and receives nothing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::runtime {

class AloneTransport final : public fabric::WakeableTransport {
 public:
  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Result<fabric::PeerId> connect(const std::string& address) override {
    return fail(ErrorCode::kInvalidInput, "{}: this job has no other worker", address);
  }
  [[nodiscard]] Result<std::uint64_t> send(fabric::PeerId, const fabric::Tag&,
                                           std::span<const std::byte>) override {
    return fail(ErrorCode::kUnavailable, "this job has no other worker");
  }
  [[nodiscard]] std::vector<fabric::TransportEvent> poll(Duration wait) override {
    std::unique_lock lock(mutex_);
    woken_up_.wait_for(lock, wait, [&] { return woken_; });
    woken_ = false;
    return {};
  }
  void disconnect(fabric::PeerId) override {}
  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    woken_up_.notify_one();
  }

 private:
  const std::string address_ = "alone";
  std::mutex mutex_;
  std::condition_variable woken_up_;
  bool woken_ = false;
};

}  // namespace surety::runtime
