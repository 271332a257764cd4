#include "cli/commands/runs_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "base/posix/file.h"
#include "base/random.h"
#include "job/job_aspects.h"
#include "orchestrator/history/journal.h"
#include "plan/files/plan_io.h"
#include "runtime/files/journal_file.h"
#include "runtime/job/job_setup.h"

namespace surety::cli {
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

std::vector<std::string> Runs::training(int passes_max, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{"train", glm_job(),
                                     "--out", path("run"),
                                     "--set", "promise.target=1e-300",
                                     "--set", "promise.deadline=60min",
                                     "--set", fmt::format("train.passes_max={}", passes_max)};
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  return arguments;
}

std::string Runs::plan_file(const plan::Plan& plan, const std::string& job,
                            const std::vector<std::string>& sets) {
  const auto read = runtime::read_job(job, sets);
  EXPECT_TRUE(read) << read.error().message;
  const auto config = runtime::set_up(*read);
  EXPECT_TRUE(config) << config.error().message;
  const plan::PlanFile file{job::aspects_of(config->job, config->sources, config->validation),
                            plan};
  std::ofstream(path("plan.json")) << plan::to_json(file);
  return path("plan.json");
}

posix::Process Runs::start(std::vector<std::string> arguments, const std::string& name,
                           std::map<std::string, std::string> environment) {
  arguments.insert(arguments.begin(), program_.string());
  posix::ProcessOptions options;
  options.argv = std::move(arguments);
  options.environment = std::move(environment);
  // The runs of one test learn from each other, and from no other runs, and have keys of their own.
  options.environment.try_emplace("XDG_DATA_HOME", folder_.path().string());
  options.environment.try_emplace("XDG_CONFIG_HOME", path("config"));
  options.output = path(name);
  if (std::ranges::find(outputs_, name) == outputs_.end()) outputs_.push_back(name);
  auto process = posix::Process::start(options);
  return std::move(process.value());
}

Finished Runs::surety(std::vector<std::string> arguments) {
  std::filesystem::remove(path("output"));
  posix::Process process = start(std::move(arguments), "output");
  const auto status = process.wait(posix::kTestPatience);
  return {.code = status ? status->code : -1, .output = output("output")};
}

Finished Runs::surety_in(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"/usr/bin/env", "-C", folder, program_.string()});
  return run(std::move(arguments));
}

Finished Runs::surety_unread(std::vector<std::string> arguments) {
  const char* const script = "\"$0\" \"$@\" 2>&1 | head -n 1; exit ${PIPESTATUS[0]}";
  arguments.insert(arguments.begin(), {"/bin/bash", "-c", script, program_.string()});
  return run(std::move(arguments));
}

Finished Runs::run(std::vector<std::string> arguments) {
  std::filesystem::remove(path("output"));
  posix::ProcessOptions options;
  options.argv = std::move(arguments);
  options.environment = {{"XDG_DATA_HOME", folder_.path().string()},
                         {"XDG_CONFIG_HOME", path("config")}};
  options.output = path("output");
  auto process = posix::Process::start(options);
  const auto status = process.value().wait(posix::kTestPatience);
  return {.code = status ? status->code : -1, .output = output("output")};
}

std::string Runs::output(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name)).rdbuf();
  return text.str();
}

std::string Runs::outputs() const {
  std::string text;
  for (const std::string& name : outputs_) {
    text += fmt::format("{}:\n{}\n", name, posix::tail_of(output(name)));
  }
  return text;
}

Records Runs::journal(const std::string& run) const {
  auto contents = runtime::read_journal_contents(path(run) + "/journal.log");
  return contents ? std::move(contents->records) : Records{};
}

std::string Runs::address(const std::string& name) const {
  const std::string marker = "surety worker --join ";
  EXPECT_TRUE(wait_for_output(name, marker));
  const std::string log = output(name);
  const std::size_t at = log.find(marker);
  if (at == std::string::npos) return "";
  return log.substr(at + marker.size(), log.find(' ', at + marker.size()) - at - marker.size());
}

// ---- waiting ------------------------------------------------------------------------------------

::testing::AssertionResult Runs::wait_for(const std::string& what, const Predicate& predicate,
                                          posix::Process* process) const {
  return posix::wait_until({.what = what + " in the journal of run",
                            .holds = [&] { return predicate(journal("run")); },
                            .is_impossible = [&] { return process != nullptr && process->poll(); },
                            .log = [&] { return outputs(); }});
}

::testing::AssertionResult Runs::wait_for_passes(std::size_t count, posix::Process* process) const {
  return wait_for(
      fmt::format("{} passes", count), [&](const Records& r) { return passes(r) >= count; },
      process);
}

::testing::AssertionResult Runs::wait_for_output(const std::string& name, const std::string& text,
                                                 std::size_t times, posix::Process* process) const {
  const auto count = [&] {
    const std::string all = output(name);
    std::size_t found = 0;
    for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  return posix::wait_until({.what = fmt::format("'{}' {} times in {}", text, times, name),
                            .holds = [&] { return count() >= times; },
                            .is_impossible = [&] { return process != nullptr && process->poll(); },
                            .log = [&] { return outputs(); }});
}

// ---- disturbing a run before its end ------------------------------------------------------------

void Runs::in_time(int passes_max, const std::function<bool(int passes_max)>& disturb) {
  for (; passes_max < kEndless; passes_max *= 4) {
    for (const auto& left : std::filesystem::directory_iterator(folder_.path())) {
      std::error_code ignored;
      std::filesystem::remove_all(left.path(), ignored);
    }
    if (disturb(passes_max) || ::testing::Test::HasFailure()) return;
  }
  ADD_FAILURE() << "the run was always over before\n" << outputs();
}

bool Runs::comes(posix::Process& process, const std::string& what,
                 const Predicate& predicate) const {
  const auto came = wait_for(what, predicate, &process);
  EXPECT_TRUE(came || process.poll()) << came.message();
  return static_cast<bool>(came);
}

bool Runs::kill(posix::Process& process) const {
  process.send_signal(SIGKILL);
  const auto status = process.wait(posix::kTestPatience);
  EXPECT_TRUE(status);
  return status && status->signal == SIGKILL && !has_ended(journal("run"));
}

// ---- what a journal tells -----------------------------------------------------------------------

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

void kill_and_wait(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
  for (const pid_t pid : pids) {
    EXPECT_TRUE(
        posix::wait_until("the end of a killed worker", [&] { return ::kill(pid, 0) != 0; }));
  }
}

std::size_t gone(const Records& records, const std::string& kind) {
  return static_cast<std::size_t>(std::ranges::count_if(records, [&](const auto& record) {
    return record.has_worker_gone() && record.worker_gone().kind() == kind;
  }));
}

std::size_t silent(const Records& records) {
  return static_cast<std::size_t>(std::ranges::count_if(records, [](const auto& record) {
    return record.has_worker_gone() && record.worker_gone().kind() == "lost" &&
           record.worker_gone().reason().starts_with("it has sent nothing for");
  }));
}

void write_journal(const std::filesystem::path& run, const Records& records) {
  std::string text(orchestrator::kJournalMagic);
  for (const proto::JournalRecord& record : records) {
    const std::vector<std::byte> bytes = orchestrator::encode_record(record);
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  ASSERT_TRUE(posix::write_file_atomically(run / "journal.log", text));
}

bool has_ended(const Records& records) {
  return std::ranges::any_of(records, [](const auto& r) { return r.has_run_ended(); });
}

}  // namespace surety::cli
