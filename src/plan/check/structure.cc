#include "plan/check/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace surety::plan::check {
namespace {

using Objections = std::vector<std::string>;

constexpr double kRounding = 1e-6;  // Relative: sums in a different order.

bool same(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max({1e-9, std::abs(a), std::abs(b)});
}

template <typename... Args>
void add(Objections& found, fmt::format_string<Args...> format, Args&&... args) {
  found.push_back(fmt::format(format, std::forward<Args>(args)...));
}

const plan::NodeType* type_of(const plan::Instance& instance, const std::string& name) {
  const auto it = std::ranges::find(instance.nodes, name, &plan::NodeType::name);
  return it == instance.nodes.end() ? nullptr : &*it;
}

// The nodes of one block: there are enough, each type appears once, and they have the memory.
void check_counts(const plan::Instance& instance, std::size_t index, const plan::Block& block,
                  Objections& found) {
  std::uint32_t sum = 0;
  const auto memory = instance.memory_bytes.find(block.version);
  for (std::size_t i = 0; i < block.counts.size(); ++i) {
    const plan::NodeCount& count = block.counts[i];
    sum += count.count;
    const plan::NodeType* type = type_of(instance, count.type);
    if (type == nullptr) {
      add(found, "blocks[{}].counts: no nodes are of type {}", index, count.type);
      continue;
    }
    if (count.count > type->count) {
      add(found, "blocks[{}].counts: {} {}, but there are {}", index, count.count, count.type,
          type->count);
    }
    if (memory != instance.memory_bytes.end() && type->memory_bytes &&
        *type->memory_bytes < memory->second) {
      add(found, "blocks[{}].counts: {} has {} bytes of memory, {} needs {}", index, count.type,
          *type->memory_bytes, block.version, memory->second);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (block.counts[j].type == count.type) {
        add(found, "blocks[{}].counts: {} is listed twice", index, count.type);
      }
    }
  }
  if (!block.counts.empty() && block.nodes && sum != *block.nodes) {
    add(found, "blocks[{}].nodes: {}, but counts sum to {}", index, *block.nodes, sum);
  }
}

// Sums and extremes over the nodes of a variant, if all their types are known.
void check_variant(const plan::Instance& instance, const std::string& path,
                   const plan::Variant& variant, Objections& found) {
  double price = 0;
  double speed = 0;
  double preemptions = 0;
  double lost = 0;
  double straggle = 0;
  double start = 0;
  double from = 0;
  std::optional<double> until;
  for (const plan::NodeCount& count : variant.counts) {
    const plan::NodeType* type = type_of(instance, count.type);
    if (type == nullptr) return;
    price += count.count * type->price_per_s;
    speed += count.count * type->speed_factor;
    preemptions += count.count * type->preemptions_per_s;
    lost += count.count * type->preemptions_per_s * type->restart_s;
    straggle = std::max(straggle, type->straggle_sd);
    start = std::max(start, type->start_s);
    from = std::max(from, type->from_s);
    if (type->until_s) until = std::min(until.value_or(*type->until_s), *type->until_s);
  }
  if (variant.counts.empty()) return;
  const auto compare = [&](const char* key, double is, double expected) {
    if (!same(is, expected)) {
      add(found, "{}.{}: {}, but its nodes give {}", path, key, is, expected);
    }
  };
  compare("price_per_s", variant.price_per_s, price);
  compare("speed", variant.speed, speed);
  compare("preemptions_per_s", variant.preemptions_per_s, preemptions);
  if (preemptions > 0) compare("restart_s", variant.restart_s, lost / preemptions);
  compare("straggle_sd", variant.straggle_sd, straggle);
  compare("start_s", variant.start_s, start);
  compare("from_s", variant.from_s, from);
  if (variant.until_s.has_value() != until.has_value()) {
    add(found, "{}.until_s: {}, but its nodes give {}", path, variant.until_s ? "a number" : "none",
        until ? "one" : "none");
  } else if (until) {
    compare("until_s", *variant.until_s, *until);
  }
}

void check_bands(const plan::Claims& claims, Objections& found) {
  for (std::size_t i = 0; i < claims.bands.size(); ++i) {
    const plan::Band& band = claims.bands[i];
    if (!(band.q05 <= band.q50 && band.q50 <= band.q95)) {
      add(found, "bands[{}]: {}, {}, {} are not ascending", i, band.q05, band.q50, band.q95);
    }
    if (i > 0 && !(claims.bands[i - 1].seconds < band.seconds)) {
      add(found, "bands[{}].seconds: {} is not after {}", i, band.seconds,
          claims.bands[i - 1].seconds);
    }
  }
}

void check_usage(const plan::Instance& instance, const plan::Plan& plan, Objections& found) {
  const plan::Claims& claims = *plan.claims;
  double cost = 0;
  std::vector<double> shares(claims.bands.size(), 0.0);
  for (std::size_t i = 0; i < claims.usage.size(); ++i) {
    cost += claims.usage[i].cost_mean;
    for (std::size_t k = 0; k < std::min(shares.size(), claims.usage[i].shares.size()); ++k) {
      shares[k] += claims.usage[i].shares[k];
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (claims.usage[j].block == claims.usage[i].block) {
        add(found, "usage[{}].block: {} is listed twice", i, claims.usage[i].block);
      }
    }
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k] > 1 + kRounding) {
      add(found, "usage: shares sum to {} at {} s", shares[k], claims.bands[k].seconds);
    }
  }
  double data = 0;
  for (const plan::DataSet& set : instance.data) {
    if (std::ranges::find(plan.data, set.name) != plan.data.end()) data += set.price;
  }
  if (!claims.usage.empty() && !same(claims.cost_mean, cost + data)) {
    add(found, "cost_mean: {}, but blocks cost {} and data {}", claims.cost_mean, cost, data);
  }
}

// Every second is paid at the price of some block.
void check_cost_bounds(const plan::Instance& instance, const plan::Plan& plan, Objections& found) {
  const plan::Claims& claims = *plan.claims;
  double data = 0;
  double low = INFINITY;
  double high = 0;
  for (const plan::DataSet& set : instance.data) {
    if (std::ranges::find(plan.data, set.name) != plan.data.end()) data += set.price;
  }
  for (const plan::Block& block : plan.blocks) {
    low = std::min(low, *block.price_per_s);
    high = std::max(high, *block.price_per_s);
  }
  const double least = data + low * claims.seconds_mean;
  const double most = data + high * claims.seconds_mean;
  if (claims.cost_mean < least * (1 - kRounding) - 1e-12 ||
      claims.cost_mean > most * (1 + kRounding) + 1e-12) {
    add(found, "cost_mean: {}, but {} s cost {} to {}", claims.cost_mean, claims.seconds_mean,
        least, most);
  }
}

void check_support(const plan::Promise& promise, const plan::Claims& claims, Objections& found) {
  const plan::Support& support = claims.support;
  if (support.seeds == 0) return;
  // With this success probability, the chance that this number of runs all succeed is one half.
  const double lucky = std::exp2(-1.0 / support.seeds);
  if (!same(claims.probability_lower, std::min(support.percentile, lucky))) {
    add(found, "probability_lower: {}, but support.percentile is {} and {} seeds show at most {}",
        claims.probability_lower, support.percentile, support.seeds, lucky);
  }
  if (support.held_out_successes > support.held_out_runs) {
    add(found, "support.held_out_successes: {}, but there are {} runs", support.held_out_successes,
        support.held_out_runs);
  }
  if (support.held_out_runs == 0) {
    if (support.held_out > 0) add(found, "support.held_out: {} without a run", support.held_out);
    return;
  }
  const double limit = std::pow(1 - promise.confidence, 1.0 / support.held_out_runs);
  if (!same(support.held_out_limit, limit)) {
    add(found, "support.held_out_limit: {}, but {} runs can show {}", support.held_out_limit,
        support.held_out_runs, limit);
  }
  if (support.held_out > limit + kRounding) {
    add(found, "support.held_out: {} is above the limit {}", support.held_out, limit);
  }
  const auto binding = support.percentile <= support.held_out ? plan::BoundKind::kPercentileMargin
                                                              : plan::BoundKind::kLearnThenTest;
  if (support.binding != binding) {
    add(found, "support.binding: {}, but {} and {} are the bounds", plan::name_of(support.binding),
        support.percentile, support.held_out);
  }
}

// The blocks of a plan are the variants of its setting.
void check_variants(const plan::Instance& instance, const plan::Plan& plan,
                    const plan::Setting& setting, Objections& found) {
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const plan::Block& block = plan.blocks[i];
    const plan::Variant& variant = setting.variants[i];
    const std::string of_variant = fmt::format("setting.variants[{}]", i);
    if (variant.version >= setting.laws.versions.size()) {
      add(found, "{}.version: {}, but there are {} versions", of_variant, variant.version,
          setting.laws.versions.size());
      continue;
    }
    if (setting.laws.versions[variant.version].version != block.version) {
      add(found, "blocks[{}].version: {}, but {} has {}", i, block.version, of_variant,
          setting.laws.versions[variant.version].version);
    }
    if (variant.nodes != block.nodes || variant.counts != block.counts) {
      add(found, "blocks[{}].counts: differ from those of {}", i, of_variant);
    }
    if (!same(variant.price_per_s, *block.price_per_s)) {
      add(found, "blocks[{}].price_per_s: {}, but that of {} is {}", i, *block.price_per_s,
          of_variant, variant.price_per_s);
    }
    check_variant(instance, of_variant, variant, found);
  }
}

// Ranks follow the instance: the full version first, then the others by name.
void check_ranks(const plan::Instance& instance, const plan::Setting& setting, Objections& found) {
  for (std::size_t i = 0; i < setting.laws.versions.size(); ++i) {
    const plan::VersionLaw& law = setting.laws.versions[i];
    const auto before = std::ranges::count_if(instance.versions, [&](const std::string& other) {
      return other != law.version &&
             (other == instance.versions.front() ||
              (law.version != instance.versions.front() && other < law.version));
    });
    if (law.rank != static_cast<std::size_t>(before)) {
      add(found, "setting.laws.versions[{}].rank: {}, but {} is version {}", i, law.rank,
          law.version, before);
    }
  }
}

// The setting is that of the promise. Less time and money may be left for training than was
// promised for the whole job.
void check_promised(const plan::Promise& promise, const plan::Setting& setting,
                    bool deadline_is_point_in_time, Objections& found) {
  const bool accuracy = promise.metric == plan::Metric::kAccuracy;
  const double target = accuracy ? 1 - promise.target : promise.target;
  if (!same(setting.target, target)) {
    add(found, "setting.target: {}, but the promise gives {}", setting.target, target);
  }
  if (!same(setting.probability, promise.probability)) {
    add(found, "setting.probability: {}, but {} is promised", setting.probability,
        promise.probability);
  }
  if (!deadline_is_point_in_time && setting.deadline_s > promise.deadline_s * (1 + kRounding)) {
    add(found, "setting.deadline_s: {}, but {} is promised", setting.deadline_s,
        promise.deadline_s);
  }
  if (setting.budget.has_value() != promise.budget.has_value()) {
    add(found, "setting.budget: {}, but the promise has {}", setting.budget ? "a number" : "none",
        promise.budget ? "one" : "none");
  } else if (setting.budget && *setting.budget > std::max(0.0, *promise.budget) * (1 + kRounding)) {
    add(found, "setting.budget: {}, but {} is promised", *setting.budget, *promise.budget);
  }
}

// The plan repeats some values of its setting.
void check_repeated(const plan::Plan& plan, Objections& found) {
  const plan::Claims& claims = *plan.claims;
  const plan::Setting& setting = claims.setting;
  const double stop = plan.policy ? setting.target : setting.stop_metric;
  if (!same(plan.stop_metric, stop)) {
    add(found, "stop_metric: {}, but setting gives {}", plan.stop_metric, stop);
  }
  if (!same(plan.certify_s, setting.certify_s)) {
    add(found, "certify_s: {}, but setting has {}", plan.certify_s, setting.certify_s);
  }
  if (setting.laws.versions.empty()) return;
  const std::uint32_t seeds =
      std::ranges::min_element(setting.laws.versions, {}, &plan::VersionLaw::seeds)->seeds;
  if (claims.support.seeds != seeds) {
    add(found, "support.seeds: {}, but the laws were measured with {}", claims.support.seeds,
        seeds);
  }
}

}  // namespace

void check_blocks(const plan::Instance& instance, const plan::Plan& plan, Objections& found) {
  std::uint64_t nodes = 0;
  for (const plan::NodeType& type : instance.nodes) nodes += type.count;
  if (plan.first_block >= plan.blocks.size()) {
    add(found, "first_block: {}, but there are {} blocks", plan.first_block, plan.blocks.size());
  }
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    const plan::Block& block = plan.blocks[i];
    if (std::ranges::find(instance.versions, block.version) == instance.versions.end()) {
      add(found, "blocks[{}].version: the job has no version {}", i, block.version);
    }
    if (!block.nodes && plan.claims) {
      add(found, "blocks[{}].nodes: none, but the plan's claims need a number", i);
    }
    if (block.nodes && *block.nodes > nodes) {
      add(found, "blocks[{}].nodes: {}, but the job has {}", i, *block.nodes, nodes);
    }
    check_counts(instance, i, block, found);
  }
}

void check_setting(const plan::Instance& instance, const plan::Plan& plan,
                   bool deadline_is_point_in_time, Objections& found) {
  if (plan.planner == plan::Planner::kClosedLoop && !plan.policy) {
    add(found, "policy: is missing");
    return;
  }
  const plan::Setting& setting = plan.claims->setting;
  if (setting.variants.size() != plan.blocks.size()) {
    add(found, "setting.variants: {}, but there are {} blocks", setting.variants.size(),
        plan.blocks.size());
    return;
  }
  check_variants(instance, plan, setting, found);
  check_ranks(instance, setting, found);
  check_promised(instance.promise, setting, deadline_is_point_in_time, found);
  if (setting.passes_max != instance.passes_max) {
    add(found, "setting.passes_max: {}, but the job allows {}", setting.passes_max,
        instance.passes_max);
  }
  check_repeated(plan, found);
}

void check_data(const plan::Instance& instance, const plan::Plan& plan, Objections& found) {
  double price = 0;
  for (std::size_t i = 0; i < plan.data.size(); ++i) {
    const auto set = std::ranges::find(instance.data, plan.data[i], &plan::DataSet::name);
    if (set == instance.data.end()) {
      add(found, "data[{}]: the job has no data set {}", i, plan.data[i]);
      continue;
    }
    price += set->price;
    if (std::ranges::count(plan.data, plan.data[i]) > 1) {
      add(found, "data[{}]: {} is listed twice", i, plan.data[i]);
    }
  }
  const plan::Setting& setting = plan.claims->setting;
  if (!same(setting.data_price, price)) {
    add(found, "setting.data_price: {}, but the data costs {}", setting.data_price, price);
  }
}

void check_kept(const plan::Promise& promise, const plan::Claims& claims, Objections& found) {
  if (claims.probability < promise.probability - kRounding) {
    add(found, "probability: {} is below the promised {}", claims.probability, promise.probability);
  }
  if (promise.budget && claims.cost_95 > *promise.budget * (1 + kRounding)) {
    add(found, "cost_95: {} is above the budget {}", claims.cost_95, *promise.budget);
  }
}

void check_forecast(const plan::Instance& instance, const plan::Plan& plan, Objections& found) {
  const plan::Claims& claims = *plan.claims;
  if (claims.probability_lower > claims.probability + kRounding) {
    add(found, "probability_lower: {} is above the probability {}", claims.probability_lower,
        claims.probability);
  }
  for (std::size_t i = 1; i < claims.prices.size(); ++i) {
    if (!(claims.prices[i - 1].promised < claims.prices[i].promised)) {
      add(found, "prices[{}].promised: {} is not above {}", i, claims.prices[i].promised,
          claims.prices[i - 1].promised);
    }
    if (claims.prices[i].cost_mean < claims.prices[i - 1].cost_mean * (1 - kRounding)) {
      add(found, "prices[{}].cost_mean: {} is below {}, the cost of a lower probability", i,
          claims.prices[i].cost_mean, claims.prices[i - 1].cost_mean);
    }
  }
  check_bands(claims, found);
  check_usage(instance, plan, found);
  check_cost_bounds(instance, plan, found);
  check_support(instance.promise, claims, found);
}

void check_assumptions(const plan::Claims& claims, Objections& found) {
  const std::vector<plan::VersionLaw>& laws = claims.setting.laws.versions;
  const bool has_seeds = std::ranges::all_of(
      laws, [](const plan::VersionLaw& law) { return law.seeds >= plan::kLawSeedsMin; });
  const bool do_fit = std::ranges::all_of(
      laws, [](const plan::VersionLaw& law) { return law.fit_error <= plan::kFitErrorMax; });
  const std::pair<std::string_view, bool> expected[] = {
      {plan::kEnoughSeeds, has_seeds},
      {plan::kCurvesFollowALaw, do_fit},
      {plan::kProfileSupportsThePromise, claims.probability_lower >= claims.setting.probability}};
  for (std::size_t i = 0; i < claims.assumptions.size(); ++i) {
    for (const auto& [name, passed] : expected) {
      if (claims.assumptions[i].name != name || claims.assumptions[i].passed == passed) continue;
      add(found, "assumptions[{}].passed: {}, but the claims give {} for \"{}\"", i, !passed,
          passed, name);
    }
  }
}

}  // namespace surety::plan::check
