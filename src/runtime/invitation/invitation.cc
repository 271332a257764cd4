#include "runtime/invitation/invitation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/base64.h"
#include "base/json/parse_json.h"
#include "base/posix/file.h"
#include "base/posix/private_file.h"
#include "job/iso_time.h"

namespace surety::runtime {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::uint64_t kBytesMax = 64 << 10;

constexpr const char* kFormatKey = "surety_invitation";
constexpr const char* kRun = "run";
constexpr const char* kWorker = "worker";
constexpr const char* kJoin = "join";
constexpr const char* kAuthority = "authority";
constexpr const char* kCertificate = "certificate";
constexpr const char* kPrivateKey = "private_key";
constexpr const char* kDataKey = "data_key";
constexpr const char* kUntil = "until_unix_s";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string time_text(std::int64_t unix_s) {
  return job::format_iso_time(static_cast<double>(unix_s));
}

Result<crypto::Key> key_from(const std::string& text) {
  crypto::Key key;
  const auto bytes = base64_decode(text);
  if (!bytes || bytes->size() != key.size()) {
    return fail(ErrorCode::kInvalidInput, "{}: expected {} bytes in base64", kDataKey, key.size());
  }
  std::ranges::copy(*bytes, key.begin());
  return key;
}

}  // namespace

bool is_worker_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string to_json(const Invitation& invitation) {
  const nlohmann::json json{{kFormatKey, kFormat},
                            {kRun, invitation.run},
                            {kWorker, invitation.worker},
                            {kJoin, invitation.join},
                            {kAuthority, invitation.authority},
                            {kCertificate, invitation.identity.certificate},
                            {kPrivateKey, invitation.identity.private_key},
                            {kDataKey, base64_encode(invitation.data_key)},
                            {kUntil, invitation.until_unix_s}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<Invitation> parse_invitation(std::string_view text) {
  const Result<nlohmann::json> parsed = parse_json<nlohmann::json>(text);
  if (!parsed || !parsed->is_object() || !parsed->contains(kFormatKey)) {
    return fail(ErrorCode::kInvalidInput,
                "found no invitation, expected a file that  surety invite  has written");
  }
  const nlohmann::json& json = *parsed;
  if (json[kFormatKey] != kFormat) {
    return fail(ErrorCode::kInvalidInput,
                "found an invitation of another version of Surety, expected format {}", kFormat);
  }
  for (const char* key : {kRun, kWorker, kJoin, kAuthority, kCertificate, kPrivateKey, kDataKey}) {
    if (json.contains(key) && json[key].is_string()) continue;
    return fail(ErrorCode::kInvalidInput, "{}: expected a text", key);
  }
  Invitation invitation{.run = json[kRun],
                        .worker = json[kWorker],
                        .join = json[kJoin],
                        .authority = json[kAuthority],
                        .identity = {json[kCertificate], json[kPrivateKey]}};
  if (!json.contains(kUntil) || !json[kUntil].is_number_integer() || json[kUntil] < 0 ||
      json[kUntil] > kLatestEnd_s) {
    return fail(ErrorCode::kInvalidInput, "{}: expected seconds since 1970", kUntil);
  }
  invitation.until_unix_s = json[kUntil];
  SURETY_TRY(invitation.data_key, key_from(json[kDataKey]));
  const auto facts = crypto::read_certificate(invitation.identity.certificate);
  if (!facts) return fail_in(facts.error(), "{}", kCertificate);
  if (!is_worker_name(invitation.worker) || facts->name != invitation.worker) {
    return fail(ErrorCode::kInvalidInput, "{}: expected the name in the certificate", kWorker);
  }
  SURETY_TRY(crypto::check_identity(invitation.authority, invitation.identity));
  return invitation;
}

Result<Invitation> read_invitation(const std::filesystem::path& file, std::int64_t now_unix_s) {
  SURETY_TRY(posix::check_private_file(file, "if others may have read it, withdraw it"));
  SURETY_TRY(const std::string text, posix::read_file(file, kBytesMax));
  Result<Invitation> invitation = parse_invitation(text);
  if (!invitation) return fail_in(invitation.error(), "{}", file.string());
  if (now_unix_s < invitation->until_unix_s) return invitation;
  return fail(ErrorCode::kInvalidInput,
              "{}: the invitation of {} has expired at {}, and the clock of this machine is at {}; "
              "on the coordinator's machine, make another one with  surety invite",
              file.string(), invitation->worker, time_text(invitation->until_unix_s),
              time_text(now_unix_s));
}

}  // namespace surety::runtime
