#include "ddp.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/posix/clock.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "command.h"
#include "slow_process.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "/usr/bin/python3";  // Debian's Python, which finds Debian's torch.
constexpr const char* kScript = "bench/elastic_real/ddp_lenet.py";
constexpr auto kPatience = std::chrono::minutes(10);  // Ends a run that hangs.
constexpr auto kPollInterval = std::chrono::milliseconds(20);

// A port that no other benchmark on this machine uses at the same time.
int master_port() { return 20000 + static_cast<int>(::getpid()) % 10000; }

Result<posix::Process> start_rank(const DdpJob& job, std::uint32_t rank, const fs::path& output) {
  posix::ProcessOptions options;
  options.argv = {kPython,           kScript,
                  "--data",          job.data.string(),
                  "--target",        fmt::format("{}", job.target),
                  "--learning-rate", fmt::format("{}", job.learning_rate)};
  options.environment = {{"RANK", std::to_string(rank)},
                         {"WORLD_SIZE", std::to_string(job.workers)},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", std::to_string(master_port())},
                         {"OMP_NUM_THREADS", "1"}};
  options.output = output;
  options.dies_with_parent = true;
  return posix::Process::start(options);
}

}  // namespace

bool has_ddp() {
  const posix::TemporaryFolder folder;
  return fs::exists(kScript) &&
         run_command({kPython, "-c", "import torch.distributed"}, folder.path() / "log")
             .has_value();
}

Result<double> ddp_seconds(const DdpJob& job) {
  const posix::TemporaryFolder folder;
  const fs::path first = folder.path() / "rank-0";
  std::vector<posix::Process> ranks;
  for (std::uint32_t rank = 0; rank < job.workers; ++rank) {
    SURETY_TRY(posix::Process process,
               start_rank(job, rank, folder.path() / fmt::format("rank-{}", rank)));
    ranks.push_back(std::move(process));
  }
  std::optional<SlowProcess> slow;
  const Time deadline = posix::now() + kPatience;
  while (!ranks.front().poll() && posix::now() < deadline) {
    if (!slow && job.slow_share && text_of(first).find("training") != std::string::npos) {
      slow.emplace(ranks.at(1).pid(), *job.slow_share);
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  static constexpr std::string_view kReached = "reached ";
  const std::string text = text_of(first);
  const std::size_t at = text.find(kReached);
  if (at == std::string::npos) {
    return fail(ErrorCode::kUnavailable, "ddp: it does not reach the target: {}", text);
  }
  return std::stod(text.substr(at + kReached.size()));
}

}  // namespace surety::bench
