#include "cli/runs_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/random.h"
#include "runtime/journal_file.h"

namespace surety::cli {
namespace {

// Above what a run needs under sanitizers on a busy machine; it only bounds a hang.
constexpr auto kPatience = std::chrono::minutes(2);

}  // namespace

Runs::Runs()
    : program_(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bin/surety") {}

std::string Runs::glm_job(const std::string& more) {
  std::ofstream rows(path("rows.svm"));
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    double score = 0;
    std::string text;
    for (int feature = 1; feature <= 20; ++feature) {
      const double value = random.normal();
      score += value * (feature % 3 - 1);
      text += fmt::format(" {}:{:.4f}", feature, value);
    }
    rows << (score + 0.5 * random.normal() > 0 ? "+1" : "-1") << text << "\n";
  }
  std::ofstream(path("job.yaml")) << R"(name: glm
promise: {metric: duality_gap, target: 1e-9, probability: 0.7, deadline: 5min}
data: "libsvm://rows.svm"
validation: "libsvm://rows.svm"
model: {zoo: logistic}
train: {lambda: 1e-4, passes_max: 60, policies: {scale_in: off}}
profile: {seeds: 2, passes: 6}
cluster: {local: 3}
)" << more;
  return path("job.yaml");
}

posix::Process Runs::start(std::vector<std::string> arguments, const std::string& name,
                           std::map<std::string, std::string> environment) {
  arguments.insert(arguments.begin(), program_.string());
  posix::ProcessOptions options;
  options.argv = std::move(arguments);
  options.environment = std::move(environment);
  options.output = path(name);
  auto process = posix::Process::start(options);
  return std::move(process.value());
}

Finished Runs::surety(std::vector<std::string> arguments) {
  std::filesystem::remove(path("output"));
  posix::Process process = start(std::move(arguments), "output");
  const auto status = process.wait(kPatience);
  return {.code = status ? status->code : -1, .output = output("output")};
}

std::string Runs::output(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name)).rdbuf();
  return text.str();
}

std::vector<proto::JournalRecord> Runs::journal(const std::string& run) const {
  auto records = runtime::read_journal(path(run) + "/journal.log");
  return records ? std::move(*records) : std::vector<proto::JournalRecord>{};
}

bool Runs::wait_for(
    const std::string& run,
    const std::function<bool(const std::vector<proto::JournalRecord>&)>& predicate) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    if (predicate(journal(run))) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::string Runs::address(const std::string& name) const {
  const std::string log = output(name);
  const std::string marker = "surety worker --join ";
  const std::size_t at = log.find(marker);
  EXPECT_NE(at, std::string::npos) << log;
  if (at == std::string::npos) return "";
  return log.substr(at + marker.size(), log.find('\n', at) - at - marker.size());
}

std::size_t passes(const Records& records) {
  return static_cast<std::size_t>(std::count_if(records.begin(), records.end(),
                                                [](const auto& r) { return r.has_pass_done(); }));
}

std::vector<pid_t> workers(const Records& records) {
  std::vector<pid_t> pids;
  for (const auto& record : records) {
    if (record.has_worker_joined())
      pids.push_back(static_cast<pid_t>(record.worker_joined().pid()));
  }
  return pids;
}

}  // namespace surety::cli
