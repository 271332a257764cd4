#include "sdca_threads.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/posix/thread_team.h"
#include "datasets.h"
#include "svm_trainer.h"

namespace surety::bench {
namespace {

constexpr const char* kCache = "build/bench-data";
constexpr std::size_t kThreads = 2;

struct Size {
  const char* name;
  std::uint32_t rows;
  std::uint32_t rows_quick;
};
constexpr Size kSizes[] = {
    {"text", 600130, 2000}, {"sparse", 1000000, 2000}, {"dense", 200000, 500}};

Result<Trained> train(const Dataset& set, Chunks& chunks, double target, std::size_t threads) {
  for (auto& [id, chunk] : chunks) chunk.state.clear();
  return train_svm(set.schema, chunks, target, std::make_shared<posix::ThreadTeam>(threads));
}

// Mean number of runnable threads of the whole machine over the last minute.
double load() {
  double minute = 0;
  return getloadavg(&minute, 1) == 1 ? minute : 0;
}

bool measure(const Options& options, const Dataset& set, const std::string& name, double target,
             Report& report) {
  Chunks chunks = cut_into_chunks(set);
  Row row{.measure = name, .unit = "s", .ours = {}, .peers = {}, .higher_is_better = false};
  for (int repeat = 0; repeat < (options.quick ? 1 : 5); ++repeat) {
    const auto one = train(set, chunks, target, 1);
    const auto two = train(set, chunks, target, kThreads);
    if (!one || !two) {
      return fmt::print(stderr, "{}: {}\n", name, (one ? two : one).error().message), false;
    }
    fmt::print(
        "{}: one thread {} passes, {:.3f} s; two {} passes, {:.3f} s, {:.3f} of CPU; load {:.1f}\n",
        name, one->iterations, one->wall_s, two->iterations, two->wall_s, two->cpu_s, load());
    row.ours.push_back(two->wall_s);
    row.peers["one thread"].push_back(one->wall_s);
  }
  report.add(std::move(row));
  return true;
}

}  // namespace

bool measure_sdca_threads(const Options& options, Report& report) {
  for (const Size& size : kSizes) {
    const std::string name = fmt::format("sdca_threads_{}", size.name);
    for (const auto& [gap, target] : {std::pair{"/1e-3", 1e-3}, std::pair{"/1e-6", 1e-6}}) {
      if (!options.wants(name + gap)) continue;
      const auto set = dataset(size.name, options.quick ? size.rows_quick : size.rows, kCache);
      if (!set) return fmt::print(stderr, "{}: {}\n", name, set.error().message), false;
      if (!measure(options, *set, name + gap, target, report)) return false;
    }
  }
  return true;
}

}  // namespace surety::bench
