#include "base/json/parse_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace surety {
namespace parse_json_test {

std::string error_of(const std::string& text) {
  const auto parsed = parse_json<nlohmann::ordered_json>(text);
  const auto sorted = parse_json<nlohmann::json>(text);
  EXPECT_EQ(parsed.has_value(), sorted.has_value());
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(parsed.error().message, sorted.error().message);
  return parsed.error().message;
}

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

TEST(ParseJson, GivesTheValue) {
  const auto parsed = parse_json<nlohmann::ordered_json>("{\"b\": 1, \"a\": [\"]\\\"[\", 2.5]}");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->dump(), "{\"b\":1,\"a\":[\"]\\\"[\",2.5]}");
}

TEST(ParseJson, NamesTheLineThatIsNoJson) {
  EXPECT_EQ(error_of("{\n\"a\": 1,\n}"), "line 3: found text that is not JSON");
  EXPECT_EQ(error_of(""), "line 1: found text that is not JSON");
}

TEST(ParseJson, ANumberThatIsTooLargeIsRefused) {
  EXPECT_EQ(error_of("[1e400]"), "found a number that is too large");
}

TEST(ParseJson, AKeyMayStandOnceInAnObject) {
  EXPECT_EQ(error_of("{\"a\": {\"b\": 1}, \"b\": 2}"), "");
  EXPECT_EQ(error_of("{\"a\": {\"b\": 1, \"b\": 2}}"),
            "b: found twice in one object, expected once");
  const std::string longer(100'000, 'k');
  EXPECT_LT(error_of("{\"" + longer + "\": 1, \"" + longer + "\": 2}").size(), 200u);
}

TEST(ParseJson, KeepsEveryKindOfValue) {
  const std::string text = R"([null,true,-3,18446744073709551615,0.25,"a",[],{},{"b":[{"a":1}]}])";
  const auto ordered = parse_json<nlohmann::ordered_json>(text);
  const auto sorted = parse_json<nlohmann::json>(text);
  ASSERT_TRUE(ordered && sorted);
  EXPECT_EQ(ordered->dump(), text);
  EXPECT_EQ(*sorted, nlohmann::json::parse(text));
  EXPECT_TRUE((*ordered)[3].is_number_unsigned());
  EXPECT_EQ(parse_json<nlohmann::json>("7")->dump(), "7");
  EXPECT_EQ(error_of("[1] [2]"), "line 1: found text that is not JSON");
}

// In quadratic time, each of these texts would take minutes.
TEST(ParseJson, ManyKeysAndManyObjectsTakeNoQuadraticTime) {
  constexpr int kMany = 200'000;
  std::string keys = "{";
  std::string objects = "[";
  for (int i = 0; i < kMany; ++i) {
    keys += "\"" + std::to_string(i) + "\":0,";
    objects += "{},";
  }
  keys.back() = '}';
  objects.back() = ']';
  EXPECT_EQ(error_of(keys), "");
  EXPECT_EQ(error_of(objects), "");
  keys.back() = ',';
  EXPECT_EQ(error_of(keys + "\"0\":1}"), "0: found twice in one object, expected once");
}

TEST(ParseJson, ADeepTextIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(error_of(nested(kJsonDepthMax)), "");
  EXPECT_EQ(error_of(nested(kJsonDepthMax + 1)),
            "found arrays and objects that nest deeper than 64 levels");
  EXPECT_NE(error_of(nested(10'000'000)), "");
  // Brackets in a text do not nest.
  EXPECT_EQ(error_of("[\"" + std::string(1000, '[') + "\"]"), "");
}

}  // namespace parse_json_test
}  // namespace surety
