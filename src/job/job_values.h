// Reads single values of a job file: takes a node, gives a value or a refusal.
//
// A refusal says only why. The caller, which knows the key, adds what was found and expected.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "job/yaml.h"

namespace surety::job {

struct Refusal {
  std::string why;  // May be empty if "expected" is explanation enough.
};
using Accepted = tl::expected<void, Refusal>;

[[nodiscard]] inline tl::unexpected<Refusal> refuse(std::string why = {}) {
  return tl::unexpected<Refusal>(Refusal{std::move(why)});
}

// Larger numbers are refused for every key, and the refusal says so.
inline constexpr double kNumberMax = 1e300;

// The allowed range of a number.
struct Range {
  double min = 0;
  double max = kNumberMax;
  bool without_ends = false;
};

[[nodiscard]] Accepted read_number(const yaml::Node& node, Range range, double& out);
// A whole number in decimal digits.
[[nodiscard]] Accepted read_count(const yaml::Node& node, std::uint64_t min, std::uint64_t max,
                                  std::uint64_t& out);
// The same, up to 1,000,000: more workers, passes or seeds are surely a typing error.
[[nodiscard]] Accepted read_count(const yaml::Node& node, std::uint32_t min, std::uint32_t& out);
// The number is in (0, 1). An error says why 1 is impossible.
[[nodiscard]] Accepted read_probability(const yaml::Node& node, double& out);
// One line of text, not empty.
[[nodiscard]] Accepted read_text(const yaml::Node& node, std::string& out);
// A path that begins with '/': another process, with another working folder, opens it, too.
[[nodiscard]] Accepted read_absolute_path(const yaml::Node& node, std::string& out);
// A name that can be part of a file name: read_text without '/', not starting with a dot, and no
// longer than 100 bytes.
[[nodiscard]] Accepted read_name(const yaml::Node& node, std::string& out);
// A read_name without spaces: it stands in command lines and in texts such as "2 spot".
[[nodiscard]] Accepted read_word(const yaml::Node& node, std::string& out);
// An amount per time, 0 or more, with a unit: "0.36/h" of money, or "6/h" of events. `out` is per
// second.
[[nodiscard]] Accepted read_per_second(const yaml::Node& node, double& out);
// "10s", in seconds.
[[nodiscard]] Accepted read_duration(const yaml::Node& node, double& out);
// "4GiB", above 0.
[[nodiscard]] Accepted read_bytes(const yaml::Node& node, std::uint64_t& out);
// One of `names`; a refusal names the nearest one.
[[nodiscard]] Accepted read_choice(const yaml::Node& node, const std::vector<std::string>& names,
                                   std::string& out);
// "on" or "off"; YAML's "true" and "false" mean the same.
[[nodiscard]] Accepted read_switch(const yaml::Node& node, bool& out);
// "scheme://rest"; the code that opens the URL checks the rest.
[[nodiscard]] Accepted read_url(const yaml::Node& node, std::string& out);
// "full" or "prune:F"; `out` has the shortest form ("prune:0.50" becomes "prune:0.5").
[[nodiscard]] Accepted read_version(const yaml::Node& node, std::string& out);
// "HOST:PORT", port 0 to 65535.
[[nodiscard]] Accepted read_address(const yaml::Node& node, std::string& out);
// A list of at least one address.
[[nodiscard]] Accepted read_addresses(const yaml::Node& node, std::vector<std::string>& out);

}  // namespace surety::job
