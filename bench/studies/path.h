// The training of a run so far: passes of one version, then of another.
//
// Training is deterministic for a seed, so a seed and a path identify one model.
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
  // 0 only in the last stretch: the version was changed, and nothing was trained since.
  std::uint32_t passes = 0;
  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

class Path {
 public:
  // An untrained model of this version.
  explicit Path(std::string version) : stretches_{{std::move(version), 0}} {}

  // The path with one more pass of `version`, after a switch to it if necessary.
  // REQUIRES: passes were trained since the last switch, or the path has that version.
  [[nodiscard]] Path then(const std::string& version) const;
  // The path after a switch to `version`, with nothing trained since. Unchanged if that is its
  // version.
  // REQUIRES: passes were trained since the last switch, or the path has that version.
  [[nodiscard]] Path switched(const std::string& version) const;

  // The path before its last pass, or before its last switch if no pass followed it.
  // REQUIRES: !is_start().
  [[nodiscard]] Path before() const;
  [[nodiscard]] bool is_start() const {
    return stretches_.size() == 1 && stretches_[0].passes == 0;
  }
  [[nodiscard]] bool ends_in_switch() const { return stretches_.back().passes == 0; }
  [[nodiscard]] const std::string& version() const { return stretches_.back().version; }
  [[nodiscard]] std::uint32_t passes() const;

  // Whether the version was never changed.
  [[nodiscard]] bool is_pure() const { return stretches_.size() == 1; }

  // The text is, for example, "prune:0.75*4/full*3".
  [[nodiscard]] std::string text() const;
  // Returns nothing for a text that text() never writes.
  [[nodiscard]] static std::optional<Path> parse(std::string_view text);

 private:
  std::vector<Stretch> stretches_;  // Never empty; neighbours have different versions.
};

}  // namespace surety::bench
