#include "learn/linear/glm_task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "learn/linear/glm_evaluator.h"
#include "learn/linear/glm_items.h"
#include "learn/linear/glm_iteration.h"
#include "learn/linear/glm_labels.h"
#include "learn/linear/glm_line_search.h"
#include "learn/linear/glm_visits.h"
#include "learn/linear/kernels/glm_loss.h"
#include "learn/linear/model/rows.h"
#include "learn/linear/solver/glm_penalty.h"
#include "learn/linear/solver/glm_solver.h"
#include "model/version.h"
#include "model/zoo.h"

namespace surety::learn {
namespace {

Loss loss_of(const std::string& model) {
  if (model == "logistic") return Loss::kLogistic;
  if (model == "svm") return Loss::kHinge;
  if (model == "svm-l2") return Loss::kSquaredHinge;
  return Loss::kSquared;
}

// Only a single worker revisits samples. It has the whole problem, so it gains more at less cost
// inside an iteration than in the next one. If there are several workers, each first needs the
// updates of the others.
constexpr double kRevisitsAlone = 2;

constexpr std::size_t kValuesForThreads = std::size_t{1} << 19;  // About a millisecond of work.
constexpr std::size_t kValuesAtOnce = std::size_t{1} << 21;      // Some megabytes of rows.

class GlmTask final : public Task {
 public:
  explicit GlmTask(const TaskOptions& options)
      : loss_(loss_of(options.model)),
        schema_(options.schema),
        seed_(options.seed),
        l1_ratio_(options.l1_ratio),
        streams_(options.streams),
        team_(options.team != nullptr ? options.team : std::make_shared<SerialTeam>(1)),
        penalty_(penalty_of(options.lambda, options.l1_ratio, options.samples)),
        visits_(loss_, options.schema, options.seed) {}

  [[nodiscard]] Result<void> check(const data::Samples& samples,
                                   std::uint64_t first) const override {
    return check_labels(loss_, samples, first);
  }
  [[nodiscard]] Model initial_model() const override;
  [[nodiscard]] Result<LocalResult> compute(const LocalWork& work, const Model& model,
                                            std::map<ChunkId, data::Chunk>& chunks,
                                            std::span<float> update,
                                            const std::atomic<bool>& stop) override;
  [[nodiscard]] double choose_step(const LineOrder& order,
                                   const std::map<ChunkId, data::Chunk>& chunks, const Model& model,
                                   std::span<const float> update,
                                   const LineSlopes& slopes) override;
  void after_merge(const Model& before, std::span<const float> update, Model& model) const override;
  void commit(std::map<ChunkId, data::Chunk>& chunks) override;
  void discard() override { iteration_.forget(); }
  [[nodiscard]] Result<Evaluation> evaluate(const data::Samples& samples,
                                            std::span<const std::uint32_t> selected,
                                            const Model& model) override;
  [[nodiscard]] Result<Evaluation> duality_terms(
      const Model& model, std::span<const double> sums,
      const std::map<ChunkId, data::Chunk>& chunks) override;
  [[nodiscard]] Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>& chunks,
                                           std::span<double> sums) override;
  [[nodiscard]] Result<Model> switch_version(const Model& model,
                                             const std::string& version) override;

 private:
  [[nodiscard]] Result<LocalResult> learn(const LocalWork& work, std::span<const double> start,
                                          std::map<ChunkId, data::Chunk>& chunks,
                                          std::span<float> update, const std::atomic<bool>& stop);
  [[nodiscard]] Result<LocalResult> run(std::span<const WorkItem> items, const LocalWork& work,
                                        std::span<const double> start,
                                        std::map<ChunkId, data::Chunk>& chunks,
                                        std::span<float> update, const std::atomic<bool>& stop);
  // The threads to use for these chunks: one if waking more would cost more than it saves.
  [[nodiscard]] Team& team_for(const std::map<ChunkId, data::Chunk>& chunks) {
    return values_of(chunks) < kValuesForThreads ? alone_ : *team_;
  }
  [[nodiscard]] Result<void> visit(std::span<const WorkItem> items,
                                   const std::map<ChunkId, data::Chunk>& chunks, std::uint32_t pass,
                                   Team& team, LocalSolver& solver);
  [[nodiscard]] Result<void> check_model(const Model& model) const;
  [[nodiscard]] std::vector<double> sums_and_centre(std::span<const float> sums,
                                                    std::span<const float> centre) const;
  [[nodiscard]] std::vector<double> weights(const Model& model) const;

  Loss loss_;
  data::Schema schema_;
  std::uint64_t seed_;
  double l1_ratio_;
  bool streams_;
  std::shared_ptr<Team> team_;  // A team of one thread if the options have no team.
  SerialTeam alone_{1};
  Penalty penalty_;
  const RowKernels& kernels_ = row_kernels();
  double sigma_scale_ = 1;  // sigma' / K of asynchronous iterations.
  GlmIteration iteration_;  // What the last compute() has changed.
  // Members of compute(), without meaning between calls.
  std::vector<double> local_;  // Sums and centre, plus sigma' A delta_alpha / (lambda n).
  GlmVisits visits_;
  LocalSolver::Memory memory_;
};

Model GlmTask::initial_model() const {
  Model model;
  model.parameters.assign(schema_.features, 0.0f);
  if (penalty_.centre > 0) model.parent.assign(schema_.features, 0.0f);
  return model;
}

// The vector to which the threshold is applied. REQUIRES: check_model().
std::vector<double> GlmTask::sums_and_centre(std::span<const float> sums,
                                             std::span<const float> centre) const {
  std::vector<double> v(sums.begin(), sums.end());
  const double share = penalty_.centre / penalty_.strength();
  for (std::size_t f = 0; f < centre.size(); ++f) v[f] += share * centre[f];
  return v;
}

std::vector<double> GlmTask::weights(const Model& model) const {
  const std::vector<float> w = weights_of(model.parameters, model.parent, l1_ratio_);
  return {w.begin(), w.end()};
}

void GlmTask::after_merge(const Model&, std::span<const float>, Model& model) const {
  if (model.parent.empty()) return;
  const std::vector<double> v = sums_and_centre(model.parameters, model.parent);
  for (std::size_t f = 0; f < v.size(); ++f) {
    model.parent[f] = static_cast<float>(soft(v[f], penalty_.threshold()));
  }
}

Result<void> GlmTask::check_model(const Model& model) const {
  if (model.parameters.size() != schema_.features) {
    return fail(ErrorCode::kInvalidInput,
                "a linear model with {} weights, expected {} (one for each feature)",
                model.parameters.size(), schema_.features);
  }
  const std::size_t centre = penalty_.centre > 0 ? schema_.features : 0;
  if (model.parent.size() == centre) return {};
  return fail(ErrorCode::kInvalidInput, "a linear model with a centre of {} weights, expected {}",
              model.parent.size(), centre);
}

Result<LocalResult> GlmTask::compute(const LocalWork& work, const Model& model,
                                     std::map<ChunkId, data::Chunk>& chunks,
                                     std::span<float> update, const std::atomic<bool>& stop) {
  SURETY_CHECK(work.tasks_of_all >= 1);
  SURETY_CHECK(update.size() == model.parameters.size());
  SURETY_TRY(check_model(model));
  const std::vector<double> start = sums_and_centre(model.parameters, model.parent);
  if (!work.continues || !iteration_.has_begun()) iteration_.begin(start);
  auto result = learn(work, start, chunks, update, stop);
  if (!result) iteration_.forget();
  return result;
}

Result<LocalResult> GlmTask::learn(const LocalWork& work, std::span<const double> start,
                                   std::map<ChunkId, data::Chunk>& chunks, std::span<float> update,
                                   const std::atomic<bool>& stop) {
  std::fill(update.begin(), update.end(), 0.0f);
  LocalResult result;
  for (const std::vector<WorkItem>& items : items_of_tasks(work, seed_)) {
    SURETY_TRY(const LocalResult part, run(items, work, start, chunks, update, stop));
    result.add(part);
  }
  iteration_.add(update);
  if (work.line_search) result.slopes = iteration_.slopes(loss_, penalty_, chunks);
  return result;
}

// Learns from these items, and adds the change to `update`.
Result<LocalResult> GlmTask::run(std::span<const WorkItem> items, const LocalWork& work,
                                 std::span<const double> start,
                                 std::map<ChunkId, data::Chunk>& chunks, std::span<float> update,
                                 const std::atomic<bool>& stop) {
  const double sigma = work.asynchronous ? sigma_scale_ * work.tasks_of_all
                                         : sigma_of(work.tasks_of_all, work.line_search);
  local_.assign(start.begin(), start.end());
  Team& team = team_for(chunks);
  LocalSolver solver({.problem = {.loss = loss_,
                                  .scale = sigma / penalty_.strength(),
                                  .threshold = penalty_.threshold()},
                      .seed = mix64(seed_ ^ work.pass),
                      .revisits = work.tasks_of_all == 1 && !streams_ ? kRevisitsAlone : 0,
                      .rows_are_temporary = schema_.layout == data::Layout::kDenseU8,
                      .team = &team},
                     local_, memory_, stop);
  for (std::span<const WorkItem> left = items; !left.empty();) {
    const std::size_t count = team.size() > 1 ? items_with(kValuesAtOnce, left, chunks) : 1;
    SURETY_TRY(visit(left.first(count), chunks, work.pass, team, solver));
    left = left.subspan(count);
    if (work.enough && work.enough()) break;
  }
  SURETY_TRY(solver.finish());
  for (std::size_t f = 0; f < update.size(); ++f) {
    update[f] += static_cast<float>((local_[f] - start[f]) / sigma);
  }
  return LocalResult{
      .samples = solver.visited(), .loss_sum = solver.loss_sum(), .gap_sum = solver.gap_sum()};
}

double GlmTask::choose_step(const LineOrder& order, const std::map<ChunkId, data::Chunk>& chunks,
                            const Model& model, std::span<const float> update,
                            const LineSlopes& slopes) {
  LinePoints rise = penalty_slopes(sums_and_centre(model.parameters, model.parent), update,
                                   penalty_.strength(), penalty_.threshold());
  for (std::size_t j = 0; j < rise.size(); ++j) rise[j] = slopes[j] - rise[j];
  const bool has_bounds = loss_ != Loss::kSquared || penalty_.threshold() > 0;
  LineLimits limits{.longest = has_bounds ? 1 : kLongestStep};
  if (order.asynchronous) {
    limits.shortest = 0;
  } else {
    limits.share = share_of_peak(order.iteration);
  }
  const double step = line_step(rise, limits);
  if (order.asynchronous) sigma_scale_ = next_sigma_scale(sigma_scale_, step);
  iteration_.shorten(step, chunks);
  return step;
}

Result<void> GlmTask::visit(std::span<const WorkItem> items,
                            const std::map<ChunkId, data::Chunk>& chunks, std::uint32_t pass,
                            Team& team, LocalSolver& solver) {
  SURETY_TRY(const std::span<DualRow> rows, visits_.list(items, chunks, pass, iteration_, team));
  ChunkId broken;
  const auto visited = solver.visit(rows, [&](const DualRow& row) {
    const GlmVisits::Place place = visits_.place_of(row);
    broken = place.chunk;
    return place.sample;
  });
  if (visited || visited.error().code == ErrorCode::kUnavailable) return visited;
  return fail_in(visited.error(), "chunk {}", broken);
}

void GlmTask::commit(std::map<ChunkId, data::Chunk>& chunks) { iteration_.commit(chunks); }

Result<Evaluation> GlmTask::evaluate(const data::Samples& samples,
                                     std::span<const std::uint32_t> selected, const Model& model) {
  SURETY_TRY(check_model(model));
  const std::vector<double> w = weights(model);
  return GlmEvaluator(loss_, schema_, w).losses(samples, selected);
}

Result<Evaluation> GlmTask::duality_terms(const Model& model, std::span<const double> sums,
                                          const std::map<ChunkId, data::Chunk>& chunks) {
  SURETY_TRY(check_model(model));
  SURETY_CHECK(sums.size() == schema_.features);
  const std::vector<double> w = weights(model);
  const double share = penalty_.feasible_share(sums);
  Evaluation total;
  total.penalty = penalty_.value(w);
  total.penalty_gap = penalty_.gap(w, sums, share);
  std::vector<const data::Chunk*> all;
  for (const auto& [id, chunk] : chunks) all.push_back(&chunk);
  Team& team = team_for(chunks);
  const GlmEvaluator evaluator(loss_, schema_, w);
  std::vector<Result<Evaluation>> parts(team.size());
  team.run([&](std::size_t thread) {
    parts[thread] = evaluator.gap_terms(team.part_of(std::span(all), thread), share);
  });
  for (const Result<Evaluation>& part : parts) {
    if (!part) return part;
    total.add(*part);
  }
  return total;
}

Result<void> GlmTask::add_dual_sums(const std::map<ChunkId, data::Chunk>& chunks,
                                    std::span<double> sums) {
  SURETY_CHECK(sums.size() == schema_.features);
  for (const auto& [id, chunk] : chunks) {
    if (chunk.state.empty()) continue;
    SURETY_TRY(check_duals(chunk));
    SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
    std::vector<float> scratch(rows.scratch_size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (chunk.state[row] == 0) continue;  // Most dual variables of an SVM are 0.
      kernels_.add(rows.view(row, scratch), chunk.state[row] / penalty_.strength(), sums.data());
    }
  }
  return {};
}

Result<Model> GlmTask::switch_version(const Model& model, const std::string& version) {
  if (model::is_full(version)) return model;
  return fail(ErrorCode::kInvalidInput, "version {}: a linear model has only the version full",
              version);
}

}  // namespace

Result<std::unique_ptr<Task>> make_glm_task(const TaskOptions& options) {
  if (!model::is_linear(options.model)) {
    return fail(
        ErrorCode::kInvalidInput,
        "model {}: this program trains logistic, svm, svm-l2, ridge, lasso and elastic-net; "
        "networks need surety-worker",
        options.model);
  }
  if (options.samples == 0 || options.schema.features == 0) {
    return fail(ErrorCode::kInvalidInput,
                "model {}: {} samples of {} features, expected at least one of each", options.model,
                options.samples, options.schema.features);
  }
  if (!model::is_regression(options.model) && options.schema.classes > 2) {
    return fail(ErrorCode::kInvalidInput, "model {}: data of {} classes, expected two",
                options.model, options.schema.classes);
  }
  if (options.lambda && !(*options.lambda > 0 && std::isfinite(*options.lambda))) {
    return fail(ErrorCode::kInvalidInput, "lambda {}: expected a number above 0", *options.lambda);
  }
  if (!(options.l1_ratio >= 0 && options.l1_ratio <= 1)) {
    return fail(ErrorCode::kInvalidInput, "l1_ratio {}: expected a number from 0 to 1",
                options.l1_ratio);
  }
  if (options.l1_ratio > 0 && !options.lambda) {
    return fail(ErrorCode::kInvalidInput,
                "lambda: missing, expected a number above 0 with an L1 norm");
  }
  return std::make_unique<GlmTask>(options);
}

}  // namespace surety::learn
