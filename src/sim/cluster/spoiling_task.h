// A task on a machine with a broken memory: when it is told to, the next model that it makes of an
// iteration is wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "learn/task.h"

namespace surety::sim {

class SpoilingTask final : public learn::Task {
 public:
  // `spoils` must outlive this; the first wrong model clears it.
  SpoilingTask(std::unique_ptr<learn::Task> task, bool& spoils)
      : task_(std::move(task)), spoils_(spoils) {}

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
    return task_->compute(work, model, chunks, update, stop);
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
  void commit(std::map<ChunkId, data::Chunk>& chunks) override { task_->commit(chunks); }
  void discard() override { task_->discard(); }
  [[nodiscard]] Result<learn::Evaluation> evaluate(const data::Samples& samples,
                                                   std::span<const std::uint32_t> selected,
                                                   const learn::Model& model) override {
    return task_->evaluate(samples, selected, model);
  }
  [[nodiscard]] Result<learn::Evaluation> duality_terms(
      const learn::Model& model, const std::map<ChunkId, data::Chunk>& chunks) override {
    return task_->duality_terms(model, chunks);
  }
  [[nodiscard]] Result<void> partial_model(const std::map<ChunkId, data::Chunk>& chunks,
                                           std::span<float> part) override {
    return task_->partial_model(chunks, part);
  }
  [[nodiscard]] Result<learn::Model> switch_version(const learn::Model& model,
                                                    const std::string& version) override {
    return task_->switch_version(model, version);
  }

 private:
  const std::unique_ptr<learn::Task> task_;
  bool& spoils_;
};

}  // namespace surety::sim
