#include "learn/rows.h"

#include "learn/sample_check.h"

namespace surety::learn {

Result<Rows> Rows::of(const data::Samples& samples, const data::Schema& schema) {
  SURETY_TRY(check_samples(samples, schema));
  return Rows(samples, schema);
}

}  // namespace surety::learn
