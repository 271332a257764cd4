// An invitation lets one worker join a run without the run's token. It contains a certificate with
// the worker's name, and it is valid until it expires, is withdrawn or the run ends.
//
// A worker with an invitation cannot act as the coordinator or as another worker, and cannot invite
// others. It can read what workers send to each other, because they share the key of their
// connections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/crypto/authority.h"
#include "base/crypto/derived_key.h"
#include "base/result.h"

namespace surety::runtime {

// A file with this content is a secret.
struct Invitation {
  std::string run;                // The name of the run's folder.
  std::string worker;             // The name of the worker: is_worker_name().
  std::string join;               // HOST:PORT of the coordinator when the invitation was made.
  std::string authority;          // The certificate of the run's authority, PEM.
  crypto::Identity identity;      // The certificate and the key of the worker.
  crypto::Key data_key{};         // The key of the connections between workers.
  std::int64_t until_unix_s = 0;  // The time at which it expires.
};

// 1 to 64 letters, digits and "-", "_", ".", with a letter or a digit first.
[[nodiscard]] bool is_worker_name(std::string_view name);

// The latest time at which an invitation can expire: the end of the year 9999.
inline constexpr std::int64_t kLatestEnd_s = 253402300799;

[[nodiscard]] std::string to_json(const Invitation& invitation);
// InvalidInput: the text is no invitation. It says what is missing.
[[nodiscard]] Result<Invitation> parse_invitation(std::string_view text);

// InvalidInput: other users may read the file, it contains no invitation, or the invitation has
// expired by the clock of this machine.
[[nodiscard]] Result<Invitation> read_invitation(const std::filesystem::path& file,
                                                 std::int64_t now_unix_s);

}  // namespace surety::runtime
