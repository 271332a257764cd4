#include "bench/lanes/control.h"

#include <algorithm>

#include "fabric/transport/little_endian.h"

namespace surety::bench {
namespace {

using namespace fabric;

constexpr double kRateMax = 1e12;  // Bytes per second, more than any port carries.

void put(std::vector<std::byte>& bytes, std::uint64_t word) {
  bytes.resize(bytes.size() + sizeof(word));
  store_little_endian(word, std::span(bytes).last(sizeof(word)));
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t index) {
  return load_little_endian<std::uint64_t>(bytes.subspan(index * sizeof(std::uint64_t)));
}

}  // namespace

// Format: the block, then for each lane its hub and its number of elements.
std::vector<std::byte> encode_grant(const BlockGrant& grant) {
  std::vector<std::byte> bytes;
  put(bytes, grant.block);
  for (const Lane& lane : grant.lanes) {
    put(bytes, lane.hub.value);
    put(bytes, lane.slice.count);
  }
  return bytes;
}

Result<BlockGrant> decode_grant(const BlockedOperation& operation,
                                std::span<const std::byte> bytes) {
  if (bytes.size() % 16 != 8) {
    return fail(ErrorCode::kCorrupt, "grant: found {} bytes, expected 8, and 16 for each lane",
                bytes.size());
  }
  const auto block = word_at(bytes, 0);
  if (block >= operation.blocks) {
    return fail(ErrorCode::kCorrupt, "grant: found block {}, expected one below {}", block,
                operation.blocks);
  }
  BlockGrant grant{.block = static_cast<std::uint32_t>(block)};
  const Slice slice{.first = 0, .count = slice_of(operation, grant.block).count};
  std::uint64_t at = 0;
  for (std::size_t i = 1; i + 1 < bytes.size() / 8; i += 2) {
    const auto hub = word_at(bytes, i);
    const auto count = word_at(bytes, i + 1);
    if (hub > UINT32_MAX || count > operation.elements) {
      return fail(ErrorCode::kCorrupt, "grant: hub {} with {} elements is out of range", hub,
                  count);
    }
    grant.lanes.push_back({WorkerId{static_cast<std::uint32_t>(hub)}, {at, count}});
    at += count;
  }
  if (auto wrong = lane_error(slice, grant.lanes); !wrong.empty()) {
    return fail(ErrorCode::kCorrupt, "grant: block {}: {}", block, wrong);
  }
  return grant;
}

std::vector<std::byte> encode_report(const PortSample& sample) {
  std::vector<std::byte> bytes;
  for (const double rate : {sample.out_bytes_per_s, sample.in_bytes_per_s}) {
    put(bytes, static_cast<std::uint64_t>(std::clamp(rate, 0.0, kRateMax)));
  }
  return bytes;
}

Result<PortSample> decode_report(std::span<const std::byte> bytes) {
  if (bytes.size() != 16) {
    return fail(ErrorCode::kCorrupt, "report: found {} bytes, expected 16", bytes.size());
  }
  PortSample sample{static_cast<double>(word_at(bytes, 0)), static_cast<double>(word_at(bytes, 1))};
  if (std::max(sample.out_bytes_per_s, sample.in_bytes_per_s) > kRateMax) {
    return fail(ErrorCode::kCorrupt, "report: found a rate above {:.0e} bytes/s", kRateMax);
  }
  return sample;
}

}  // namespace surety::bench
