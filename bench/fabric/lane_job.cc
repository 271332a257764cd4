#include "bench/fabric/lane_job.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace surety::bench {
namespace {

using namespace fabric;
using nlohmann::json;

float value_of(WorkerId host, std::uint64_t element) {
  return static_cast<float>((element * 31 + host.value * 7) % 17) - 8.0f;
}

std::vector<WorkerId> hosts_in(const json& list) {
  std::vector<WorkerId> hosts;
  for (const json& host : list) hosts.push_back(WorkerId{host.get<std::uint32_t>()});
  return hosts;
}

bool has(const std::vector<WorkerId>& hosts, WorkerId host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

}  // namespace

LaneJob lane_job_of(const json& text) {
  LaneJob job;
  job.way = text.at("way");
  job.round = text.at("round");
  job.operation = {.sources = hosts_in(text.at("sources")),
                   .sinks = hosts_in(text.at("sinks")),
                   .elements = text.at("elements"),
                   .blocks = text.at("blocks"),
                   .mirrors = hosts_in(text.at("mirrors"))};
  job.planner = WorkerId{text.at("planner")};
  job.hubs = hosts_in(text.at("hubs"));
  job.window_first = text.at("window_first");
  job.window_max = text.at("window_max");
  job.measures = text.at("measures");
  for (const json& port : text.at("ports")) {
    job.ports.push_back({.out_bytes_per_s = port.at(0), .in_bytes_per_s = port.at(1)});
  }
  return job;
}

LaneVectors vectors_of(const LaneJob& job, WorkerId self) {
  const std::uint64_t elements = job.operation.elements;
  LaneVectors vectors;
  vectors.input.assign(has(job.operation.sources, self) ? elements : 0, 0);
  vectors.output.assign(is_recipient(job.operation, self) ? elements : 0, -1);
  for (std::uint64_t i = 0; i < vectors.input.size(); ++i) vectors.input[i] = value_of(self, i);
  if (job.way == "ring") vectors.output = vectors.input;
  return vectors;
}

std::uint64_t count_wrong(const LaneJob& job, const LaneVectors& vectors) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < vectors.output.size(); ++i) {
    float sum = 0;
    for (const WorkerId source : job.operation.sources) sum += value_of(source, i);
    wrong += vectors.output[i] != sum ? 1 : 0;
  }
  return wrong;
}

LaneHost::LaneHost(const LaneJob& job, WorkerId self, Transport& transport,
                   const std::map<WorkerId, PeerId>& peers, LaneVectors& vectors)
    : planner_(job.operation, job.way == "direct" ? std::vector<WorkerId>{} : job.hubs),
      port_estimates_(job.ports),
      run_(transport, self, peers,
           {.round = job.round,
            .planner = job.planner,
            .window_first = job.window_first,
            .window_max = job.window_max,
            .measures = job.measures},
           std::make_unique<BlockedExecutor>(job.operation, self, vectors.input, vectors.output),
           self == job.planner ? LanePlanning{&planner_, &port_estimates_} : LanePlanning{}) {}

}  // namespace surety::bench
