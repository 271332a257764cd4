#include "data/formats/buffered_input.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "data/formats/gzip.h"

namespace surety::data {
namespace {

constexpr std::size_t kBlockBytes = 256 << 10;   // Larger blocks are not faster.
constexpr std::size_t kLineBytesMax = 64 << 20;  // A file with longer lines is not text.

}  // namespace

BufferedInput::BufferedInput(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kBlockBytes) {
  SURETY_CHECK(source_ != nullptr);
}

// Moves the buffered bytes to the front and reads more behind them.
Result<void> BufferedInput::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
    end_ = buffered();
    begin_ = 0;
  }
  SURETY_CHECK(end_ < buffer_.size());
  SURETY_TRY(const std::size_t count,
             source_->read(std::as_writable_bytes(std::span(buffer_).subspan(end_))));
  end_ += count;
  source_ended_ = count == 0;
  return {};
}

Result<std::size_t> BufferedInput::read(std::span<std::byte> out) {
  std::size_t done = std::min(out.size(), buffered());
  std::memcpy(out.data(), buffer_.data() + begin_, done);
  begin_ += done;
  while (done < out.size() && !source_ended_) {
    if (out.size() - done >= kBlockBytes) {  // Large reads bypass the buffer.
      SURETY_TRY(const std::size_t count, source_->read(out.subspan(done)));
      source_ended_ = count == 0;
      done += count;
      continue;
    }
    SURETY_TRY(refill());
    const std::size_t count = std::min(out.size() - done, buffered());
    std::memcpy(out.data() + done, buffer_.data() + begin_, count);
    begin_ += count;
    done += count;
  }
  return done;
}

Result<std::uint64_t> BufferedInput::skip(std::uint64_t bytes) {
  std::uint64_t left = bytes;
  while (true) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffered()));
    begin_ += count;
    left -= count;
    if (left == 0 || source_ended_) return bytes - left;
    SURETY_TRY(refill());
  }
}

Result<bool> BufferedInput::at_end() {
  while (buffered() == 0 && !source_ended_) SURETY_TRY(refill());
  return buffered() == 0;
}

Result<std::optional<std::string_view>> BufferedInput::next_line() {
  std::size_t searched = 0;
  while (true) {
    const char* text = buffer_.data() + begin_;
    const void* found = std::memchr(text + searched, '\n', buffered() - searched);
    if (found == nullptr && !source_ended_) {
      searched = buffered();
      if (searched == buffer_.size()) {
        if (searched >= kLineBytesMax) {
          return fail(
              ErrorCode::kInvalidInput,
              "{}: line {}: found more than {} MiB without a line end, expected a text file",
              name(), line_ + 1, kLineBytesMax >> 20);
        }
        buffer_.resize(2 * buffer_.size());
      }
      SURETY_TRY(refill());
      continue;
    }
    if (found == nullptr && buffered() == 0) return std::nullopt;
    std::size_t length = buffered();
    if (found != nullptr) length = static_cast<std::size_t>(static_cast<const char*>(found) - text);
    begin_ += std::min(length + 1, buffered());
    ++line_;
    if (length > 0 && text[length - 1] == '\r') --length;
    return std::string_view(text, length);
  }
}

Result<BufferedInput> open_input(const std::string& path, const OpenFile& open) {
  SURETY_TRY(auto file, open(path));
  SURETY_TRY(auto bytes, inflated(std::move(file)));
  return BufferedInput(std::move(bytes));
}

}  // namespace surety::data
