#include "plan/pool/pool_story_test.h"

#include <algorithm>
#include <map>
#include <variant>

namespace surety::plan {
namespace pool_story_test {

PoolSpec spec_of(double target) {
  PoolSpec spec;
  spec.target = target;
  spec.passes_max = 50;
  spec.version_names = {"full", "prune:0.5"};
  spec.versions = {guess_of(1), guess_of(0.5)};
  spec.variants = {{.name = "full", .version = 0, .relative_time = 1, .price_per_s = 1},
                   {.name = "prune:0.5", .version = 1, .relative_time = 0.5, .price_per_s = 1}};
  return spec;
}

PoolSpec full_only(double target) {
  PoolSpec spec = spec_of(target);
  spec.version_names.pop_back();
  spec.versions.pop_back();
  spec.variants.pop_back();
  return spec;
}

std::uint32_t best_of(const Story& story) {
  std::map<std::uint32_t, double> last;
  for (const PoolPass& pass : story.passes) last[pass.attempt] = pass.metric;
  return std::ranges::min_element(last, {}, [](const auto& one) { return one.second; })->first;
}

Story run(AttemptPool& pool, double deadline_s, std::size_t passes_max,
          const std::function<double(std::uint32_t)>& law, double se, bool saves) {
  Story story;
  pool.set_untrained_metric(kStart);
  std::vector<std::uint32_t> done;
  double clock = 0;
  while (true) {
    story.last = pool.next({deadline_s - clock});
    story.reasons.push_back(story.last.reason);
    if (story.last.is_notable) story.is_notable.push_back(story.last.reason);
    if (story.last.promised) {
      story.promised_after = story.passes.size();
      story.promised_chance = story.last.promised->probability;
      story.expected_cost = story.last.promised->cost_mean;
      story.can_be_spent = deadline_s - clock;  // The price is 1 per second.
    }
    const auto* train = std::get_if<PoolTrain>(&story.last.action);
    if (!train || story.passes.size() == passes_max) return story;
    const auto attempt = train->attempt.value_or(static_cast<std::uint32_t>(done.size()));
    if (attempt == done.size()) done.push_back(0);
    const double seconds = train->variant == 0 ? 10 : 5;
    clock += seconds;
    ++done[attempt];
    story.passes.push_back(
        {attempt, train->variant, done[attempt], law(done[attempt]), se, seconds});
    pool.on_pass(story.passes.back());
    if (saves) pool.on_saved(story.passes.back().metric);
  }
}

}  // namespace pool_story_test
}  // namespace surety::plan
