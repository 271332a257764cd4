#include "base/crypto/random_bytes.h"

#include <openssl/err.h>
#include <openssl/rand.h>

#include <array>
#include <limits>
#include <utility>

#include "base/check.h"

namespace surety::crypto {

Result<void> random_bytes(std::span<std::byte> out) {
  SURETY_CHECK(std::cmp_less_equal(out.size(), std::numeric_limits<int>::max()));
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) == 1) {
    return {};
  }
  std::array<char, 256> why{};
  ERR_error_string_n(ERR_get_error(), why.data(), why.size());
  return fail(ErrorCode::kUnavailable, "the operating system provides no random numbers: {}",
              why.data());
}

}  // namespace surety::crypto
