#include "path.h"

#include <fmt/format.h>

#include "base/check.h"

namespace surety::bench {

Path Path::switched(const std::string& version) const {
  Path path = *this;
  if (version == this->version()) return path;
  SURETY_CHECK(!ends_in_switch());  // Two switches in a row are for nobody.
  path.stretches_.push_back({version, 0});
  return path;
}

Path Path::then(const std::string& version) const {
  Path path = switched(version);
  ++path.stretches_.back().passes;
  return path;
}

Path Path::before() const {
  SURETY_CHECK(!is_start());
  Path path = *this;
  if (ends_in_switch()) {
    path.stretches_.pop_back();
  } else {
    --path.stretches_.back().passes;
  }
  return path;
}

std::uint32_t Path::passes() const {
  std::uint32_t sum = 0;
  for (const Stretch& stretch : stretches_) sum += stretch.passes;
  return sum;
}

std::string Path::text() const {
  std::string text;
  for (const Stretch& stretch : stretches_) {
    text += fmt::format("{}{}*{}", text.empty() ? "" : "/", stretch.version, stretch.passes);
  }
  return text;
}

}  // namespace surety::bench
