#include "bench/fabric/time_to_loss.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/fabric/cluster.h"
#include "bench/fabric/weather.h"
#include "fabric/exchange/options.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr double kTarget = 0.6;
constexpr std::uint64_t kElements = 235'146;  // Of the network.

// What is measured, and how: each way at the learning rate that is best for it on a grid.
struct Way {
  const char* name;
  const char* way;
  double learning_rate, weight, seconds;
  std::uint32_t overlap;  // Steps.
};

json job_of(const TimeToLoss& work, const Way& way, std::uint64_t id, std::uint64_t seed) {
  std::vector<std::uint32_t> ids;
  std::vector<double> slowness(work.workers + 1, 1);
  for (std::uint32_t i = 1; i <= work.workers; ++i) {
    ids.push_back(i);
    if (i % 10 == 1) slowness[i] = 3;  // Every tenth straggles for good.
  }
  json learning = {{"data", "digits://?samples=8000&seed=1&noise=0.7"},
                   {"validation", "digits://?samples=1000&seed=1&noise=0.7&first=1000000"},
                   {"learning_rate", way.learning_rate}};
  if (!work.data.empty()) {
    learning["data"] = "idx://" + work.data + "/mnist-train-images-idx3-ubyte.gz";
    learning["validation"] = "idx://" + work.data + "/mnist-t10k-images-idx3-ubyte.gz";
  }
  return {{"way", way.way},
          {"id", id},
          {"workers", ids},
          {"seconds", work.quick ? 3 : way.seconds},
          {"warm_s", 0.0},
          {"step_s", 0.3},
          {"spread", 0.05},
          {"seed", seed},
          {"slowness", slowness},
          {"mode", 0},
          {"quorum", 1},
          {"overlap", way.overlap},
          {"weight", way.weight},
          {"owners", work.workers},
          {"blocks", fabric::blocks_for(kElements, work.workers)},
          {"elements", kElements},
          {"learning", learning}};
}

// When the mean of three looks first is at the target; none: never.
std::optional<double> time_to(const json& curve) {
  for (std::size_t i = 2; i < curve.size(); ++i) {
    double sum = 0;
    for (std::size_t j = i - 2; j <= i; ++j) sum += curve[j][1].get<double>();
    if (sum / 3 <= kTarget) return curve[i][0].get<double>();
  }
  return std::nullopt;
}

}  // namespace

Result<void> measure_time_to_loss(const TimeToLoss& work, Report& report) {
  const std::string measure = "time_to_loss" + std::to_string(work.workers);
  const double share = 1.0 / work.workers;
  const Way ways[] = {
      {"ours", "exchange", 0.1, share, 60, 8},
      {"naive", "naive", 0.02, 1, 200, 0},
      {"ring", "ring", 0.2, share, 200, 0},
  };
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(work.workers + 1, work.link_mbit));
  Row row{.measure = measure, .unit = "s", .ours = {}, .peers = {}, .higher_is_better = false};
  std::uint64_t id = 0;
  for (std::uint64_t seed = 1; seed <= (work.quick ? 1 : work.seeds); ++seed) {
    for (const Way& way : ways) {
      SURETY_TRY(Cluster cluster, Cluster::start(network, work.workers + 1));
      const Weather weather(network, work.workers + 1, work.link_mbit, seed);
      SURETY_TRY(const auto answers, cluster.train(job_of(work, way, ++id, seed)));
      const json& curve = answers.at(1).at("curve");
      const auto seconds = time_to(curve);
      double steps = 0;
      for (const json& answer : answers) steps += answer.value("steps", 0.0);
      std::printf("# %s %s, seed %d: %.1f s to loss %.1f, %.1f steps/s, last loss %.3f\n",
                  measure.c_str(), way.name, static_cast<int>(seed), seconds.value_or(-1), kTarget,
                  steps / (work.quick ? 3 : way.seconds),
                  curve.empty() ? -1 : curve.back()[1].get<double>());
      // What it needs at least, where it did not come so far.
      const double at_least = seconds.value_or(way.seconds);
      (way.name == ways[0].name ? row.ours : row.peers[way.name]).push_back(at_least);
    }
  }
  report.add(std::move(row));
  return {};
}

}  // namespace surety::bench
