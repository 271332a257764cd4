#include "base/http_url.h"

#include <algorithm>

namespace surety {
namespace {

constexpr std::string_view kSeparator = "://";

}  // namespace

bool is_http_url(std::string_view text) {
  if (!text.starts_with("http://") && !text.starts_with("https://")) return false;
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; })) return false;
  return !split_http_url(text).server.ends_with(kSeparator);
}

HttpUrl split_http_url(std::string_view url) {
  const std::size_t host = url.find(kSeparator) + kSeparator.size();
  const std::size_t slash = std::min(url.find('/', host), url.size());
  HttpUrl out{std::string(url.substr(0, slash)), std::string(url.substr(slash))};
  while (out.path.ends_with('/')) out.path.pop_back();
  return out;
}

}  // namespace surety
