#include "bench/fabric/time_to_loss.h"

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/fabric/bandwidth_trace.h"
#include "bench/fabric/cluster.h"
#include "bench/fabric/ddp.h"
#include "fabric/exchange/options.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr double kTarget = 0.6;
constexpr std::uint64_t kElements = 235'146;  // Number of weights of the network.

using Curve = std::vector<std::array<double, 2>>;  // Seconds and loss of each evaluation.

// A way that is measured, with the learning rate that is best for it on a grid.
struct Way {
  const char* name;
  const char* way;  // A way of training.h, or "ddp".
  double learning_rate = 0;
  double weight = 1;
  double seconds = 260;
  std::uint32_t overlap = 0;  // Steps that may be computed while an update is sent.
  std::uint32_t local_steps = 1;
};

json job_of(const TimeToLoss& work, const Way& way, std::uint64_t id,
            const sim::WorldOptions& world) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 1; i <= work.workers; ++i) ids.push_back(i);
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
          {"world", to_json(world)},
          {"overlap", way.overlap},
          {"local_steps", way.local_steps},
          {"weight", way.weight},
          {"owners", work.workers},
          {"blocks", fabric::blocks_for(kElements, work.workers)},
          {"elements", kElements},
          {"learning", learning}};
}

// The time at which the mean of three evaluations first reaches the target; nothing if it never
// does.
std::optional<double> time_to(const Curve& curve) {
  for (std::size_t i = 2; i < curve.size(); ++i) {
    const double sum = curve[i - 2][1] + curve[i - 1][1] + curve[i][1];
    if (sum / 3 <= kTarget) return curve[i][0];
  }
  return std::nullopt;
}

struct Training {
  Curve curve;
  double steps = 0;
};

Result<Training> train(const TimeToLoss& work, const Way& way, std::uint64_t seed,
                       const ShapedNetwork& network) {
  const auto world = test_bed(work.workers, seed, kDisturbed);
  if (std::string(way.way) == "ddp") {
    SURETY_TRY(Ddp ddp, Ddp::start({work.data, way.learning_rate, world}));
    const BandwidthTrace bandwidth_trace(network, world);
    SURETY_TRY(Curve curve, ddp.train(way.seconds));
    const double steps = static_cast<double>(curve.size()) * work.workers;
    return Training{std::move(curve), steps};
  }
  SURETY_TRY(Cluster cluster, Cluster::start(network, work.workers + 1));
  const BandwidthTrace bandwidth_trace(network, world);
  SURETY_TRY(const auto answers, cluster.train(job_of(work, way, seed, world)));
  Training training{.curve = answers.at(1).at("curve").get<Curve>()};
  for (const json& answer : answers) training.steps += answer.value("steps", 0.0);
  return training;
}

}  // namespace

Result<void> measure_time_to_loss(const TimeToLoss& work, Report& report) {
  const std::string measure = "time_to_loss" + std::to_string(work.workers);
  const double share = 1.0 / work.workers;
  const Way ways[] = {
      {"ours", "exchange", 0.1, share, 60, 8},
      {"naive", "naive", 0.02, 1},
      {"ring", "ring", 0.2, share},
      {"ring, 8 local steps", "ring", 0.1, share, 260, 0, 8},
      {"DDP", "ddp", 0.1},
  };
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(work.workers + 1, kLink_mbit));
  std::vector<double> ours;
  std::map<std::string, std::vector<double>> peers;
  for (std::uint64_t seed = 1; seed <= (work.quick ? 1 : work.seeds); ++seed) {
    for (const Way& way : ways) {
      const bool has_data = !work.data.empty() || std::string(way.way) != "ddp";
      if (!has_data || (!work.only.empty() && work.only != way.name)) continue;
      SURETY_TRY(const Training training, train(work, way, seed, network));
      const auto seconds = time_to(training.curve);
      std::printf("# %s %s, seed %d: %.1f s to loss %.1f, %.1f steps/s, last loss %.3f\n",
                  measure.c_str(), way.name, static_cast<int>(seed), seconds.value_or(-1), kTarget,
                  training.steps / (work.quick ? 3 : way.seconds),
                  training.curve.empty() ? -1 : training.curve.back()[1]);
      // If the peer did not reach the target, this is a lower bound of its time.
      const double at_least = seconds.value_or(way.seconds);
      (way.name == ways[0].name ? ours : peers[way.name]).push_back(at_least);
    }
  }
  if (ours.empty()) return {};
  if (peers.empty()) {
    report.add(
        {.measure = measure, .unit = "s", .ours = ours, .peers = {}, .higher_is_better = false});
  }
  for (const auto& peer : peers) {
    report.add({.measure = measure + "/" + peer.first,
                .unit = "s",
                .ours = ours,
                .peers = {peer},
                .higher_is_better = false});
  }
  return {};
}

}  // namespace surety::bench
