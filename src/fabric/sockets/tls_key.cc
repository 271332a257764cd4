#include "fabric/sockets/tls_key.h"

namespace surety::fabric {

TlsKey tls_key_of(std::string_view token) {
  return crypto::derive_key(token, "surety data connections 1");
}

}  // namespace surety::fabric
