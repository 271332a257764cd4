// CIFAR-10 binary format: records of one label byte (0..9) and 3072 bytes of a 32 x 32 image,
// planar RGB.
#include <algorithm>
#include <utility>
#include <vector>

#include "data/formats/buffered_input.h"
#include "data/formats/formats.h"
#include "data/url.h"

namespace surety::data {
namespace {

constexpr Schema kSchema{.layout = Layout::kDenseU8,
                         .channels = 3,
                         .height = 32,
                         .width = 32,
                         .features = 3072,
                         .classes = 10};
constexpr std::size_t kRecordBytes = 1 + kSchema.features;
// 192 KiB at a time, which fits into the second-level cache.
constexpr std::size_t kBlockRecords = 64;

class Cifar10Reader final : public Reader {
 public:
  Cifar10Reader(BufferedInput input, bool has_labels)
      : input_(std::move(input)), has_labels_(has_labels), block_(kBlockRecords * kRecordBytes) {}

  [[nodiscard]] const Schema& schema() const override { return kSchema; }
  [[nodiscard]] bool has_labels() const override { return has_labels_; }

  [[nodiscard]] Result<std::size_t> read(std::size_t samples_max, Samples& out) override {
    std::size_t count = 0;
    while (count < samples_max) {
      const std::size_t wanted = std::min(samples_max - count, kBlockRecords);
      SURETY_TRY(const std::size_t bytes,
                 input_.read(std::span(block_).first(wanted * kRecordBytes)));
      SURETY_TRY(const std::size_t records, whole_records(bytes));
      for (std::size_t i = 0; i < records; ++i) {
        SURETY_TRY(take(std::span(block_).subspan(i * kRecordBytes, kRecordBytes), out));
      }
      count += records;
      if (records < wanted) break;
    }
    return count;
  }

  [[nodiscard]] Result<std::size_t> skip(std::size_t samples) override {
    // Limited, so that the number of bytes cannot overflow.
    const std::size_t wanted = std::min(samples, std::size_t{1} << 40);
    SURETY_TRY(const std::uint64_t bytes, input_.skip(wanted * kRecordBytes));
    SURETY_TRY(const std::size_t records, whole_records(bytes));
    done_ += records;
    return records;
  }

 private:
  // Number of records in these bytes. An incomplete record means that the file was cut off.
  Result<std::size_t> whole_records(std::uint64_t bytes) const {
    if (bytes % kRecordBytes == 0) return bytes / kRecordBytes;
    return fail(ErrorCode::kInvalidInput,
                "{}: record {}: found {} bytes, then the end of the file, expected {} bytes",
                input_.name(), done_ + bytes / kRecordBytes, bytes % kRecordBytes, kRecordBytes);
  }

  Result<void> take(std::span<const std::byte> record, Samples& out) {
    const auto label = has_labels_ ? std::to_integer<std::uint32_t>(record[0]) : 0;
    if (label >= kSchema.classes) {
      return fail(ErrorCode::kInvalidInput, "{}: record {}: found label {}, expected 0 to {}",
                  input_.name(), done_, label, kSchema.classes - 1);
    }
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(record.data() + 1);
    out.u8.insert(out.u8.end(), pixels, pixels + kSchema.features);
    out.label.push_back(static_cast<float>(label));
    ++done_;
    return {};
  }

  BufferedInput input_;
  bool has_labels_ = true;
  std::vector<std::byte> block_;
  std::uint64_t done_ = 0;
};

}  // namespace

ReaderResult open_cifar10(const SourceUrl& url, const OpenFile& open, Labels labels) {
  SURETY_TRY(auto input, open_input(url.path, open));
  return std::make_unique<Cifar10Reader>(std::move(input), labels != Labels::kNone);
}

}  // namespace surety::data
