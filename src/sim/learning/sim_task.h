// The task of a simulated worker. It reports its learned work to a checker, and can simulate a
// broken memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "learn/task.h"
#include "sim/check/sums.h"

namespace surety::sim {

class SimTask final : public learn::Task {
 public:
  // If `spoils` is set, the next model that the task makes from an iteration is wrong, and `spoils`
  // is cleared. REQUIRES: `spoils` and `sums` outlive this.
  SimTask(std::unique_ptr<learn::Task> task, bool& spoils, Sums& sums, std::uint32_t process)
      : task_(std::move(task)), spoils_(spoils), sums_(sums), process_(process) {
    sums_.on_task(process_);
  }

  [[nodiscard]] learn::Model initial_model() const override { return task_->initial_model(); }
  [[nodiscard]] Result<void> check(const data::Samples& samples,
                                   std::uint64_t first) const override {
    return task_->check(samples, first);
  }
  [[nodiscard]] Result<learn::LocalResult> compute(const learn::LocalWork& work,
                                                   const learn::Model& model,
                                                   std::map<ChunkId, data::Chunk>& chunks,
                                                   std::span<float> update,
                                                   const std::atomic<bool>& stop) override {
    auto result = task_->compute(work, model, chunks, update, stop);
    if (result) {
      sums_.on_learned(process_, work.asynchronous, result->samples, update);
    }
    return result;
  }
  [[nodiscard]] double choose_step(const learn::LineOrder& order,
                                   const std::map<ChunkId, data::Chunk>& chunks,
                                   const learn::Model& model, std::span<const float> update,
                                   const learn::LineSlopes& slopes) override {
    return task_->choose_step(order, chunks, model, update, slopes);
  }
  void after_merge(const learn::Model& before, std::span<const float> update,
                   learn::Model& model) const override {
    task_->after_merge(before, update, model);
    if (std::exchange(spoils_, false)) model.parameters[0] += 1;
  }
  void commit(std::map<ChunkId, data::Chunk>& chunks) override {
    sums_.on_commit(process_);
    task_->commit(chunks);
  }
  void discard() override {
    sums_.on_discard(process_);
    task_->discard();
  }
  [[nodiscard]] Result<learn::Evaluation> evaluate(const data::Samples& samples,
                                                   std::span<const std::uint32_t> selected,
                                                   const learn::Model& model) override {
    return task_->evaluate(samples, selected, model);
  }
  [[nodiscard]] Result<learn::Evaluation> duality_terms(
      const learn::Model& model, std::span<const double> sums,
      const std::map<ChunkId, data::Chunk>& chunks) override {
    return task_->duality_terms(model, sums, chunks);
  }
  [[nodiscard]] Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>& chunks,
                                           std::span<double> sums) override {
    return task_->add_dual_sums(chunks, sums);
  }
  [[nodiscard]] Result<learn::Model> switch_version(const learn::Model& model,
                                                    const std::string& version) override {
    return task_->switch_version(model, version);
  }

 private:
  const std::unique_ptr<learn::Task> task_;
  bool& spoils_;
  Sums& sums_;
  const std::uint32_t process_;
};

}  // namespace surety::sim
