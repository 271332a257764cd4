// A section of the job file is a table of keys; this reads a mapping by such a table.
//
// One row has all that there is to know about a key: its name, what to write, its default, and how
// to read it. Messages, the guide's check and the reader all use the row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/result.h"
#include "job/job_values.h"
#include "job/yaml.h"

namespace surety::job {

inline constexpr std::string_view kRequired = "required";

template <typename T>
struct Key {
  std::string_view name;
  std::string_view expected;  // What to write.
  std::string_view fallback;  // The default as a user would write it, a few words, or kRequired.
  Accepted (*read)(const yaml::Node& node, T& out);
};

// Where a mapping is: the file, for messages, and the dotted path to it ("" at the top).
struct At {
  std::string_view file;
  std::string path;
  [[nodiscard]] std::string key(std::string_view name) const {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }
};

// "job.yaml:7: promise.probability: found 1, expected ...: why". The key is not repeated if a --set
// names it.
[[nodiscard]] tl::unexpected<Error> refuse_value(const At& at, const yaml::Node& node,
                                                 std::string_view key, std::string_view expected,
                                                 const Refusal& refusal = {});
// An error that other code found about the value, with the value's place in front.
[[nodiscard]] tl::unexpected<Error> refuse_as(const At& at, const yaml::Node& node,
                                              std::string_view key, const Error& error);
[[nodiscard]] tl::unexpected<Error> refuse_missing(const At& at, const yaml::Node& map,
                                                   std::string_view key, std::string_view expected);
// `required` are the keys without which the section is refused. REQUIRES: the node is no mapping.
[[nodiscard]] tl::unexpected<Error> refuse_section(const At& at, const yaml::Node& node,
                                                   const std::vector<std::string>& required);
// InvalidInput, with the known keys, if the mapping has another key. REQUIRES: map is a mapping.
[[nodiscard]] Result<void> check_known(const At& at, const yaml::Node& map,
                                       const std::vector<std::string>& known);

// InvalidInput: a key is missing, unknown or has a wrong value, or the node is no mapping.
template <typename T>
[[nodiscard]] Result<void> read_section(const At& at, const yaml::Node& map,
                                        std::span<const Key<T>> keys, T& out) {
  std::vector<std::string> known;
  std::vector<std::string> required;
  for (const Key<T>& key : keys) {
    known.emplace_back(key.name);
    if (key.fallback == kRequired) required.emplace_back(key.name);
  }
  if (map.kind != yaml::Kind::kMap) return refuse_section(at, map, required);
  SURETY_TRY(check_known(at, map, known));
  for (const Key<T>& key : keys) {
    const yaml::Node* node = map.find(key.name);
    if (node == nullptr) {
      if (key.fallback == kRequired) return refuse_missing(at, map, key.name, key.expected);
      continue;
    }
    if (const Accepted read = key.read(*node, out); !read) {
      return refuse_value(at, *node, key.name, key.expected, read.error());
    }
  }
  return {};
}

}  // namespace surety::job
