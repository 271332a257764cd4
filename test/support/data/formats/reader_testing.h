// Code that the tests of all readers share: reading a whole source, and the error for a bad file.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "data/formats/open_reader.h"
#include "data/reader.h"
#include "data/url.h"
#include "test/support/data/formats/file_builders.h"
#include "test/support/data/formats/memory_files.h"

namespace surety::data {

using Files = std::map<std::string, std::string>;

inline bool operator==(const Samples& a, const Samples& b) {
  return a.u8 == b.u8 && a.f32 == b.f32 && a.index == b.index && a.row_begin == b.row_begin &&
         a.label == b.label;
}

struct Table {
  Schema schema;
  Samples samples;
};

// Reads to the end, `block` samples at a time.
[[nodiscard]] inline Result<Table> read_all(const std::string& url, const OpenFile& open,
                                            std::size_t block = 1000000,
                                            const ReadOptions& options = {}) {
  SURETY_TRY(const SourceUrl parsed, parse_url(url));
  SURETY_TRY(const auto reader, open_reader(parsed, open, options));
  Table table;
  for (std::size_t count = block; count == block;) {
    SURETY_TRY(count, reader->read(block, table.samples));
  }
  table.schema = reader->schema();
  return table;
}

[[nodiscard]] inline std::string error_of(const std::string& url, const Files& files,
                                          const ReadOptions& options = {}) {
  const auto table = read_all(url, memory_files(files), 1000000, options);
  if (table) return "no error";
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidInput);
  return table.error().message;
}

[[nodiscard]] inline std::string gzipped(std::string bytes) {
  z_stream stream{};
  SURETY_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  SURETY_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Returns one byte at a time; callers must not mistake this for the end.
class Trickle final : public ByteSource {
 public:
  explicit Trickle(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    return source_->read(buffer.first(std::min<std::size_t>(buffer.size(), 1)));
  }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  std::unique_ptr<ByteSource> source_;
};

}  // namespace surety::data
