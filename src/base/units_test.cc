#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surety {
namespace units_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ParseDuration, AcceptsEachFormOfItsHeader) {
  const std::pair<const char*, Duration> cases[] = {
      {"90s", 90s},        {"20min", 20min},   {"1h30min", 90min}, {"250ms", 250ms},
      {"2d", 48h},         {"1h 5min", 65min}, {"0s", 0s},         {"12.3s", 12300ms},
      {"1.5h", 90min},     {"200us", 200us},   {"20 min", 20min},  {"1d1h1min1s1ms", 90061001ms},
      {"36500d", 876000h}, {"0.000001ms", 1ns}};
  for (const auto& [text, expected] : cases) {
    const auto found = parse_duration(text);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, expected) << text;
  }
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text : {"",         " ",
                           "90",       "s",
                           "-1s",      "+1s",
                           "20m",      "20minutes",
                           "1e3s",     ".5s",
                           "5.s",      "1..2s",
                           "1.2.3s",   "30min1h",
                           "1h1h",     "1h30",
                           "1h  5min", "1h ",
                           " 1h",      "1  h",
                           "nans",     "infs",
                           "0x10s",    "1,5h",
                           "36501d",   "99999999999999999999d",
                           "1h\n",     "20MIN"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ParseDuration, RefusalSaysWhatWasFoundAndWhatToWrite) {
  const Error error = parse_duration("20 minutes").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("found \"20 minutes\""));
  EXPECT_THAT(error.message, HasSubstr("90s, 20min or 1h30min"));
  EXPECT_THAT(error.message, HasSubstr("d, h, min, s, ms, us"));
}

TEST(ParseBytes, AcceptsEachFormOfItsHeader) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"64KiB", 65536}, {"1MiB", 1048576},      {"2GB", 2000000000}, {"512B", 512},
      {"1kB", 1000},    {"1.5 MiB", 1572864},   {"0B", 0},           {"1TiB", 1ull << 40},
      {"0.5KiB", 512},  {"8192TiB", 1ull << 53}};
  for (const auto& [text, expected] : cases) {
    const auto found = parse_bytes(text);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, expected) << text;
  }
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"", "64", "64K", "64KB", "64kb", "-1B", "1.5B", "0.3KiB", "1e3B", "MiB",
                           "1MiB2KiB", "8193TiB", "99999999999999999999999TiB", "nanB", "1Mbit"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(ParsePrice, IsPerSecond) {
  EXPECT_DOUBLE_EQ(parse_price("1.2/s").value(), 1.2);
  EXPECT_DOUBLE_EQ(parse_price("0.6/min").value(), 0.01);
  EXPECT_DOUBLE_EQ(parse_price("0.36/h").value(), 0.0001);
  EXPECT_DOUBLE_EQ(parse_price("8.64/d").value(), 0.0001);
  EXPECT_DOUBLE_EQ(parse_price("0 /h").value(), 0);
}

TEST(ParsePrice, RefusesEverythingElse) {
  for (const char* text : {"", "0.35", "0.35/", "0.35/hour", "-1/h", "/h", "0.35 EUR/h", "1/2/h"}) {
    EXPECT_FALSE(parse_price(text)) << text;
  }
}

TEST(ParseNumber, AcceptsFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("0.35").value(), 0.35);
  EXPECT_EQ(parse_number("-2").value(), -2);
  EXPECT_EQ(parse_number("1e-3").value(), 1e-3);
  for (const char* text :
       {"", " 1", "1 ", "1x", "+1", "nan", "inf", "1e999", "0x10", "1,5", "--1"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(FormatDuration, IsShortAndNeverSixtyOfAUnit) {
  const std::pair<Duration, const char*> cases[] = {{0s, "0s"},         {400ns, "0s"},
                                                    {700ns, "1us"},     {250ms, "250ms"},
                                                    {999'600us, "1s"},  {12'300ms, "12.3s"},
                                                    {12s, "12s"},       {59'960ms, "1min"},
                                                    {20min, "20min"},   {20min + 5s, "20min 5s"},
                                                    {3599'700ms, "1h"}, {65min, "1h 5min"},
                                                    {24h - 10s, "1d"},  {49h, "2d 1h"},
                                                    {-90s, "-1min 30s"}};
  for (const auto& [duration, expected] : cases) EXPECT_EQ(format_duration(duration), expected);
}

TEST(FormatDuration, EvenTheLowestDurationHasAForm) {
  EXPECT_EQ(format_duration(Duration::min()), "-" + format_duration(Duration::max()));
}

TEST(FormatDuration, IsWhatParseDurationReads) {
  for (const Duration duration : {Duration(250ms), Duration(12'300ms), Duration(65min),
                                  Duration(20min + 5s), Duration(49h), Duration(0s)}) {
    EXPECT_EQ(parse_duration(format_duration(duration)).value(), duration);
  }
}

TEST(FormatBytes, IsShortAndNever1024OfAUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(format_bytes(~0ull), "16 EiB");
}

}  // namespace units_test
}  // namespace surety
