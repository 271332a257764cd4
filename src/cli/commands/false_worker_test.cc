#include "cli/commands/false_worker_test.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>

#include "base/posix/signals.h"
#include "learn/linear/task_factory.h"
#include "runtime/worker/worker.h"

namespace surety::cli {
namespace {

using Chunks = std::map<ChunkId, data::Chunk>;

class FalseTask final : public learn::Task {
 public:
  FalseTask(std::unique_ptr<learn::Task> honest, Lies lies)
      : honest_(std::move(honest)), lies_(std::move(lies)) {}

  learn::Model initial_model() const override { return honest_->initial_model(); }
  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model& model,
                                     Chunks& chunks, std::span<float> update,
                                     const std::atomic<bool>& stop) override {
    for (auto& [id, chunk] : chunks) {
      if (lies_.of_samples && changed_.insert(id).second) lies_.of_samples(chunk.samples);
    }
    return honest_->compute(work, model, chunks, update, stop);
  }
  double choose_step(const learn::LineOrder& order, const Chunks& chunks, const learn::Model& model,
                     std::span<const float> update, const learn::LineSlopes& slopes) override {
    return honest_->choose_step(order, chunks, model, update, slopes);
  }
  void after_merge(const learn::Model& before, std::span<const float> update,
                   learn::Model& model) const override {
    honest_->after_merge(before, update, model);
  }
  void commit(Chunks& chunks) override { honest_->commit(chunks); }
  void discard() override { honest_->discard(); }
  Result<learn::Evaluation> evaluate(const data::Samples& samples,
                                     std::span<const std::uint32_t> selected,
                                     const learn::Model& model) override {
    SURETY_TRY(learn::Evaluation result, honest_->evaluate(samples, selected, model));
    if (lies_.of_evaluations) lies_.of_evaluations(result);
    return result;
  }
  Result<learn::Evaluation> duality_terms(const learn::Model& model, std::span<const double> sums,
                                          const Chunks& chunks) override {
    return honest_->duality_terms(model, sums, chunks);
  }
  Result<void> add_dual_sums(const Chunks& chunks, std::span<double> sums) override {
    return honest_->add_dual_sums(chunks, sums);
  }
  Result<learn::Model> switch_version(const learn::Model& model,
                                      const std::string& version) override {
    return honest_->switch_version(model, version);
  }

 private:
  const std::unique_ptr<learn::Task> honest_;
  const Lies lies_;
  std::set<ChunkId> changed_;
};

}  // namespace

std::jthread false_worker(const std::string& address, const std::string& token, Lies lies) {
  posix::count_stop_signals();
  return std::jthread([=] {
    const learn::TaskFactory factory =
        [&](const learn::TaskOptions& options) -> Result<std::unique_ptr<learn::Task>> {
      SURETY_TRY(std::unique_ptr<learn::Task> honest, learn::glm_only()(options));
      return std::make_unique<FalseTask>(std::move(honest), lies);
    };
    const auto ended =
        runtime::run_worker({.join = address, .admission = runtime::JobToken{token}}, factory);
    EXPECT_TRUE(ended) << ended.error().message;
  });
}

}  // namespace surety::cli
