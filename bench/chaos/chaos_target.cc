#include "chaos_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/posix/clock.h"
#include "base/posix/process_list.h"
#include "bench/elastic_real/command.h"
#include "orchestrator/history/departure_kind.h"
#include "runtime/files/coordinator_file.h"
#include "runtime/files/journal_file.h"

namespace surety::bench {
namespace {

// Environment variables: kMark of all processes that we start, kRun of those that the coordinator
// starts.
constexpr const char* kMark = "SURETY_CHAOS";
constexpr const char* kRun = "SURETY_RUN";
constexpr const char* kToken = "chaos";
// Exit codes of `surety train` (README.md).
constexpr int kKept = 0;
constexpr int kMissed = 3;
// If a run was resumed this often without a new pass, it will never make one.
constexpr std::uint32_t kResumesWithoutPassMax = 10;
// Seconds; a supervisor does not start a process again sooner than this.
constexpr double kStartAgainMinS = 0.2;
// How long a worker waits for the next coordinator. An overloaded machine may take minutes to start
// a coordinator. If a worker stopped waiting earlier, it would only follow its settings.
constexpr const char* kWait = "10min";

// Workers are told to end once the result is certified; the coordinator then measures it again.
bool is_over(const Records& journal) {
  return std::ranges::any_of(
      journal, [](const auto& record) { return record.has_certified() || record.has_run_ended(); });
}

// The last line of each log in these folders.
std::string last_lines(const std::vector<std::filesystem::path>& folders) {
  std::string lines;
  for (const std::filesystem::path& folder : folders) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      if (entry.path().extension() != ".log") continue;
      std::string text = text_of(entry.path());
      while (text.ends_with('\n')) text.pop_back();
      lines += fmt::format("\n    {}: {}", entry.path().filename().string(),
                           text.substr(text.rfind('\n') + 1));
    }
  }
  return lines;
}

}  // namespace

ChaosTarget::ChaosTarget(ChaosTargetOptions options)
    : options_(std::move(options)),
      exits_({.exists = [](pid_t pid) { return ::kill(pid, 0) == 0; },
              .is_over = [this] { return is_over(journal()); },
              .last_lines =
                  [this] {
                    return last_lines({options_.folder, run() / "logs"});
                  }}) {
  joiners_.resize(options_.workers - local());
}

// Stopped processes are also killed.
ChaosTarget::~ChaosTarget() {
  coordinator_.reset();
  joiners_.clear();
  for (const pid_t left : workers()) {
    auto process = posix::Process::adopt(left);  // Its destructor kills the process.
  }
}

std::uint32_t ChaosTarget::local() const { return options_.network ? 0 : options_.workers / 2; }

std::filesystem::path ChaosTarget::run() const { return options_.folder / "disk" / "run"; }

Records ChaosTarget::journal() const {
  auto contents = runtime::read_journal_contents(run() / "journal.log");
  return contents ? std::move(contents->records) : Records{};
}

Result<posix::Process> ChaosTarget::start_on(std::uint32_t host, std::vector<std::string> argv,
                                             const std::string& output) const {
  posix::ProcessOptions process;
  if (options_.network) process.argv = Network::on(host);
  process.argv.insert(process.argv.end(), argv.begin(), argv.end());
  if (host > 0) process.environment[kMark] = options_.folder.string();
  process.environment["SURETY_TOKEN"] = kToken;
  process.output = options_.folder / output;
  process.dies_with_parent = true;
  process.own_process_group = true;
  return posix::Process::start(process);
}

Result<void> ChaosTarget::start() {
  const std::string listen =
      options_.network ? Network::ip_of(0) + ":7000" : std::string("127.0.0.1:0");
  std::ofstream(options_.folder / "job.yaml")
      << options_.job
      << fmt::format("cluster: {{local: {}, workers_min: 1, listen: \"{}\", wait: {}}}\n", local(),
                     listen, kWait);
  SURETY_TRY(start_coordinator());
  for (std::uint32_t i = 0; i < joiners_.size(); ++i) joiners_[i].start_at = posix::now();
  return {};
}

Result<void> ChaosTarget::start_coordinator() {
  std::vector<std::string> argv{program("surety"), "train"};
  if (journal().empty()) {
    // The coordinator died before its journal began: the run has not begun yet.
    std::error_code ignored;
    std::filesystem::remove_all(run(), ignored);
    argv.push_back((options_.folder / "job.yaml").string());
  } else {
    argv.push_back("--resume");
    ++resumes_;
    // On a full disk the coordinator ends at once, which shows nothing about resuming.
    if (!lasting_.lasts(FaultKind::kFillDisk)) {
      faults_.push_back({FaultKind::kResume, posix::unix_seconds()});
    }
  }
  argv.insert(argv.end(), {"--out", run().string(), "--token", kToken});
  SURETY_TRY(coordinator_, start_on(0, argv, "coordinator.log"));
  coordinator_at_.reset();
  return {};
}

// The coordinator's address is known once it listens.
Result<void> ChaosTarget::start_joiner(std::uint32_t number) {
  const auto file = runtime::read_coordinator_file(run());
  if (!file || !*file) return {};
  Joiner& joiner = joiners_[number];
  const std::string ip = options_.network ? Network::ip_of(number + 1) : "127.0.0.1";
  SURETY_TRY(joiner.process,
             start_on(number + 1,
                      {program("surety"), "worker", "--join", (*file)->address, "--listen",
                       ip + ":0", "--threads", "1", "--wait", kWait, "--patience", kWait},
                      fmt::format("joiner-{}.log", number)));
  return {};
}

std::set<pid_t> ChaosTarget::workers() const {
  std::set<pid_t> pids;
  for (const auto& joiner : posix::find_processes(kMark, options_.folder.string())) {
    pids.insert(joiner.pid);
  }
  for (const auto& local : posix::find_processes(kRun, run().string())) pids.insert(local.pid);
  return pids;
}

// ---- injecting faults ---------------------------------------------------------------------------

void ChaosTarget::inject(const Fault& fault) {
  const Time undo_at = posix::now() + from_seconds(fault.duration_s);
  const bool leads = coordinator_ && !coordinator_->poll();
  switch (fault.kind) {
    case FaultKind::kKillWorker:
    case FaultKind::kStopWorker:
    case FaultKind::kTerminateWorker: {
      const std::set<pid_t> pids = workers();
      if (pids.empty()) return;
      disturb_worker(
          fault.kind,
          *std::next(pids.begin(), static_cast<std::ptrdiff_t>(fault.target % pids.size())),
          fault.duration_s);
      break;
    }
    case FaultKind::kCutWorker:
    case FaultKind::kCutCoordinator: {
      const bool is_worker = fault.kind == FaultKind::kCutWorker;
      const auto host =
          is_worker ? 1 + static_cast<std::uint32_t>(fault.target % joiners_.size()) : 0;
      if (!options_.network->cut(host)) return;
      lasting_.add({.until = undo_at, .kind = fault.kind, .host = host});
      break;
    }
    case FaultKind::kKillCoordinator:
      if (!leads) return;
      coordinator_->send_signal(SIGKILL);
      coordinator_at_ = undo_at;
      break;
    case FaultKind::kStopCoordinator:
      if (!leads) return;
      coordinator_->send_signal(SIGSTOP);
      lasting_.add({.until = undo_at, .kind = fault.kind});
      break;
    case FaultKind::kFillDisk:
      options_.disk->fill();
      lasting_.add({.until = undo_at, .kind = fault.kind});
      break;
    case FaultKind::kResume:
      return;
  }
  faults_.push_back({fault.kind, posix::unix_seconds()});
}

void ChaosTarget::disturb_worker(FaultKind kind, pid_t pid, double duration_s) {
  if (kind == FaultKind::kStopWorker) {
    ::kill(pid, SIGSTOP);
    lasting_.add({.until = posix::now() + from_seconds(duration_s), .kind = kind, .pid = pid});
    return;
  }
  exits_.expect(pid);
  ::kill(pid, kind == FaultKind::kKillWorker ? SIGKILL : SIGTERM);
}

void ChaosTarget::undo(const LastingFault& fault) {
  switch (fault.kind) {
    case FaultKind::kStopWorker:
      if (workers().contains(fault.pid)) ::kill(fault.pid, SIGCONT);
      break;
    case FaultKind::kStopCoordinator:
      if (coordinator_) coordinator_->send_signal(SIGCONT);
      break;
    case FaultKind::kCutWorker:
    case FaultKind::kCutCoordinator:
      static_cast<void>(options_.network->restore(fault.host));
      break;
    case FaultKind::kFillDisk:
      options_.disk->free();
      break;
    default:  // A process that is started again needs no other recovery.
      break;
  }
}

void ChaosTarget::heal() {
  for (const LastingFault& fault : lasting_.take_all()) undo(fault);
}

// ---- recovery -----------------------------------------------------------------------------------

Result<void> ChaosTarget::supervise() {
  const Time now = posix::now();
  for (const LastingFault& fault : lasting_.take_over_by(now)) undo(fault);
  if (coordinator_) {
    if (const auto status = coordinator_->poll()) on_coordinator_exit(*status);
  }
  if (ended_) return {};
  exits_.update(workers(), posix::now());
  if (resumes_without_pass_ > kResumesWithoutPassMax) {
    return fail(ErrorCode::kInvalidInput, "resumed {} times without a pass: {}",
                resumes_without_pass_, text_of(options_.folder / "coordinator.log"));
  }
  if (!coordinator_ && coordinator_at_ && now >= *coordinator_at_) SURETY_TRY(start_coordinator());
  for (std::uint32_t i = 0; i < joiners_.size(); ++i) {
    Joiner& joiner = joiners_[i];
    if (joiner.process && joiner.process->poll()) {
      joiner.process.reset();
      joiner.start_at = now + from_seconds(kStartAgainMinS);
    }
    if (!joiner.process && now >= joiner.start_at) SURETY_TRY(start_joiner(i));
  }
  return {};
}

void ChaosTarget::on_coordinator_exit(const posix::ExitStatus& status) {
  coordinator_.reset();
  const Records left = journal();
  records_lost_ += bench::records_lost(durable_, left);
  durable_ = left;
  const bool is_complete = !status.signal && (status.code == kKept || status.code == kMissed);
  if (!status.signal) exits_.on_bye(posix::now());
  if (is_complete) {
    ended_ = status.code;
    return;
  }
  const std::size_t passes = passes_of(left).size();
  // Two kinds of coordinators are not counted: those that end because of a full disk, and those
  // that we have killed, because on a busy machine the next fault may happen before a pass.
  const bool is_its_own = status.signal != SIGKILL && !lasting_.lasts(FaultKind::kFillDisk);
  if (passes > passes_) resumes_without_pass_ = 0;
  if (passes == passes_ && is_its_own) ++resumes_without_pass_;
  passes_ = passes;
  const Time soon = posix::now() + from_seconds(kStartAgainMinS);
  coordinator_at_ = std::max(coordinator_at_.value_or(soon), soon);
}

std::vector<UnexpectedExit> ChaosTarget::unexpected_exits() const {
  std::map<std::uint32_t, pid_t> process_of;  // Key: number of the worker.
  std::set<pid_t> joined;
  for (const auto& record : journal()) {
    if (record.has_worker_joined()) {
      const pid_t pid = static_cast<pid_t>(record.worker_joined().pid());
      process_of[record.worker_joined().worker()] = pid;
      joined.insert(pid);
    }
    // The worker was told to end, because another process had taken its place.
    if (record.has_worker_gone() &&
        record.worker_gone().kind() == name_of(orchestrator::DepartureKind::kLeft)) {
      joined.erase(process_of[record.worker_gone().worker()]);
    }
  }
  return exits_.unexpected(joined);
}

}  // namespace surety::bench
