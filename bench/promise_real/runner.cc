#include "runner.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/posix/process.h"
#include "job/job_aspects.h"
#include "load.h"
#include "plan/files/plan_io.h"
#include "runtime/job/job_setup.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

// Seconds after the deadline, after which the run counts as hanging.
constexpr double kPatienceS = 180;

std::string digits(std::uint64_t seed, std::uint32_t samples, const char* more) {
  return fmt::format("\"digits://?samples={}&seed={}&noise=0.7{}\"", samples, seed, more);
}

std::string name_of_run(const RunKey& key) {
  std::string way = key.way;
  for (char& c : way) {
    if (c == ' ' || c == ':') c = '-';
  }
  return fmt::format("{}-{}-{:.0f}s-{:03.0f}-{:03}", key.job, way, key.deadline_s,
                     100 * key.probability, key.index);
}

// The part "prune:0.5" of "train prune:0.5"; empty for ours.
std::string version_of(const RunKey& key) {
  return key.way == kOurs ? std::string() : key.way.substr(key.way.find(' ') + 1);
}

// Writes a plan of one constant version until the deciding samples meet the target. `surety train`
// without a plan does the same, but always with the full version.
Result<void> write_plan(const RealJob& job, const std::vector<std::string>& sets,
                        const std::string& version, const fs::path& file) {
  SURETY_TRY(const job::Job read, runtime::read_job(job.file, sets));
  SURETY_TRY(const orchestrator::JobConfig config, runtime::set_up(read));
  plan::Plan plan;
  plan.planner = plan::Planner::kByHand;
  for (const auto& set : read.data) plan.data.push_back(set.name);
  plan.blocks = {{.version = version, .passes = read.train.passes_max}};
  plan.stop_metric = read.promise.target;
  plan.reason = "a constant version until the target is met";
  return posix::write_file_atomically(
      file,
      plan::to_json(plan::PlanFile{.made_for = aspects_of(read, config.sources, config.validation),
                                   .decision = std::move(plan)}));
}

double machine_load() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

std::vector<std::string> sets_of(const RealJob& job, const RunKey& key) {
  const std::uint64_t seed = seed_of(key);
  std::vector<std::string> sets{fmt::format("train.seed={}", seed),
                                fmt::format("promise.probability={}", key.probability)};
  if (job.deadline_s > 0) sets.push_back(fmt::format("promise.deadline={}s", job.deadline_s));
  if (job.name == "digits") {
    sets.push_back("data.0.source=" + digits(seed, 8000, ""));
    sets.push_back("validation=" + digits(seed, 4000, "&first=1000000"));
  }
  if (!job.data.empty()) sets.push_back("data.root=" + job.data.string());
  return sets;
}

Result<double> Runner::deadline_of(const RealJob& job) {
  if (job.deadline_s > 0) return job.deadline_s;
  const RunKey any{.job = job.name, .way = kOurs};
  SURETY_TRY(const job::Job read, runtime::read_job(job.file, sets_of(job, any)));
  return read.promise.deadline_s;
}

Result<Record> Runner::run(const RealJob& job, const RunKey& key) const {
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const fs::path out = folder_ / name_of_run(key);
  fs::remove_all(out, ignored);  // A benchmark that was killed may have left it.
  const fs::path log = folder_ / (name_of_run(key) + ".log");
  fs::remove(log, ignored);
  const fs::path plan = folder_ / (name_of_run(key) + ".plan.json");
  const std::vector<std::string> sets = sets_of(job, key);
  const std::string version = version_of(key);

  posix::ProcessOptions options;
  options.argv = {own_folder() / "surety",
                  version.empty() ? "run" : "train",
                  job.file.string(),
                  "--quiet",
                  "--out",
                  out.string()};
  if (!version.empty() && version != "full") {
    SURETY_TRY(write_plan(job, sets, version, plan));
    options.argv.insert(options.argv.end(), {"--plan", plan.string()});
  }
  // Each run is the first of its kind, without a library.
  if (version.empty()) options.argv.insert(options.argv.end(), {"--set", "profile.library=off"});
  for (const std::string& set : sets) options.argv.insert(options.argv.end(), {"--set", set});
  options.output = log;
  options.dies_with_parent = true;

  Record record;
  record.key = key;
  record.verdict = "none";
  record.machine_load = machine_load();
  std::optional<posix::Process> load;
  if (is_loaded(key)) {
    SURETY_TRY(load, start_load(seed_of(key)));
  }
  const Time began = posix::now();
  SURETY_TRY(posix::Process process, posix::Process::start(options));
  auto status = process.wait(from_seconds(key.deadline_s + kPatienceS));
  record.wall_s = to_seconds(posix::now() - began);
  const bool hung = !status;
  if (hung) status = process.terminate(std::chrono::seconds(30));
  if (load) {
    load->send_signal(SIGKILL);
    record.load_threads = mean_load(seed_of(key), record.wall_s);
  }
  record.exit_code = status->signal ? 128 + *status->signal : status->code;

  const auto certificate = posix::read_file(out / "certificate.json");
  if (certificate) {
    SURETY_TRY(read_certificate(*certificate, record));
  }
  // The start and the end of the program are not on the timeline.
  record.other_s += std::max(0.0, record.wall_s - record.run_s);
  SURETY_TRY(const job::Job read, runtime::read_job(job.file, sets));
  record.anomaly = hung ? "it hangs" : anomaly_of(record, read.promise.target);
  if (record.anomaly.empty() && record.verdict == "kept") {
    fs::remove_all(out, ignored);
    fs::remove(log, ignored);
    fs::remove(plan, ignored);
  }
  return record;
}

}  // namespace surety::bench
