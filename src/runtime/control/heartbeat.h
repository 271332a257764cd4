// Sends a worker's heartbeats at a steady pace from its own thread, however long a step takes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "proto/surety.pb.h"

namespace surety::runtime {

class Heartbeat {
 public:
  // The coordinator suspects a worker that is silent for a second (elastic::LivenessOptions).
  // Four heartbeats per second give it enough history to judge by, and cost a few hundred bytes per
  // second.
  static constexpr std::chrono::milliseconds kPeriod{250};

  // Calls `send` with a heartbeat once per period, first after one period, until destruction.
  explicit Heartbeat(std::function<void(proto::FromWorker)> send)
      : send_(std::move(send)), thread_([this] { run(); }) {}

  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
  }

  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void run() {
    proto::FromWorker beat;
    beat.mutable_heartbeat();
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kPeriod, [&] { return stopping_; })) {
      lock.unlock();
      send_(beat);
      lock.lock();
    }
  }

  std::function<void(proto::FromWorker)> send_;
  std::mutex mutex_;  // Guards stopping_.
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // The last member, because it uses all of the above.
};

}  // namespace surety::runtime
