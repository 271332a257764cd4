#include "runtime/slurm/slurm.h"

#include <cstdlib>

#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/posix/net/route.h"
#include "base/posix/temporary_folder.h"
#include "data/text.h"
#include "orchestrator/slurm/slurm_allocation.h"
#include "orchestrator/slurm/slurm_cluster.h"
#include "orchestrator/slurm/slurm_hosts.h"

namespace surety::runtime {
namespace {

// We have seen no controller that needed more time for an answer.
constexpr auto kPatience = std::chrono::seconds(100);
constexpr std::uint64_t kAnswerBytesMax = 16 << 20;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::string> output_of(std::vector<std::string> command) {
  SURETY_TRY(const auto folder, posix::TemporaryFolder::create());
  const std::filesystem::path file = folder->path() / "output";
  const std::string name = command.front();
  SURETY_TRY(posix::Process process,
             posix::Process::start({.argv = std::move(command), .output = file}));
  const auto status = process.wait(kPatience);
  SURETY_TRY(const std::string output, posix::read_file(file, kAnswerBytesMax));
  if (status && status->ok()) return output;
  return fail(ErrorCode::kUnavailable, "{}: {}: {}", name,
              status ? status->text() : "it does not answer", data::trimmed(output));
}

Result<std::string> listen_address(const SlurmJob& slurm) {
  const std::string& node =
      orchestrator::node_to_reach(slurm.nodes, environment("SLURMD_NODENAME"));
  SURETY_TRY(const std::string text, output_of({"scontrol", "--oneliner", "show", "node", node}));
  SURETY_TRY(const std::string local,
             posix::local_address_towards(orchestrator::node_address(node, text)));
  return local + ":0";
}

}  // namespace

Result<SlurmJob> slurm_job() {
  SlurmJob slurm{environment("SLURM_JOB_ID"), {}};
  std::string list = environment("SLURM_JOB_NODELIST");
  if (list.empty()) list = environment("SLURM_NODELIST");
  if (slurm.id.empty() || list.empty()) {
    return fail(
        ErrorCode::kInvalidInput,
        "cluster.slurm: found no allocation (SLURM_JOB_ID and SLURM_JOB_NODELIST), expected "
        "to run inside one: sbatch --nodes=4 --wrap='surety run JOB.yaml', or salloc");
  }
  SURETY_TRY(slurm.nodes, orchestrator::expand_hosts(list));
  return slurm;
}

Result<void> fit_to_allocation(const SlurmJob& slurm, job::Job& job) {
  const auto nodes = static_cast<std::uint32_t>(slurm.nodes.size());
  SURETY_TRY(job.cluster, orchestrator::cluster_in(slurm.id, nodes, job));
  if (job.cluster.listen) return {};
  auto listen = listen_address(slurm);
  if (!listen) {
    return fail(ErrorCode::kUnavailable,
                "cluster.listen: found no address at which the nodes of the allocation can reach "
                "this machine ({}); set one in the job",
                listen.error().message);
  }
  job.cluster.listen = std::move(*listen);
  return {};
}

SlurmWatch::SlurmWatch(std::string job, Duration poll_interval, std::filesystem::path scratch)
    : job_(std::move(job)), poll_interval_(poll_interval), scratch_(std::move(scratch)) {}

std::optional<std::vector<std::string>> SlurmWatch::poll(Time now) {
  if (!queried_at_) queried_at_ = now;  // The nodes in the environment are still current.
  if (query_) {
    if (const auto status = query_->poll()) {
      query_.reset();
      return status->ok() ? answer() : std::nullopt;
    }
    if (now - *queried_at_ > kPatience) query_.reset();  // This kills the process.
    return std::nullopt;
  }
  if (now - *queried_at_ >= poll_interval_) {
    queried_at_ = now;
    query_nodes();
  }
  return std::nullopt;
}

void SlurmWatch::query_nodes() {
  std::error_code ignored;
  std::filesystem::remove(scratch_, ignored);
  auto query = posix::Process::start({.argv = orchestrator::node_list_command(job_),
                                      .output = scratch_,
                                      .dies_with_parent = true,
                                      .own_process_group = true});
  if (query) query_ = std::move(*query);
}

// An allocation without nodes is about to end. The workers in it report their end themselves.
std::optional<std::vector<std::string>> SlurmWatch::answer() const {
  const auto text = posix::read_file(scratch_, kAnswerBytesMax);
  if (!text) return std::nullopt;
  auto nodes = orchestrator::expand_hosts(
      data::trimmed(std::string_view(*text).substr(0, text->find('\n'))));
  if (!nodes || nodes->empty()) return std::nullopt;
  return std::move(*nodes);
}

}  // namespace surety::runtime
