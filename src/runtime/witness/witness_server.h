// Answers submissions to a witness by HTTP (C2SP tlog-witness): POST /add-checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "record/witness.h"
#include "runtime/witness/witness_state.h"

namespace surety::runtime {

struct WitnessServerOptions {
  std::string host = "127.0.0.1";  // An address of this machine.
  std::uint16_t port = 0;          // 0: any free port.
  // Called after each answer, from several threads.
  std::function<void(const record::WitnessAnswer&)> on_answer;
};

// Bodies above 64 KiB, and those without a length, are refused before they are read. A connection
// is closed after one request, after five seconds of silence, and if its body takes longer than
// that. At most 32 connections are answered at a time; others wait.
class WitnessServer {
 public:
  // Listens and answers until it is destroyed. Unavailable: the port is in use.
  [[nodiscard]] static Result<std::unique_ptr<WitnessServer>> start(WitnessState& state,
                                                                    WitnessServerOptions options);
  // Waits for the connections that are open. A slow caller may keep one open for long.
  ~WitnessServer();
  WitnessServer(const WitnessServer&) = delete;
  WitnessServer& operator=(const WitnessServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit WitnessServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace surety::runtime
