// What a run was trained on so far: passes of one version, then of another.
//
// Training is deterministic in the seed, so a seed and a path name one model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surety::bench {

struct Stretch {
  std::string version;
  std::uint32_t passes = 0;  // 0 only in the last stretch: switched to, nothing trained yet.
  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

class Path {
 public:
  // Untrained, as this version.
  explicit Path(std::string version) : stretches_{{std::move(version), 0}} {}

  // One more pass of `version`, after a switch to it if need be.
  // REQUIRES: as switched().
  [[nodiscard]] Path then(const std::string& version) const;
  // Switched to, nothing trained yet. To the version it has: unchanged.
  // REQUIRES: passes were trained since the last switch, or it has that version.
  [[nodiscard]] Path switched(const std::string& version) const;

  // The path that one pass, or else one switch, leads here from.
  // REQUIRES: !is_start().
  [[nodiscard]] Path before() const;
  [[nodiscard]] bool is_start() const {
    return stretches_.size() == 1 && stretches_[0].passes == 0;
  }
  [[nodiscard]] bool ends_in_switch() const { return stretches_.back().passes == 0; }
  [[nodiscard]] const std::string& version() const { return stretches_.back().version; }
  [[nodiscard]] std::uint32_t passes() const;

  // Whether no version was ever changed.
  [[nodiscard]] bool is_pure() const { return stretches_.size() == 1; }

  // "prune:0.75*4/full*3".
  [[nodiscard]] std::string text() const;
  // None for what text() never writes.
  [[nodiscard]] static std::optional<Path> parse(std::string_view text);

 private:
  std::vector<Stretch> stretches_;  // Not empty; neighbours differ in version.
};

}  // namespace surety::bench
