// Inflation of any bytes succeeds or fails without a crash, and its output does not depend on the
// size of the buffer.
#include "data/formats/gzip.h"

#include <vector>

#include "test/support/data/formats/reader_fuzzing.h"

namespace {

using namespace surety;

// Limited, because a few bytes may inflate to gigabytes.
constexpr std::size_t kBytesMax = 1 << 20;

Result<std::string> drain(const std::string& bytes, std::size_t buffer_bytes) {
  SURETY_TRY(auto file, data::memory_files({{"f", bytes}})("f"));
  SURETY_TRY(const auto out, data::inflated(std::move(file)));
  std::vector<std::byte> buffer(buffer_bytes);
  std::string all;
  while (all.size() < kBytesMax) {
    SURETY_TRY(const std::size_t count, out->read(buffer));
    if (count == 0) break;
    all.append(reinterpret_cast<const char*>(buffer.data()), count);
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = data::fuzz_text(data, size);
  const auto large = drain(bytes, 1 << 16);
  const auto small = drain(bytes, 37);
  SURETY_CHECK(large.has_value() == small.has_value());
  if (!large) {
    SURETY_CHECK(large.error().code == ErrorCode::kInvalidInput);
  } else if (large->size() < kBytesMax) {
    SURETY_CHECK(*large == *small);
  }
  return 0;
}
