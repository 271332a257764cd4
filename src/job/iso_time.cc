#include "job/iso_time.h"

#include <chrono>
#include <cmath>

#include "base/check.h"

namespace surety::job {
namespace {

// Parses a text from the left; a part that does not match leaves the scanner in a failed state.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  int digits(std::size_t count) {
    int value = 0;
    if (left_.size() < count) ok_ = false;
    for (std::size_t i = 0; ok_ && i < count; ++i) {
      if (left_[i] < '0' || left_[i] > '9') ok_ = false;
      value = 10 * value + (left_[i] - '0');
    }
    if (ok_) left_.remove_prefix(count);
    return value;
  }
  bool take(char c) {
    if (!ok_ || left_.empty() || left_[0] != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) ok_ = false;
  }
  void need_end() { ok_ = ok_ && left_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
  bool ok_ = true;
};

constexpr int kOffsetHoursMax = 14;  // No time zone is further from UTC.

struct Zone {
  int offset_min = 0;
  bool given = true;
  bool exists = true;
};

Zone zone(Scanner& scan) {
  if (scan.ok() && scan.at_end()) return {.given = false};
  if (scan.take('Z')) return {};
  const int sign = scan.take('-') ? -1 : 1;
  if (sign > 0) scan.need('+');
  const int hours = scan.digits(2);
  scan.take(':');
  const int minutes = scan.digits(2);
  return {.offset_min = sign * (60 * hours + minutes),
          .exists = minutes < 60 && 60 * hours + minutes <= 60 * kOffsetHoursMax};
}

}  // namespace

Result<double> parse_iso_time(std::string_view text) {
  Scanner scan(text);
  const int year = scan.digits(4);
  scan.need('-');
  const int month = scan.digits(2);
  scan.need('-');
  const int day = scan.digits(2);
  if (!scan.take('T')) scan.need(' ');
  const int hour = scan.digits(2);
  scan.need(':');
  const int minute = scan.digits(2);
  const int second = scan.take(':') ? scan.digits(2) : 0;
  const Zone at = zone(scan);
  scan.need_end();
  if (!scan.ok())
    return fail(ErrorCode::kInvalidInput, "it does not have the form 2026-03-01T18:00:00Z");
  if (!at.given) {
    return fail(ErrorCode::kInvalidInput,
                "it has no time zone: Z for UTC, or an offset such as +01:00");
  }
  if (!at.exists) {
    return fail(ErrorCode::kInvalidInput,
                "its time zone does not exist: offsets go from -14:00 to +14:00");
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) {
    return fail(ErrorCode::kInvalidInput, "this day or time of day does not exist");
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * hour + 60.0 * (minute - at.offset_min) +
         second;
}

std::string format_iso_time(double unix_s) {
  const double day = std::floor(unix_s / 86400);
  const auto second = static_cast<int>(unix_s - 86400 * day);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
  const int year = static_cast<int>(date.year());
  SURETY_CHECK(year >= 0 && year <= 9999);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year,
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second / 3600, second / 60 % 60, second % 60);
}

bool looks_like_iso_time(std::string_view text) {
  Scanner scan(text);
  (void)scan.digits(4);
  scan.need('-');
  return scan.ok();
}

}  // namespace surety::job
