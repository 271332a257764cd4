// Buffered reading of a byte source: exact counts for binary formats, lines for text.
//
// Invariant: memory is bounded by the bytes that were read, never by the size that a header claims.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

// Errors are those of ByteSource::read(), unless a function names others.
class BufferedInput {
 public:
  explicit BufferedInput(std::unique_ptr<ByteSource> source);

  [[nodiscard]] const std::string& name() const { return source_->name(); }

  // Fills `out`. Returns the number of bytes read, which is smaller only at the end.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> out);

  // Appends up to `count` values with the byte order of the file. Returns the number of bytes read.
  // An incomplete last value is dropped.
  template <typename T>
  [[nodiscard]] Result<std::uint64_t> append(std::uint64_t count, std::pmr::vector<T>& out);

  // Skips bytes. Returns the number of bytes skipped, which is smaller only at the end.
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t bytes);

  [[nodiscard]] Result<bool> at_end();

  // The next line without its "\n" or "\r\n", or nullopt at the end; valid until the next call. The
  // last line needs no line end. InvalidInput for lines over 64 MiB.
  [[nodiscard]] Result<std::optional<std::string_view>> next_line();

  // Number of the line that next_line() returned last, counted from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }

 private:
  [[nodiscard]] std::size_t buffered() const { return end_ - begin_; }
  Result<void> refill();

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // Start of the range of buffer_ that is not consumed yet.
  std::size_t end_ = 0;    // End of this range.
  bool source_ended_ = false;
  std::uint64_t line_ = 0;
};

// Opens the file, and inflates it if it is a gzip file. Errors: those of `open` and of
// ByteSource::read().
[[nodiscard]] Result<BufferedInput> open_input(const std::string& path, const OpenFile& open);

template <typename T>
Result<std::uint64_t> BufferedInput::append(std::uint64_t count, std::pmr::vector<T>& out) {
  // `out` grows only as bytes come, 1 MiB at a time.
  constexpr std::uint64_t kStep = (1 << 20) / sizeof(T);
  std::uint64_t bytes = 0;
  while (count > 0) {
    const std::uint64_t step = std::min(count, kStep);
    const std::size_t before = out.size();
    out.resize(before + step);
    SURETY_TRY(const std::size_t got, read(std::as_writable_bytes(std::span(out).subspan(before))));
    bytes += got;
    if (got < step * sizeof(T)) {
      out.resize(before + got / sizeof(T));
      break;
    }
    count -= step;
  }
  return bytes;
}

}  // namespace surety::data
