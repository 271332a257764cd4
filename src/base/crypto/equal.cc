#include "base/crypto/equal.h"

#include <openssl/crypto.h>

namespace surety::crypto {

bool equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace surety::crypto
