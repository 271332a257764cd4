#include "bench/fabric/async.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/fabric/cluster.h"
#include "fabric/exchange/options.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr double kWarm_s = 2;
constexpr std::uint64_t kElements = 250'000;

json job_of(const std::string& way, std::uint64_t id, std::uint32_t workers, double seconds) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 1; i <= workers; ++i) ids.push_back(i);
  return {{"way", way},
          {"id", id},
          {"workers", ids},
          {"seconds", seconds},
          {"warm_s", kWarm_s},
          {"step_s", 0.3},
          {"spread", 0.0},
          {"seed", id},
          {"slowness", std::vector<double>(workers + 1, 1)},
          {"mode", 0},
          {"quorum", 1},
          {"overlap", 0},
          {"weight", 1.0},
          {"owners", workers},
          {"blocks", fabric::blocks_for(kElements, workers)},
          {"elements", kElements}};
}

// Every step of every worker is in the model once.
Result<void> check(const std::vector<json>& answers, bool all_have_it) {
  double steps = 0;
  for (std::size_t h = 1; h < answers.size(); ++h) {
    steps += answers[h].at("steps").get<double>() * static_cast<double>(h % 4);
  }
  for (std::size_t h = all_have_it ? 1 : 0; h < (all_have_it ? answers.size() : 1); ++h) {
    const double sum = answers[h].at("model_sum");
    if (sum == steps * kElements) continue;
    return fail(ErrorCode::kCorrupt, "host {}: the model's values sum to {}, expected {}", h, sum,
                steps * kElements);
  }
  return {};
}

}  // namespace

Result<void> measure_async(std::uint32_t workers, double link_mbit, bool quick, Report& report) {
  const std::string measure = "async" + std::to_string(workers);
  const double seconds = quick ? 4 : 12;
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(workers + 1, link_mbit));
  SURETY_TRY(Cluster cluster, Cluster::start(network, workers + 1));
  Row row{.measure = measure, .unit = "updates/s", .ours = {}, .peers = {}};
  std::uint64_t id = 0;
  for (int repeat = 0; repeat < (quick ? 1 : 3); ++repeat) {
    for (const std::string way : {"exchange", "naive"}) {
      SURETY_TRY(const auto answers, cluster.train(job_of(way, ++id, workers, seconds)));
      SURETY_TRY(check(answers, way == "exchange"));
      double updates = 0, cpu_s = 0, data = 0, control = 0;
      for (const json& answer : answers) {
        if (!answer.contains("updates")) continue;
        updates += answer.at("updates").get<double>();
        cpu_s += answer.at("cpu_s").get<double>();
        data += answer.at("data_bytes").get<double>();
        control += answer.at("control_bytes").get<double>();
      }
      const double rate = updates / (seconds - kWarm_s);
      (way == "exchange" ? row.ours : row.peers["naive"]).push_back(rate);
      std::printf("# %s %s: %.1f updates/s, CPU %.2f s, control %.3f %%\n", measure.c_str(),
                  way.c_str(), rate, cpu_s, 100 * control / data);
    }
  }
  report.add(std::move(row));
  return {};
}

}  // namespace surety::bench
