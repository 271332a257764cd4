#include "data/sources/chunk.h"

#include <algorithm>
#include <array>
#include <memory_resource>

#include "base/random.h"
#include "data/formats/open_reader.h"
#include "data/split.h"
#include "data/url.h"
#include "test/support/data/formats/reader_testing.h"

namespace surety::data {
namespace chunk_test {

using testing::HasSubstr;

SourceInfo source(std::uint64_t samples, std::uint64_t bytes) {
  SourceInfo info;
  info.samples = samples;
  info.bytes = bytes;
  return info;
}

TEST(Cut, ChunksAreAboutAsLargeAsAskedFor) {
  // Samples of 10 bytes give 25 in each chunk.
  const auto ranges = cut({source(100, 1000)}, 250, 1);
  ASSERT_EQ(ranges.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ranges[i].id, ChunkId{i});
    EXPECT_EQ(ranges[i].first, 25 * i);
    EXPECT_EQ(ranges[i].count, 25u);
    EXPECT_EQ(ranges[i].bytes, 250u);
  }
}

TEST(Cut, ASampleLargerThanTheTargetIsAChunk) {
  EXPECT_EQ(cut({source(3, 3000)}, 10, 1).size(), 3u);
}

TEST(Cut, ThereAreNoFewerChunksThanAskedForWhereSamplesSuffice) {
  EXPECT_EQ(cut({source(100, 100)}, 1 << 20, 7).size(), 7u);
  EXPECT_EQ(cut({source(5, 100)}, 1 << 20, 7).size(), 5u);
  EXPECT_EQ(cut({source(5, 100), source(90, 100)}, 1 << 20, 20).size(), 20u);
}

TEST(Cut, EverySampleIsInExactlyOneChunk) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<SourceInfo> sources;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
      sources.push_back(source(1 + random.below(2000), random.below(100000)));
    }
    const auto pieces_min = static_cast<std::uint32_t>(random.below(300));
    const auto parts = 1 + static_cast<std::uint32_t>(random.below(5));
    const auto ranges = cut(sources, 1 + random.below(20000), pieces_min, parts);
    std::vector<std::uint64_t> next(sources.size());
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_EQ(ranges[i].id.value, i) << "seed " << seed;
      ASSERT_GE(ranges[i].count, 1u) << "seed " << seed;
      ASSERT_EQ(ranges[i].first, next[ranges[i].source]) << "seed " << seed;
      next[ranges[i].source] += ranges[i].count;
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      ASSERT_EQ(next[i], sources[i].samples) << "seed " << seed;
      samples += sources[i].samples;
    }
    ASSERT_GE(ranges.size(), std::min<std::uint64_t>(pieces_min, samples)) << "seed " << seed;
  }
}

TEST(Cut, APieceHasTheSameSamplesInAnyNumberOfParts) {
  const std::vector<SourceInfo> sources{source(103, 1000), source(7, 1000)};
  const auto pieces = cut(sources, 100, 20);
  for (const std::uint32_t parts : {2u, 3u, 50u}) {
    const auto chunks = cut(sources, 100, 20, parts);
    auto chunk = chunks.begin();
    for (const ChunkRange& piece : pieces) {
      std::uint32_t count = 0;
      std::uint32_t of_piece = 0;
      for (; count < piece.count; ++chunk, ++of_piece) {
        ASSERT_NE(chunk, chunks.end());
        EXPECT_EQ(chunk->source, piece.source);
        EXPECT_EQ(chunk->first, piece.first + count);
        count += chunk->count;
      }
      EXPECT_EQ(count, piece.count);
      EXPECT_EQ(of_piece, std::min(parts, piece.count));
    }
    EXPECT_EQ(chunk, chunks.end());
  }
}

// Two sources of sparse rows. The label of each sample is its position.
Files two_files() {
  Files files;
  for (int i = 0; i < 50; ++i) files["a"] += fmt::format("{} {}:1 60:2\n", i, i + 1);
  for (int i = 0; i < 31; ++i) files["b"] += fmt::format("{} {}:3\n", i, i + 1);
  return files;
}

std::vector<SourceInfo> inspected(const Files& files) {
  return {inspect(parse_url("libsvm://a").value(), memory_files(files)).value(),
          inspect(parse_url("libsvm://b").value(), memory_files(files)).value()};
}

TEST(LoadChunks, EqualsTheDirectRead) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 200, 1);
  const auto chunks = load_chunks(sources, ranges, memory_files(files));
  ASSERT_TRUE(chunks) << chunks.error().message;
  ASSERT_EQ(chunks->size(), ranges.size());
  for (const Chunk& chunk : *chunks) {
    const auto reader =
        open_reader(parse_url(sources[chunk.range.source].url).value(), memory_files(files));
    Samples direct;
    ASSERT_EQ(reader.value()->skip(chunk.range.first).value(), chunk.range.first);
    ASSERT_EQ(reader.value()->read(chunk.range.count, direct).value(), chunk.range.count);
    EXPECT_TRUE(chunk.samples == direct);
    EXPECT_EQ(chunk.samples.label.front(), static_cast<float>(chunk.range.first));
    EXPECT_TRUE(chunk.state.empty());
  }
}

TEST(LoadChunks, SamplesStayInTheMemoryThatIsGiven) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 200, 1);
  std::array<std::byte, 1 << 16> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size(),
                                             std::pmr::null_memory_resource());
  const auto chunks =
      load_chunks(sources, ranges, memory_files(files), {.memory = &memory}).value();
  for (const Chunk& chunk : chunks) {
    const auto* at = reinterpret_cast<const std::byte*>(chunk.samples.label.data());
    EXPECT_TRUE(room.data() <= at && at < room.data() + room.size());
  }
}

TEST(LoadChunks, MemoryThatIsFullIsAnErrorWithTheSize) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto chunks = load_chunks(sources, cut(sources, 200, 1), memory_files(files),
                                  {.memory = std::pmr::null_memory_resource()});
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(chunks.error().message, testing::HasSubstr("not enough memory for"));
}

TEST(LoadChunks, SomeChunksAreTheSameAsAmongAll) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 200, 1);
  const auto all = load_chunks(sources, ranges, memory_files(files)).value();
  std::vector<ChunkRange> some;
  for (std::size_t i = 1; i < ranges.size(); i += 3) some.push_back(ranges[i]);
  const auto chunks = load_chunks(sources, some, memory_files(files)).value();
  ASSERT_EQ(chunks.size(), some.size());
  for (const Chunk& chunk : chunks) {
    EXPECT_TRUE(chunk.samples == all[chunk.range.id.value].samples);
  }
}

// Chunks and blocks of reading end at different samples, and some samples are in no chunk.
TEST(VisitChunks, PassesTheSamplesOfTheChunksAndNoOthers) {
  Files files;
  files["csv"] = "x,y,label\n";
  for (int i = 0; i < 2500; ++i) {
    files["csv"] += fmt::format("{},{},{}\n", i, -i, i % 2);
    const char* more = i % 4 == 0 ? " 60:2" : "";
    files["svm"] += fmt::format("{} {}:{}{}\n", i % 2, 1 + i % 3, i, more);
  }
  for (const char* text :
       {"digits://?samples=2500&seed=3", "libsvm://svm", "csv://csv?label=label"}) {
    const auto url = parse_url(text);
    ASSERT_TRUE(url) << url.error().message;
    const auto source = inspect(*url, memory_files(files));
    ASSERT_TRUE(source) << source.error().message;
    std::vector<ChunkRange> ranges = cut({*source}, source->bytes / 7, 1);
    ranges.erase(ranges.begin() + 2);
    const auto whole = load_chunks({*source}, ranges, memory_files(files)).value();
    std::vector<Chunk> found;
    const auto visited = visit_chunks(
        {*source}, ranges, memory_files(files), [&](const Chunk& part) -> Result<void> {
          if (found.empty() || found.back().range.id != part.range.id) {
            found.push_back(part);
            return {};
          }
          EXPECT_EQ(part.range.first, found.back().range.first + found.back().range.count);
          found.back().range.count += part.range.count;
          Samples& all = found.back().samples;
          const auto append = [](auto& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
          };
          append(all.u8, part.samples.u8);
          append(all.f32, part.samples.f32);
          append(all.index, part.samples.index);
          append(all.label, part.samples.label);
          for (std::size_t i = 1; i < part.samples.row_begin.size(); ++i) {
            all.row_begin.push_back(all.row_begin.back() + part.samples.row_begin[i] -
                                    part.samples.row_begin[i - 1]);
          }
          return {};
        });
    ASSERT_TRUE(visited) << visited.error().message;
    ASSERT_EQ(found.size(), whole.size()) << text;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(found[i].range.count, whole[i].range.count);
      EXPECT_TRUE(found[i].samples == whole[i].samples) << text << ", chunk " << i;
    }
  }
}

TEST(VisitChunks, OtherSamplesThanBeforeAreAnError) {
  Files files = two_files();
  const auto sources = inspected(files);
  std::vector<ChunkRange> ranges = cut(sources, 200, 1);
  std::erase_if(ranges, [](const ChunkRange& range) { return range.source > 0; });
  const auto nothing = [](const Chunk&) -> Result<void> { return {}; };
  EXPECT_TRUE(visit_chunks(sources, ranges, memory_files(files), nothing));
  std::string& text = files.begin()->second;
  text.replace(text.rfind(':') + 1, 1, text[text.rfind(':') + 1] == '9' ? "8" : "9");
  const auto visited = visit_chunks(sources, ranges, memory_files(files), nothing);
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(visited.error().message, testing::HasSubstr("other samples than before"));
}

// Files of all layouts, and their first lines changed in one value that is as valid.
TEST(LoadChunks, OtherValuesThanThoseThatTheChunksWereCutFromAreRefused) {
  Files files;
  files["csv"] = "x,y,label\n";
  for (int i = 0; i < 300; ++i) {
    files["csv"] += fmt::format("{},{},{}\n", i, -i, i % 2);
    files["svm"] += fmt::format("{} {}:{} 60:2\n", i % 2, 1 + i % 3, i);
  }
  Files others = files;
  const auto change = [&](const char* file, std::string_view from, std::string_view to) {
    std::string& text = others[file];
    text.replace(text.find(from), from.size(), to);
  };
  change("csv", "\n150,-150,", "\n150,-151,");
  change("svm", ":150 60:2", ":151 60:2");
  const std::pair<const char*, const char*> cases[] = {
      {"digits://?samples=300&seed=3", "digits://?samples=300&seed=4"},
      {"libsvm://svm", "libsvm://svm"},
      {"csv://csv?label=label", "csv://csv?label=label"}};
  for (const auto& [cut_from, loaded_from] : cases) {
    SourceInfo source = inspect(parse_url(cut_from).value(), memory_files(files)).value();
    std::vector<ChunkRange> ranges = cut({source}, source.bytes, 3);
    ASSERT_EQ(ranges.size(), 3u);
    EXPECT_TRUE(load_chunks({source}, ranges, memory_files(files))) << cut_from;
    source.url = loaded_from;
    const auto loaded = load_chunks({source}, {ranges[1]}, memory_files(others));
    ASSERT_FALSE(loaded) << cut_from;
    EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(loaded.error().message, HasSubstr("found other values in samples 101 to 200"));
    ranges[1].content.reset();
    EXPECT_TRUE(load_chunks({source}, {ranges[1]}, memory_files(others))) << cut_from;
  }
}

// Only its label, or only the place of a value, differs.
TEST(LoadChunks, LabelsAndIndicesAreCompared) {
  Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 1 << 20, 1);
  for (const auto& [from, to] :
       {std::pair("\n7 8:1 60:2", "\n8 8:1 60:2"), std::pair("\n7 8:1 60:2", "\n7 9:1 60:2")}) {
    Files others = files;
    std::string& text = others["a"];
    text.replace(text.find(from), std::string_view(from).size(), to);
    const auto loaded = load_chunks(sources, ranges, memory_files(others));
    ASSERT_FALSE(loaded) << to;
    EXPECT_THAT(loaded.error().message, HasSubstr("in samples 1 to 50"));
  }
}

TEST(LoadChunks, MayBeStopped) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 200, 1);
  std::atomic<bool> stop = false;
  EXPECT_TRUE(load_chunks(sources, ranges, memory_files(files), {.stop = &stop}));
  stop = true;
  const auto chunks = load_chunks(sources, ranges, memory_files(files), {.stop = &stop});
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(chunks.error().message, HasSubstr("reading was stopped"));
}

TEST(LoadChunks, ASourceThatChangedIsRefused) {
  const Files files = two_files();
  const auto sources = inspected(files);
  const auto ranges = cut(sources, 200, 1);
  const std::pair<std::string, const char*> cases[] = {
      {files.at("a").substr(0, files.at("a").find("40 41:1")), "found 40 samples, expected 50"},
      {"0 61:1\n" + files.at("a"), "found 61 features, expected 60"},
      {"50 1:1\n" + files.at("a"), "found label 50, expected 0 to 49"},
      {"-1 1:1\n" + files.at("a"), "found label -1, expected 0 to 49"},
      {"0.5 1:1\n" + files.at("a"), "found label 0.5, expected 0 to 49"}};
  for (const auto& [text, part] : cases) {
    const auto chunks = load_chunks(sources, ranges, memory_files({{"a", text}}));
    ASSERT_FALSE(chunks) << part;
    EXPECT_EQ(chunks.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(chunks.error().message,
                HasSubstr("(libsvm://a) is not what the coordinator has read"));
    EXPECT_THAT(chunks.error().message, HasSubstr(part));
  }
}

TEST(Split, HalvesAreAboutEqualAndDifferBySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    int certify = 0;
    int moved = 0;
    for (std::uint64_t i = 0; i < 10000; ++i) {
      certify += split_of(i, seed) == Split::kCertify;
      moved += split_of(i, seed) != split_of(i, seed + 1);
    }
    EXPECT_NEAR(certify, 5000, 200) << seed;  // Tolerance: four standard deviations of 50.
    EXPECT_NEAR(moved, 5000, 200) << seed;
  }
}

TEST(Split, IsTheSameInEveryProcessForEver) {
  std::string halves;
  for (std::uint64_t i = 0; i < 32; ++i) halves += split_of(i, 1) == Split::kCertify ? 'c' : 'd';
  EXPECT_EQ(halves, "cddccdccdddcccccddccccccdcddcddc");
}

}  // namespace chunk_test
}  // namespace surety::data
