#include "base/http_url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace surety {
namespace {

constexpr std::string_view kSeparator = "://";
// Libraries of HTTP match longer ones recursively, until the stack is full.
constexpr std::size_t kHostBytesMax = 255;
constexpr std::size_t kUrlBytesMax = 2000;

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0;
}

}  // namespace

bool is_http_url(std::string_view text) {
  if (!text.starts_with("http://") && !text.starts_with("https://")) return false;
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return c > ' ' && c < 127 && c != '?' && c != '#' && c != '@'; });
  if (!is_plain || text.size() > kUrlBytesMax) return false;
  const std::string server = split_http_url(text).server;
  std::string_view host = server;
  host.remove_prefix(host.find(kSeparator) + kSeparator.size());
  const std::size_t bracket = host.find(']');  // The end of an IPv6 address.
  const std::size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
  if (host.empty() || host.size() > kHostBytesMax) return false;
  return colon != 0 && (colon == host.npos || is_port(host.substr(colon + 1)));
}

HttpUrl split_http_url(std::string_view url) {
  const std::size_t host = url.find(kSeparator) + kSeparator.size();
  const std::size_t slash = std::min(url.find('/', host), url.size());
  HttpUrl out{std::string(url.substr(0, slash)), std::string(url.substr(slash))};
  while (out.path.ends_with('/')) out.path.pop_back();
  return out;
}

}  // namespace surety
