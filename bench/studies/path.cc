#include "bench/studies/path.h"

#include <fmt/format.h>

#include "base/check.h"
#include "model/version.h"
#include "plan/files/csv.h"

namespace surety::bench {

Path Path::switched(const std::string& version) const {
  Path path = *this;
  if (version == this->version()) return path;
  SURETY_CHECK(!ends_in_switch());  // Two consecutive switches have no meaning.
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

namespace {

std::optional<Stretch> parse_stretch(std::string_view text) {
  constexpr std::uint32_t kPassesMax = 1000000;  // Far more than any training has.
  const std::size_t star = text.rfind('*');
  if (star == std::string_view::npos) return std::nullopt;
  Stretch stretch{std::string(text.substr(0, star)), 0};
  const auto version = model::parse_version(stretch.version);
  if (!version || model::to_text(*version) != stretch.version) return std::nullopt;
  const std::string_view digits = text.substr(star + 1);
  if (!plan::parse_field(digits, stretch.passes) || stretch.passes > kPassesMax)
    return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return stretch;
}

}  // namespace

std::optional<Path> Path::parse(std::string_view text) {
  std::vector<Stretch> stretches;
  for (const std::string_view part : plan::split(text, '/')) {
    std::optional<Stretch> stretch = parse_stretch(part);
    if (!stretch) return std::nullopt;
    const bool is_first = stretches.empty();
    if (!is_first && stretches.back().passes == 0) return std::nullopt;
    if (!is_first && stretches.back().version == stretch->version) return std::nullopt;
    stretches.push_back(std::move(*stretch));
  }
  Path path(stretches.front().version);
  path.stretches_ = std::move(stretches);
  return path;
}

}  // namespace surety::bench
