#include "learn/model_checksum.h"

#include <span>

#include "base/checksum.h"
#include "base/random.h"

namespace surety::learn {

std::uint64_t model_checksum(const Model& model) {
  std::uint64_t values =
      mix64(checksum_of(std::span(model.parameters)) ^ mix64(checksum_of(std::span(model.parent))));
  if (!model.velocity.empty()) values = mix64(values ^ checksum_of(std::span(model.velocity)));
  // Differs from the checksum of a velocity with the same values.
  if (!model.average.empty()) values = mix64(~values ^ checksum_of(std::span(model.average)));
  return values;
}

}  // namespace surety::learn
