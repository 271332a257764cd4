// A part of the time and the money of a run, for the report.
#pragma once

#include <string>

namespace surety::certificate {

struct SpendingPart {
  std::string what;  // "passes of the attempt that is kept"
  double seconds = 0;
  double cost = 0;
};

}  // namespace surety::certificate
