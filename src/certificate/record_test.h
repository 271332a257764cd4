// Records for tests of certificates and reports.
#pragma once

#include "certificate/certificate.h"

namespace surety::certificate {

// A run that kept its promise of a loss of at most 0.5 within 1000 s for at most 10; every field
// is set.
[[nodiscard]] RunRecord kept_record();

// A plan for the version full: 4 passes on 2 workers, down to 0.48, without simulated numbers.
[[nodiscard]] plan::Plan plan_by_hand();

}  // namespace surety::certificate
