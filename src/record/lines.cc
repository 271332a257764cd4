#include "record/lines.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"

namespace surety::record {

std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return value;
}

std::optional<crypto::Digest> digest_in(std::string_view text) {
  const auto bytes = base64_decode(text);
  crypto::Digest digest{};
  if (!bytes || bytes->size() != digest.size()) return std::nullopt;
  std::ranges::copy(*bytes, digest.begin());
  return digest;
}

Result<Digests> take_digests(std::string_view& text) {
  Digests digests;
  while (true) {
    const auto line = take_line(text);
    if (!line) return fail(ErrorCode::kCorrupt, "it ends before the checkpoint");
    if (line->empty()) return digests;
    const auto digest = digest_in(*line);
    if (!digest) return fail(ErrorCode::kCorrupt, "a digest in it is not 32 bytes in base64");
    if (digests.size() == kProofDigestsMax) {
      return fail(ErrorCode::kCorrupt, "it has too many digests");
    }
    digests.push_back(*digest);
  }
}

}  // namespace surety::record
