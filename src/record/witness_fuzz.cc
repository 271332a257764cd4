// What a witness reads: a submission from anybody, and its own state.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "record/witness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto submission = parse_submission(text)) {
    const auto again = parse_submission(to_text(*submission));
    SURETY_CHECK(again && to_text(*again) == to_text(*submission));
    const Signer self{"w", surety::crypto::SigningKey(surety::crypto::Key{})};
    const WitnessAnswer answer = witness(*submission, {}, {}, self, 1);
    SURETY_CHECK(answer.code == 400 || answer.code == 403);  // It knows no owner.
  }
  if (const auto witnessed = parse_witnessed(text)) SURETY_CHECK(to_text(*witnessed) == text);
  return 0;
}
