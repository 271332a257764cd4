#include "cli/run/ending_codes.h"

#include "cli/exit_codes.h"
#include "cli/output.h"

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

int exit_code(Ending ending, const orchestrator::RunState& state) {
  for (const EndingCode& one : kEndingCodes) {
    if (one.ending == ending) return one.exit_code;
  }
  if (state.beginning.mode == orchestrator::RunMode::kProfile) return kKept;
  return exit_code(verdict(state.record));
}

Ending ending_with(int exit_code) {
  for (const EndingCode& one : kEndingCodes) {
    if (one.exit_code == exit_code) return one.ending;
  }
  return Ending::kFailed;
}

}  // namespace surety::cli
