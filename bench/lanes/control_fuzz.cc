// For any bytes, decoding either refuses them or gives a message that encodes to the same bytes.
#include "bench/lanes/control.h"

#include <algorithm>

#include "base/check.h"

using namespace surety;
using namespace surety::bench;
using namespace surety::fabric;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const BlockedOperation operation{
      .sources = {WorkerId{0}, WorkerId{1}}, .sinks = {WorkerId{2}}, .elements = 100, .blocks = 3};
  if (const auto grant = decode_grant(operation, bytes)) {
    SURETY_CHECK(grant->block < operation.blocks && grant->lanes.size() <= operation.elements);
    SURETY_CHECK(
        lane_error({.first = 0, .count = slice_of(operation, grant->block).count}, grant->lanes)
            .empty());
    SURETY_CHECK(std::ranges::equal(encode_grant(*grant), bytes));
  } else {
    SURETY_CHECK(!grant.error().message.empty());
  }
  if (const auto report = decode_report(bytes)) {
    SURETY_CHECK(std::ranges::equal(encode_report(*report), bytes));
  } else {
    SURETY_CHECK(!report.error().message.empty());
  }
  return 0;
}
