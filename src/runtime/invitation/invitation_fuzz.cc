// The reader of invitations: any text gives an invitation that is written as it was read, or an
// error.
#include <cstdlib>

#include "runtime/invitation/invitation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::runtime;
  const auto invitation = parse_invitation({reinterpret_cast<const char*>(data), size});
  if (!invitation) return 0;
  const auto again = parse_invitation(to_json(*invitation));
  if (!again || to_json(*again) != to_json(*invitation)) std::abort();
  return 0;
}
