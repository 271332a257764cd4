// surety prove: writes a proof that a run's signed journal has a certain record.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/read_run.h"
#include "cli/shell_words.h"
#include "cli/usage.h"
#include "orchestrator/history/run_folder.h"
#include "record/checkpoint.h"
#include "runtime/files/journal_file.h"
#include "runtime/witness/cosign.h"

namespace surety::cli {
namespace {

namespace run_folder = orchestrator::run_folder;

struct ProveOptions {
  std::string folder;
  std::optional<std::uint64_t> record;   // The first record is 1.
  std::optional<std::uint64_t> pass;     // The first pass is 1.
  std::optional<std::uint64_t> attempt;  // The attempt of the pass; absent: the last one.
  bool verdict = false;
  std::optional<std::string> out;
};

// The index of the record that the user asks for.
Result<std::uint64_t> index_of(const ProveOptions& options, const ReadRun& run) {
  const int asked = (options.record ? 1 : 0) + (options.pass ? 1 : 0) + (options.verdict ? 1 : 0);
  if (asked != 1) {
    return fail(ErrorCode::kInvalidInput,
                "surety prove: expected exactly one of --record, --pass and --verdict");
  }
  if (options.record) {
    if (*options.record >= 1 && *options.record <= run.records.size()) return *options.record - 1;
    return fail(ErrorCode::kInvalidInput, "--record {}: expected a number from 1 to {}",
                *options.record, run.records.size());
  }
  const auto is_it = [&](const proto::JournalRecord& record) {
    if (!options.pass) return record.has_run_ended();
    return record.has_pass_done() && record.pass_done().pass() == *options.pass &&
           (!options.attempt || record.pass_done().attempt() == *options.attempt);
  };
  // The last record counts, because a crash may have undone a pass.
  const auto found = std::find_if(run.records.rbegin(), run.records.rend(), is_it);
  if (found != run.records.rend()) {
    return static_cast<std::uint64_t>(run.records.rend() - found) - 1;
  }
  if (options.pass) {
    return fail(ErrorCode::kInvalidInput, "--pass {}: the journal has no such pass", *options.pass);
  }
  return fail(ErrorCode::kInvalidInput, "{}: this run has not ended", options.folder);
}

// The checkpoint for a proof of the record: the largest one that a witness has signed, which proves
// more, or else the owner's newest one. Those of another journal are ignored.
Result<std::optional<record::Note>> checkpoint_for(std::uint64_t index,
                                                   const std::filesystem::path& folder,
                                                   const record::Digests& leaves) {
  SURETY_TRY(std::optional<record::Note> best,
             runtime::read_signed_head(folder / run_folder::kJournal));
  if (!best) return std::nullopt;
  SURETY_TRY(const std::vector<record::Note> cosigned, runtime::read_cosigned(folder));
  std::uint64_t best_size = 0;
  for (const record::Note& note : cosigned) {
    const auto checkpoint = record::parse_checkpoint(note.text);
    if (!checkpoint) continue;
    const std::uint64_t size = checkpoint->head.size;
    if (size <= index || size < best_size || size > leaves.size() ||
        record::root_of(std::span(leaves).first(size)) != checkpoint->head.root) {
      continue;
    }
    if (size > best_size) {
      best = note;
      best_size = size;
    } else {  // Another witness has seen the same checkpoint. The first signature is the owner's.
      best->signatures.insert(best->signatures.end(), note.signatures.begin() + 1,
                              note.signatures.end());
    }
  }
  return best;
}

Result<std::string> proof_of(const ProveOptions& options) {
  SURETY_TRY(const ReadRun run, read_run(options.folder));
  SURETY_TRY(const std::uint64_t index, index_of(options, run));
  const std::filesystem::path journal =
      std::filesystem::path(options.folder) / run_folder::kJournal;
  SURETY_TRY(runtime::RecordedFact fact, runtime::read_fact(journal, index));
  SURETY_TRY(const auto head, checkpoint_for(index, options.folder, fact.leaves));
  if (!head) {
    return fail(ErrorCode::kInvalidInput,
                "{}: the run is not signed: make a key with  surety keys init  before it begins",
                options.folder);
  }
  SURETY_TRY(const record::Checkpoint checkpoint, record::parse_checkpoint(head->text));
  const std::uint64_t size = checkpoint.head.size;
  if (index >= size || size > fact.leaves.size()) {
    return fail(ErrorCode::kInvalidInput,
                "{}: record {} is not signed: {} records are, and the journal has {}",
                options.folder, index + 1, size, fact.leaves.size());
  }
  if (record::root_of(std::span(fact.leaves).first(size)) != checkpoint.head.root) {
    return fail(ErrorCode::kCorrupt,
                "{}: the journal is not the one that was signed; see  surety verify {}",
                options.folder, shell_word(options.folder));
  }
  return record::to_text(record::InclusionProof{
      .index = index,
      .digests = record::prove_inclusion(std::span(fact.leaves).first(size), index),
      .signed_checkpoint = record::to_text(*head),
      .fact = std::move(fact.payload)});
}

Result<int> prove(const ProveOptions& options) {
  SURETY_TRY(const std::string text, proof_of(options));
  if (!options.out) {
    std::fputs(text.c_str(), stdout);
    return kKept;
  }
  SURETY_TRY(check_replaceable("--out", *options.out, "the proof goes"));
  SURETY_TRY(posix::write_file_atomically(*options.out, text));
  print_message(fmt::format("wrote {}; check it with  surety verify --proof {} --key KEY\n",
                            *options.out, *options.out));
  return kKept;
}

}  // namespace

void add_prove(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<ProveOptions>();
  CLI::App& command = *app.add_subcommand(
      "prove", "Write a proof of one fact of a signed run, for others to check");
  command.add_option("run", options->folder, "The run's folder")->required()->type_name("RUN");
  const auto add_number = [&](const char* name, std::optional<std::uint64_t>& number,
                              const char* help) {
    command
        .add_option_function<std::uint64_t>(
            name, [&number](std::uint64_t given) { number = given; }, help)
        ->check(whole_number())
        ->type_name("N");
  };
  add_number("--record", options->record, "The record with this number, from 1");
  add_number("--pass", options->pass, "The end of this pass over the data, from 1");
  add_number("--attempt", options->attempt, "The attempt of the pass (default: the last one)");
  command.add_flag("--verdict", options->verdict, "The end of the run, with its verdict");
  command
      .add_option_function<std::string>("--out", store_in(options->out),
                                        "The file (default: standard output)")
      ->type_name("FILE");
  command.footer(
      "The proof needs neither the run's folder nor its data. It reveals this record, and digests\n"
      "of others, by which a guess about a neighbouring record can be checked.\n"
      "Example:\n"
      "  surety prove runs/mnist-1 --verdict --out verdict.tlog-proof");
  command.callback([options, &chosen] {
    chosen = [options] {
      const Result<int> code = prove(*options);
      return code ? *code : report_error(code.error(), false);
    };
  });
}

}  // namespace surety::cli
