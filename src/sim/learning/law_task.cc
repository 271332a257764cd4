#include "sim/learning/law_task.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/check.h"
#include "base/random.h"
#include "model/version.h"
#include "sim/check/updates.h"

namespace surety::sim {
namespace {

double pruned_share(const std::string& version) {
  constexpr std::string_view kPrefix = "prune:";
  return version.starts_with(kPrefix) ? std::strtod(version.c_str() + kPrefix.size(), nullptr) : 0;
}

class LawTask final : public learn::Task {
 public:
  LawTask(const LossLaw& law, const learn::TaskOptions& options) : law_(law), options_(options) {
    SURETY_CHECK(options_.samples > 0 && law_.parameters >= 2);
    Random random = Random(options_.seed).fork("loss law");
    law_.scale_passes *= std::exp(law_.seed_spread * random.normal());
  }

  learn::Model initial_model() const override {
    learn::Model model;
    model.parameters.assign(law_.parameters, 0.0f);
    if (options_.outer_momentum > 0) model.velocity.assign(law_.parameters, 0.0f);
    return model;
  }

  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model& model,
                                     std::map<ChunkId, data::Chunk>& chunks,
                                     std::span<float> update, const std::atomic<bool>&) override {
    learn::LocalResult done;
    for (const learn::WorkItem& item : work.items) {
      SURETY_CHECK(chunks.contains(item.chunk));
      done.samples += item.count;
      if (work.enough && work.enough()) break;
    }
    // The merge is a mean over workers, weighted by samples. Multiplied by the number of workers,
    // it is the sum.
    const double learned = static_cast<double>(done.samples) * work.tasks_of_all;
    update[0] = static_cast<float>(work.rate * learned / static_cast<double>(options_.samples));
    update[1] = static_cast<float>(kVisitsOfAll * static_cast<double>(done.samples) /
                                   static_cast<double>(options_.samples));
    Random random = Random(options_.seed).fork("update", work.iteration);
    for (const learn::WorkItem& item : work.items) {
      random = random.fork("work", item.chunk.value * 1000003ull + item.first);
    }
    for (float& value : update.subspan(2)) value = static_cast<float>(random.uniform() - 0.5);
    done.loss_sum =
        static_cast<double>(done.samples) * expected_loss(law_, model.version, model.parameters[0]);
    return done;
  }

  double choose_step(const learn::LineOrder&, const std::map<ChunkId, data::Chunk>&,
                     const learn::Model&, std::span<const float>,
                     const learn::LineSlopes&) override {
    return 1;
  }
  void commit(std::map<ChunkId, data::Chunk>&) override {}
  void discard() override {}

  Result<learn::Evaluation> evaluate(const data::Samples&, std::span<const std::uint32_t> selected,
                                     const learn::Model& model) override {
    learn::Evaluation sums;
    if (selected.empty()) return sums;
    // The same samples give the same loss when they are measured again with the same model.
    Random random(mix64(options_.seed ^ std::bit_cast<std::uint32_t>(model.parameters[0])));
    Random here = random.fork("samples", selected.front() * 1000003ull + selected.size());
    const double mean = expected_loss(law_, model.version, model.parameters[0]) *
                        std::exp(law_.pass_spread * random.normal());
    const double deviation = law_.sample_spread * mean;
    const auto count = static_cast<double>(selected.size());
    const double seen = std::max(1e-6, mean + deviation * here.normal() / std::sqrt(count));
    sums.samples = selected.size();
    sums.loss_sum = seen * count;
    sums.loss_square_sum = (seen * seen + deviation * deviation) * count;
    const double wrong = std::clamp(0.35 * seen, 0.0, 0.9);
    sums.correct = static_cast<std::uint64_t>(std::lround(count * (1 - wrong)));
    return sums;
  }

  Result<learn::Evaluation> duality_terms(const learn::Model&, std::span<const double>,
                                          const std::map<ChunkId, data::Chunk>&) override {
    return fail(ErrorCode::kInvalidInput, "a network has no duality gap");
  }
  Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>&, std::span<double>) override {
    return fail(ErrorCode::kInvalidInput, "a network is not a sum over samples");
  }

  Result<learn::Model> switch_version(const learn::Model& model,
                                      const std::string& version) override {
    learn::Model changed = model;
    if (version == model.version) return changed;
    changed.version = version;
    changed.parameters[0] *= static_cast<float>(1 - law_.switch_loss);
    if (!changed.average.empty()) changed.average[0] *= static_cast<float>(1 - law_.switch_loss);
    changed.parent.assign(model::is_full(version) ? 0 : law_.parameters, 0.0f);
    return changed;
  }

 private:
  LossLaw law_;
  learn::TaskOptions options_;
};

}  // namespace

double expected_loss(const LossLaw& law, const std::string& version, double passes) {
  const double floor = law.floor * (1 + law.pruned_floor * pruned_share(version));
  return floor +
         (law.start - floor) / std::pow(1 + std::max(0.0, passes) / law.scale_passes, law.power);
}

std::unique_ptr<learn::Task> make_law_task(const LossLaw& law, const learn::TaskOptions& options) {
  return std::make_unique<LawTask>(law, options);
}

}  // namespace surety::sim
