// Measures the time to refuse a promise that no plan keeps: the job bench/plan/refuse.yaml, with
// the profile of one of its runs in bench/plan/refuse.
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/posix/file.h"
#include "measures.h"
#include "plan/files/profile_io.h"
#include "plan/plan_options.h"
#include "plan/planner/make_plan.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {
namespace {

using namespace plan;

Profile stored_profile() {
  std::map<std::string, std::string> files;
  for (const char* name : {"curves.csv", "switches.csv"}) {
    auto text = posix::read_file(std::string("bench/plan/refuse/") + name);
    SURETY_CHECK(text.has_value());  // The current folder must be the repository's root.
    files[name] = std::move(*text);
  }
  auto profile = profile_from_files(files);
  SURETY_CHECK(profile.has_value());
  return std::move(*profile);
}

// The instance that `surety plan` makes of the job.
Instance job_instance() {
  Instance instance;
  instance.promise.target = 0.0001;
  instance.promise.probability = 0.8;
  instance.promise.deadline_s = 600;
  instance.versions = {"full", "prune:0.5"};
  instance.nodes = {{.name = "local", .count = 2, .price_per_s = 1.0 / 3600}};
  for (const char* name : {"first", "second"}) {
    DataSet set;
    set.name = name;
    set.samples = 1500;
    set.bytes = set.samples * 785;  // A sample is a label and 28 x 28 pixels.
    set.price = 0.001;
    instance.data.push_back(set);
  }
  return instance;
}

}  // namespace

void measure_refuse(const Options& options, Report& report) {
  static constexpr double kAllowed_s = 2;
  if (!options.wants("refuse")) return;
  const Profile profile = stored_profile();
  const Instance instance = job_instance();
  PlanOptions plan;
  if (options.quick) plan = {.simulated_runs = 200, .levels = 24, .ticks = 40, .worlds = 10};
  std::vector<double> seconds;
  for (int run = 0; run < (options.quick ? 1 : 5); ++run) {
    const double begin_s = posix::process_cpu_seconds();
    const Result<Decision> decision = make_plan(instance, profile, plan);
    seconds.push_back(posix::process_cpu_seconds() - begin_s);
    SURETY_CHECK(decision.has_value() && std::holds_alternative<Infeasible>(*decision));
    if (run > 0) continue;
    const Infeasible& refused = std::get<Infeasible>(*decision);
    print_line("refuse", "{}: {}", name_of(refused.reason_class), refused.reason);
  }
  report.add({"refuse", "CPU s", seconds, {{"allowed", {kAllowed_s}}}, false});
}

}  // namespace surety::bench
