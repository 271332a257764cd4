#include "certificate/certificate_json.h"

#include "certificate/json_archive.h"
#include "job/job_names.h"
#include "plan/words.h"

namespace surety::certificate {
namespace json {

// Every field of a record is named here once, for writing and for reading.

// A value that is written as its name in this table.
template <typename Archive, typename Enum, std::size_t n>
void named(Archive& archive, const char* key, Enum& value,
           const Names<std::remove_const_t<Enum>, n>& names) {
  std::string name(name_in(names, std::remove_const_t<Enum>(value)));
  archive(key, name);
  if constexpr (Archive::kReads) {
    if (const auto found = value_named(names, name)) {
      value = *found;
    } else {
      archive.refuse(key, name, expected_names(names));
    }
  }
}

template <typename Archive, Is<plan::Block> T>
void describe(Archive& archive, T& block) {
  archive("version", block.version);
  archive("passes", block.passes);
  archive("nodes", block.nodes);
  archive("pass_s", block.pass_s);
  archive("switch_s", block.switch_s);
}

template <typename Archive, Is<plan::Band> T>
void describe(Archive& archive, T& band) {
  archive("time_s", band.seconds);
  archive("q05", band.q05);
  archive("q50", band.q50);
  archive("q95", band.q95);
}

template <typename Archive, Is<plan::Candidate> T>
void describe(Archive& archive, T& candidate) {
  archive("what", candidate.what);
  archive("cost_mean", candidate.cost_mean);
  archive("probability", candidate.probability);
}

template <typename Archive, Is<plan::Assumption> T>
void describe(Archive& archive, T& assumption) {
  archive("name", assumption.name);
  archive("test", assumption.test);
  archive("passed", assumption.passed);
  archive("found", assumption.found);
}

template <typename Archive, Is<plan::Claims> T>
void describe(Archive& archive, T& claims) {
  archive("probability", claims.probability);
  archive("probability_lower", claims.probability_lower);
  archive("cost_mean", claims.cost_mean);
  archive("cost_95", claims.cost_95);
  archive("time_mean_s", claims.seconds_mean);
  archive("time_95_s", claims.seconds_95);
  archive("bands", claims.bands);
  archive("runners_up", claims.runners_up);
  archive("assumptions", claims.assumptions);
}

template <typename Archive, Is<plan::Plan> T>
void describe(Archive& archive, T& plan) {
  named(archive, "planner", plan.planner, plan::kPlannerNames);
  archive("data", plan.data);
  archive("blocks", plan.blocks);
  archive("stop_metric", plan.stop_metric);
  archive("certify_s", plan.certify_s);
  archive("reason", plan.reason);
  archive("claims", plan.claims);
}

template <typename Archive, Is<plan::Infeasible> T>
void describe(Archive& archive, T& infeasible) {
  named(archive, "reason_class", infeasible.reason_class, plan::kReasonClassNames);
  archive("reason", infeasible.reason);
  archive("nearest_target", infeasible.target);
  archive("nearest_probability", infeasible.probability);
  archive("nearest_deadline_s", infeasible.deadline_s);
  archive("nearest_budget", infeasible.budget);
  archive("nearest_seeds", infeasible.seeds);
  archive("best_effort", infeasible.best_effort);
}

template <typename Archive, Is<Measurement> T>
void describe(Archive& archive, T& one) {
  archive("time_s", one.seconds);
  archive("pass", one.pass);
  archive("version", one.version);
  archive("metric", one.metric);
  archive("metric_se", one.metric_se);
  archive("cost", one.cost);
  archive("workers", one.workers);
  archive("attempt", one.attempt);
}

template <typename Archive, Is<StatedPromise> T>
void describe(Archive& archive, T& stated) {
  archive("time_s", stated.seconds);
  archive("probability", stated.probability);
  archive("probability_lower", stated.probability_lower);
  archive("cost_mean", stated.cost_mean);
  archive("argument", stated.argument);
}

template <typename Archive, Is<RefusedPromise> T>
void describe(Archive& archive, T& refused) {
  archive("time_s", refused.seconds);
  describe(archive, refused.refusal);
}

template <typename Archive, Is<TimelineEvent> T>
void describe(Archive& archive, T& event) {
  archive("time_s", event.seconds);
  named(archive, "kind", event.kind, kEventKindNames);
  archive("text", event.text);
  archive("workers", event.workers);
}

template <typename Archive, Is<MetricValues> T>
void describe(Archive& archive, T& values) {
  archive("metric", values.metric);
  archive("metric_se", values.metric_se);
  archive("samples", values.samples);
}

template <typename Archive, Is<Certified> T>
void describe(Archive& archive, T& certified) {
  archive("metric", certified.metric);
  archive("metric_se", certified.metric_se);
  archive("samples", certified.samples);
  archive("checkpoint", certified.checkpoint);
  archive("model_checksum", certified.model_checksum);
  archive("attempt", certified.attempt);
  archive.optional("measured_again", certified.again);
  archive.optional("contradicted", certified.contradicted);
  archive.optional("not_measured_again", certified.not_again);
}

template <typename Archive, Is<DataUsed> T>
void describe(Archive& archive, T& data) {
  archive("name", data.name);
  archive("samples", data.samples);
  archive("content", data.content);
}

template <typename Archive, Is<plan::Promise> T>
void describe(Archive& archive, T& promise) {
  std::string metric = job::name_of(promise.metric);
  archive("metric", metric);
  if constexpr (Archive::kReads) {
    if (const auto named = job::metric_named(metric)) {
      promise.metric = *named;
    } else {
      archive.refuse("metric", metric, "validation_loss, accuracy or duality_gap");
    }
  }
  archive("target", promise.target);
  archive("probability", promise.probability);
  archive("confidence", promise.confidence);
  archive("deadline_left_s", promise.deadline_s);
  archive("budget", promise.budget);
}

template <typename Archive, Is<RunRecord> T>
void describe(Archive& archive, T& record) {
  archive("job", record.job);
  archive("run", record.run);
  archive("started", record.started);
  archive("promise", record.promise);
  archive("deadline_s", record.deadline_s);
  archive("data", record.data);
  archive.optional("warnings", record.warnings);
  archive("certified", record.certified);
  archive("run_s", record.run_seconds);
  archive("profile_s", record.profile_seconds);
  archive("training_s", record.training_seconds);
  archive("profile_cost", record.profile_cost);
  archive("training_cost", record.training_cost);
  archive("data_cost", record.data_cost);
  archive.optional("attempt_costs", record.attempt_costs);
  archive("stop_reason", record.stop_reason);
  archive("plan", record.plan);
  archive("infeasible", record.infeasible);
  archive("stated", record.stated);
  archive.optional("refused", record.refused);
  archive("measurements", record.measurements);
  archive("timeline", record.timeline);
  archive("versions", record.versions);
}

}  // namespace json

namespace {

constexpr std::uint32_t kFormat = 1;  // Raised when a key changes its meaning or is removed.
// Room for 200,000 evaluations, more than any run has.
constexpr std::size_t kCertificateBytesMax = 64u << 20;

}  // namespace

std::string to_json(const RunRecord& record) {
  json::Writer writer;
  writer("surety_certificate", kFormat);
  writer("verdict", std::string(name_of(verdict(record))));
  describe(writer, record);
  using Json = json::Writer::Json;
  return writer.object().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunRecord> record_from_json(std::string_view text) {
  SURETY_TRY(const auto parsed, json::parse(text, kCertificateBytesMax));
  std::string refusal;
  std::string claimed;
  std::uint32_t format = 0;
  RunRecord record;
  json::Reader reader(parsed, {}, refusal);
  reader("surety_certificate", format);
  if (format != kFormat) {
    reader.refuse("surety_certificate", fmt::format("format {}", format),
                  fmt::format("format {}", kFormat));
  }
  reader("verdict", claimed);
  describe(reader, record);
  reader.finish();
  if (!refusal.empty()) return fail(ErrorCode::kInvalidInput, "{}", refusal);
  if (claimed != name_of(verdict(record))) {
    return fail(ErrorCode::kCorrupt,
                "verdict: found {}, expected {}, which follows from its own numbers", claimed,
                name_of(verdict(record)));
  }
  return record;
}

}  // namespace surety::certificate
