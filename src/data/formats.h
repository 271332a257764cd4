// The readers behind open_reader(), one per format. What each reads is said in reader.h.
//
// REQUIRES of all: url comes from parse_url() and has the format's scheme.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "data/reader.h"

namespace surety::data {

using ReaderResult = Result<std::unique_ptr<Reader>>;

[[nodiscard]] ReaderResult open_idx(const SourceUrl& url, const OpenFile& open);
[[nodiscard]] ReaderResult open_cifar10(const SourceUrl& url, const OpenFile& open);
[[nodiscard]] ReaderResult open_libsvm(const SourceUrl& url, const OpenFile& open);
[[nodiscard]] ReaderResult open_csv(const SourceUrl& url, const OpenFile& open);
[[nodiscard]] ReaderResult open_npy(const SourceUrl& url, const OpenFile& open);
[[nodiscard]] ReaderResult open_digits(const SourceUrl& url);
[[nodiscard]] ReaderResult open_synthetic(const SourceUrl& url);

// No sample may be larger than this: beyond it a header is more likely damaged than true, and
// products of sizes stay far from overflow.
constexpr std::uint64_t kSampleBytesMax = 1ull << 30;

}  // namespace surety::data
