#include "cli/run/ending_codes.h"

#include "cli/exit_codes.h"

namespace surety::cli {
namespace {

using orchestrator::Ending;

struct EndingCode {
  Ending ending;
  int exit_code;
};
constexpr EndingCode kEndingCodes[] = {{Ending::kInterrupted, kInterrupted},
                                       {Ending::kPaused, kKept},
                                       {Ending::kBadInput, kUsage},
                                       {Ending::kFailed, kFailed},
                                       {Ending::kTakenOver, kTakenOver}};

}  // namespace

std::optional<int> exit_code(Ending ending) {
  for (const EndingCode& one : kEndingCodes) {
    if (one.ending == ending) return one.exit_code;
  }
  return std::nullopt;
}

Ending ending_with(int exit_code) {
  for (const EndingCode& one : kEndingCodes) {
    if (one.exit_code == exit_code) return one.ending;
  }
  return Ending::kFailed;
}

}  // namespace surety::cli
