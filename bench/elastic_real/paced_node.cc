#include "paced_node.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/posix/clock.h"
#include "base/posix/signals.h"
#include "command.h"
#include "learn/linear/task_factory.h"
#include "runtime/worker/worker.h"

namespace surety::bench {
namespace {

constexpr const char* kMode = "node";
constexpr double kEvaluationOverVisit = 0.5;

// Sleeps until that time, or returns soon after `stop` is set.
void sleep_until(Time then, const std::atomic<bool>& stop) {
  static constexpr Duration kSlice = std::chrono::milliseconds(20);
  for (Duration left = then - posix::now(); left > Duration::zero() && !stop;
       left = then - posix::now()) {
    std::this_thread::sleep_for(std::min(left, kSlice));
  }
}

// A task whose computing takes a stated time.
class PacedTask final : public learn::Task {
 public:
  PacedTask(std::unique_ptr<learn::Task> task, double row_s)
      : task_(std::move(task)), row_s_(row_s) {}

  [[nodiscard]] learn::Model initial_model() const override { return task_->initial_model(); }
  // Computes item by item, so that it can be cut off in time.
  [[nodiscard]] Result<learn::LocalResult> compute(const learn::LocalWork& work,
                                                   const learn::Model& model,
                                                   std::map<ChunkId, data::Chunk>& chunks,
                                                   std::span<float> update,
                                                   const std::atomic<bool>& stop) override {
    double rows = 0;
    for (const learn::WorkItem& item : work.items) rows += item.count;
    const Duration of_item = from_seconds(rows * row_s_ / static_cast<double>(work.items.size()));
    learn::LocalWork paced = work;
    paced.enough = [&, done = posix::now()]() mutable {
      sleep_until(done += of_item, stop);
      return work.enough && work.enough();
    };
    return task_->compute(paced, model, chunks, update, stop);
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
  }
  void commit(std::map<ChunkId, data::Chunk>& chunks) override { task_->commit(chunks); }
  void discard() override { task_->discard(); }
  [[nodiscard]] Result<learn::Evaluation> evaluate(const data::Samples& samples,
                                                   std::span<const std::uint32_t> selected,
                                                   const learn::Model& model) override {
    return task_->evaluate(samples, selected, model);
  }
  [[nodiscard]] Result<learn::Evaluation> duality_terms(
      const learn::Model& model, std::span<const double> sums,
      const std::map<ChunkId, data::Chunk>& chunks) override {
    const Time began = posix::now();
    Result<learn::Evaluation> terms = task_->duality_terms(model, sums, chunks);
    if (!terms) return terms;
    const double rows = static_cast<double>(terms->samples);
    sleep_until(began + from_seconds(kEvaluationOverVisit * rows * row_s_), false);
    return terms;
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
  std::unique_ptr<learn::Task> task_;
  double row_s_;
};

}  // namespace

std::vector<std::string> paced_node_command(double row_s) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), kMode, "--row-s",
          fmt::format("{}", row_s)};
}

bool is_paced_node(int argc, char** argv) { return argc > 1 && std::string_view(argv[1]) == kMode; }

int run_paced_node(int argc, char** argv) {
  CLI::App app("A node of a given speed");
  runtime::WorkerOptions options;
  double row_s = 0;
  app.add_option("--join", options.join)->required();
  app.add_option("--threads", options.threads);
  app.add_option("--row-s", row_s)->required();
  CLI11_PARSE(app, argc - 1, argv + 1);
  if (const char* token = std::getenv("SURETY_TOKEN")) options.admission = runtime::JobToken{token};
  posix::count_stop_signals();
  const learn::TaskFactory paced =
      [row_s](const learn::TaskOptions& task) -> Result<std::unique_ptr<learn::Task>> {
    SURETY_TRY(std::unique_ptr<learn::Task> plain, learn::glm_only()(task));
    return std::make_unique<PacedTask>(std::move(plain), row_s);
  };
  const Result<std::string> ended = runtime::run_worker(options, paced);
  fmt::print("{}\n", ended ? *ended : ended.error().message);
  return ended ? 0 : 1;
}

}  // namespace surety::bench
