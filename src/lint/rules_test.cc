// Each rule on a small tree in memory: what it reports, and what it accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/comments.h"
#include "lint/findings_testing.h"
#include "lint/form.h"
#include "lint/modules.h"
#include "lint/purity.h"
#include "lint/standard_names.h"

namespace surety::lint {
namespace rules_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHouse =
    "surety_module(base LIBS fmt::fmt)\n"
    "surety_module(base/posix DEPS base)\n"
    "surety_proto(proto)\n"
    "surety_module(plan DEPS base TEST_DEPS proto TEST_LIBS clp)\n"
    "surety_module(cli DEPS base plan\n"
    "              proto LIBS CLI11::CLI11)\n"
    "surety_program(worker MAIN src/cli/worker_main.cc DEPS cli base/posix)\n"
    "surety_program(tool MAIN src/tools/tool.cc DEPS cli)\n";

SourceTree house(std::vector<SourceFile> files) {
  files.push_back(make_file("CMakeLists.txt", kHouse));
  return {.files = std::move(files)};
}

std::vector<std::string> layers_of(const char* path, const char* text) {
  return texts(check_layers(house({make_file(path, text)})));
}

std::vector<std::string> purity_of(const char* path, const char* text) {
  return texts(check_purity(house({make_file(path, text)})));
}

TEST(Layers, OwnModuleAndDependenciesMayBeIncluded) {
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"plan/x.h\"\n#include \"base/a.h\"\n"),
              IsEmpty());
  EXPECT_THAT(layers_of("src/cli/x.cc", "#include \"plan/x.h\"\n#include <CLI/CLI.hpp>\n"),
              IsEmpty());
}

TEST(Layers, NothingElseMay) {
  EXPECT_THAT(layers_of("src/base/x.cc", "\n#include \"plan/x.h\"\n"),
              ElementsAre(HasSubstr("src/base/x.cc:2: layers: base may not include plan")));
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"base/posix/file.h\"\n"),
              ElementsAre(HasSubstr("plan may not include base/posix")));
}

TEST(Layers, GeneratedMessagesAreModuleProto) {
  EXPECT_THAT(layers_of("src/cli/x.cc", "#include \"journal.pb.h\"\n"), IsEmpty());
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"journal.pb.h\"\n"),
              ElementsAre(HasSubstr("plan may not include proto")));
}

TEST(Layers, TestsMayIncludeWhatOnlyTheyDependOn) {
  const char* text = "#include \"proto/x.h\"\n";
  EXPECT_THAT(layers_of("src/plan/x_test.cc", text), IsEmpty());
  EXPECT_THAT(layers_of("src/plan/x_testing.h", text), IsEmpty());
  EXPECT_EQ(layers_of("src/plan/x.cc", text).size(), 1u);
  EXPECT_EQ(layers_of("src/cli/x_test.cc", "#include \"base/posix/file.h\"\n").size(), 1u);
}

TEST(Layers, TestSupportIsForTestsOfItsModuleAndOfThoseThatDependOnIt) {
  const char* text = "#include \"test/support/base/x.h\"\n";
  for (const char* path : {"src/base/x_test.cc", "src/plan/x_testing.h", "src/plan/x_fuzz.cc",
                           "test/support/plan/x.h"}) {
    EXPECT_THAT(layers_of(path, text), IsEmpty()) << path;
  }
  EXPECT_THAT(layers_of("src/base/x_test.cc", "#include \"test/support/plan/x.h\"\n"),
              ElementsAre(HasSubstr("base may not include test/support/plan")));
  EXPECT_THAT(layers_of("test/support/base/x.h", "#include \"plan/x.h\"\n"),
              ElementsAre(HasSubstr("base may not include plan")));
  EXPECT_THAT(layers_of("test/support/new/x.h", ""), ElementsAre(HasSubstr("folder of no module")));
}

TEST(Layers, ProgramsNeedNothingThatIsForTests) {
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"test/support/plan/x.h\"\n"),
              ElementsAre(HasSubstr("is for tests; no program may need it")));
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"plan/x_testing.h\"\n"),
              ElementsAre(HasSubstr("is for tests; no program may need it")));
}

TEST(Layers, MainFileMayIncludeWhatItsProgramDependsOn) {
  const char* text = "#include \"base/posix/file.h\"\n";
  EXPECT_THAT(layers_of("src/cli/worker_main.cc", text), IsEmpty());
  EXPECT_EQ(layers_of("src/cli/other.cc", text).size(), 1u);
}

TEST(Layers, TheFolderOfAMainFileNeedNotBeAModule) {
  EXPECT_THAT(layers_of("src/tools/tool.cc", "#include \"cli/x.h\"\n"), IsEmpty());
  EXPECT_THAT(layers_of("src/tools/tool.cc", "#include \"base/x.h\"\n"),
              ElementsAre(HasSubstr("may not include base")));
  EXPECT_THAT(layers_of("src/tools/other.cc", ""), ElementsAre(HasSubstr("folder of no module")));
}

TEST(Layers, FilesAndIncludesOfNoModuleAreFound) {
  EXPECT_THAT(layers_of("src/new/x.cc", ""), ElementsAre(HasSubstr("folder of no module")));
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"x.h\"\n"),
              ElementsAre(HasSubstr("write \"plan/x.h\"")));
  EXPECT_THAT(layers_of("src/plan/x.cc", "#include \"boost/x.h\"\n"),
              ElementsAre(HasSubstr("use <> for libraries")));
}

TEST(Layers, DependenciesPointDownOnly) {
  const SourceTree tree{
      {make_file("CMakeLists.txt", "surety_module(a DEPS b)\nsurety_module(b DEPS a)\n")}};
  EXPECT_THAT(texts(check_layers(tree)),
              ElementsAre(HasSubstr("CMakeLists.txt:1: layers: a depends on b")));
  const SourceTree tests{
      {make_file("CMakeLists.txt", "surety_module(a TEST_DEPS b)\nsurety_module(b)\n")}};
  EXPECT_EQ(check_layers(tests).size(), 1u);
}

TEST(Layers, HowAModuleIsBuiltIsNoDependency) {
  const SourceTree tree{
      {make_file("CMakeLists.txt",
                 "surety_module(a HOT TEST_COST 60 DEPS b ALONE x.cc)\nsurety_module(b)\n")}};
  // Module a must not depend on b, which is declared after it. No other word in that line counts as
  // a module.
  EXPECT_THAT(texts(check_layers(tree)),
              ElementsAre(HasSubstr("CMakeLists.txt:1: layers: a depends on b")));
}

TEST(Purity, CoresMayNotTouchTheMachine) {
  for (const char* line :
       {"#include <thread>", "#include <mutex>", "#include <fstream>", "#include <filesystem>",
        "#include <random>", "#include <unistd.h>", "#include <sys/stat.h>", "#include <iostream>",
        "#include <condition_variable>", "auto t = std::chrono::steady_clock::now();",
        "int r = rand();", "int r = std::rand();", "time(nullptr);", "getenv(\"X\");",
        "std::async(f);", "std::unordered_map<int, int> m;", "#include <unordered_set>"}) {
    EXPECT_EQ(purity_of("src/plan/x.cc", line).size(), 1u) << line;
    EXPECT_EQ(purity_of("src/plan/x_test.cc", line).size(), 1u) << line;
    EXPECT_EQ(purity_of("src/model/torch/x.cc", line).size(), 1u) << line;
  }
}

TEST(Purity, ShellsMay) {
  for (const char* path :
       {"src/base/posix/x.cc", "src/fabric/sockets/x.cc", "src/runtime/x.cc", "src/cli/x.cc",
        "src/lint/x.cc", "bench/x.cc", "src/plan/x_posix_test.cc", "src/plan/x_fuzz.cc"}) {
    EXPECT_THAT(purity_of(path, "#include <thread>\nauto t = Clock::now();\n"), IsEmpty()) << path;
  }
}

TEST(Purity, LongerNamesMembersCommentsAndStringsAreFree) {
  EXPECT_THAT(purity_of("src/plan/x.cc",
                        "double t = deadline_time(x) + job.time() + job->time() + brand();\n"
                        "// time(nullptr) and rand()\n"
                        "say(\"time(x)\");\n"
                        "at::set_num_threads(2);\n"
                        "#include <chrono>\n"),
              IsEmpty());
}

TEST(Purity, FindingSaysWhatToDoInstead) {
  EXPECT_THAT(purity_of("src/plan/x.cc", "\nint r = rand();\n"),
              ElementsAre("src/plan/x.cc:2: purity: rand( in a core; take a seeded Random& "
                          "(base/random.h)"));
}

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "int a;\n";
  return text;
}

std::vector<std::string> sizes_of(const char* path, const std::string& text) {
  const SizeLimits limits{.file_lines = 10, .header_lines = 5, .function_lines = 4, .columns = 20};
  return texts(check_sizes({{make_file(path, text)}}, limits));
}

TEST(Sizes, FileAtItsLimitIsFineAndOneLineMoreIsNot) {
  EXPECT_THAT(sizes_of("a.cc", lines(10)), IsEmpty());
  EXPECT_THAT(sizes_of("a.cc", lines(11)), ElementsAre(HasSubstr("11 lines, at most 10")));
  EXPECT_THAT(sizes_of("a.h", lines(5)), IsEmpty());
  EXPECT_THAT(sizes_of("a.h", lines(6)), ElementsAre(HasSubstr("6 lines, at most 5")));
}

TEST(Sizes, IncludesDoNotCount) {
  EXPECT_THAT(sizes_of("a.h", ("#include <map>\n#include \"b.h\"\n" + lines(5)).c_str()),
              IsEmpty());
}

TEST(Sizes, FunctionAtItsLimitIsFineAndOneLineMoreIsNot) {
  EXPECT_THAT(sizes_of("a.cc", "int f() {\n\n\n}\n"), IsEmpty());
  EXPECT_THAT(sizes_of("a.cc", "\nint f() {\n\n\n\n}\n"),
              ElementsAre(HasSubstr("a.cc:2: sizes: function of 5 lines, at most 4")));
}

TEST(Sizes, ColumnsCountCharactersAndNotBytes) {
  EXPECT_THAT(sizes_of("a.cc", "// 456789012345678é0\n"), IsEmpty());
  EXPECT_THAT(sizes_of("a.cc", "// 4567890123456789 1\n"), ElementsAre(HasSubstr("21 columns")));
}

TEST(Headers, StartWithACommentAndAreIncludedOnce) {
  const auto findings_of = [](const char* text) {
    return texts(check_headers({{make_file("src/a/x.h", text)}}));
  };
  EXPECT_THAT(findings_of("// What.\n#pragma once\n"), IsEmpty());
  EXPECT_THAT(findings_of("#pragma once\n"), ElementsAre(HasSubstr("no comment first")));
  EXPECT_THAT(findings_of("// What.\n"), ElementsAre(HasSubstr("no #pragma once")));
}

TEST(Headers, IncludeNoLibrariesThatTakeLongToCompile) {
  const auto found = [](const char* path, const char* include) {
    const std::string text = fmt::format("// What it is.\n#pragma once\n#include {}\n", include);
    return check_headers({{make_file(path, text)}}).size();
  };
  EXPECT_EQ(found("src/a/x.h", "<CLI/CLI.hpp>"), 1u);
  EXPECT_EQ(found("src/a/x.h", "<nlohmann/json.hpp>"), 1u);
  EXPECT_EQ(found("src/a/x.h", "<nlohmann/json_fwd.hpp>"), 0u);
  EXPECT_EQ(found("src/a/x.h", "<vector>"), 0u);
  EXPECT_EQ(found("src/a/x.cc", "<CLI/CLI.hpp>"), 0u);
  EXPECT_EQ(found("src/plan/files/json_writer.h", "<nlohmann/json.hpp>"), 0u);
}

TEST(Paths, FoldersOfOneMachineAreFound) {
  const std::string path = std::string("/ro") + "ot/data";
  EXPECT_EQ(check_paths({{make_file("scripts/run", "cat " + path)}}).size(), 1u);
  EXPECT_THAT(check_paths({{make_file("scripts/run", "cat network/work")}}), IsEmpty());
}

std::vector<std::string> comments_of(const std::string& text) {
  return texts(check_comments({{make_file("src/a/x.cc", text)}}));
}

TEST(Comments, DoNotBeginWithAWordThatNeedsANounBeforeIt) {
  EXPECT_THAT(comments_of("int a;  // Of the pass in hand.\n"),
              ElementsAre(HasSubstr("src/a/x.cc:1: comments: a comment begins with \"Of\"")));
  EXPECT_THAT(comments_of("// What it is.\n\n// Whose names these are.\nint a;\n"),
              ElementsAre(HasSubstr("x.cc:3: comments: a comment begins with \"Whose\"")));
  EXPECT_THAT(comments_of("int a;  // Offset of the first sample.\n"), IsEmpty());
}

TEST(Comments, OfSeveralLinesAreOne) {
  EXPECT_THAT(comments_of("// The share\n// Of samples that are here.\nint a;\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // The share of all\n        // That are here.\n"), IsEmpty());
  EXPECT_THAT(comments_of("// All.\n// The rest of it.\nint a;\n"), IsEmpty());
}

TEST(Comments, ThatEndLikeASentenceHaveThreeWordsUnlessTheyAreAUnit) {
  EXPECT_THAT(comments_of("int a;  // By version.\n"), ElementsAre(HasSubstr("By version.")));
  EXPECT_THAT(comments_of("int a;  // Bytes.\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // HOST:PORT\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // One a worker.\n"), IsEmpty());
}

TEST(Comments, APhraseIsNoSentence) {
  for (const char* phrase : {"For the standard error.", "With CoCoA only.", "In ascending order.",
                             "By process number.", "Without the price of the data."}) {
    EXPECT_THAT(comments_of(fmt::format("int a;  // {}\n", phrase)),
                ElementsAre(HasSubstr(fmt::format("the phrase \"{}\"", phrase))));
  }
  EXPECT_THAT(comments_of("// From the start.\nint a;\n"), ElementsAre(HasSubstr("the phrase")));
}

TEST(Comments, ASentenceMayBeginWithAPhrase) {
  EXPECT_THAT(comments_of("int a;  // With 0 there is no limit.\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // Without overlap, it waits.\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // For the next pass of this worker and others.\n"), IsEmpty());
  EXPECT_THAT(comments_of("int a;  // In bytes\n"), IsEmpty());
  EXPECT_THAT(comments_of("// For two lines.\n// They are read together.\nint a;\n"), IsEmpty());
}

TEST(Comments, LiteralsAndDirectivesAreNone) {
  EXPECT_THAT(comments_of("const char* a = \"http://Of the.\";\n"), IsEmpty());
  EXPECT_THAT(comments_of("f(\"x // Of it.\");\n"), IsEmpty());
}

TEST(HeaderNames, WithoutAFolderMeanAHeaderOfTheSameFolder) {
  const auto names_in = [](const char* text) {
    return texts(check_header_names(
        {{make_file("src/a/here.h", "// What it is.\n"), make_file("src/a/x.cc", text),
          make_file("src/b/there.h", "// What it is.\n")}}));
  };
  EXPECT_THAT(names_in("// The rules are those of there.h.\n"),
              ElementsAre(HasSubstr("src/a/x.cc:1: header names: this folder has no there.h")));
  EXPECT_THAT(names_in("int a;  // Bytes (gone.h).\n"), ElementsAre(HasSubstr("no gone.h")));
  EXPECT_THAT(names_in("// See b/there.h, here.h and <math.h>.\n"), IsEmpty());
  EXPECT_THAT(names_in("// An example is \"x_testing.h\", and others are *.h and x.hpp.\n"),
              IsEmpty());
  EXPECT_THAT(names_in("#include \"there.h\"\nf(\"there.h\");\n"), IsEmpty());
}

TEST(DescribeSizes, CountsFilesAndFunctions) {
  EXPECT_EQ(describe_sizes({{make_file("a.cc", "int f() {\n}\n")}}),
            "info: files: 1; lines median 2, p90 2, p99 2, max 2\n"
            "info: functions: 1; lines median 2, p90 2, p99 2, max 2\n");
}

std::vector<std::string> names_of(const char* path, const char* text) {
  return texts(check_standard_names(house({make_file(path, text)})));
}

TEST(StandardNames, AHeaderIncludesWhatHasTheNamesThatItUses) {
  EXPECT_THAT(names_of("src/plan/x.h", "#include <string>\nstd::string a;\n"), IsEmpty());
  EXPECT_THAT(names_of("src/plan/x.h", "std::string a;\nstd::string b;\n"),
              ElementsAre("src/plan/x.h:1: standard names: std::string without #include <string>; "
                          "include it"));
}

TEST(StandardNames, OtherNamesCommentsAndSourcesAreLeftAlone) {
  EXPECT_THAT(names_of("src/plan/x.h", "// std::vector\nstd::stringish a;\nmystd::map b;\n"),
              IsEmpty());
  EXPECT_THAT(names_of("src/plan/x.cc", "std::vector<int> a;\n"), IsEmpty());
}

}  // namespace rules_test
}  // namespace surety::lint
