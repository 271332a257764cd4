#include "cli/commands/proofs.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "base/posix/file.h"
#include "base/posix/utc.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "job/job_names.h"
#include "orchestrator/history/journal.h"
#include "plan/promise.h"
#include "plan/words.h"
#include "record/checkpoint.h"
#include "record/witness.h"

namespace surety::cli {
namespace {

// What the record says, if it is a run's last one with its numbers: two lines.
std::string verdict_words(const proto::JournalRecord& fact) {
  const proto::RunEnded& end = fact.run_ended();
  const auto metric = job::metric_named(end.promised().metric());
  if (!end.has_promised() || !metric) return "";
  const plan::Promise promise{.metric = *metric,
                              .target = end.promised().target(),
                              .probability = end.promised().probability(),
                              .deadline_s = end.promised().deadline_s(),
                              .budget = end.promised().has_budget()
                                            ? std::optional(end.promised().budget())
                                            : std::nullopt};
  constexpr std::size_t kShownMax = 100;
  std::string words = fmt::format("      promised: {}\n", plan::promise_words(promise));
  words += end.has_reached() ? fmt::format("      reached:  {} ± {} on {}, after {} and for {}",
                                           short_number(end.reached().metric()),
                                           short_number(2 * end.reached().metric_se()),
                                           counted(end.reached().samples(), "sample"),
                                           time_words(end.run_seconds()), money(end.cost()))
                             : "      reached:  nothing was certified";
  return words + fmt::format("; verdict: {}\n", plain_text(end.verdict(), kShownMax));
}

}  // namespace

Result<int> verify_proof(const std::string& file, const std::optional<record::Verifier>& key,
                         const std::vector<record::Verifier>& witnesses, bool json) {
  if (!key) {
    return fail(ErrorCode::kInvalidInput,
                "--proof {}: expected --key with the public key of the record's owner, too", file);
  }
  SURETY_TRY(const std::string text, posix::read_file(file));
  const auto wrong = [&](const std::string& why) {
    return fail(ErrorCode::kCorrupt, "{}: {}", file, why);
  };
  const auto proof = record::parse_proof(text);
  if (!proof) return wrong(proof.error().message);
  const auto note = record::parse_note(proof->signed_checkpoint);
  if (!note) return wrong(note.error().message);
  if (!record::is_signed_by(*note, *key)) {
    return wrong(fmt::format("it has no valid signature of {}", key->text()));
  }
  std::string seen;
  nlohmann::json seen_by = nlohmann::json::array();
  for (const record::Verifier& witness : witnesses) {
    const auto seen_s = record::cosigned_at(*note, witness);
    if (!seen_s) return wrong(fmt::format("it has no valid signature of {}", witness.text()));
    const std::string at = posix::utc(static_cast<double>(*seen_s));
    seen += fmt::format("; seen by {} at {}", witness.text(), at);
    seen_by.push_back({{"witness", witness.text()}, {"at", at}});
  }
  const auto checkpoint = record::parse_checkpoint(note->text);
  if (!checkpoint) return wrong(checkpoint.error().message);
  if (!proof->fact) return wrong("it does not contain the fact that it proves");
  const auto leaf = record::leaf_digest(std::as_bytes(std::span(*proof->fact)));
  const record::TreeHead& head = checkpoint->head;
  if (!record::is_included(leaf, proof->index, head.size, proof->digests, head.root)) {
    return wrong("the fact is not the one that was signed");
  }
  proto::JournalRecord fact;
  std::string shown;
  google::protobuf::util::JsonPrintOptions how;
  how.add_whitespace = true;
  if (!fact.ParseFromString(*proof->fact) ||
      !google::protobuf::util::MessageToJsonString(fact, &shown, how).ok()) {
    return wrong("the fact is no record that this version of Surety knows");
  }
  constexpr std::size_t kRunShownMax = 500;
  const std::string origin = plain_text(checkpoint->origin, kRunShownMax);
  if (json) {
    std::fputs(json_text(nlohmann::json{{"passed", true},
                                        {"record", proof->index + 1},
                                        {"records", head.size},
                                        {"of", origin},
                                        {"signed_by", key->text()},
                                        {"seen_by", seen_by},
                                        {"fact", nlohmann::json::parse(shown, nullptr, false)}})
                   .c_str(),
               stdout);
    return kKept;
  }
  fmt::print("ok    record {} of {} of {}: signed by {}{}\n{}{}", proof->index + 1, head.size,
             origin, key->text(), seen, verdict_words(fact), shown);
  return kKept;
}

}  // namespace surety::cli
