#include "bench/fabric/ddp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

#include "bench/fabric/script.h"

namespace surety::bench {
namespace {

constexpr const char* kPython = "/usr/bin/python3";  // Debian's Python, which finds Debian's torch.
constexpr const char* kScript = "bench/fabric/ddp_mlp.py";
constexpr double kPatience_s = 120;
constexpr int kSteps = 2000;  // More steps than the time allows.

Result<Child> start_rank(const DdpJob& job, std::uint32_t rank) {
  sim::World world(job.world);
  std::vector<double> step_seconds;
  for (int step = 0; step < kSteps; ++step) step_seconds.push_back(world.step_s(rank));
  return Child::start({"ip",
                       "netns",
                       "exec",
                       ShapedNetwork::namespace_of(host_of(job.world, rank)),
                       "env",
                       "GLOO_SOCKET_IFNAME=eth0",
                       "OMP_NUM_THREADS=1",
                       fmt::format("RANK={}", rank),
                       fmt::format("WORLD_SIZE={}", job.world.workers),
                       fmt::format("MASTER_ADDR={}", ShapedNetwork::ip_of(host_of(job.world, 0))),
                       "MASTER_PORT=29512",
                       kPython,
                       kScript,
                       "--data",
                       job.data,
                       "--learning-rate",
                       fmt::format("{}", job.learning_rate),
                       "--seed",
                       fmt::format("{}", job.world.seed),
                       "--step-seconds",
                       fmt::format("{:.3f}", fmt::join(step_seconds, ","))});
}

}  // namespace

Result<Ddp> Ddp::start(const DdpJob& job) {
  if (!std::filesystem::exists(kScript)) {
    return fail(ErrorCode::kUnavailable, "ddp: found no {}", kScript);
  }
  std::vector<Child> ranks;
  for (std::uint32_t rank = 0; rank < job.world.workers; ++rank) {
    SURETY_TRY(Child child, start_rank(job, rank));
    ranks.push_back(std::move(child));
  }
  SURETY_TRY(const std::string line, ranks.front().receive_line(kPatience_s));
  if (line != "training")
    return fail(ErrorCode::kUnavailable, "ddp: the first rank printed {}", line);
  return Ddp(std::move(ranks));
}

Result<std::vector<std::array<double, 2>>> Ddp::train(double seconds) {
  std::vector<std::array<double, 2>> curve;
  while (curve.empty() || curve.back()[0] < seconds) {
    SURETY_TRY(const std::string line, ranks_.front().receive_line(kPatience_s));
    std::array<double, 2> sample{};
    if (std::sscanf(line.c_str(), "%lf %lf", &sample[0], &sample[1]) != 2) {
      return fail(ErrorCode::kUnavailable, "ddp: the first rank printed {}", line);
    }
    curve.push_back(sample);
  }
  return curve;
}

}  // namespace surety::bench
