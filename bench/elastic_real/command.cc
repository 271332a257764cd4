#include "command.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "runtime/files/journal_file.h"

namespace surety::bench {
namespace {

constexpr auto kPatience = std::chrono::minutes(10);  // Ends a run that hangs.
constexpr auto kPollInterval = std::chrono::milliseconds(20);
constexpr const char* kToken = "bench";

double children_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::string text_of(const std::filesystem::path& file) {
  const auto text = posix::read_file(file);
  return text ? *text : std::string();
}

Result<Taken> run_command(const std::vector<std::string>& argv, const std::filesystem::path& output,
                          const std::vector<int>& codes) {
  const double cpu_s = children_cpu_s();
  const Time began = posix::now();
  posix::ProcessOptions options;
  options.argv = argv;
  options.output = output;
  SURETY_TRY(posix::Process process, posix::Process::start(options));
  const auto status = process.wait(kPatience);
  const Taken taken{.wall_s = to_seconds(posix::now() - began), .cpu_s = children_cpu_s() - cpu_s};
  if (!status) return fail(ErrorCode::kUnavailable, "{}: does not end", argv.front());
  if (!status->signal && std::ranges::find(codes, status->code) != codes.end()) return taken;
  return fail(ErrorCode::kUnavailable, "{}: {}: {}", argv.front(), status->text(), text_of(output));
}

Result<TrainingRun> TrainingRun::start(const std::filesystem::path& folder,
                                       const std::string& job) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path file = folder / "bench-job.yaml";
  std::ofstream(file) << job;
  posix::ProcessOptions options;
  options.argv = {program("surety"),         "train",   file.string(), "--out",
                  (folder / "run").string(), "--token", kToken};
  options.output = folder / "log";
  SURETY_TRY(posix::Process process, posix::Process::start(options));
  return TrainingRun(folder, std::move(process));
}

Records TrainingRun::journal() const {
  auto contents = runtime::read_journal_contents(folder_ / "run" / "journal.log");
  return contents ? std::move(contents->records) : Records{};
}

std::vector<pid_t> TrainingRun::workers() const {
  std::vector<pid_t> pids;
  for (const auto& record : journal()) {
    if (record.has_worker_joined()) {
      pids.push_back(static_cast<pid_t>(record.worker_joined().pid()));
    }
  }
  return pids;
}

bool TrainingRun::wait_for(const std::function<bool(const Records&)>& predicate) {
  const Time deadline = posix::now() + kPatience;
  while (posix::now() < deadline) {
    if (predicate(journal())) return true;
    if (process_.poll()) return predicate(journal());
    std::this_thread::sleep_for(kPollInterval);
  }
  return false;
}

Result<posix::Process> TrainingRun::join(const std::vector<std::string>& command) const {
  static constexpr std::string_view kMarker = "surety worker --join ";
  const std::string log = text_of(folder_ / "log");
  const std::size_t at = log.find(kMarker);
  if (at == std::string::npos) return fail(ErrorCode::kUnavailable, "no address in its log");
  const std::size_t begin = at + kMarker.size();
  posix::ProcessOptions options;
  options.argv = command;
  for (const std::string& word :
       {std::string("--join"), log.substr(begin, log.find('\n', begin) - begin),
        std::string("--threads"), std::string("1")}) {
    options.argv.push_back(word);
  }
  options.environment["SURETY_TOKEN"] = kToken;
  options.output = folder_ / "joiner";
  return posix::Process::start(options);
}

int TrainingRun::finish() {
  const auto status = process_.wait(kPatience);
  return status ? status->code : -1;
}

std::vector<proto::PassDone> passes_of(const Records& records) {
  std::vector<proto::PassDone> passes;
  for (const auto& record : records) {
    if (record.has_pass_done()) passes.push_back(record.pass_done());
  }
  return passes;
}

std::string program(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

}  // namespace surety::bench
