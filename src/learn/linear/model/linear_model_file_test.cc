// Both kinds of model file give the same model, and other files are refused.
#include "learn/linear/model/linear_model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/linear/model/liblinear_model.h"
#include "model/safetensors.h"

namespace surety::learn {
namespace linear_model_file_test {

using ::testing::HasSubstr;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(LinearModelFile, BothKindsOfFileHoldTheSameModel) {
  const std::vector<float> weights{0.1F, -2.5F, 0};
  for (const char* zoo : {"logistic", "svm", "ridge", "lasso", "elastic-net"}) {
    for (const int negative : {-1, 0}) {
      const auto model = linear_model(zoo, weights, negative).value();
      const auto ours = read_linear_model("f", text_of(to_safetensors(zoo, weights, negative)));
      const auto theirs = read_linear_model("f", to_liblinear(model));
      ASSERT_TRUE(ours) << ours.error().message;
      ASSERT_TRUE(theirs) << theirs.error().message;
      EXPECT_EQ(to_liblinear(*ours), to_liblinear(model));
      EXPECT_EQ(to_liblinear(*theirs), to_liblinear(model));
    }
  }
}

TEST(LinearModelFile, TheNamesOfFeaturesComeBackAndAreOptional) {
  const std::vector<std::string> names{"height", "age"};
  const std::string named = text_of(to_safetensors("svm", {1, 2}, -1, names));
  EXPECT_EQ(read_linear_model("f", named).value().feature_names, names);
  const std::string unnamed = text_of(to_safetensors("svm", {1, 2}, -1));
  EXPECT_TRUE(read_linear_model("f", unnamed).value().feature_names.empty());
  const auto wrong = read_linear_model("f", text_of(to_safetensors("svm", {1, 2, 3}, -1, names)));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "f: feature_names: found 2 names, expected 3, one per feature");
}

TEST(LinearModelFile, WhatIsNoLinearModelIsRefused) {
  model::Safetensors network;
  model::Safetensors checkpoint;
  model::Safetensors bare;
  network.metadata["network"] = "lenet5";
  bare.metadata["network"] = "svm";
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "f: found an empty file, expected a model"},
      {"%PDF-1.4 and so on", "f: found \"%PDF-1.4 and so on\", expected a model"},
      {"name: t\npromise: {}", "f: found \"name: t\", expected a model: the folder of a run"},
      {"solver_type X", "f: line 1: found \"X\""},
      {text_of(model::write_safetensors(network)),
       "found the network \"lenet5\", expected a linear"},
      {text_of(model::write_safetensors(checkpoint)), "f: found no network in its metadata"},
      {text_of(model::write_safetensors(bare)), "f: "},
      {text_of(to_safetensors("svm", {}, -1)), "f: found no weights"},
  };
  for (const auto& [bytes, message] : refused) {
    const auto model = read_linear_model("f", bytes);
    ASSERT_FALSE(model) << message;
    EXPECT_THAT(model.error().message, HasSubstr(message));
  }
}

TEST(LinearModelFile, AWeightThatIsNoFiniteNumberIsRefused) {
  for (const float weight : {NAN, INFINITY, -INFINITY}) {
    const auto model = read_linear_model("f", text_of(to_safetensors("svm", {1, weight, 3}, -1)));
    ASSERT_FALSE(model) << weight;
    EXPECT_EQ(model.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(model.error().message, HasSubstr("of feature 2, expected finite numbers"));
  }
}

TEST(LinearModelFile, ACutSafetensorsFileIsRefused) {
  const std::string whole = text_of(to_safetensors("svm", {1, 2, 3}, -1));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_linear_model("f", whole.substr(0, length))) << length;
  }
}

}  // namespace linear_model_file_test
}  // namespace surety::learn
