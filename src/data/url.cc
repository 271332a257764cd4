#include "data/url.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "data/text.h"

namespace surety::data {
namespace {

struct SchemeRules {
  Scheme scheme = Scheme::kIdx;
  bool has_path = true;
  std::vector<std::string> options;
  std::vector<std::string> endings = {};  // File names end so, or so before .gz.

  [[nodiscard]] std::string_view name() const { return name_in(kSchemeNames, scheme); }
};

// One row for each format; its options are those that its reader uses.
const std::vector<SchemeRules>& schemes() {
  static const std::vector<SchemeRules> kSchemes = {
      {.scheme = Scheme::kIdx, .options = {"labels"}, .endings = {"ubyte"}},
      {.scheme = Scheme::kCifar10, .options = {}},
      {.scheme = Scheme::kLibsvm, .options = {}, .endings = {".libsvm", ".svm"}},
      {.scheme = Scheme::kCsv, .options = {"label"}, .endings = {".csv"}},
      {.scheme = Scheme::kNpy, .options = {"labels"}, .endings = {".npy"}},
      {.scheme = Scheme::kDigits,
       .has_path = false,
       .options = {"samples", "seed", "noise", "classes", "first", "label_noise"}},
      {.scheme = Scheme::kSynthetic,
       .has_path = false,
       .options = {"samples", "seed", "features", "nonzeros", "first", "label_noise"}},
  };
  return kSchemes;
}

// Returns, for example, "expected one of a, b, c; did you mean "b"?".
std::string expected_one_of(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return "expected none";
  std::string text = fmt::format("expected one of {}", fmt::join(known, ", "));
  if (const auto meant = nearest(word, known))
    text += fmt::format("; did you mean \"{}\"?", *meant);
  return text;
}

Result<SchemeRules> find_scheme(std::string_view name, std::string_view text) {
  std::vector<std::string> known;
  for (const SchemeRules& scheme : schemes()) {
    if (scheme.name() == name) return scheme;
    known.emplace_back(scheme.name());
  }
  static const std::vector<std::string> kRemote = {"s3",  "gs",   "http", "https",
                                                   "ftp", "hdfs", "abfs"};
  const bool is_remote = std::find(kRemote.begin(), kRemote.end(), name) != kRemote.end();
  return fail(
      ErrorCode::kInvalidInput, "data source {}: found scheme {}, {}{}", quoted(text), quoted(name),
      expected_one_of(name, known),
      is_remote ? ": copy or mount the files so that every worker can read them by a path" : "");
}

// Adds "key=value" to url.options.
Result<void> add_option(std::string_view option, const SchemeRules& scheme, SourceUrl& url) {
  const std::size_t equals = option.find('=');
  const std::string key(option.substr(0, equals));
  if (std::find(scheme.options.begin(), scheme.options.end(), key) == scheme.options.end()) {
    return fail(ErrorCode::kInvalidInput, "data source {}: found option {}, {}", quoted(url.text),
                quoted(key), expected_one_of(key, scheme.options));
  }
  if (equals == std::string_view::npos || equals + 1 == option.size()) {
    return fail(ErrorCode::kInvalidInput,
                "data source {}: option {}: found no value, expected {}=VALUE", quoted(url.text),
                quoted(key), excerpt(key));
  }
  if (!url.options.emplace(key, option.substr(equals + 1)).second) {
    return fail(ErrorCode::kInvalidInput, "data source {}: option {}: found twice, expected once",
                quoted(url.text), quoted(key));
  }
  return {};
}

Result<void> check_path(const SchemeRules& scheme, const SourceUrl& url) {
  if (scheme.has_path && url.path.empty()) {
    return fail(ErrorCode::kInvalidInput, "data source {}: found no path, expected {}://FILE",
                quoted(url.text), scheme.name());
  }
  if (!scheme.has_path && !url.path.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "data source {}: found path {}, expected none: {}://?{}=VALUE", quoted(url.text),
                quoted(url.path), scheme.name(), scheme.options.front());
  }
  return {};
}

}  // namespace

std::optional<std::string> url_meant_by(std::string_view text) {
  constexpr std::string_view kCompressed = ".gz";
  std::string_view name = text.substr(0, text.find('?'));
  if (name.ends_with(kCompressed)) name.remove_suffix(kCompressed.size());
  for (const SchemeRules& scheme : schemes()) {
    const bool fits = std::ranges::any_of(
        scheme.endings, [&](const std::string& ending) { return name.ends_with(ending); });
    if (fits) return fmt::format("{}://{}", scheme.name(), text);
    if (!scheme.has_path && name == scheme.name()) return fmt::format("{}://", name);
  }
  return std::nullopt;
}

Result<SourceUrl> parse_url(std::string_view text) {
  constexpr std::string_view kSeparator = "://";
  const std::size_t separator = text.find(kSeparator);
  if (separator == std::string_view::npos) {
    const auto meant = url_meant_by(text);
    return fail(ErrorCode::kInvalidInput,
                "data source {}: found no \"://\", expected SCHEME://FILE, such as {}",
                quoted(text), excerpt(meant.value_or("libsvm:///data/a9a.gz")));
  }
  SURETY_TRY(const SchemeRules scheme, find_scheme(text.substr(0, separator), text));
  SourceUrl url{.scheme = scheme.scheme, .path = {}, .options = {}, .text = std::string(text)};
  std::string_view rest = text.substr(separator + kSeparator.size());
  const std::size_t question = rest.find('?');
  url.path = rest.substr(0, question);
  SURETY_TRY(check_path(scheme, url));
  if (question == std::string_view::npos) return url;

  rest.remove_prefix(question + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    SURETY_TRY(add_option(rest.substr(0, end), scheme, url));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return url;
}

}  // namespace surety::data
