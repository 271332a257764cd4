#include "sim/cluster/trace.h"

#include <bit>
#include <span>

#include "base/checksum.h"
#include "base/random.h"

namespace surety::sim {

void Trace::note(double now_s, std::string_view what, std::uint64_t a, std::uint64_t b,
                 std::uint64_t c) {
  hash_ = mix64(hash_ ^ std::bit_cast<std::uint64_t>(now_s));
  hash_ = mix64(hash_ ^ checksum_of(std::span(what.data(), what.size())));
  for (const std::uint64_t value : {a, b, c}) hash_ = mix64(hash_ ^ value);
}

void Trace::log(double now_s, const std::string& text) {
  note(now_s, text);
  lines_.push_back({now_s, text});
}

}  // namespace surety::sim
