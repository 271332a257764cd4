// surety verify: checks that a run's certificate follows from its journal and its files.
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/line_difference.h"
#include "base/posix/file.h"
#include "base/text.h"
#include "base/words.h"
#include "certificate/certificate_json.h"
#include "certificate/report.h"
#include "cli/commands/check.h"
#include "cli/commands/check_data.h"
#include "cli/commands/commands.h"
#include "cli/commands/key_options.h"
#include "cli/commands/measure.h"
#include "cli/commands/proofs.h"
#include "cli/commands/signatures.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/measure_again.h"
#include "cli/run/read_run.h"
#include "cli/shell_words.h"
#include "cli/usage.h"
#include "job/job_aspects.h"
#include "learn/model_checksum.h"
#include "model/safetensors.h"
#include "orchestrator/history/run_folder.h"
#include "orchestrator/history/spending.h"
#include "orchestrator/history/verdict_record.h"
#include "orchestrator/stages/plan_instance.h"
#include "plan/check/plan_check.h"
#include "plan/files/made_for_json.h"
#include "plan/files/plan_io.h"
#include "plan/files/profile_io.h"
#include "runtime/coordinator/result_files.h"
#include "runtime/coordinator/run_outputs.h"
#include "runtime/files/model_files.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
using namespace certificate;
using namespace orchestrator;

// REQUIRES: the texts differ.
std::string difference_words(std::string_view found, std::string_view expected) {
  constexpr std::size_t kShownMax = 120;
  const auto at = first_difference(found, expected);
  if (!at) return "the end of the last line differs";
  return fmt::format("line {}: found \"{}\", expected \"{}\"", at->line,
                     plain_text(at->found, kShownMax), plain_text(at->expected, kShownMax));
}

// Checks a file that is made from the journal alone. `judge` gets the content of the file, and
// returns what it found.
Check check_made(const fs::path& folder, std::string_view name,
                 const std::function<void(const std::string& text, Check& check)>& judge) {
  Check check{fmt::format("{} matches the journal", name), false, ""};
  const auto text = posix::read_file(folder / name);
  if (!text) return check.found = text.error().message, check;
  judge(*text, check);
  return check;
}

void judge_content(const std::string& text, const std::string& content, Check& check) {
  check.passed = text == content;
  check.found = *check.passed ? "the same, byte for byte"
                              : "it differs from what follows from the journal: " +
                                    difference_words(text, content);
}

Check check_content(const fs::path& folder, std::string_view name, const std::string& content) {
  return check_made(folder, name, [&](const std::string& text, Check& check) {
    judge_content(text, content, check);
  });
}

// A file that differs may be no certificate at all.
Check check_certificate(const fs::path& folder, const RunRecord& record) {
  return check_made(folder, run_folder::kCertificate, [&](const std::string& text, Check& check) {
    judge_content(text, to_json(record), check);
    if (*check.passed) return;
    if (const auto read = record_from_json(text); !read) check.found = read.error().message;
  });
}

// The part of the job that its profile and its plan were made for.
plan::MadeFor aspects_of(const ReadRun& run) {
  std::vector<data::SourceInfo> sources = run.state.beginning.sources;
  std::optional<data::SourceInfo> validation;
  if (sources.size() > run.job.data.size()) {
    validation = sources.back();
    sources.pop_back();
  }
  return job::aspects_of(run.job, sources, validation);
}

Check check_plan_file(const fs::path& folder, const ReadRun& run) {
  const RunRecord& record = run.state.record;
  plan::PlanFile plan_file{aspects_of(run), {}};
  if (record.plan) {
    plan_file.decision = *record.plan;
  } else {
    plan_file.decision = *record.infeasible;
  }
  return check_content(folder, run_folder::kPlan, plan::to_json(plan_file));
}

// Plans are made from a profile, so a changed profile may lead to a false promise.
Check check_profile(const fs::path& folder, const ReadRun& run) {
  Check check{fmt::format("{} matches the journal", run_folder::kProfile), false, ""};
  std::map<std::string, std::string> files = plan::to_files(run.state.profile_runs.finished);
  files.emplace(plan::kMadeForFile, plan::to_json(aspects_of(run)));
  for (const auto& [name, content] : files) {
    const Check table = check_content(folder / run_folder::kProfile, name, content);
    if (table.passed == true) continue;
    check.found = fmt::format("{}: {}", name, table.found);
    return check;
  }
  check.passed = true;
  check.found = fmt::format("{} are the same, byte for byte", counted(files.size(), "file"));
  return check;
}

// Another version of the program may have written another report of the same run.
Check check_report(const fs::path& folder, const RunState& state) {
  return check_made(folder, run_folder::kReport, [&](const std::string& text, Check& check) {
    if (text == report_html(state.record, spending(state))) {
      check.passed = true;
      check.found = "the same, byte for byte";
      return;
    }
    check.passed.reset();
    check.found =
        "it differs from the report that this program makes: it was changed, or another version "
        "of Surety wrote it";
  });
}

// Checks the other files that people and programs read. Missing files are named.
void check_other_files(const fs::path& folder, const ReadRun& run, std::vector<Check>& checks) {
  const RunState& state = run.state;
  const auto exists = [&](std::string_view name) {
    std::error_code error;
    // A link that leads nowhere is no missing file.
    const bool is_there = fs::exists(fs::symlink_status(folder / name, error));
    if (!is_there) {
      checks.push_back(
          {fmt::format("{} matches the journal", name), std::nullopt, "missing, so not compared"});
    }
    return is_there;
  };
  const RunRecord& record = state.record;
  if (exists(run_folder::kJob)) {
    checks.push_back(check_content(folder, run_folder::kJob, state.beginning.job_text));
  }
  if (!record.measurements.empty() && exists(run_folder::kMetrics)) {
    checks.push_back(check_content(folder, run_folder::kMetrics, runtime::metrics_csv(record)));
  }
  if (!state.profile_runs.done.empty() && exists(run_folder::kProfile)) {
    checks.push_back(check_profile(folder, run));
  }
  if ((record.plan || record.infeasible) && exists(run_folder::kPlan)) {
    checks.push_back(check_plan_file(folder, run));
  }
  if (exists(run_folder::kReport)) checks.push_back(check_report(folder, state));
}

Check check_order(const std::vector<proto::JournalRecord>& records) {
  Check check{"the times in the journal never decrease", true,
              fmt::format("{} records", records.size())};
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].run_s() >= records[i - 1].run_s()) continue;
    check.passed = false;
    check.found = fmt::format("record {} is older than the one before it", i + 1);
  }
  return check;
}

struct CertifiedFiles {
  Result<learn::Model> model;
  Result<void> others;  // The first of the other files that is missing, or not as it was saved.
};

// Reads each file of the certified checkpoint once, and compares its bytes with those that were
// saved.
CertifiedFiles read_certified(const Result<proto::CheckpointCommitted>& checkpoint) {
  if (!checkpoint) return {tl::unexpected(checkpoint.error()), {}};
  const std::string model_file = (fs::path(checkpoint->folder()) / run_folder::kModel).string();
  CertifiedFiles read{certified_model(*checkpoint), {}};
  for (const proto::SavedFile& file : checkpoint->files()) {
    if (file.path() == model_file || !read.others) continue;
    const Result<std::string> bytes = runtime::read_saved_file(file);
    if (!bytes) read.others = tl::unexpected(bytes.error());
  }
  return read;
}

// Checkpoints may be deleted after a run has ended (docs/operations.md).
Check check_checkpoint(const Result<proto::CheckpointCommitted>& checkpoint,
                       const CertifiedFiles& files, const RunState& state) {
  Check check{"the certified checkpoint is unchanged", false, ""};
  std::error_code error;
  if (checkpoint && !fs::exists(checkpoint->folder(), error) && !error) {
    check.passed = std::nullopt;
    check.found = fmt::format("{} is missing, so it was not compared", checkpoint->folder());
    return check;
  }
  if (!files.model) return check.found = files.model.error().message, check;
  if (!files.others) return check.found = files.others.error().message, check;
  const std::string found = fmt::format("{:016x}", learn::model_checksum(*files.model));
  check.passed = found == state.record.certified->model_checksum;
  check.found =
      fmt::format("checksum {}, certified {}", found, state.record.certified->model_checksum);
  return check;
}

// The final model's files must be equal to the certified checkpoint. A file that was moved away is
// not compared.
Check check_result_files(const fs::path& folder, const Result<learn::Model>& model,
                         bool is_certified, const ReadRun& run) {
  Check check{"the model files match the certified checkpoint", std::nullopt, ""};
  if (!is_certified) {
    check.found = "there is no unchanged checkpoint to compare them with";
    const auto here = posix::read_file(folder / run_folder::kModel);
    if (!here) return check;
    const auto read = model::read_safetensors((folder / run_folder::kModel).string(),
                                              std::as_bytes(std::span(*here)));
    if (!read) check.passed = false, check.found = read.error().message;
    return check;
  }
  if (!std::isfinite(run.state.record.certified->metric)) {
    return check.found = "no model is written if its metric is not a number", check;
  }
  const auto files = runtime::result_files(*model, run.job, run.state);
  if (!files) return check.found = files.error().message, check;
  std::vector<std::string> same;
  std::vector<std::string> differ;
  std::vector<std::string> absent;
  for (const runtime::ResultFile& file : *files) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(folder / file.name, error);
    const auto here = posix::read_file(folder / file.name, file.bytes.size());
    const bool is_absent = status.type() == fs::file_type::not_found;
    (is_absent ? absent : here && *here == file.bytes ? same : differ).emplace_back(file.name);
  }
  std::vector<std::string> found;
  const auto print_names = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) found.push_back(fmt::format("{}: {}", fmt::join(names, " and "), what));
  };
  print_names(differ, "not the model that was certified");
  print_names(same, "the same, byte for byte");
  print_names(absent, "missing, so not compared");
  check.found = fmt::format("{}", fmt::join(found, "; "));
  if (!differ.empty()) check.passed = false;
  if (differ.empty() && absent.empty()) check.passed = true;
  return check;
}

// Checks the certified checkpoint, the final model's files, and the certified metric. The files of
// a changed checkpoint may be of any size, so the metric is not measured from them.
void check_model(const fs::path& folder, const ReadRun& run, std::vector<Check>& checks) {
  const Result<proto::CheckpointCommitted> checkpoint = certified_checkpoint(folder, run);
  const CertifiedFiles files = read_certified(checkpoint);
  const Check unchanged = check_checkpoint(checkpoint, files, run.state);
  checks.push_back(unchanged);
  checks.push_back(check_result_files(folder, files.model, unchanged.passed.value_or(false), run));
  checks.push_back(unchanged.passed.value_or(true)
                       ? check_metric(folder, run)
                       : metric_not_measured("the certified checkpoint could not be confirmed"));
}

// A plan cannot use more workers than have joined.
std::uint32_t workers_joined(const std::vector<proto::JournalRecord>& records) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      records, [](const proto::JournalRecord& record) { return record.has_worker_joined(); }));
}

// The claims of the plan, or of the closest plan of a refusal, computed again by means that share
// no code with the planner. A plan that was set by hand makes no claims, so its blocks are compared
// with the job only.
Check check_plan_claims(const ReadRun& run, const plan::Plan& plan, bool was_issued) {
  Check check{!plan.claims ? "the job can carry out the plan"
              : was_issued ? "the plan's claims follow from its laws"
                           : "the claims of the closest plan follow from its laws",
              std::nullopt, ""};
  const RunRecord& record = run.state.record;
  plan::Instance instance = plan_instance(run.job, run.state.beginning.sources,
                                          workers_joined(run.records), record.deadline_s);
  if (instance.promise.budget) *instance.promise.budget -= run.state.cost_before_plan;
  const plan::check::CheckOptions options{.deadline_is_point_in_time =
                                              run.job.deadline_unix_s.has_value()};
  const std::vector<std::string> errors = was_issued
                                              ? plan::check::check_plan(instance, plan, options)
                                              : plan::check::check_closest(instance, plan, options);
  check.passed = errors.empty();
  if (!errors.empty()) {
    check.found = fmt::format("{}", fmt::join(errors, "; "));
  } else if (plan.claims) {
    check.found = fmt::format(
        "probability {:.3f} and cost {:.4g} were confirmed, within the accuracy of the check",
        plan.claims->probability, plan.claims->cost_mean);
  } else {
    check.found = "it was set by hand and makes no claims";
  }
  return check;
}

Check check_verdict(const RunState& state) {
  const proto::RunEnded& end = *state.end;
  const proto::RunEnded computed = verdict_record(state.record, end.reason());
  std::string found = fmt::format("computed {}, recorded {}", computed.verdict(), end.verdict());
  const bool passed = follows(end, state.record);
  if (!passed && end.verdict() == computed.verdict()) {
    found += "; the recorded numbers are not those of the journal";
  }
  return {"the verdict follows from the numbers", passed, std::move(found)};
}

// "7 of 9 checks passed, 2 could not be made".
std::string summary_of(const std::vector<Check>& checks) {
  const auto count = [&](std::optional<bool> passed) {
    return std::ranges::count(checks, passed, &Check::passed);
  };
  std::string text = fmt::format("{} of {} passed", count(true), counted(checks.size(), "check"));
  if (count(false) > 0) text += fmt::format(", {} failed", count(false));
  if (count(std::nullopt) > 0) text += fmt::format(", {} could not be made", count(std::nullopt));
  return text;
}

struct VerifyOptions {
  std::optional<std::string> folder;
  std::optional<std::string> key;      // The public key that must have signed.
  std::vector<std::string> witnesses;  // Public keys of witnesses that must have signed, too.
  std::optional<std::string> proof;    // A file that proves one fact, instead of a folder.
  bool json = false;
};

Result<int> verify(const VerifyOptions& options) {
  if (options.proof.has_value() == options.folder.has_value()) {
    return fail(ErrorCode::kInvalidInput,
                "surety verify: expected the folder of a run, or --proof FILE");
  }
  std::optional<record::Verifier> key;
  if (options.key) {
    SURETY_TRY(key, read_key("--key", record::KeyKind::kLog, *options.key));
  }
  SURETY_TRY(const std::vector<record::Verifier> witnesses,
             read_keys("--witness", record::KeyKind::kWitness, options.witnesses));
  if (options.proof) return verify_proof(*options.proof, key, witnesses, options.json);
  const std::string& folder = *options.folder;
  const bool json = options.json;
  SURETY_TRY(const ReadRun run, read_run(folder));
  if (!run.state.end) {
    const std::string torn = torn_words(run);
    return fail(ErrorCode::kInvalidInput, "{}: this run has not ended{}{}; see  surety status {}",
                folder, torn.empty() ? "" : ", or the end of its journal is lost: ", torn,
                shell_word(folder));
  }
  std::vector<Check> checks{check_order(run.records), check_verdict(run.state),
                            check_certificate(folder, run.state.record)};
  check_other_files(folder, run, checks);
  if (const std::string torn = torn_words(run); !torn.empty()) {
    checks.push_back({"nothing follows the journal's last record", false, torn});
  }
  if (run.state.record.certified) check_model(folder, run, checks);
  if (const auto& plan = run.state.record.plan) {
    checks.push_back(check_plan_claims(run, *plan, true));
  }
  if (const auto& refusal = run.state.record.infeasible; refusal && refusal->closest()) {
    checks.push_back(check_plan_claims(run, *refusal->closest(), false));
  }
  check_data(run, checks);
  check_signatures(folder, run, {key, witnesses}, checks);
  bool passed = true;
  nlohmann::json out = nlohmann::json::array();
  for (const Check& check : checks) {
    passed = passed && check.passed.value_or(true);
    nlohmann::json line{{"check", check.what}, {"passed", nullptr}, {"found", check.found}};
    if (check.passed) line["passed"] = *check.passed;
    out.push_back(std::move(line));
    if (json) continue;
    const char* const word = !check.passed ? "--  " : *check.passed ? "ok  " : "FAIL";
    fmt::print("{}  {}: {}\n", word, check.what, plain_lines(check.found));
  }
  if (json) {
    const nlohmann::json all{
        {"passed", passed}, {"checks", out}, {"warnings", run.state.record.warnings}};
    std::fputs(json_text(all).c_str(), stdout);
  } else {
    fmt::print("{}\n", summary_of(checks));
    for (const std::string& warning : run.state.record.warnings) {
      fmt::print("warning: {}\n", plain_text(warning, kMessageBytesMax));
    }
  }
  return passed ? kKept : kFailed;
}

}  // namespace

void add_verify(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App& command =
      *app.add_subcommand("verify", "Check the journal and the certificate of a finished run");
  command.add_option_function<std::string>("run", store_in(options->folder), "The run's folder")
      ->type_name("RUN");
  command
      .add_option_function<std::string>(
          "--key", store_in(options->key),
          "The public key that must have signed, or a file with it (surety keys show)")
      ->type_name("KEY|FILE");
  command
      .add_option("--witness", options->witnesses,
                  "The public key of a witness that must have signed, too, or a file with it")
      ->type_name("KEY|FILE");
  command
      .add_option_function<std::string>(
          "--proof", store_in(options->proof),
          "Check one fact that surety prove has written; needs no folder and no data")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "Print the checks as JSON");
  command.footer(
      "If the data are available, they are compared with those that the run began with, and the\n"
      "certified metric is measured again by a fresh process. Without --key, any user who can\n"
      "write to the folder may have changed everything in it.\n"
      "Exit code 0: no check failed; 4: one did.\n"
      "Examples:\n"
      "  surety verify runs/mnist-1\n"
      "  surety verify runs/mnist-1 --key acme.vkey\n"
      "  surety verify runs/mnist-1 --key acme.vkey --witness clinic-b.vkey\n"
      "  surety verify --proof pass-7.tlog-proof --key acme.vkey");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = verify(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
