// A worker's session (worker/session.h) on real sockets, threads and files. It carries out the
// effects of the session, and gives it the events that come of them.
//
// One thread calls it, which moves all bytes; a second one computes (runtime/compute_thread.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "data/sources/source_info.h"
#include "fabric/allreduce/round.h"
#include "fabric/ports/sum_ports.h"
#include "learn/task.h"
#include "runtime/compute_thread.h"
#include "runtime/worker/worker_files.h"
#include "worker/session.h"

namespace surety::runtime {

struct WorkerHostOptions {
  learn::TaskFactory factory;
  data::OpenFile open;
  std::uint32_t threads = 1;
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  // Memory for samples.
  std::function<void(const proto::FromWorker&)> answer;
};

class WorkerHost final : public worker::Host {
 public:
  // `transport` must outlive this.
  WorkerHost(WorkerHostOptions options, fabric::WakeableTransport& transport);
  ~WorkerHost() override { rounds_.restart(self_); }  // Nothing is being sent from what goes.
  WorkerHost(const WorkerHost&) = delete;
  WorkerHost& operator=(const WorkerHost&) = delete;

  // ---- events ----
  void on_welcome(const proto::Welcome& welcome, bool keeps_samples);
  void on_command(const proto::ToWorker& command);
  void on_coordinator_lost();
  // Handles what has happened, and waits up to `wait` if nothing has.
  void poll(Duration wait);

  // The chunks whose samples are here, ascending.
  [[nodiscard]] std::vector<ChunkId> chunks() const { return session_.state().holdings.ids(); }

  // ---- worker::Host ----
  [[nodiscard]] Time now() const override;
  void answer(const proto::FromWorker& message) override { options_.answer(message); }
  void wake_after(Duration delay, std::uint64_t timer) override;
  void start(worker::Work work) override { compute_.start(std::move(work.run)); }
  void stop_work() override { compute_.stop(); }
  void rejoin(WorkerId self) override;
  void know(const proto::Peer& peer) override;
  [[nodiscard]] Result<void> connect(WorkerId worker) override;
  void join_round(worker::Round round, std::vector<float> values) override;
  void leave_round(std::uint64_t sequence) override;
  [[nodiscard]] Result<void> send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                       std::uint64_t zeros) override;
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) override {
    return rounds_.take_blob(tag);
  }
  void discard_blobs_before(std::uint64_t sequence) override {
    rounds_.discard_blobs_before(sequence);
  }
  void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) override;
  void leave_exchange(std::uint64_t sequence) override;
  void send_in_exchange(std::uint64_t sequence, WorkerId to,
                        fabric::Exchange::Send message) override;
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override {
    return rounds_.port_bytes();
  }

 private:
  // The round that is under way.
  struct Sum {
    std::uint64_t sequence = 0;
    std::vector<float> values;
    std::uint64_t bytes_sent = 0;
    Time began{};
    bool is_watched = false;  // Our port is measured.
    Time sampled{};
    std::optional<std::pair<Error, WorkerId>> failure;  // It could not begin.
  };
  // Messages of an exchange to one worker.
  struct Channel {
    std::uint32_t next = 0;     // Number of the next message.
    std::size_t in_flight = 0;  // Messages that have not left yet.
  };
  struct Exchange {
    std::uint64_t sequence = 0;
    std::map<WorkerId, Channel> channels;
  };
  struct Failure {
    WorkerId worker;
    std::string why;
  };

  [[nodiscard]] Result<fabric::PeerId> connection_to(WorkerId worker);
  [[nodiscard]] Result<void> begin_round(const worker::Round& round);
  template <typename Call>
  void guarded(const Call& call);
  void advance(Duration wait);
  void on_advanced(const Result<bool>& finished);
  void finish_round(const Result<bool>& finished, std::optional<WorkerId> lost);
  void sample_port(void (fabric::SumWatch::*sample)(Time, const fabric::PortBytes&));
  [[nodiscard]] std::vector<Failure> take_lost();
  void pass_on_exchange();
  void pass_on_blobs();
  void pass_on_timers();
  [[nodiscard]] Duration until_timer() const;

  const WorkerHostOptions options_;
  fabric::WakeableTransport& transport_;
  WorkerId self_;
  fabric::Rounds rounds_;
  std::map<WorkerId, std::string> addresses_;
  std::map<WorkerId, fabric::PeerId> connections_;
  std::optional<Sum> sum_;
  fabric::SumWatch sum_watch_;  // Measures our port during rounds.
  Duration last_round_{};       // Duration of the last round.
  std::optional<Exchange> exchange_;
  std::vector<std::pair<std::uint64_t, WorkerId>> blobs_sent_;  // Not all of them have left yet.
  std::multimap<Time, std::uint64_t> timers_;
  std::vector<Failure> lost_;  // Found outside of poll(); the session will be told there.
  WorkerFiles files_;
  worker::Session session_;
  ComputeThread compute_;  // The last member: its work uses all of the above.
};

}  // namespace surety::runtime
