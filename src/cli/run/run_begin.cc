#include "cli/run/run_begin.h"

#include <fmt/ranges.h>

#include "base/posix/clock.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/posix/signals.h"
#include "base/posix/spill_memory.h"
#include "base/posix/utc.h"
#include "base/text.h"
#include "cli/run/data_warnings.h"
#include "cli/run/library.h"
#include "cli/run/mode_checks.h"
#include "cli/run/run_choice.h"
#include "cli/run/run_leadership.h"
#include "cli/run/run_setup.h"
#include "job/job.h"
#include "job/job_aspects.h"
#include "job/job_labels.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/stages/plan_by_hand.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/check/plan_check.h"
#include "plan/files/plan_io.h"
#include "protocol/messages.h"
#include "runtime/control/control_server.h"
#include "runtime/files/keys.h"
#include "runtime/job/job_setup.h"
#include "runtime/version.h"

namespace surety::cli {
namespace {

using namespace job;
using namespace orchestrator;
using namespace protocol;

// A plan of a planner claims a probability and a cost. These claims are computed again. Otherwise
// numbers that somebody changed in the file would appear in the certificate. The reader has already
// refused plans of a planner without claims.
Result<void> check_claims(const std::string& file, const plan::Plan& plan,
                          const JobConfig& config) {
  const plan::Instance instance =
      plan_instance(config.job, config.sources, 1, config.job.promise.deadline_s);
  const std::vector<std::string> errors = plan::check::check_plan(
      instance, plan, {.deadline_is_point_in_time = config.job.deadline_unix_s.has_value()});
  if (errors.empty()) return {};
  if (!plan.claims) {
    return fail(ErrorCode::kInvalidInput, "{}: {}; change the plan or the job", file,
                fmt::join(errors, "; "));
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: the claims of the plan do not follow from its own laws: {}. The file "
              "or the job was changed after the plan was made; make it again with  surety plan",
              file, fmt::join(errors, "; "));
}

Result<plan::Plan> chosen_plan(const RunOptions& options, const JobConfig& config) {
  const Job& job = config.job;
  if (!options.plan_file) return plan_by_hand(job);
  const std::string& name = *options.plan_file;
  SURETY_TRY(const std::string text, posix::read_file(name, plan::kPlanBytesMax));
  SURETY_TRY(plan::PlanFile file, plan::plan_file_from_json(name, text));
  SURETY_TRY(plan::check_plan_made_for(name, file.made_for,
                                       aspects_of(job, config.sources, config.validation)));
  if (auto* plan = std::get_if<plan::Plan>(&file.decision)) {
    if (const auto known = check_plan_names(*plan, job); !known) {
      return fail(ErrorCode::kInvalidInput, "{}: plan.{}", name, known.error().message);
    }
    SURETY_TRY(check_claims(name, *plan, config));
    return std::move(*plan);
  }
  return fail(ErrorCode::kInfeasible, "{}: found a refusal, expected a plan: {}", name,
              std::get<plan::Infeasible>(file.decision).reason);
}

proto::JournalRecord began(const RunOptions& options, const PreparedRun& run) {
  proto::JournalRecord record;
  proto::RunBegan& fact = *record.mutable_run_began();
  const Job& job = run.config.job;
  fact.set_run(run.folder.filename().string());
  fact.set_job_text(job.text);
  fact.set_job_file(std::filesystem::absolute(*options.job_file).string());
  fact.set_started(posix::utc(run.started_unix_s));
  fact.set_started_unix_s(run.started_unix_s);
  fact.set_deadline_s(job.deadline_unix_s ? *job.deadline_unix_s - run.started_unix_s
                                          : job.promise.deadline_s);
  fact.set_mode(orchestrator::name_of(options.mode));
  if (run.config.chunks_for_workers) fact.set_chunks_for_workers(*run.config.chunks_for_workers);
  for (const data::SourceInfo& source : run.config.sources) *fact.add_sources() = to_proto(source);
  if (run.config.validation) *fact.mutable_validation() = to_proto(*run.config.validation);
  fact.set_negative_label(negative_label(run.config.sources));
  for (std::string& name : data::feature_names(run.config.sources)) {
    fact.add_feature_names(std::move(name));
  }
  for (const std::string& warning : run.warnings) fact.add_warnings(warning);
  (*fact.mutable_versions())["surety"] = runtime::kVersion;
  (*fact.mutable_versions())["machine"] =
      fmt::format("{} cores, {}", posix::usable_cores(), posix::host_name());
  return record;
}

void add_warnings(PreparedRun& run) {
  run.warnings = data_warnings(run.config);
  for (const std::string& warning : run.warnings) run.remarks.push_back("warning: " + warning);
}

// Protobuf writes a text that is not UTF-8, and refuses to read it.
Result<void> check_can_be_read_again(const proto::JournalRecord& record) {
  if (proto::JournalRecord().ParseFromString(record.SerializeAsString())) return {};
  const proto::RunBegan& fact = record.run_began();
  const std::string library =
      fact.library().empty() ? "" : fmt::format(", library {}", fact.library());
  return fail(
      ErrorCode::kInvalidInput,
      "found a byte that is not UTF-8 in the path of the job file, of the working folder or "
      "of the profile library, or in a name of the data, expected UTF-8 text: job file {}",
      plain_text(fact.job_file() + library, kMessageBytesMax));
}

// Checks the folder for the workers on this machine before anything starts.
Result<void> check_spill(const ClusterSpec& cluster) {
  if (!cluster.spill || cluster.slurm || cluster.local() == 0) return {};
  if (auto memory = posix::SpillMemory::create(*cluster.spill); !memory) {
    return fail_in(memory.error(), "cluster.spill");
  }
  return {};
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  // The journal contains the path as text.
  if (const std::string path = std::filesystem::absolute(folder, error).string();
      first_byte_not_utf8(path)) {
    return fail(ErrorCode::kInvalidInput,
                "--out {}: found a byte that is not UTF-8, expected a folder with a UTF-8 path",
                plain_text(path, kMessageBytesMax));
  }
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: cannot make this folder: {}; choose another one with --out", folder.string(),
              error.message());
}

// A run removes the checkpoints that it does not need, so the folder must not have others.
Result<void> check_no_checkpoints(const std::filesystem::path& run) {
  const std::filesystem::path checkpoints = run / run_folder::kCheckpoints;
  std::error_code error;
  if (!std::filesystem::exists(checkpoints, error) ||
      std::filesystem::is_empty(checkpoints, error)) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: found a folder with contents, expected none: a run writes its checkpoints there "
              "and removes those that it does not need; choose another folder with --out",
              checkpoints.string());
}

}  // namespace

Result<PreparedRun> begin_run(const RunOptions& options) {
  PreparedRun run;
  const std::string& job_file = *options.job_file;
  std::vector<std::string> sets = options.sets;
  if (options.best_effort) sets.emplace_back("promise.best_effort=on");
  run.started_unix_s = posix::unix_seconds();
  // The time that is left until a deadline counts from the same moment as the run.
  SURETY_TRY(Job job, runtime::read_job(job_file, sets, run.started_unix_s));
  SURETY_TRY(find_allocation(job, run));
  SURETY_TRY(check_mode(job_file, job, options.mode));
  if (options.measure_only && !has_pool(job)) {
    return fail(
        ErrorCode::kInvalidInput,
        "--measure-only cannot be used with a job that has profile.data_fractions below 1, because "
        "surety run does not train it as a pool of attempts; use surety profile and surety plan "
        "instead");
  }
  SURETY_TRY(auto own, runtime::read_signer(runtime::default_keys()));
  if (!own && !job.record.witnesses.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: record.witnesses is set, but there is no key: a witness signs only runs that "
                "their owner has signed; make a key with  surety keys init",
                job_file);
  }
  Result<JobConfig> config = runtime::set_up(job, {}, progress_of_reading(options));
  if (!config) return fail_in(config.error(), "{}", job_file);
  run.config = *std::move(config);
  run.config.mode = options.mode;
  add_warnings(run);
  SURETY_TRY(check_memory(job_file, run.config));
  if (options.mode == orchestrator::RunMode::kTrain) {
    SURETY_TRY(run.config.plan, chosen_plan(options, run.config));
  }
  if (job.cluster.listen) SURETY_TRY(runtime::check_listen(*job.cluster.listen));
  SURETY_TRY(check_spill(job.cluster));
  run.folder = options.out ? std::filesystem::path(*options.out) : fresh_folder(job.name);
  SURETY_TRY(check_no_checkpoints(run.folder));
  run.state = initial_state(job);
  proto::JournalRecord record = began(options, run);
  if (options.mode == orchestrator::RunMode::kRun && has_pool(job) && job.profile.library) {
    SURETY_TRY(learn_from_library(options, run, *record.mutable_run_began()));
  }
  SURETY_TRY(check_can_be_read_again(record));
  std::optional<runtime::JournalKey> key;
  if (own) {
    proto::RunBegan& began = *record.mutable_run_began();
    began.set_signer(own->verifier().text());
    run.remarks.push_back(fmt::format("the record of this run is signed by {}", own->name));
    key = journal_key(began, *std::move(own));
  }
  SURETY_TRY(apply(run.state, record, job.cluster, job.promise.metric));
  SURETY_TRY(acquire_leadership(run));
  posix::count_stop_signals();  // From here on the run exists, and a signal ends it in order.
  SURETY_TRY(make_folder(run.folder));
  SURETY_TRY(run.journal,
             runtime::JournalFile::create(run.folder / run_folder::kJournal, std::move(key)));
  SURETY_TRY(run.journal->append(record));
  return run;
}

}  // namespace surety::cli
