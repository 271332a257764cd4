// URLs of HTTP servers.
#pragma once

#include <string>
#include <string_view>

namespace surety {

struct HttpUrl {
  std::string server;  // "https://host:port"
  std::string path;    // "" or "/path", without a slash at its end.
};

// Whether the text is http://HOST[:PORT][/PATH], or the same with https, in visible ASCII. A host
// has at most 255 characters, and a URL at most 2,000.
[[nodiscard]] bool is_http_url(std::string_view text);
// REQUIRES: is_http_url(url).
[[nodiscard]] HttpUrl split_http_url(std::string_view url);

}  // namespace surety
