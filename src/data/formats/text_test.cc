#include "data/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/random.h"
#include "data/formats/buffered_input.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace text_test {

using testing::HasSubstr;

TEST(ParseFloat, EqualsStrtofOnRandomNumbers) {
  Random random(1);
  for (int i = 0; i < 60000; ++i) {
    const std::string digits = std::to_string(random.next() >> random.below(64));
    const std::string fraction = std::to_string(random.next() >> random.below(64));
    const auto exponent = static_cast<int>(random.below(90)) - 45;
    std::string text = (random.below(2) == 0 ? "-" : "") + digits;
    if (random.below(2) == 0) text += "." + fraction;
    if (random.below(2) == 0) text += fmt::format("e{}", exponent);
    const float expected = std::strtof(text.c_str(), nullptr);
    const FloatText found = parse_float(text.data(), text.data() + text.size());
    if (std::isinf(expected)) {
      EXPECT_EQ(found.end, nullptr) << text;
    } else {
      ASSERT_EQ(found.end, text.data() + text.size()) << text;
      // Numbers that are too small for a normal float may become zero.
      const bool tiny = std::abs(expected) < 1.17549435e-38f && found.value == 0;
      EXPECT_TRUE(found.value == expected || tiny) << text;
    }
  }
}

// Numbers in [8, 9) with 15 decimals that are up to 5e-16 away from the middle of two floats. This
// is less than half the distance between doubles, so the nearest double is the middle itself. That
// double does not show any more whether the number is above or below the middle.
TEST(ParseFloat, NumbersNextToTheMiddleOfTwoFloatsRoundAsStrtof) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<float>(8 + random.uniform());
    const double middle =
        (static_cast<double>(value) + static_cast<double>(std::nextafter(value, INFINITY))) / 2;
    for (const std::string& text : {fmt::format("{:.15f}", middle), fmt::format("{:.30f}", middle)})
      EXPECT_EQ(parse_float(text.data(), text.data() + text.size()).value,
                std::strtof(text.c_str(), nullptr))
          << text;
  }
}

TEST(ParseFloat, StopsBehindTheNumber) {
  for (const auto& [text, length] : {std::pair<std::string, int>{"12x", 2},
                                     {"1.5.2", 3},
                                     {"3e", 1},
                                     {"3e+", 1},
                                     {"7:1", 1},
                                     {"5.", 2},
                                     {".5,", 2}}) {
    EXPECT_EQ(parse_float(text.data(), text.data() + text.size()).end - text.data(), length);
  }
}

TEST(ParseFloat, RefusesWhatIsNoFiniteNumber) {
  for (const std::string text : {"", "-", "+", ".", "e5", "nan", "inf", "x", " 1", "--1", "1e39"}) {
    EXPECT_EQ(parse_float(text.data(), text.data() + text.size()).end, nullptr) << text;
  }
}

TEST(Quoted, CutsLongTextAndEscapesControlBytes) {
  EXPECT_EQ(quoted("a\tb\x7f"), "\"a\\x09b\\x7f\"");
  EXPECT_EQ(data::quoted(std::string(41, 'a')), "\"" + std::string(40, 'a') + "...\"");
  // A text is cut between two characters. Bytes that are not UTF-8, and characters that change the
  // direction of text, are replaced.
  EXPECT_EQ(data::quoted(std::string(39, 'a') + "\xc3\xa4"), "\"" + std::string(39, 'a') + "...\"");
  EXPECT_EQ(data::quoted("caf\xe9!"), "\"caf?!\"");
  EXPECT_EQ(data::quoted("a\xe2\x80\xae"
                         "b"),
            "\"a???b\"");
}

BufferedInput input_of(const std::string& text) {
  return BufferedInput(std::move(*memory_files({{"f", text}})("f")));
}

TEST(BufferedInput, LinesMayEndInEitherWayAndTheLastNeedsNone) {
  BufferedInput input = input_of("a\r\n\nlong\r\rb");
  EXPECT_EQ(input.next_line().value(), "a");
  EXPECT_EQ(input.next_line().value(), "");
  EXPECT_EQ(input.next_line().value(), "long\r\rb");
  EXPECT_EQ(input.line(), 3u);
  EXPECT_EQ(input.next_line().value(), std::nullopt);
  EXPECT_TRUE(input.at_end().value());
}

TEST(BufferedInput, LinesLongerThanItsBufferAreWhole) {
  const std::string line(700000, 'x');
  BufferedInput input = input_of("short\n" + line + "\nafter");
  EXPECT_EQ(input.next_line().value(), "short");
  EXPECT_TRUE(input.next_line().value() == line);
  EXPECT_EQ(input.next_line().value(), "after");
}

// Returns the same byte forever.
class Endless final : public ByteSource {
 public:
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    std::fill(buffer.begin(), buffer.end(), std::byte{'x'});
    return buffer.size();
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string name_ = "f";
};

TEST(BufferedInput, AFileWithoutLineEndsIsNotReadIntoMemory) {
  BufferedInput input(std::make_unique<Endless>());
  const auto line = input.next_line();
  ASSERT_FALSE(line);
  EXPECT_THAT(line.error().message, HasSubstr("f: line 1: found more than 64 MiB"));
}

TEST(BufferedInput, ReadsAndSkipsAcrossItsBuffer) {
  const std::string bytes = random_bytes(1000000, 256, 1);
  BufferedInput input = input_of(bytes);
  std::string found(600000, '\0');
  ASSERT_EQ(input.read(std::as_writable_bytes(std::span(found).first(10))).value(), 10u);
  ASSERT_EQ(input.skip(300000).value(), 300000u);
  ASSERT_EQ(input.read(std::as_writable_bytes(std::span(found))).value(), 600000u);
  EXPECT_TRUE(found == bytes.substr(300010, 600000));
  EXPECT_FALSE(input.at_end().value());
  EXPECT_EQ(input.skip(1000000).value(), 99990u);
  EXPECT_TRUE(input.at_end().value());
}

}  // namespace text_test
}  // namespace surety::data
