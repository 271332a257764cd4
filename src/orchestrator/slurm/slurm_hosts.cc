#include "orchestrator/slurm/slurm_hosts.h"

#include <algorithm>
#include <charconv>

#include "data/text.h"

namespace surety::orchestrator {
namespace {

constexpr std::size_t kHostsMax = 65536;  // Slurm itself allows no more nodes.
constexpr std::size_t kDigitsMax = 9;  // Digits of a number in brackets; the number fits 32 bits.

class HostList {
 public:
  explicit HostList(std::string_view list) : list_(list), rest_(list) {}

  Result<std::vector<std::string>> expand() {
    while (!rest_.empty()) {
      SURETY_TRY(const auto names, next_name());
      hosts_.insert(hosts_.end(), names.begin(), names.end());
      if (hosts_.size() > kHostsMax) return bad("at most 65536 hosts");
      if (rest_.empty()) break;
      rest_.remove_prefix(1);  // Skips the comma.
      if (rest_.empty()) return bad("a name after the last comma");
    }
    return std::move(hosts_);
  }

 private:
  // Reads up to the next comma outside brackets: text and brackets in turn. Each bracket multiplies
  // the names.
  Result<std::vector<std::string>> next_name() {
    std::vector<std::string> names{""};
    while (!rest_.empty() && rest_.front() != ',') {
      const std::size_t end = std::min(rest_.find_first_of(",["), rest_.size());
      for (std::string& name : names) name += rest_.substr(0, end);
      rest_.remove_prefix(end);
      if (rest_.empty() || rest_.front() == ',') break;
      SURETY_TRY(const auto numbers, bracket());
      if (names.size() * numbers.size() > kHostsMax) return bad("at most 65536 hosts");
      std::vector<std::string> longer;
      for (const std::string& name : names) {
        for (const std::string& number : numbers) longer.push_back(name + number);
      }
      names = std::move(longer);
    }
    const bool plain = names.front().find_first_of("] \t\n") == std::string::npos;
    if (names.front().empty() || !plain) return bad("names between commas");
    return names;
  }

  // "[01-03,7]" gives 01, 02, 03, 7.
  Result<std::vector<std::string>> bracket() {
    const std::size_t close = rest_.find(']');
    if (close == std::string_view::npos) return bad("a ] for each [");
    std::string_view inside = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    std::vector<std::string> numbers;
    while (true) {
      const std::size_t end = std::min(inside.find(','), inside.size());
      SURETY_TRY(append_range(inside.substr(0, end), numbers));
      if (end == inside.size()) return numbers;
      inside.remove_prefix(end + 1);
    }
  }

  Result<void> append_range(std::string_view range, std::vector<std::string>& numbers) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::string_view low_text = range.substr(0, dash);
    const std::string_view high_text = dash == range.size() ? low_text : range.substr(dash + 1);
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    if (!number(low_text, low) || !number(high_text, high) || low > high) {
      return bad("numbers and rising ranges such as 1-4 in brackets");
    }
    if (high - low >= kHostsMax || numbers.size() + (high - low) >= kHostsMax) {
      return bad("at most 65536 hosts");
    }
    for (std::uint32_t n = low; n <= high; ++n) {
      numbers.push_back(fmt::format("{:0{}}", n, low_text.size()));
    }
    return {};
  }

  static bool number(std::string_view text, std::uint32_t& value) {
    if (text.size() > kDigitsMax) return false;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
  }

  tl::unexpected<Error> bad(std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "host list: found {}, expected {}", data::quoted(list_),
                expected);
  }

  std::string_view list_;
  std::string_view rest_;
  std::vector<std::string> hosts_;
};

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view list) {
  return HostList(list).expand();
}

}  // namespace surety::orchestrator
