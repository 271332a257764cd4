// The profile library as users see it: a second run uses the knowledge of the first one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_test.h"
#include "cli/exit_codes.h"
#include "runtime/files/library_folder.h"

namespace surety::cli {
namespace profiles_posix_test {

using ::testing::HasSubstr;
using ::testing::Not;

class Profiles : public ::testing::Test {
 protected:
  Finished run(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run",   job_,
                                       "--out", runs_.path(name),
                                       "--set", "promise.target=0.02",
                                       "--set", "train.lambda=0.001"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runs_.surety(arguments);
  }
  nlohmann::json list() {
    const Finished listed = runs_.surety({"profiles", "list", "--json"});
    EXPECT_EQ(listed.code, kKept) << listed.output;
    return nlohmann::json::parse(listed.output)["profiles"];
  }
  std::string only_id() { return list().at(0)["id"]; }
  // The number of earlier jobs that the run knew when it began.
  std::uint32_t known(const std::string& name) const {
    return runs_.journal(name).front().run_began().earlier().jobs();
  }

  Runs runs_;
  std::string job_ = runs_.glm_job();
};

TEST_F(Profiles, TheSecondRunKnowsTheFirstAndTheThirdBoth) {
  EXPECT_THAT(run("first").output, Not(HasSubstr("of this kind")));
  EXPECT_THAT(run("second").output,
              HasSubstr("uses the results of 1 earlier job of this kind from"));
  const Finished third = run("third");
  EXPECT_EQ(third.code, kKept) << third.output;
  EXPECT_THAT(third.output, HasSubstr("uses the results of 2 earlier jobs of this kind from"));
  EXPECT_EQ(known("third"), 2u);
  ASSERT_EQ(list().size(), 3u);
  EXPECT_EQ(list()[2]["jobs"], 3);
  EXPECT_EQ(list()[2]["outcome"], "kept");
  const Finished verified = runs_.surety({"verify", runs_.path("third")});
  EXPECT_EQ(verified.code, kKept) << verified.output;
}

TEST_F(Profiles, AnotherModelIsAnotherKindAndOtherSamplesAreSaidToBe) {
  run("first");
  run("other", {"--set", "train.lambda=0.01"});
  EXPECT_EQ(known("other"), 0u);
  std::ofstream(runs_.path("rows.svm"), std::ios::app) << "+1 1:0.5 20:0.1\n";
  const Finished more = run("more");
  EXPECT_THAT(more.output,
              HasSubstr("uses the results of 1 earlier job of this kind, on other data, from"));
}

TEST_F(Profiles, ARunWithoutTheLibraryReadsAndLeavesNothing) {
  run("first", {"--set", "profile.library=off"});
  EXPECT_EQ(list().size(), 0u);
}

TEST_F(Profiles, ADamagedEntryIsLeftAsideAndTheRunGoesOn) {
  run("first");
  const std::string id = only_id();
  const std::string file = runs_.path("surety/profiles/" + id + ".json");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const Finished second = run("second");
  EXPECT_EQ(second.code, kKept) << second.output;
  EXPECT_THAT(second.output, HasSubstr("an entry of the profile library is ignored: " + file));
  EXPECT_EQ(known("second"), 0u);
  // The warning also says how to remove the entry.
  EXPECT_THAT(second.output, HasSubstr("surety profiles forget " + id));
  EXPECT_EQ(runs_.surety({"profiles", "forget", id}).code, kKept);
  EXPECT_THAT(run("third").output, Not(HasSubstr("is ignored")));
}

TEST_F(Profiles, AnEntryFromElsewhereCannotSteerTheTerminal) {
  run("first");
  const std::string folder = runs_.path("surety/profiles");
  auto library = runtime::read_library(folder);
  ASSERT_TRUE(library && library->entries.size() == 1u);
  library->entries[0].made_for.aspects["model.zoo"] = "svm\u202e\xc2\x9b";
  const auto id = runtime::add_entry(folder, library->entries[0]);
  ASSERT_TRUE(id) << id.error().message;
  for (const auto& command :
       {std::vector<std::string>{"profiles", "list"}, {"profiles", "show", *id}}) {
    const Finished shown = runs_.surety(command);
    EXPECT_EQ(shown.code, kKept) << shown.output;
    EXPECT_THAT(shown.output, HasSubstr("svm?????"));
    EXPECT_THAT(shown.output, Not(HasSubstr("\u202e")));
  }
}

TEST_F(Profiles, AnEntryIsShownExportedAndForgotten) {
  run("first");
  const std::string id = only_id();
  const Finished shown = runs_.surety({"profiles", "show", id});
  EXPECT_EQ(shown.code, kKept);
  EXPECT_THAT(shown.output, HasSubstr("results of 1 job, the last one kept at"));
  EXPECT_THAT(shown.output, HasSubstr("train.lambda: 0.001"));
  std::filesystem::create_directory(runs_.path("elsewhere"));
  const Finished exported =
      runs_.surety({"profiles", "export", id, "--out", runs_.path("elsewhere/" + id + ".json")});
  EXPECT_EQ(exported.code, kKept) << exported.output;
  EXPECT_EQ(runs_.surety({"profiles", "forget", id}).code, kKept);
  EXPECT_EQ(list().size(), 0u);
  const Finished there = run("there", {"--library", runs_.path("elsewhere")});
  EXPECT_THAT(there.output, HasSubstr("uses the results of 1 earlier job"));
}

TEST_F(Profiles, AnExportTakesThePlaceOfNoPipeOrDevice) {
  run("first");
  const std::string pipe = runs_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Finished exported = runs_.surety({"profiles", "export", only_id(), "--out", pipe});
  EXPECT_EQ(exported.code, kUsage);
  EXPECT_THAT(exported.output, HasSubstr("found no regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(Profiles, WhatIsNotThereIsRefusedWithWhatToDo) {
  const Finished unknown = runs_.surety({"profiles", "show", "nothing"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_THAT(unknown.output, HasSubstr("nothing: found no such entry in"));
  EXPECT_THAT(unknown.output, HasSubstr("surety profiles list"));
  EXPECT_EQ(runs_.surety({"profiles", "forget"}).code, kUsage);
  std::ofstream(runs_.path("file")) << "no folder";
  const Finished run_there = run("run", {"--library", runs_.path("file")});
  EXPECT_EQ(run_there.code, kUsage) << run_there.output;
  EXPECT_FALSE(std::filesystem::exists(runs_.path("run")));
}

}  // namespace profiles_posix_test
}  // namespace surety::cli
