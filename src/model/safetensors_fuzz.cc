// Any bytes are either refused with a message, or read such that writing gives the same bytes
// again.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::model;
  const auto file = read_safetensors("fuzz", std::as_bytes(std::span(data, size)));
  if (!file) {
    SURETY_CHECK(!file.error().message.empty());
    return 0;
  }
  const auto bytes = write_safetensors(*file);
  const auto again = read_safetensors("again", bytes);
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(again->metadata == file->metadata);
  SURETY_CHECK(again->tensors.size() == file->tensors.size());
  SURETY_CHECK(write_safetensors(*again) == bytes);
  return 0;
}
