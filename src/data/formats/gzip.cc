#include "data/formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace surety::data {
namespace {

// Larger reads gain nothing, because inflate is the limit.
constexpr std::size_t kInputBytes = 256 << 10;
constexpr std::array<std::byte, 2> kMagic{std::byte{0x1f}, std::byte{0x8b}};

// A source that returns again the bytes that were already read from it.
class Reread final : public ByteSource {
 public:
  Reread(std::vector<std::byte> head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    if (at_ == head_.size()) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), head_.size() - at_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(at_), count, buffer.begin());
    at_ += count;
    return count;
  }
  [[nodiscard]] const std::string& name() const override { return rest_->name(); }

 private:
  std::vector<std::byte> head_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class Inflater final : public ByteSource {
 public:
  explicit Inflater(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), input_(kInputBytes) {
    constexpr int kGzipOnly = 16;  // Added to the window bits; refuses zlib and raw streams.
    SURETY_CHECK(inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK);
  }
  ~Inflater() override { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> buffer) override {
    const auto wanted =
        static_cast<uInt>(std::min<std::size_t>(buffer.size(), std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted && wanted > 0) {
      if (stream_.avail_in == 0) SURETY_TRY(refill());
      if (stream_.avail_in == 0 && between_members_) return 0;
      SURETY_TRY(step());
    }
    return wanted - stream_.avail_out;
  }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  Result<void> refill() {
    SURETY_TRY(const std::size_t count, source_->read(input_));
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    input_end_ += count;
    return {};
  }

  // One call of inflate(), which makes progress or fails.
  Result<void> step() {
    if (stream_.avail_in == 0) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: gzip stream is truncated: the file ends after {} compressed bytes, inside a "
                  "member",
                  name(), input_end_);
    }
    between_members_ = false;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      SURETY_CHECK(inflateReset(&stream_) == Z_OK);
      between_members_ = true;
      return {};
    }
    if (status == Z_OK) return {};
    if (status == Z_MEM_ERROR) {
      return fail(ErrorCode::kUnavailable, "{}: not enough memory to decompress it", name());
    }
    return fail(ErrorCode::kInvalidInput, "{}: gzip stream is damaged near compressed byte {}: {}",
                name(), input_end_ - stream_.avail_in,
                stream_.msg != nullptr ? stream_.msg : zError(status));
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<std::byte> input_;
  std::uint64_t input_end_ = 0;   // Compressed bytes read from source_ so far.
  bool between_members_ = false;  // A member has just ended, so the file may end too.
  z_stream stream_{};
};

}  // namespace

Result<std::unique_ptr<ByteSource>> inflated(std::unique_ptr<ByteSource> source) {
  SURETY_CHECK(source != nullptr);
  std::vector<std::byte> head(kMagic.size());
  std::size_t count = 0;
  while (count < head.size()) {
    SURETY_TRY(const std::size_t got, source->read(std::span(head).subspan(count)));
    if (got == 0) break;
    count += got;
  }
  head.resize(count);
  const bool is_gzip = std::equal(head.begin(), head.end(), kMagic.begin(), kMagic.end());
  std::unique_ptr<ByteSource> whole = std::make_unique<Reread>(std::move(head), std::move(source));
  if (is_gzip) whole = std::make_unique<Inflater>(std::move(whole));
  return whole;
}

}  // namespace surety::data
