#include "plan/files/plan_io.h"

#include <optional>
#include <span>

#include "base/base64.h"
#include "base/crypto/digest.h"
#include "base/json/parse_json.h"
#include "plan/files/json_fields.h"
#include "plan/files/made_for_json.h"
#include "plan/files/plan_ranges.h"
#include "plan/files/setting_fields.h"

namespace surety::plan {

// Static, because argument-dependent lookup does not find it in an unnamed namespace.
static constexpr const auto& words_of(Planner) { return kPlannerNames; }
static constexpr const auto& words_of(ReasonClass) { return kReasonClassNames; }
static constexpr const auto& words_of(BoundKind) { return kBoundKindNames; }

template <typename Io>
static void fields(Io& io, Block& block) {
  io("version", block.version);
  io("passes", block.passes);
  io("nodes", block.nodes);
  io("counts", block.counts);
  io("pass_s", block.pass_s);
  io("switch_s", block.switch_s);
  io("price_per_s", block.price_per_s);
}

template <typename Io>
static void fields(Io& io, Band& band) {
  io("seconds", band.seconds);
  io("q05", band.q05);
  io("q50", band.q50);
  io("q95", band.q95);
}

template <typename Io>
static void fields(Io& io, Candidate& candidate) {
  io("what", candidate.what);
  io("cost_mean", candidate.cost_mean);
  io("probability", candidate.probability);
}

template <typename Io>
static void fields(Io& io, Assumption& assumption) {
  io("name", assumption.name);
  io("test", assumption.test);
  io("passed", assumption.passed);
  io("found", assumption.found);
}

template <typename Io>
static void fields(Io& io, PolicySpec& policy) {
  io("lambda", policy.lambda);
  io("levels", policy.levels);
  io("ticks", policy.ticks);
  io("classes", policy.classes);
}

template <typename Io>
static void fields(Io& io, Support& support) {
  io("percentile", support.percentile);
  io("held_out", support.held_out);
  io("held_out_runs", support.held_out_runs);
  io("held_out_successes", support.held_out_successes);
  io("held_out_limit", support.held_out_limit);
  io("seeds", support.seeds);
  io("seeds_needed", support.seeds_needed);
  io("binding", support.binding);
}

template <typename Io>
static void fields(Io& io, PricePoint& point) {
  io("promised", point.promised);
  io("probability", point.probability);
  io("cost_mean", point.cost_mean);
}

template <typename Io>
static void fields(Io& io, Usage& usage) {
  io("block", usage.block);
  io("passes_mean", usage.passes_mean);
  io("cost_mean", usage.cost_mean);
  io("shares", usage.shares);
}

template <typename Io>
static void fields(Io& io, Claims& claims) {
  io("probability", claims.probability);
  io("probability_lower", claims.probability_lower);
  io("support", claims.support);
  io("cost_mean", claims.cost_mean);
  io("cost_95", claims.cost_95);
  io("seconds_mean", claims.seconds_mean);
  io("seconds_95", claims.seconds_95);
  io("bands", claims.bands);
  io("usage", claims.usage);
  io("prices", claims.prices);
  io("runners_up", claims.runners_up);
  io("assumptions", claims.assumptions);
  io("setting", claims.setting);
}

template <typename Io>
static void fields(Io& io, Plan& plan) {
  io("reason", plan.reason);
  io("planner", plan.planner);
  io("data", plan.data);
  io("blocks", plan.blocks);
  io("first_block", plan.first_block);
  io("stop_metric", plan.stop_metric);
  io("certify_s", plan.certify_s);
  io("claims", plan.claims);
  io("policy", plan.policy);
}

template <typename Io>
static void fields(Io& io, Infeasible& infeasible) {
  io("reason_class", infeasible.reason_class);
  io("reason", infeasible.reason);
  io("target", infeasible.target);
  io("probability", infeasible.probability);
  io("deadline_s", infeasible.deadline_s);
  io("budget", infeasible.budget);
  io("seeds", infeasible.seeds);
  io("best_effort", infeasible.best_effort);
}

namespace {

Result<Json> parse(std::string_view file, std::string_view text, std::string_view expected) {
  Result<Json> json = parse_json<Json>(text);
  if (json) return json;
  return fail(ErrorCode::kInvalidInput, "{}: {}; expected {}", file, json.error().message,
              expected);
}

template <typename T>
Result<T> read(std::string_view file, const Json& json, const std::string& path) {
  T value;
  std::string error;
  JsonReader reader(json, path, error);
  fields(reader, value);
  reader.finish();
  if (!error.empty()) return fail(ErrorCode::kInvalidInput, "{}: {}", file, error);
  return value;
}

// Reads an object with exactly one key, plan or infeasible.
Result<Decision> decision_of(std::string_view file, const Json& json) {
  if (json.is_object() && json.size() == 1 && json.contains("plan")) {
    SURETY_TRY(Plan plan, read<Plan>(file, json["plan"], "plan"));
    SURETY_TRY(check_ranges(file, "plan", plan));
    return plan;
  }
  if (json.is_object() && json.size() == 1 && json.contains("infeasible")) {
    SURETY_TRY(Infeasible infeasible, read<Infeasible>(file, json["infeasible"], "infeasible"));
    SURETY_TRY(check_ranges(file, "infeasible", infeasible));
    return infeasible;
  }
  return fail(ErrorCode::kInvalidInput,
              "{}: expected an object with the one key plan or infeasible", file);
}

Json json_of(const Decision& decision) {
  Json json = Json::object();
  if (const Plan* plan = std::get_if<Plan>(&decision)) {
    Plan copy = *plan;  // The field list is also used for reading, so it takes no constant.
    json["plan"] = JsonWriter::write(copy);
  } else {
    Infeasible copy = std::get<Infeasible>(decision);
    json["infeasible"] = JsonWriter::write(copy);
  }
  return json;
}

constexpr const char* kChecksumKey = "checksum";

// The rest of the file as compact JSON, with the keys in the order of the file.
std::string checksum_of(const Json& rest) {
  const std::string text = rest.dump();
  return base64_encode(crypto::sha256(std::as_bytes(std::span(text))));
}

// `stated`: the value of the key checksum, or none. `fitting`: the checksum of the rest. A user who
// writes a plan by hand need not state a checksum.
Result<void> check_unchanged(std::string_view file, const std::optional<Json>& stated,
                             const std::string& fitting, const Decision& decision) {
  const Plan* plan = std::get_if<Plan>(&decision);
  const bool is_by_hand = plan && !plan->claims;
  if (!stated && is_by_hand) return {};
  const std::string advice =
      is_by_hand ? "remove this key from a plan by hand that you have changed"
                 : "plan again with  surety plan, or write a plan by hand (docs/formats.md)";
  if (!stated) {
    return fail(ErrorCode::kInvalidInput,
                "{}: {}: found nothing, expected the checksum of a plan that surety wrote: {}",
                file, kChecksumKey, advice);
  }
  if (*stated == fitting) return {};
  return fail(ErrorCode::kInvalidInput,
              "{}: {}: found the checksum of another content: the file was changed after surety "
              "wrote it; {}",
              file, kChecksumKey, advice);
}

}  // namespace

std::string to_json(const Decision& decision) { return json_of(decision).dump(2) + "\n"; }

std::string to_json(const PlanFile& plan_file) {
  Json json = json_of(plan_file.decision);
  json[kMadeForKey] = json_of(plan_file.made_for);
  json[kChecksumKey] = checksum_of(json);
  return json.dump(2) + "\n";
}

Result<Decision> decision_from_json(std::string_view file, std::string_view text) {
  SURETY_TRY(const Json json, parse(file, text, "a plan or a refusal that surety recorded"));
  return decision_of(file, json);
}

Result<PlanFile> plan_file_from_json(std::string_view file, std::string_view text) {
  SURETY_TRY(Json json, parse(file, text, "a plan.json that surety plan --out or a run wrote"));
  if (!json.is_object() || !(json.contains("plan") || json.contains("infeasible"))) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no key plan or infeasible, expected a plan.json that surety wrote",
                file);
  }
  if (!json.contains(kMadeForKey)) {
    return fail(
        ErrorCode::kInvalidInput,
        "{}: {}: found nothing, expected the job that the plan was made for: plan again "
        "with  surety plan; or for a plan by hand, change the plan.json of a  surety train  "
        "of this job (docs/formats.md)",
        file, kMadeForKey);
  }
  PlanFile plan_file;
  SURETY_TRY(plan_file.made_for, made_for_of(file, json[kMadeForKey]));
  std::optional<Json> checksum;
  if (json.contains(kChecksumKey)) checksum = json[kChecksumKey];
  json.erase(kChecksumKey);
  const std::string fitting = checksum_of(json);
  json.erase(kMadeForKey);
  SURETY_TRY(plan_file.decision, decision_of(file, json));
  SURETY_TRY(check_unchanged(file, checksum, fitting, plan_file.decision));
  return plan_file;
}

}  // namespace surety::plan
