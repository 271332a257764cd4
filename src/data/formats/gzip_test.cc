#include "data/formats/gzip.h"

#include "base/random.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace gzip_test {

using testing::HasSubstr;

// All bytes of the source, read with buffers of this size.
Result<std::string> drain(std::unique_ptr<ByteSource> source, std::size_t buffer_bytes) {
  SURETY_TRY(const auto out, inflated(std::move(source)));
  std::string all;
  std::vector<std::byte> buffer(buffer_bytes);
  while (true) {
    SURETY_TRY(const std::size_t count, out->read(buffer));
    if (count == 0) return all;
    all.append(reinterpret_cast<const char*>(buffer.data()), count);
  }
}

std::unique_ptr<ByteSource> source_of(const std::string& bytes) {
  return std::move(*memory_files({{"f.gz", bytes}})("f.gz"));
}

Result<std::string> drain(const std::string& bytes) { return drain(source_of(bytes), 4096); }

// Text that compresses to several kilobytes.
std::string long_text() {
  Random random(5);
  std::string text;
  while (text.size() < 40000) text += fmt::format("{}:0.{} ", random.below(999), random.below(9));
  return text;
}

TEST(Gzip, FilesWithoutItsMagicGoThroughAsTheyAre) {
  for (const std::string& bytes : {std::string(), std::string("\x1f"), std::string("1 2:3\n"),
                                   std::string("\x1f\x8c\x08"), std::string("\x8b\x1f")}) {
    EXPECT_EQ(drain(bytes).value(), bytes);
  }
}

TEST(Gzip, InflatesWhateverTheBufferSizes) {
  const std::string text = long_text();
  for (const std::size_t buffer : {1u, 7u, 4096u, 1u << 20}) {
    EXPECT_EQ(drain(source_of(gzipped(text)), buffer).value(), text);
  }
  EXPECT_EQ(drain(std::make_unique<Trickle>(source_of(gzipped(text))), 4096).value(), text);
  EXPECT_EQ(drain(gzipped("")).value(), "");
}

TEST(Gzip, SeveralMembersAreOneStream) {
  EXPECT_EQ(drain(gzipped("one ") + gzipped("") + gzipped("two")).value(), "one two");
}

TEST(Gzip, ATruncatedStreamIsAnErrorWhereverItEnds) {
  const std::string whole = gzipped("one ") + gzipped(long_text());
  const std::size_t first_member = gzipped("one ").size();
  for (std::size_t size = 2; size < whole.size(); size += size < 100 ? 1 : 37) {
    const auto text = drain(whole.substr(0, size));
    if (size == first_member) continue;  // The first member is a complete file.
    ASSERT_FALSE(text) << size;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(text.error().message, HasSubstr("f.gz: gzip stream is truncated"));
    EXPECT_THAT(text.error().message, HasSubstr(fmt::format("after {} compressed bytes", size)));
  }
}

TEST(Gzip, EveryDamagedByteBehindTheHeaderIsFound) {
  const std::string plain = "1 2:0.5 7:0.25\n-1 3:0.125\n";
  const std::string whole = gzipped(plain);
  constexpr std::size_t kHeaderBytes = 10;
  for (std::size_t at = kHeaderBytes; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto text = drain(damaged);
      if (text && *text == plain) continue;  // One of the padding bits of the last byte.
      ASSERT_FALSE(text) << "byte " << at << " bit " << bit;
      EXPECT_THAT(text.error().message, HasSubstr("f.gz: gzip stream is "));
    }
  }
}

TEST(Gzip, AnythingElseBehindAMemberIsAnError) {
  const std::string member = gzipped("one");
  const auto text = drain(member + "some more text");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message,
              HasSubstr(fmt::format("damaged near compressed byte {}", member.size() + 2)));
}

}  // namespace gzip_test
}  // namespace surety::data
