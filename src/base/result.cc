#include "base/result.h"

namespace surety {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid input";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kInfeasible:
      return "infeasible";
    case ErrorCode::kDiverged:
      return "diverged";
    case ErrorCode::kDefect:
      return "defect";
  }
  return "unknown";
}

}  // namespace surety
