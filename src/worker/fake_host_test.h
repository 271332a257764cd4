// A host that carries out no effect by itself: it records the effects of a machine, and the test
// decides on the results.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "worker/machine.h"

namespace surety::worker {

// Learns by adding one to each of three parameters for each sample.
class AddingTask : public learn::Task {
 public:
  [[nodiscard]] learn::Model initial_model() const override {
    return {.version = "full", .parameters = {0, 0, 0}, .parent = {}, .velocity = {}};
  }
  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model&,
                                     std::map<ChunkId, data::Chunk>&, std::span<float> update,
                                     const std::atomic<bool>& stop) override {
    if (stop) return fail(ErrorCode::kUnavailable, "stopped");
    learn::LocalResult done;
    for (const learn::WorkItem& item : work.items) {
      for (std::uint32_t i = 0; i < item.count; ++i) {
        if (done.samples > 0 && work.enough && work.enough()) break;
        ++done.samples;
      }
    }
    for (float& value : update) value = static_cast<float>(done.samples);
    return done;
  }
  double choose_step(const learn::LineOrder&, const std::map<ChunkId, data::Chunk>&,
                     const learn::Model&, std::span<const float>,
                     const learn::LineSlopes&) override {
    return 1;
  }
  void commit(std::map<ChunkId, data::Chunk>&) override {}
  void discard() override {}
  Result<learn::Evaluation> evaluate(const data::Samples&, std::span<const std::uint32_t>,
                                     const learn::Model&) override {
    return learn::Evaluation{};
  }
  Result<learn::Evaluation> duality_terms(const learn::Model&, std::span<const double>,
                                          const std::map<ChunkId, data::Chunk>&) override {
    return learn::Evaluation{};
  }
  Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>&, std::span<double>) override {
    return {};
  }
  Result<learn::Model> switch_version(const learn::Model& model, const std::string&) override {
    return model;
  }
};

class FakeHost final : public Host, public Network, public Files {
 public:
  FakeHost() : machine_(make_task, *this, *this, *this) {
    proto::Welcome welcome;
    welcome.set_worker(1);
    machine_.on_welcome(welcome, false);
  }

  Machine& machine() { return machine_; }
  // The computation that is under way ends, with its result or as stopped.
  void end_work() {
    const Work work = *std::exchange(work_, std::nullopt);
    const Result<void> outcome = work.run({.stop = stop_});
    machine_.on_work_done(outcome);
  }
  // The computation that is under way ends with an error.
  void fail_work(Error error) {
    work_.reset();
    machine_.on_work_done(tl::unexpected(std::move(error)));
  }
  // The round of this worker alone ends.
  void end_round() {
    const auto round = *std::exchange(round_, std::nullopt);
    machine_.on_network(
        RoundDone{.sequence = round.first.sequence, .result = {.values = round.second}});
  }
  void end_round_and_merge() {
    end_round();
    end_work();
  }
  void advance_clock(Duration by) { now_ += by; }
  void throw_when_round_is_left() { throws_ = true; }
  // Values of these workers are missing in the round.
  void miss(std::vector<WorkerId> workers) { missing_ = std::move(workers); }

  [[nodiscard]] bool is_working() const { return work_.has_value(); }
  [[nodiscard]] bool is_merging() const { return work_ && work_->kind == Work::Kind::kMerge; }
  [[nodiscard]] bool is_told_to_stop() const { return stop_; }
  [[nodiscard]] bool is_in_round() const { return round_.has_value(); }
  [[nodiscard]] const std::vector<proto::FromWorker>& answers() const { return answers_; }
  [[nodiscard]] std::vector<std::uint64_t> answered() const {
    std::vector<std::uint64_t> sequences;
    for (const proto::FromWorker& answer : answers_) sequences.push_back(answer.sequence());
    return sequences;
  }
  void add_blob(std::uint64_t sequence, std::uint32_t sender, std::uint32_t step,
                std::vector<std::byte> bytes) {
    blobs_[{.round = sequence, .sender = sender, .step = step}] = std::move(bytes);
    machine_.on_network(BlobArrived{});
  }
  [[nodiscard]] std::uint64_t last_timer() const { return timer_; }
  [[nodiscard]] int times_asked() const { return asked_; }  // Calls of ask_round().
  [[nodiscard]] const std::vector<WorkerId>& sent_to() const { return sent_to_; }

  // ---- Host ----
  [[nodiscard]] Time now() const override { return now_; }
  void answer(const proto::FromWorker& message) override { answers_.push_back(message); }
  void wake_after(Duration, std::uint64_t timer) override { timer_ = timer; }
  void start(Work work) override {
    work_ = std::move(work);
    stop_ = false;
  }
  void stop_work() override { stop_ = true; }

  // ---- Network ----
  void rejoin(WorkerId) override {}
  void know(const proto::Peer&) override {}
  [[nodiscard]] Result<void> connect(WorkerId) override { return {}; }
  void join_round(Round round, std::vector<float> values) override {
    round_.emplace(std::move(round), std::move(values));
  }
  void leave_round(std::uint64_t) override {
    round_.reset();
    if (std::exchange(throws_, false)) throw std::bad_alloc();
  }
  std::vector<WorkerId> ask_round(std::uint64_t) override {
    ++asked_;
    return round_ ? missing_ : std::vector<WorkerId>{};
  }
  [[nodiscard]] Result<void> send_blob(WorkerId to, fabric::Tag, std::vector<std::byte>,
                                       std::uint64_t) override {
    sent_to_.push_back(to);
    return {};
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) override {
    auto taken = blobs_.extract(tag);
    if (taken.empty()) return std::nullopt;
    return std::move(taken.mapped());
  }
  void discard_blobs_before(std::uint64_t) override {}
  void join_exchange(std::uint64_t, const std::vector<WorkerId>&) override {}
  void leave_exchange(std::uint64_t) override {}
  void send_in_exchange(std::uint64_t, WorkerId, fabric::Exchange::Send) override {}
  [[nodiscard]] std::optional<fabric::PortBytes> port_bytes() override { return std::nullopt; }
  [[nodiscard]] double wire_scale() const override { return 1; }

  // ---- Files ----
  void use_sources(const proto::Welcome&) override {}
  [[nodiscard]] Result<std::vector<data::Chunk>> read_chunks(
      const std::vector<data::ChunkRange>& ranges) override {
    std::vector<data::Chunk> chunks;
    for (const data::ChunkRange& range : ranges) chunks.push_back({.range = range});
    return chunks;
  }
  [[nodiscard]] std::string place_of(const data::ChunkRange&) const override { return "data"; }
  [[nodiscard]] Result<learn::Model> load_model(const std::string& path) override {
    return fail(ErrorCode::kUnavailable, "{}: no such file", path);
  }
  [[nodiscard]] Result<data::ChunkStates> load_states(const std::string&, std::uint64_t,
                                                      const std::vector<ChunkId>&) override {
    return data::ChunkStates{};
  }
  [[nodiscard]] Result<proto::SavedFile> save_model(const std::string&,
                                                    const learn::Model&) override {
    return proto::SavedFile{};
  }
  [[nodiscard]] Result<proto::SavedFile> save_states(
      const std::string&, const std::map<ChunkId, data::Chunk>&) override {
    return proto::SavedFile{};
  }

 private:
  static Result<std::unique_ptr<learn::Task>> make_task(const learn::TaskOptions&) {
    return std::make_unique<AddingTask>();
  }

  Time now_{};
  std::vector<proto::FromWorker> answers_;
  std::optional<Work> work_;
  std::atomic<bool> stop_ = false;
  std::optional<std::pair<Round, std::vector<float>>> round_;
  std::vector<WorkerId> missing_;
  int asked_ = 0;
  bool throws_ = false;
  std::map<fabric::Tag, std::vector<std::byte>> blobs_;
  std::vector<WorkerId> sent_to_;
  std::uint64_t timer_ = 0;
  Machine machine_;  // The last member, because it calls this object.
};

}  // namespace surety::worker
