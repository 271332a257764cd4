// Coordinators with a broken rule: the checkers must catch each of them.
#include <gtest/gtest.h>

#include "sim/seeds.h"

namespace surety::sim {
namespace canary_sim_test {

// A run without faults in which the coordinator sends wrong commands; returns the violation.
std::string caught(std::uint64_t seed, std::function<void(WorkerId, proto::ToWorker&)> rewrite) {
  SimOptions options = seed_options(seed);
  options.faults = {};
  options.faults.end_s = 0.1;  // Progress is required from the beginning.
  options.resumes_max = 0;
  options.rewrite = std::move(rewrite);
  return Cluster(std::move(options)).run().violation.value_or("");
}

TEST(Canary, WithoutABrokenRuleNothingIsFound) {
  EXPECT_EQ(caught(2, nullptr), "");
  EXPECT_EQ(caught(3, nullptr), "");
}

TEST(Canary, AChunkThatNobodyOwnsIsFound) {
  const auto forgets = [](WorkerId, proto::ToWorker& message) {
    if (message.has_prepare() && message.prepare().owned_size() > 0) {
      message.mutable_prepare()->mutable_owned()->RemoveLast();
    }
  };
  EXPECT_EQ(caught(2, forgets).substr(0, 7), "owners:");
}

TEST(Canary, AChunkWithTwoOwnersIsFound) {
  std::optional<std::uint32_t> taken;
  const auto doubles = [&](WorkerId, proto::ToWorker& message) {
    if (!message.has_prepare() || message.prepare().owned_size() == 0) return;
    if (taken) message.mutable_prepare()->set_owned(0, *taken);
    taken = message.prepare().owned(0);
  };
  EXPECT_EQ(caught(2, doubles).substr(0, 7), "owners:");
}

TEST(Canary, ASampleThatIsGivenOutTwiceIsFound) {
  const auto repeats = [](WorkerId, proto::ToWorker& message) {
    if (!message.has_step() || message.step().iteration() != 3) return;
    for (proto::WorkItem& item : *message.mutable_step()->mutable_items()) item.set_first(0);
  };
  EXPECT_EQ(caught(2, repeats).substr(0, 7), "visits:");
}

// The orchestrator itself repairs this: samples that were not visited are assigned again.
TEST(Canary, ASampleThatIsNotGivenOutIsGivenOutLater) {
  const auto skips = [](WorkerId, proto::ToWorker& message) {
    if (!message.has_step() || message.step().iteration() != 2) return;
    message.mutable_step()->mutable_items()->RemoveLast();
  };
  EXPECT_EQ(caught(2, skips), "");
}

TEST(Canary, APassThatEndsTooEarlyIsFound) {
  Visits visits;
  proto::ToWorker prepare;
  proto::ToWorker step;
  proto::ToWorker next;
  prepare.mutable_prepare()->set_session(1);
  prepare.mutable_prepare()->mutable_task()->set_samples(20);
  step.set_sequence(1);
  step.mutable_step()->set_iteration(1);
  step.mutable_step()->set_averages(true);
  step.mutable_step()->add_items()->set_count(10);
  next.set_sequence(2);
  next.set_model_iteration(1);
  next.mutable_evaluate();
  proto::FromWorker done;
  done.set_sequence(1);
  done.mutable_step_done()->set_samples(10);
  visits.on_command(WorkerId{1}, prepare);
  visits.on_command(WorkerId{1}, step);
  visits.on_answer(WorkerId{1}, done);
  visits.on_command(WorkerId{1}, next);
  EXPECT_EQ(visits.violation(), std::nullopt);
  proto::JournalRecord pass;
  pass.mutable_pass_done()->set_pass(1);
  visits.on_append(pass);
  EXPECT_EQ(visits.violation(), "pass 1 ended with 10 of 20 samples visited");
}

// One worker makes a model, which is measured; its checksum is 5.
Commits measured_once() {
  Commits commits;
  proto::ToWorker prepare;
  proto::ToWorker evaluate;
  prepare.set_sequence(1);
  prepare.mutable_prepare()->set_session(1);
  evaluate.set_sequence(2);
  evaluate.mutable_evaluate();
  proto::FromWorker prepared;
  prepared.set_sequence(1);
  prepared.mutable_prepared()->set_model_checksum(5);
  commits.on_command(WorkerId{1}, prepare);
  commits.on_answer(WorkerId{1}, prepared);
  commits.on_command(WorkerId{1}, evaluate);
  return commits;
}

proto::JournalRecord checkpoint_of(std::uint64_t checksum) {
  proto::JournalRecord record;
  proto::CheckpointCommitted& checkpoint = *record.mutable_checkpoint_committed();
  checkpoint.set_folder("pass-1");
  checkpoint.set_model_checksum(checksum);
  checkpoint.add_files()->set_path("pass-1/model");
  return record;
}

TEST(Canary, ACheckpointOfAnotherModelThanTheMeasuredOneIsFound) {
  Commits commits = measured_once();
  commits.on_append(checkpoint_of(5));
  EXPECT_EQ(commits.violation(), std::nullopt);
  commits.on_append(checkpoint_of(6));
  EXPECT_EQ(commits.violation(), "pass-1 has the metric of another model than the one in it");
}

TEST(Canary, ACertificateOfAnotherModelThanTheMeasuredOneIsFound) {
  Commits commits = measured_once();
  proto::JournalRecord record;
  record.mutable_certified()->set_checkpoint("pass-1");
  record.mutable_certified()->set_model_checksum(6);
  commits.on_append(record);
  EXPECT_EQ(commits.violation(), "pass-1 is certified with the metric of another model");
}

TEST(Canary, ACheckpointThatIsWrittenOverIsFound) {
  Commits commits = measured_once();
  commits.on_model_written("pass-1/model", 5);
  commits.on_append(checkpoint_of(5));
  commits.on_model_written("pass-1/model", 5);
  EXPECT_EQ(commits.violation(), std::nullopt);
  commits.on_model_written("pass-1/model", 4);
  EXPECT_EQ(commits.violation(),
            "pass-1/model is in the journal, but another model was written into it");
}

TEST(Canary, ACheckpointThatWasWrittenOverBeforeItWasCommittedIsFound) {
  Commits commits = measured_once();
  commits.on_model_written("pass-1/model", 5);
  commits.on_model_written("pass-1/model", 4);
  commits.on_append(checkpoint_of(5));
  EXPECT_EQ(commits.violation(),
            "pass-1/model is committed, but another model was written into it");
}

proto::ToWorker step_of_two() {
  proto::ToWorker step;
  step.set_sequence(7);
  step.mutable_step()->add_members();
  step.mutable_step()->add_members();
  return step;
}

// Two workers have learned 1 each from a model of 10, which is now `after`.
std::string found_in_exchange(std::vector<float> after) {
  Updates updates;
  updates.on_command(WorkerId{1}, step_of_two());
  updates.on_command(WorkerId{2}, step_of_two());
  for (const std::uint32_t worker : {1u, 2u}) {
    updates.on_exchanged(WorkerId{worker}, {7, {10, 20}, after, {1, 1}});
  }
  return updates.violation().value_or("");
}

TEST(Canary, AnUpdateThatIsLostOrAddedTwiceIsFoundInEachPartOfTheModel) {
  EXPECT_EQ(found_in_exchange({12, 22}), "");
  EXPECT_NE(found_in_exchange({11, 22}), "");
  EXPECT_NE(found_in_exchange({12, 23}), "");
}

// 8 of 100 samples are 0.8 on the scale on which all samples are 10, and each update counts half.
std::string found_in_answer(double learned, std::uint64_t samples) {
  Updates updates;
  proto::ToWorker prepare;
  prepare.set_sequence(6);
  prepare.mutable_prepare()->mutable_task()->set_samples(100);
  updates.on_command(WorkerId{1}, prepare);
  proto::ToWorker step = step_of_two();
  step.mutable_step()->set_averages(true);
  step.mutable_step()->mutable_asynchronous()->set_weight(0.5f);
  updates.on_command(WorkerId{1}, step);
  updates.on_exchanged(WorkerId{1}, {7, {10, 20}, {10, 20.4f}, {0, learned}});
  proto::FromWorker answer;
  answer.set_sequence(7);
  answer.mutable_step_done()->set_samples(samples);
  updates.on_answer(WorkerId{1}, answer);
  return updates.violation().value_or("");
}

TEST(Canary, AnIterationOfOtherSamplesThanReportedIsFound) {
  EXPECT_EQ(found_in_answer(0.4, 8), "");
  EXPECT_NE(found_in_answer(0.8, 8), "");  // Some samples were learned twice.
  EXPECT_NE(found_in_answer(0.2, 8), "");  // Some samples were not learned at all.
}

TEST(Canary, ModelsThatDifferAfterAnExchangeAreFound) {
  Updates updates;
  updates.on_command(WorkerId{1}, step_of_two());
  updates.on_exchanged(WorkerId{1}, {7, {10}, {11}, {0.5}});
  updates.on_exchanged(WorkerId{2}, {7, {10}, {11.5}, {0.5}});
  EXPECT_NE(updates.violation(), std::nullopt);
}

TEST(Canary, ACommittedIterationThatIsForgottenIsFound) {
  const auto forgets = [](WorkerId, proto::ToWorker& message) {
    if (message.has_step() && message.model_iteration() == 4) message.set_model_iteration(3);
  };
  EXPECT_EQ(caught(2, forgets).substr(0, 8), "commits:");
  EXPECT_EQ(caught(3, forgets).substr(0, 8), "commits:");
}

TEST(Canary, AnIterationThatIsNeverCommittedIsFoundByWhatWorkersHold) {
  const auto keeps = [](WorkerId worker, proto::ToWorker& message) {
    // One worker learns too late that its tentative model was committed.
    if (message.has_evaluate() && worker.value == 2) {
      message.set_model_iteration(message.model_iteration() - 1);
    }
  };
  EXPECT_EQ(caught(3, keeps).substr(0, 8), "commits:");
}

TEST(Canary, AWorkerThatIsNeverAskedIsNamedAsTheObstacle) {
  const auto silent = [](WorkerId worker, proto::ToWorker& message) {
    if (message.has_step() && message.step().iteration() == 5 && worker.value == 2) {
      message.clear_command();
    }
  };
  const std::string found = caught(2, silent);
  EXPECT_EQ(found.substr(0, 9), "progress:");
  EXPECT_NE(found.find("waits for worker"), std::string::npos) << found;
}

}  // namespace canary_sim_test
}  // namespace surety::sim
