#include "worker/state/model_values.h"

#include <gtest/gtest.h>

namespace surety::worker {
namespace model_values_test {

learn::Model pruned_model() {
  learn::Model model{
      .version = "prune:0.5", .parameters = {1, 2}, .parent = {3, 4, 5}, .velocity = {6, 7}};
  model.average = {8, 9};
  return model;
}

proto::Transfer transfer_of(const learn::Model& model) {
  proto::Transfer transfer;
  transfer.set_version(model.version);
  transfer.set_parameters(model.parameters.size());
  transfer.set_parent(model.parent.size());
  transfer.set_average(model.average.size());
  transfer.set_velocity(model.velocity.size());
  return transfer;
}

void expect_equal(const learn::Model& found, const learn::Model& expected) {
  EXPECT_EQ(found.version, expected.version);
  EXPECT_EQ(found.parameters, expected.parameters);
  EXPECT_EQ(found.parent, expected.parent);
  EXPECT_EQ(found.average, expected.average);
  EXPECT_EQ(found.velocity, expected.velocity);
}

TEST(ModelValues, WhoJoinsGetsTheModelWithItsAverageAndVelocity) {
  const learn::Model model = pruned_model();
  const proto::Transfer transfer = transfer_of(model);
  expect_equal(from_values(transfer, to_values(transfer, model)), model);
}

TEST(ModelValues, AModelThatHasNoAverageYetIsItsOwn) {
  learn::Model model = pruned_model();
  const proto::Transfer transfer = transfer_of(model);
  model.average.clear();
  EXPECT_EQ(from_values(transfer, to_values(transfer, model)).average, model.parameters);
}

TEST(ModelValues, WhereModelsAreNotAveragedNoneTravels) {
  const learn::Model model = pruned_model();
  proto::Transfer transfer = transfer_of(model);
  transfer.set_average(0);
  const std::vector<float> values = to_values(transfer, model);
  EXPECT_EQ(values.size(), 7u);
  learn::Model expected = model;
  expected.average.clear();
  expect_equal(from_values(transfer, values), expected);
}

// A worker that joins has nothing to send, but needs a vector to receive.
TEST(ModelValues, AReceiversVectorHasTheSizeOfTheHolders) {
  const proto::Transfer transfer = transfer_of(pruned_model());
  EXPECT_EQ(to_values(transfer, {}), std::vector<float>(9, 0.0f));
}

}  // namespace model_values_test
}  // namespace surety::worker
