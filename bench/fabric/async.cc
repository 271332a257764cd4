#include "bench/fabric/async.h"

#include <cstdio>

#include "bench/fabric/cluster.h"
#include "bench/fabric/script.h"
#include "fabric/exchange/options.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kElements = 250'000;

}  // namespace

json async_job(const AsyncWork& work) {
  const std::uint32_t workers = work.world.workers;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 1; i <= workers; ++i) ids.push_back(i);
  return {{"way", work.way},
          {"id", work.id},
          {"workers", ids},
          {"world", to_json(work.world)},
          {"seconds", work.seconds},
          {"warm_s", work.warm_s},
          {"overlap", 0},
          {"weight", 1.0},
          {"owners", workers},
          {"blocks", fabric::blocks_for(kElements, workers)},
          {"elements", kElements}};
}

// Checks that every step of every worker is in the model once. With a naive server, only the server
// has the last model.
Result<double> updates_per_s(const AsyncWork& work, const std::vector<json>& answers) {
  double steps = 0;
  double updates = 0;
  for (std::size_t h = 1; h < answers.size(); ++h) {
    steps += answers[h].at("steps").get<double>() * static_cast<double>(h % 4);
    updates += answers[h].at("updates").get<double>();
  }
  const bool server = work.way == "naive";
  for (std::size_t h = server ? 0 : 1; h < (server ? 1 : answers.size()); ++h) {
    const double sum = answers[h].at("model_sum");
    if (sum == steps * kElements) continue;
    return fail(ErrorCode::kCorrupt, "host {}: the model's values sum to {}, expected {}", h, sum,
                steps * kElements);
  }
  return updates / (work.seconds - work.warm_s);
}

Result<void> measure_async(const std::string& measure, std::uint32_t workers, double slow_mbit,
                           bool quick, Report& report) {
  SURETY_TRY(const ShapedNetwork network, ShapedNetwork::make(workers + 1, kLink_mbit));
  SURETY_TRY(network.shape(kSlowHost, slow_mbit, slow_mbit));
  SURETY_TRY(Cluster cluster, Cluster::start(network, workers + 1));
  Row row{.measure = measure, .unit = "updates/s", .ours = {}, .peers = {}};
  std::uint64_t id = 0;
  for (std::uint64_t repeat = 1; repeat <= (quick ? 1 : 3); ++repeat) {
    for (const std::string way : {"exchange", "naive"}) {
      AsyncWork work{.way = way, .id = ++id, .world = test_bed(workers, repeat)};
      if (quick) work.seconds = 4;
      SURETY_TRY(const auto answers, cluster.train(async_job(work)));
      SURETY_TRY(const double rate, updates_per_s(work, answers));
      double cpu_s = 0;
      double data = 0;
      double control = 0;
      for (const json& answer : answers) {
        if (!answer.contains("updates")) continue;
        cpu_s += answer.at("cpu_s").get<double>();
        data += answer.at("data_bytes").get<double>();
        control += answer.at("control_bytes").get<double>();
      }
      (way == "exchange" ? row.ours : row.peers["naive"]).push_back(rate);
      std::printf("# %s %s: %.1f updates/s, CPU %.2f s, control %.3f %%\n", measure.c_str(),
                  way.c_str(), rate, cpu_s, 100 * control / data);
    }
  }
  report.add(std::move(row));
  return {};
}

}  // namespace surety::bench
