#include "job/job_values.h"

#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "base/text.h"
#include "base/units.h"
#include "data/url.h"

namespace surety::job {
namespace {

// The allowed size of a number if the key sets no limits of its own.
constexpr const char* kSizes =
    "the largest number is 1e300, and the smallest one above 0 is 1e-300";

// Text with a unit, or a word, is no number: parse_number refuses it.
tl::expected<double, Refusal> number_of(const yaml::Node& node) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const Result<double> value = parse_number(node.text);
  if (value) return *value;
  const std::string_view text = node.text;
  double unused = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), unused);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return refuse(kSizes);
  }
  if (text.ends_with('%')) {
    const Result<double> percent = parse_number(text.substr(0, text.size() - 1));
    if (percent) return refuse(fmt::format("{} is {}", excerpt(text), *percent / 100));
  }
  return refuse();
}

template <typename T>
bool all_digits_to(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string without_scheme(std::string_view text) {
  const auto meant = data::url_meant_by(text);
  if (!meant) return "it has no scheme://";
  constexpr std::string_view kScheme = "://";
  const std::string_view path =
      std::string_view(*meant).substr(meant->find(kScheme) + kScheme.size());
  const bool is_relative = !path.empty() && !path.starts_with('/');
  return fmt::format("it has no scheme://; did you mean {}?{}", excerpt(*meant),
                     is_relative ? " Such a path starts from the folder of the job file, or from "
                                   "data.root; three slashes begin an absolute path"
                                 : "");
}

}  // namespace

Accepted read_number(const yaml::Node& node, Range range, double& out) {
  const auto value = number_of(node);
  if (!value) return tl::unexpected(value.error());
  if (std::abs(*value) > kNumberMax) return refuse(kSizes);
  if (*value < range.min || *value > range.max) return refuse();
  if (range.without_ends && (*value == range.min || *value == range.max)) return refuse();
  out = *value;
  return {};
}

Accepted read_count(const yaml::Node& node, std::uint64_t min, std::uint64_t max,
                    std::uint64_t& out) {
  std::uint64_t value = 0;
  if (node.kind != yaml::Kind::kScalar || !all_digits_to(node.text, value)) return refuse();
  if (value < min || value > max) return refuse();
  out = value;
  return {};
}

Accepted read_count(const yaml::Node& node, std::uint32_t min, std::uint32_t& out) {
  constexpr std::uint64_t kCountMax =
      1'000'000;  // For workers, passes and seeds: more is surely a typing error.
  std::uint64_t value = 0;
  if (auto read = read_count(node, min, kCountMax, value); !read) return read;
  out = static_cast<std::uint32_t>(value);
  return {};
}

// Some rules divide 1 - probability into parts. So this difference must be more than a rounding
// error.
constexpr double kProbabilityMax = 0.999999;

Accepted read_probability(const yaml::Node& node, double& out) {
  const auto value = number_of(node);
  if (!value) return tl::unexpected(value.error());
  if (*value == 1) return refuse("no finite profile can support certainty; try 0.95");
  if (*value > 1 && *value < 100) return refuse(fmt::format("{} % is {}", *value, *value / 100));
  if (*value <= 0 || *value > 1) return refuse();
  if (*value > kProbabilityMax) {
    return refuse(fmt::format("no finite profile can support more than {}", kProbabilityMax));
  }
  out = *value;
  return {};
}

Accepted read_text(const yaml::Node& node, std::string& out) {
  if (node.kind != yaml::Kind::kScalar || node.text.empty()) return refuse();
  for (const char c : node.text) {
    if (static_cast<unsigned char>(c) < 0x20) return refuse("it has a control character");
  }
  out = node.text;
  return {};
}

Accepted read_absolute_path(const yaml::Node& node, std::string& out) {
  if (Accepted read = read_text(node, out); !read) return read;
  return out.starts_with('/') ? Accepted() : refuse();
}

Accepted read_name(const yaml::Node& node, std::string& out) {
  constexpr std::size_t kNameBytesMax = 100;  // Folder names must be shorter than 255 bytes.
  std::string text;
  if (auto read = read_text(node, text); !read) return read;
  if (text.find('/') != std::string::npos) return refuse("it has a '/'");
  if (text[0] == '.') return refuse("it begins with a dot");
  if (text.size() > kNameBytesMax) return refuse(fmt::format("it has {} bytes", text.size()));
  out = std::move(text);
  return {};
}

Accepted read_word(const yaml::Node& node, std::string& out) {
  std::string text;
  if (auto read = read_name(node, text); !read) return read;
  if (text.find(' ') != std::string::npos) return refuse("it has a space");
  out = std::move(text);
  return {};
}

Accepted read_per_second(const yaml::Node& node, double& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const Result<double> value = parse_price(node.text);
  if (!value) return refuse();
  out = *value;
  return {};
}

Accepted read_duration(const yaml::Node& node, double& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const Result<Duration> duration = parse_duration(node.text);
  if (!duration) return refuse();
  out = to_seconds(*duration);
  return {};
}

Accepted read_bytes(const yaml::Node& node, std::uint64_t& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const Result<std::uint64_t> bytes = parse_bytes(node.text);
  if (!bytes || *bytes == 0) return refuse();
  out = *bytes;
  return {};
}

Accepted read_choice(const yaml::Node& node, const std::vector<std::string>& names,
                     std::string& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  if (std::find(names.begin(), names.end(), node.text) == names.end()) {
    const auto meant = nearest(node.text, names);
    return refuse(meant ? fmt::format("did you mean {}?", *meant) : std::string());
  }
  out = node.text;
  return {};
}

Accepted read_switch(const yaml::Node& node, bool& out) {
  std::string name;
  if (auto read = read_choice(node, {"on", "off", "true", "false", "yes", "no"}, name); !read)
    return read;
  out = name == "on" || name == "true" || name == "yes";
  return {};
}

Accepted read_url(const yaml::Node& node, std::string& out) {
  std::string text;
  if (auto read = read_text(node, text); !read) return read;
  const std::size_t colon = text.find("://");
  if (colon == std::string::npos) return refuse(without_scheme(text));
  for (std::size_t i = 0; i < colon; ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    if (!(c >= 'a' && c <= 'z') && !(digit && i > 0))
      return refuse("its scheme is not a word of a to z and digits");
  }
  if (colon == 0) return refuse("it has no scheme before ://");
  out = std::move(text);
  return {};
}

Accepted read_version(const yaml::Node& node, std::string& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  if (node.text == "full") {
    out = node.text;
    return {};
  }
  constexpr std::string_view kPrune = "prune:";
  if (!node.text.starts_with(kPrune)) {
    const auto meant = nearest(node.text, std::vector<std::string>{"full"});
    return refuse(meant ? "did you mean full?" : "");
  }
  const Result<double> fraction = parse_number(std::string_view(node.text).substr(kPrune.size()));
  if (!fraction || *fraction <= 0 || *fraction >= 1) {
    return refuse("F is the fraction of channels that is removed, between 0 and 1, both excluded");
  }
  out = fmt::format("{}{}", kPrune, *fraction);
  return {};
}

Accepted read_address(const yaml::Node& node, std::string& out) {
  if (node.kind != yaml::Kind::kScalar) return refuse();
  const std::size_t colon = node.text.rfind(':');
  if (colon == std::string::npos || colon == 0) return refuse("it has no host or no port");
  std::uint16_t port = 0;
  if (!all_digits_to(std::string_view(node.text).substr(colon + 1), port)) {
    return refuse("its port is not a number from 0 to 65535");
  }
  out = node.text;
  return {};
}

Accepted read_addresses(const yaml::Node& node, std::vector<std::string>& out) {
  if (node.kind != yaml::Kind::kList || node.children.empty()) return refuse();
  std::vector<std::string> addresses;
  for (const yaml::Node& child : node.children) {
    if (auto read = read_address(child, addresses.emplace_back()); !read) {
      return refuse(fmt::format("{}: {}", yaml::found(child), read.error().why));
    }
  }
  out = std::move(addresses);
  return {};
}

}  // namespace surety::job
