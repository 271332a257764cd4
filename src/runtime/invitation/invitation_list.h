// The invitations of a run that are valid: the folder RUN/invitations. It has a file for each
// worker, with the fingerprint of the worker's certificate. A worker that is not on the list is
// refused, so an invitation is withdrawn by removing its file. The files contain no secrets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/invitation/invitation.h"

namespace surety::runtime {

class InvitationList {
 public:
  explicit InvitationList(const std::filesystem::path& run);

  struct Entry {
    std::string worker;
    std::string fingerprint;  // The fingerprint in crypto::CertificateFacts.
    std::int64_t until_unix_s = 0;
  };

  // Makes an invitation for this worker, which is valid after add(). InvalidInput: the run accepts
  // no workers of other machines, or nobody coordinates it; or the name is none.
  [[nodiscard]] Result<Invitation> make(const std::string& worker, std::int64_t until_unix_s) const;
  // Puts it on the list. An earlier one of the same name becomes invalid. Unavailable: the list
  // cannot be written.
  [[nodiscard]] Result<void> add(const Invitation& invitation) const;
  // InvalidInput: nobody of this name is invited.
  [[nodiscard]] Result<void> withdraw(const std::string& worker) const;
  // The entries are sorted by name. Files that are no entries are left out.
  [[nodiscard]] std::vector<Entry> entries() const;
  // Whether the worker with this certificate is on the list, and its invitation has not expired.
  // Reads one file.
  [[nodiscard]] bool admits(const std::string& worker, const std::string& fingerprint,
                            std::int64_t now_unix_s) const;
  // Call it when the run has ended.
  void clear() const;

 private:
  [[nodiscard]] Result<Entry> read(const std::string& worker) const;

  std::filesystem::path run_;
  std::filesystem::path folder_;
};

}  // namespace surety::runtime
