#include "job/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/yaml_parse.h"

namespace surety::job::yaml {
namespace yaml_test {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const Result<Node> node = parse("job.yaml", text);
  return node ? "accepted" : node.error().message;
}

TEST(Yaml, ValuesRememberTheLineOfTheirKey) {
  const Node root = parse("job.yaml", "a: 1\nb:\n  c:\n    - x\n    - y\n").value();
  EXPECT_EQ(root.find("a")->place.line, 1);
  EXPECT_EQ(root.find("b")->find("c")->place.line, 3);
  EXPECT_EQ(root.find("b")->find("c")->children[1].place.line, 5);
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(Yaml, ASyntaxErrorNamesItsLine) {
  EXPECT_THAT(refusal("a: 1\nb: [1, 2\n"), HasSubstr("job.yaml:3: not YAML"));
  EXPECT_THAT(refusal("a: 1\nb: }\n"), HasSubstr("job.yaml:2: not YAML"));
}

// Journals and certificates cannot contain other texts.
TEST(Yaml, TextThatIsNotUtf8IsRefusedWithItsLine) {
  EXPECT_EQ(refusal("a: 1\nb: caf\xe9\n"), "job.yaml:2: found the byte 0xe9, expected UTF-8 text");
}

TEST(Yaml, AKeyComesOnce) {
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"),
            "job.yaml:3: a: found twice in one mapping, expected once");
  EXPECT_EQ(refusal("x: {k: 1, k: 2}"), "job.yaml:1: k: found twice in one mapping, expected once");
}

TEST(Yaml, AnchorsAndAliasesAreRefusedSoThatASmallTextStaysSmall) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("a{}: &a{} [*a{}, *a{}]\n", i, i, i - 1, i - 1);
  EXPECT_EQ(refusal(bomb), "job.yaml:1: found an anchor (&name), expected the value alone");
  EXPECT_EQ(refusal("a: &b {c: 1}"),
            "job.yaml:1: found an anchor (&name), expected the value alone");
  EXPECT_EQ(refusal("a: &b c"), "job.yaml:1: found an anchor (&name), expected the value alone");
}

TEST(Yaml, OnlyMappingsOfTextToValuesAreUnderstood) {
  EXPECT_THAT(refusal("a: !!binary abcd"), HasSubstr("found the tag"));
  EXPECT_EQ(refusal("a: 1\nb:\n\tc: 2\n"),
            "job.yaml:3: found a tab before the first word, expected spaces: YAML is indented by "
            "spaces only");
  EXPECT_EQ(refusal("? [a, b]\n: c\n"), "job.yaml:1: found [a, b] as a key");
  EXPECT_THAT(refusal("a: 1\n---\nb: 2\n"), HasSubstr("found a second document"));
}

TEST(Yaml, DeepNestingIsAnErrorNotACrash) {
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("nested too deeply"));
}

TEST(Yaml, MoreThanAMebibyteIsRefusedUnread) {
  const std::size_t limit = 1u << 20;
  EXPECT_EQ(refusal("#" + std::string(limit - 1, ' ')), "accepted");
  EXPECT_EQ(refusal("#" + std::string(limit, ' ')),
            "job.yaml: found 1048577 bytes, expected a job file of at most 1048576");
}

TEST(Yaml, SetWritesValuesAndMakesTheMapsOnTheWay) {
  Node root = parse("job.yaml", "a: {b: 1}\nlist: [x, y]\n").value();
  ASSERT_TRUE(set(root, "a.b", "a.b", "2").has_value());
  ASSERT_TRUE(set(root, "new.deep", "new.deep", "[1, 2]").has_value());
  ASSERT_TRUE(set(root, "list.1", "list.1", "z").has_value());
  ASSERT_TRUE(set(root, "list.2", "list.2", "w").has_value());
  EXPECT_EQ(root.find("a")->find("b")->text, "2");
  EXPECT_EQ(where(root.find("a")->find("b")->place, "job.yaml"), "--set a.b");
  EXPECT_EQ(root.find("new")->find("deep")->children.size(), 2u);
  EXPECT_EQ(root.find("list")->children[1].text, "z");
  EXPECT_EQ(root.find("list")->children[2].text, "w");
}

TEST(Yaml, SetRefusesPathsThatLeadNowhere) {
  Node root = parse("job.yaml", "a: 1\nlist: [x]\n").value();
  EXPECT_THAT(
      set(root, "a.b", "a.b", "2").error().message,
      HasSubstr("--set a.b: found the value \"1\", expected a mapping that contains \"b\""));
  EXPECT_THAT(set(root, "list.5", "list.5", "2").error().message,
              HasSubstr("expected an index from 0 to 1"));
  EXPECT_THAT(set(root, "a..b", "a..b", "2").error().message, HasSubstr("found an empty part"));
  EXPECT_THAT(set(root, "a", "a", "[1").error().message, HasSubstr("--set a:"));
}

TEST(Yaml, WhatIsWrittenReadsAsTheSameTree) {
  // Texts that YAML would interpret in another way if they were not quoted.
  const std::vector<std::string> texts{
      "",     "null",       "~",  "- a", "a: b", "#c",      "*x",   "&y",  "!t",    "\"q\"\\",
      "a\nb", "\t\x01\x7f", "%z", "@",   "true", "prune:1", "żółw", "---", " lead", "[1"};
  Node root = parse("job.yaml", "{}").value();
  Node list;
  list.kind = Kind::kList;
  for (const std::string& text : texts) {
    if (!text.empty()) root.put(text, scalar(text));
    list.children.push_back(scalar(text));
  }
  root.put("flow", list);
  list.children.push_back(Node{});  // A list that has not only scalars is written in block style.
  root.put("block", list);
  root.put("lists", parse("job.yaml", "[[a, b], [], {}, {k: {l: [m]}}]").value());
  const std::string written = write(root);
  const Result<Node> again = parse("again", written);
  ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << written;
  EXPECT_EQ(write(*again), written);
  EXPECT_EQ(again->keys, root.keys);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(again->find("flow")->children[i].text, texts[i]);
    EXPECT_EQ(again->find("block")->children[i].text, texts[i]);
  }
}

}  // namespace yaml_test
}  // namespace surety::job::yaml
