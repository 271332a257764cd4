#include "data/sources/blocks.h"

#include <array>
#include <span>

#include "base/checksum.h"

namespace surety::data {
namespace {

// 3 MiB of CIFAR-10; larger blocks are not read faster.
constexpr std::size_t kBlockSamples = 1024;

// Continues the chain of checksums. Blocks have the same samples for every file format, so the
// result depends on the samples alone.
std::uint64_t with_content(std::uint64_t before, const Samples& block) {
  const auto of = [](const auto& values) { return checksum_of(std::span(values)); };
  const std::array parts{before,          of(block.u8),        of(block.f32),
                         of(block.index), of(block.row_begin), of(block.label)};
  return checksum_of(std::span<const std::uint64_t>(parts));
}

}  // namespace

Result<std::uint64_t> read_blocks(Reader& reader,
                                  const std::function<Result<void>(const Samples& block)>& visit) {
  std::uint64_t content = 0;
  while (true) {
    Samples block;
    SURETY_TRY(const std::size_t count, reader.read(kBlockSamples, block));
    if (count == 0) return content;
    content = with_content(content, block);
    SURETY_TRY(visit(block));
  }
}

}  // namespace surety::data
