// Rules that hold for the readers of all formats.
#include "data/formats/open_reader.h"
#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace reader_test {

struct Source {
  std::string url;
  Files files;
  std::size_t samples = 0;
};

std::string libsvm_text() {
  std::string text = "# a comment\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("{} {}:0.5 {}:{}\n{}", i % 3, i % 5 + 1, i + 7, i * 0.25,
                        i % 10 == 0 ? "\n" : "");
  }
  return text;
}

std::string csv_text() {
  std::string text = "a,\"the label\",b\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{}\n", i, i % 4, i * -0.5);
  return text;
}

// One source for each format except synthetic; npy has two, numbers and images of bytes.
std::vector<Source> sources() {
  const std::string labels = random_bytes(40, 10, 2);
  const std::string labels_npy = npy_file(npy_header_text("|u1", "40,"), labels);
  return {{"idx://i?labels=l",
           {{"i", idx_file({40, 3, 2}, random_bytes(240, 256, 1))}, {"l", idx_file({40}, labels)}},
           40},
          {"cifar10://b", {{"b", cifar10_file(40, 3)}}, 40},
          {"libsvm://s", {{"s", libsvm_text()}}, 40},
          {"csv://t?label=the label", {{"t", csv_text()}}, 40},
          {"npy://x?labels=y",
           {{"x", npy_file(npy_header_text("<i4", "40, 3"), random_bytes(480, 256, 4))},
            {"y", labels_npy}},
           40},
          {"npy://x?labels=y",
           {{"x", npy_file(npy_header_text("|u1", "40, 2, 3, 2"), random_bytes(480, 256, 4))},
            {"y", labels_npy}},
           40},
          {"digits://?samples=40&seed=3", {}, 40}};
}

TEST(Readers, BlocksOfSevenEqualOneGo) {
  for (const Source& source : sources()) {
    const auto whole = read_all(source.url, memory_files(source.files));
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->samples.size(), source.samples) << source.url;
    for (const std::size_t block : {1u, 7u, 40u, 41u}) {
      const auto parts = read_all(source.url, memory_files(source.files), block);
      ASSERT_TRUE(parts) << parts.error().message;
      EXPECT_TRUE(parts->samples == whole->samples) << source.url << " by " << block;
      EXPECT_EQ(parts->schema, whole->schema) << source.url;
    }
  }
}

TEST(Readers, SkippingEqualsReadingAndDropping) {
  for (const Source& source : sources()) {
    for (const std::size_t skipped : {0u, 1u, 13u, 39u, 40u, 1000u}) {
      const auto url = parse_url(source.url).value();
      const auto skipping = open_reader(url, memory_files(source.files)).value();
      const auto reading = open_reader(url, memory_files(source.files)).value();
      Samples dropped;
      Samples after_skip;
      Samples after_read;
      EXPECT_EQ(skipping->skip(skipped).value(), reading->read(skipped, dropped).value());
      EXPECT_EQ(skipping->read(100, after_skip).value(), reading->read(100, after_read).value());
      EXPECT_TRUE(after_skip == after_read) << source.url << " skipping " << skipped;
    }
  }
}

TEST(Readers, GzipAndShortReadsChangeNothing) {
  for (const Source& source : sources()) {
    const auto whole = read_all(source.url, memory_files(source.files));
    Files packed;
    for (const auto& [path, bytes] : source.files) packed[path] = gzipped(bytes);
    const auto inflated = read_all(source.url, memory_files(packed));
    ASSERT_TRUE(inflated) << inflated.error().message;
    EXPECT_TRUE(inflated->samples == whole->samples) << source.url;

    const OpenFile open = memory_files(source.files);
    const OpenFile trickling =
        [&open](const std::string& path) -> Result<std::unique_ptr<ByteSource>> {
      SURETY_TRY(auto file, open(path));
      return std::make_unique<Trickle>(std::move(file));
    };
    const auto trickled = read_all(source.url, trickling);
    ASSERT_TRUE(trickled) << trickled.error().message;
    EXPECT_TRUE(trickled->samples == whole->samples) << source.url;
  }
}

TEST(Readers, TheEndStaysTheEnd) {
  for (const Source& source : sources()) {
    const auto reader = open_reader(parse_url(source.url).value(), memory_files(source.files));
    Samples samples;
    EXPECT_EQ(reader.value()->read(1000, samples).value(), source.samples);
    EXPECT_EQ(reader.value()->read(10, samples).value(), 0u);
    EXPECT_EQ(reader.value()->skip(10).value(), 0u);
    EXPECT_EQ(samples.size(), source.samples);
  }
}

TEST(Readers, WithoutLabelsTheValuesAreTheSame) {
  for (const Source& source : sources()) {
    // Generators always have labels. Text files without labels have another form, which other tests
    // check.
    const bool is_text = source.url.starts_with("csv") || source.url.starts_with("libsvm");
    if (source.files.empty() || is_text) continue;
    const auto labelled = read_all(source.url, memory_files(source.files));
    const auto url = parse_url(source.url).value();
    const auto reader =
        open_reader(url, memory_files(source.files), {.labels = Labels::kNone}).value();
    EXPECT_FALSE(reader->has_labels()) << source.url;
    Samples samples;
    EXPECT_EQ(reader->read(1000, samples).value(), source.samples) << source.url;
    EXPECT_EQ(samples.u8, labelled->samples.u8) << source.url;
    EXPECT_EQ(samples.f32, labelled->samples.f32) << source.url;
    EXPECT_EQ(samples.index, labelled->samples.index) << source.url;
    EXPECT_THAT(samples.label, testing::Each(0)) << source.url;
  }
}

TEST(Readers, AMissingFileIsNamed) {
  for (const Source& source : sources()) {
    if (source.files.empty()) continue;
    for (const auto& [path, bytes] : source.files) {
      Files files = source.files;
      files.erase(path);
      EXPECT_EQ(error_of(source.url, files), path + ": no such file");
    }
  }
}

TEST(Readers, ATruncatedGzipFileIsAnError) {
  for (const Source& source : sources()) {
    for (const auto& [path, bytes] : source.files) {
      Files files = source.files;
      const std::string packed = gzipped(bytes);
      files[path] = packed.substr(0, packed.size() - 5);
      EXPECT_THAT(error_of(source.url, files),
                  testing::HasSubstr(path + ": gzip stream is truncated"));
    }
  }
}

}  // namespace reader_test
}  // namespace surety::data
