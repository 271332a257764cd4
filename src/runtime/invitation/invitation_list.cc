#include "runtime/invitation/invitation_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/crypto/authority.h"
#include "base/posix/file.h"
#include "base/posix/net/socket_address.h"
#include "base/text.h"
#include "fabric/sockets/tls_key.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/files/coordinator_file.h"

namespace surety::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEntryBytesMax = 4096;
constexpr const char* kFingerprint = "certificate_sha256";
constexpr const char* kUntilKey = "until_unix_s";

Result<void> check_name(const std::string& worker) {
  if (is_worker_name(worker)) return {};
  return fail(ErrorCode::kInvalidInput,
              "found the name \"{}\" for a worker, expected 1 to 64 letters, digits and - _ . with "
              "a letter or a digit first",
              plain_text(worker, kMessageBytesMax));
}

}  // namespace

InvitationList::InvitationList(const fs::path& run)
    : run_(run), folder_(run / orchestrator::run_folder::kInvitations) {}

Result<Invitation> InvitationList::make(const std::string& worker,
                                        std::int64_t until_unix_s) const {
  SURETY_TRY(check_name(worker));
  SURETY_TRY(const std::optional<CoordinatorFile> coordinator, read_coordinator_file(run_));
  if (!coordinator) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found no {}, expected a run that has not ended and whose coordinator has "
                "started",
                run_.string(), orchestrator::run_folder::kCoordinator);
  }
  if (coordinator->address.starts_with(posix::kUnixPrefix)) {
    return fail(ErrorCode::kInvalidInput,
                "{}: only processes of this machine can join this run; begin it with  --set "
                "cluster.listen=HOST:PORT  to invite other machines",
                run_.string());
  }
  const crypto::Authority authority(coordinator->token);
  return Invitation{.run = fs::absolute(run_).lexically_normal().filename().string(),
                    .worker = worker,
                    .join = coordinator->address,
                    .authority = authority.certificate(),
                    .identity = authority.issue_named_client(worker),
                    .data_key = fabric::tls_key_of(coordinator->token),
                    .until_unix_s = until_unix_s};
}

Result<void> InvitationList::add(const Invitation& invitation) const {
  SURETY_TRY(const crypto::CertificateFacts facts,
             crypto::read_certificate(invitation.identity.certificate));
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fail(ErrorCode::kUnavailable, "{}: {}", folder_.string(), error.message());
  const nlohmann::json json{{kFingerprint, facts.fingerprint},
                            {kUntilKey, invitation.until_unix_s}};
  return posix::write_secret_file(folder_ / invitation.worker, json.dump() + "\n");
}

Result<void> InvitationList::withdraw(const std::string& worker) const {
  SURETY_TRY(check_name(worker));
  std::error_code error;
  if (fs::remove(folder_ / worker, error)) return {};
  if (error) return fail(ErrorCode::kUnavailable, "{}: {}", folder_.string(), error.message());
  return fail(ErrorCode::kInvalidInput, "{}: found no invitation of {}", run_.string(), worker);
}

std::vector<InvitationList::Entry> InvitationList::entries() const {
  std::vector<Entry> entries;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder_, error)) {
    if (Result<Entry> entry = read(file.path().filename().string())) {
      entries.push_back(*std::move(entry));
    }
  }
  std::ranges::sort(entries, {}, &Entry::worker);
  return entries;
}

bool InvitationList::admits(const std::string& worker, const std::string& fingerprint,
                            std::int64_t now_unix_s) const {
  const Result<Entry> entry = read(worker);
  return entry && entry->fingerprint == fingerprint && now_unix_s < entry->until_unix_s;
}

void InvitationList::clear() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<InvitationList::Entry> InvitationList::read(const std::string& worker) const {
  SURETY_TRY(check_name(worker));
  SURETY_TRY(const std::string text, posix::read_file(folder_ / worker, kEntryBytesMax));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(kFingerprint) || !json[kFingerprint].is_string() ||
      !json.contains(kUntilKey) || !json[kUntilKey].is_number_integer() || json[kUntilKey] < 0 ||
      json[kUntilKey] > kLatestEnd_s) {
    return fail(ErrorCode::kCorrupt, "{}: expected a fingerprint and a time",
                (folder_ / worker).string());
  }
  return Entry{worker, json[kFingerprint], json[kUntilKey]};
}

}  // namespace surety::runtime
