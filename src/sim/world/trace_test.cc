#include "sim/world/trace.h"

#include <gtest/gtest.h>

namespace surety::sim {
namespace trace_test {

TEST(Trace, TheHashCoversWhatHappensAndWhen) {
  EventQueue queue;
  Trace first(queue);
  Trace second(queue);
  first.note("sent", 1, 2);
  second.note("sent", 1, 2);
  EXPECT_EQ(first.hash(), second.hash());
  first.note("sent", 1, 2);
  queue.at(1, [] {});
  ASSERT_TRUE(queue.run_next());
  second.note("sent", 1, 2);
  EXPECT_NE(first.hash(), second.hash());
}

TEST(Trace, TheListenerHearsALineThatIsAlreadyThere) {
  EventQueue queue;
  Trace trace(queue);
  std::vector<std::string> heard;
  trace.log("before");
  trace.listen([&](const std::string& line) {
    EXPECT_EQ(trace.lines().back().text, line);
    heard.push_back(line);
  });
  trace.note("only in the hash");
  trace.log("after");
  EXPECT_EQ(heard, std::vector<std::string>{"after"});
  EXPECT_EQ(trace.lines().size(), 2u);
}

}  // namespace trace_test
}  // namespace surety::sim
