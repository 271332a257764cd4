// What a witness has seen, in a file. The file is durable before an answer leaves: after a crash
// the witness must not sign a second history.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/posix/file_lock.h"
#include "base/result.h"
#include "record/note.h"
#include "record/witness.h"

namespace surety::runtime {

// Several threads may use it.
class WitnessState {
 public:
  // Reads the file, or begins a new one. InvalidInput: another witness uses the file. Corrupt: the
  // file is damaged; then the witness must not sign, because it has forgotten what it has seen.
  // REQUIRES: `owners` are keys of the kind kLog.
  [[nodiscard]] static Result<std::unique_ptr<WitnessState>> open(
      const std::filesystem::path& file, std::vector<record::Verifier> owners,
      record::Signer signer);

  // The answer to the body of a request; code 500 if it could not be stored. O(n) for n runs that
  // were seen, because the file is written anew.
  [[nodiscard]] record::WitnessAnswer answer(std::string_view body, std::uint64_t unix_s);

 private:
  WitnessState(posix::FileLock lock, std::filesystem::path file, record::Witnessed seen,
               std::vector<record::Verifier> owners, record::Signer signer);

  posix::FileLock lock_;
  std::filesystem::path file_;
  std::vector<record::Verifier> owners_;
  record::Signer signer_;
  std::mutex mutex_;
  record::Witnessed seen_;
};

}  // namespace surety::runtime
