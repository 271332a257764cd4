#include "sim/world/trace.h"

#include <bit>
#include <span>

#include "base/checksum.h"
#include "base/random.h"

namespace surety::sim {

void Trace::note(std::string_view what, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  hash_ = mix64(hash_ ^ std::bit_cast<std::uint64_t>(clock_.now_s()));
  hash_ = mix64(hash_ ^ checksum_of(std::span(what.data(), what.size())));
  for (const std::uint64_t value : {a, b, c}) hash_ = mix64(hash_ ^ value);
}

void Trace::log(const std::string& text) {
  note(text);
  lines_.push_back({clock_.now_s(), text});
  if (listener_) listener_(text);
}

}  // namespace surety::sim
