#include "record.h"

#include <gmock/gmock.h>

#include "certificate/certificate.h"
#include "certificate/certificate_json.h"

namespace surety::bench {
namespace record_test {

using testing::HasSubstr;

certificate::RunRecord kept_run() {
  certificate::RunRecord run;
  run.promise.target = 0.5;
  run.deadline_s = 300;
  run.run_seconds = 14;
  run.profile_cost = 0.25;
  run.training_cost = 0.5;
  run.data_cost = 1;
  run.stop_reason = "good enough, after 2 passes";
  run.stated = {.seconds = 9, .probability = 0.97, .probability_lower = 0.95, .argument = "laws"};
  run.measurements = {
      {.version = "prune:0.5", .metric = 0.9, .attempt = 1},
      {.version = "prune:0.5", .metric = 0.8, .attempt = 2},
      {.version = "full", .metric = 0.4, .metric_se = 0.02, .attempt = 2},
  };
  run.timeline = {{0.5, certificate::EventKind::kPhase, "gather", 0},
                  {6, certificate::EventKind::kJoin, "worker 1 joined", 1},
                  {6.5, certificate::EventKind::kPhase, "train", 1},
                  {13, certificate::EventKind::kPhase, "certify", 1}};
  run.certified = {
      .metric = 0.45, .metric_se = 0.03, .samples = 2000, .checkpoint = "c", .model_checksum = "1"};
  return run;
}

Record read(const certificate::RunRecord& run) {
  Record record;
  record.key.deadline_s = 300;
  EXPECT_TRUE(read_certificate(certificate::to_json(run), record).has_value());
  return record;
}

TEST(Certificate, IsReadAsTheProgramWritesIt) {
  const Record record = read(kept_run());
  EXPECT_EQ(record.verdict, "kept");
  EXPECT_EQ(record.run_s, 14);
  EXPECT_EQ(record.cost, 1.75);
  EXPECT_EQ(record.stated_s, 9);
  EXPECT_EQ(record.stated_lower, 0.95);
  EXPECT_EQ(record.attempts, 2u);
  EXPECT_EQ(record.passes, 3u);
  EXPECT_EQ(record.versions, "prune:0.5>full");
  EXPECT_EQ(record.deciding, 0.4);
  EXPECT_EQ(record.deciding_se, 0.02);
  EXPECT_EQ(record.certified, 0.45);
  EXPECT_EQ(record.certified_se, 0.03);
  EXPECT_EQ(anomaly_of(record, 0.5), "");
}

TEST(Certificate, PhasesLastUntilTheNextOneAndTheLastToTheEnd) {
  const Record record = read(kept_run());
  EXPECT_EQ(record.other_s, 0.5);
  EXPECT_EQ(record.gather_s, 6);
  EXPECT_EQ(record.train_s, 6.5);
  EXPECT_EQ(record.certify_s, 1);
}

TEST(Certificate, OfARunThatReachedItsTargetFirstHasNoStatedPromise) {
  certificate::RunRecord run = kept_run();
  run.stated.reset();
  EXPECT_FALSE(read(run).stated_s.has_value());
}

TEST(Certificate, OfTrainingByAPlanHasNoAttempts) {
  certificate::RunRecord run = kept_run();
  for (certificate::Measurement& one : run.measurements) one.attempt.reset();
  const Record record = read(run);
  EXPECT_EQ(record.attempts, 0u);
  EXPECT_EQ(record.passes, 3u);
}

TEST(Certificate, WithoutACertifiedMetricHasNone) {
  certificate::RunRecord run = kept_run();
  run.certified.reset();
  run.infeasible.emplace();
  const Record record = read(run);
  EXPECT_EQ(record.verdict, "infeasible");
  EXPECT_FALSE(record.certified.has_value());
}

TEST(Certificate, ThatIsNoneIsRefused) {
  Record record;
  EXPECT_FALSE(read_certificate("{", record).has_value());
  EXPECT_FALSE(read_certificate(R"({"verdict": "kept"})", record).has_value());
}

TEST(Oddities, AreWhatContradictsItself) {
  Record record = read(kept_run());
  record.exit_code = 3;
  EXPECT_EQ(anomaly_of(record, 0.5), "kept with exit code 3");
  record.exit_code = 0;
  EXPECT_EQ(anomaly_of(record, 0.44), "kept, but its numbers miss the promise");
  record.wall_s = 301;
  EXPECT_THAT(anomaly_of(record, 0.5), HasSubstr("the command took 301"));
  record.verdict = "missed";
  record.exit_code = 3;
  EXPECT_EQ(anomaly_of(record, 0.5), "missed, but its numbers keep the promise");
  EXPECT_EQ(anomaly_of(record, 0.44), "");
  record.verdict = "none";
  record.exit_code = 139;
  EXPECT_EQ(anomaly_of(record, 0.5), "no certificate; code 139");
}

TEST(Csv, ComesBackAsItWas) {
  Record record = read(kept_run());
  record.key = {"digits", "train prune:0.5", 0.95, 300, 7};
  record.wall_s = 15.25;
  record.load_threads = 1.5;
  Record empty;
  empty.verdict = "none";
  empty.anomaly = "it hangs";
  const auto records = records_from_csv(csv_head() + to_csv(record) + to_csv(empty)).value();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].key, record.key);
  EXPECT_EQ(records[0].stated_s, 9);
  // The comma was replaced, because it separates fields.
  EXPECT_EQ(records[0].stop_reason, "good enough; after 2 passes");
  EXPECT_EQ(to_csv(records[0]).substr(0, 60), to_csv(record).substr(0, 60));
  EXPECT_FALSE(records[1].certified.has_value());
  EXPECT_EQ(records[1].anomaly, "it hangs");
}

TEST(Csv, ALineThatWasCutOffIsLeftOut) {
  const std::string line = to_csv(Record{});
  const auto records = records_from_csv(csv_head() + line + line.substr(0, 20)).value();
  EXPECT_EQ(records.size(), 1u);
  EXPECT_TRUE(records_from_csv("").value().empty());
}

TEST(Csv, ALineThatIsNoRunIsRefusedByItsNumber) {
  const auto records = records_from_csv(csv_head() + to_csv(Record{}) + "digits,run,much\n");
  ASSERT_FALSE(records.has_value());
  EXPECT_THAT(records.error().message, HasSubstr("line 3"));
}

TEST(Keys, ProbabilitiesShareNoSeedAndBaselinesHaveThatOfOurs) {
  const RunKey ours{"digits", kOurs, 0.9, 300, 4};
  RunKey other = ours;
  other.probability = 0.95;
  EXPECT_NE(seed_of(ours), seed_of(other));
  other = ours;
  other.way = "train full";
  EXPECT_EQ(seed_of(ours), seed_of(other));
  EXPECT_EQ(is_loaded(ours), is_loaded(other));
  other.index = 5;
  EXPECT_NE(is_loaded(ours), is_loaded(other));
}

}  // namespace record_test
}  // namespace surety::bench
