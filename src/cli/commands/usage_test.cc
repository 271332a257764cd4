#include "cli/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"

namespace surety::cli {
namespace usage_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string output_of(std::vector<std::string> words) {
  CLI::App app("", "surety");
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_plan(app, action);
  add_status(app, action);
  add_profiles(app, action);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, words, error);
  }
  return "accepted";
}

TEST(Usage, AnUnknownCommandIsNamedWithTheNearest) {
  EXPECT_EQ(
      output_of({"rnu", "job.yaml"}),
      "found the command rnu, expected one of run, plan, status, profiles; did you mean run?\n"
      "see  surety --help");
  EXPECT_EQ(output_of({}),
            "found no command, expected one of run, plan, status, profiles\nsee  surety --help");
}

TEST(Usage, AWholeNumberIsRefusedIfTheProgramWouldReadAnotherOne) {
  const auto all = whole_number();
  for (const char* text : {"0", "7", "18446744073709551615"}) EXPECT_EQ(all(text), "") << text;
  for (const char* text : {"18446744073709551616", "-1", "010", "00", "0x10", " 5", "5 ", "1e3",
                           "+3", "", "99999999999999999999999999"}) {
    EXPECT_THAT(all(text), HasSubstr("expected a whole number from 0 to 18446744073709551615"))
        << text;
  }
  EXPECT_EQ(whole_number(1, 9)("9"), "");
  EXPECT_EQ(whole_number(1, 9)("10"), "found 10, expected a whole number from 1 to 9");
  EXPECT_EQ(whole_number(1, 9)("0"), "found 0, expected a whole number from 1 to 9");
}

TEST(Usage, ANumberBeyondSixtyFourBitsIsNotTakenForTheLargestOne) {
  CLI::App app("", "surety");
  Action action;
  add_sim(app, action);
  std::vector<std::string> words{"18446744073709551616", "--seed", "sim"};
  try {
    app.parse(words);
    ADD_FAILURE() << "the number was accepted";
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("--seed: found 18446744073709551616, expected a whole number"));
  }
}

TEST(Usage, CommandsThatAreNotForUsersAreNotNamed) {
  CLI::App app("", "surety");
  Action action;
  add_run(app, action);
  add_measure(app, action, nullptr);
  const std::string text = usage_error(app, {"measur"}, CLI::ExtrasError({"measur"}));
  EXPECT_THAT(text, StartsWith("found the command measur, expected one of run\n"));
}

TEST(Usage, SoIsOneBelowACommand) {
  EXPECT_EQ(output_of({"profiles", "lsit"}),
            "surety profiles: found the command lsit, expected one of list, show, forget, export; "
            "did you mean list?\nsee  surety profiles --help");
  EXPECT_THAT(output_of({"profiles"}),
              HasSubstr("surety profiles: found no command, expected one"));
  EXPECT_THAT(output_of({"profiles", "list", "--jsno"}),
              HasSubstr("surety profiles list: found the option --jsno, expected one of --help, "
                        "--library, --json; did you mean --json?"));
  EXPECT_THAT(output_of({"profiles", "show"}), HasSubstr("surety profiles show: id is required"));
}

TEST(Usage, AnUnknownOptionIsNamedWithTheNearest) {
  const std::string output = output_of({"run", "job.yaml", "--sett", "a=b"});
  EXPECT_THAT(output,
              HasSubstr("surety run: found the option --sett, expected one of --help, --set,"));
  EXPECT_THAT(output, HasSubstr("; did you mean --set?\nsee  surety run --help"));
  EXPECT_THAT(output_of({"run", "job.yaml", "--jsonn=1"}), HasSubstr("did you mean --json?"));
}

TEST(Usage, WhatIsMissingIsSaidWithTheCommand) {
  EXPECT_EQ(output_of({"plan"}), "surety plan: job is required\nsee  surety plan --help");
}

TEST(Usage, ANegativeNumberIsNotTakenForALargeOne) {
  CLI::App app("", "surety");
  Action action;
  add_sim(app, action);
  add_worker(app, action);
  EXPECT_THROW(app.parse("sim job.yaml --seed=-1"), CLI::ValidationError);
  EXPECT_THROW(app.parse("worker --threads=-1"), CLI::ValidationError);
  EXPECT_NO_THROW(app.parse("sim job.yaml --seed=0"));
}

TEST(Usage, ARightCommandLineIsAccepted) {
  EXPECT_EQ(output_of({"run", "job.yaml", "--set", "a=b"}), "accepted");
}

TEST(Usage, AnEmptyWordIsRefusedWhereverItIs) {
  EXPECT_THAT(empty_word({"run", "job.yaml", "--library", ""}).value_or(""),
              HasSubstr("--library: found an empty text, expected a value"));
  EXPECT_THAT(empty_word({"run", "--out="}).value_or(""), HasSubstr("--out: found an empty text"));
  EXPECT_THAT(empty_word({"status", ""}).value_or(""), StartsWith("found an empty text"));
  EXPECT_FALSE(empty_word({"run", "--set", "a.b=", "--set=a=", "--json"}));
}

}  // namespace usage_test
}  // namespace surety::cli
