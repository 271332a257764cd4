// The readers behind open_reader(), one for each format. open_reader.h says what each of them
// reads.
//
// InvalidInput: an option of the URL, a header or the labels are not as expected. Other errors are
// those of open_input() and BufferedInput.
//
// REQUIRES of all functions: url comes from parse_url() and has the scheme of the format.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "data/reader.h"
#include "data/url.h"

namespace surety::data {

using ReaderResult = Result<std::unique_ptr<Reader>>;

[[nodiscard]] ReaderResult open_idx(const SourceUrl& url, const OpenFile& open, Labels labels);
[[nodiscard]] ReaderResult open_cifar10(const SourceUrl& url, const OpenFile& open, Labels labels);
[[nodiscard]] ReaderResult open_libsvm(const SourceUrl& url, const OpenFile& open, Labels labels);
[[nodiscard]] ReaderResult open_csv(const SourceUrl& url, const OpenFile& open,
                                    const ReadOptions& options);
[[nodiscard]] ReaderResult open_npy(const SourceUrl& url, const OpenFile& open, Labels labels);
[[nodiscard]] ReaderResult open_digits(const SourceUrl& url);
[[nodiscard]] ReaderResult open_synthetic(const SourceUrl& url);

// The end of a message about missing labels, for a user whose samples may have no labels.
[[nodiscard]] constexpr std::string_view label_hint(Labels labels) {
  return labels == Labels::kIfNamed ? "; if the samples have no labels, add --no-labels" : "";
}

// Largest sample in bytes. A header that claims more is probably damaged, and with this limit
// products of sizes cannot overflow.
constexpr std::uint64_t kSampleBytesMax = 1ull << 30;

}  // namespace surety::data
