#include "bench/studies/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "bench/studies/path.h"
#include "plan/files/csv.h"

namespace surety::bench {
namespace {

using plan::Column;

constexpr std::string_view kMark = "# study ";
constexpr const char* kColumnsOfWhole = "seed,path,pass,metric,metric_se,accuracy,cpu_s,bytes";
constexpr std::size_t kColumnsBefore = 8;
constexpr std::size_t kColumnsOfPart = 4;
constexpr std::size_t kColumns = kColumnsBefore + kParts * kColumnsOfPart;

// These limits are far above the values of all studies, and so small that no sum overflows.
constexpr std::uint32_t kSamplesMax = 1000000000;
constexpr double kLossSquareMax = 1e18;

constexpr std::tuple kHalvesColumns{
    Column{"seed", &Point::seed},
    Column{"path", &Point::path},
    Column{"metric", &Point::metric},
    Column{"metric_se", &Point::metric_se},
    Column{"certify_metric", &Point::certify_metric},
    Column{"certify_se", &Point::certify_se},
    Column{"cpu_s", &Point::cpu_s},
};

// One line of the file, split into fields.
struct Line {
  std::string_view file;
  std::size_t number = 0;
  std::vector<std::string_view> fields;

  template <typename T>
  Result<void> read(std::size_t column, std::string_view name, T& value) const {
    if (plan::parse_field(fields[column], value)) return {};
    return unexpected(name, fields[column], plan::expected_of<T>());
  }
  tl::unexpected<Error> unexpected(std::string_view name, std::string_view found,
                                   std::string_view expected) const {
    return fail(ErrorCode::kInvalidInput, "{}:{}: {}: found '{}', expected {}", file, number, name,
                found, expected);
  }
};

// A sum has nine digits, so that the values computed from it have five.
std::string sum_text(double value) { return fmt::format("{:.9g}", value); }
double rounded(double value, const char* format) {
  return std::strtod(fmt::format(fmt::runtime(format), value).c_str(), nullptr);
}

Result<void> read_part(const Line& line, std::size_t part, Sums& sums) {
  const std::size_t at = kColumnsBefore + part * kColumnsOfPart;
  const auto name = [&](const char* what) { return fmt::format("p{}_{}", part + 1, what); };
  SURETY_TRY(line.read(at, name("samples"), sums.samples));
  SURETY_TRY(line.read(at + 1, name("loss"), sums.loss));
  SURETY_TRY(line.read(at + 2, name("loss_square"), sums.loss_square));
  SURETY_TRY(line.read(at + 3, name("correct"), sums.correct));
  // Round before the checks, so that a line that is written again passes the same checks.
  sums.loss = rounded(sums.loss, "{:.9g}");
  sums.loss_square = rounded(sums.loss_square, "{:.9g}");
  if (sums.samples == 0 || sums.samples > kSamplesMax) {
    return line.unexpected(name("samples"), line.fields[at],
                           fmt::format("from 1 to {}", kSamplesMax));
  }
  if (sums.loss < 0) return line.unexpected(name("loss"), line.fields[at + 1], "at least 0");
  const double least = sums.loss * sums.mean();  // The inequality of Cauchy and Schwarz.
  if (!(sums.loss_square >= least * (1 - 1e-6) && sums.loss_square <= kLossSquareMax)) {
    return line.unexpected(name("loss_square"), line.fields[at + 2],
                           fmt::format("from {:.6g} to {:g}", least, kLossSquareMax));
  }
  if (sums.correct > sums.samples) {
    return line.unexpected(name("correct"), line.fields[at + 3],
                           fmt::format("at most {}", sums.samples));
  }
  return {};
}

// Checks a column that follows from the others. The column is written for people, and can show
// damage of the line.
Result<void> check_derived(const Line& line, std::size_t column, std::string_view name,
                           double expected) {
  double found = 0;
  SURETY_TRY(line.read(column, name, found));
  if (std::abs(found - expected) <= 1e-4 * std::max(std::abs(expected), 1e-4)) return {};
  return line.unexpected(name, line.fields[column], fmt::format("{:.5g} by the sums", expected));
}

Result<Measured> read_measured(const Line& line) {
  Measured measured;
  SURETY_TRY(line.read(0, "seed", measured.seed));
  measured.path = line.fields[1];
  const std::optional<Path> path = Path::parse(measured.path);
  if (!path) return line.unexpected("path", line.fields[1], "a path like full*2/prune:0.5*1");
  std::uint32_t pass = 0;
  SURETY_TRY(line.read(2, "pass", pass));
  if (pass != path->passes()) {
    return line.unexpected("pass", line.fields[2], fmt::format("{} by the path", path->passes()));
  }
  SURETY_TRY(line.read(6, "cpu_s", measured.cpu_s));
  SURETY_TRY(line.read(7, "bytes", measured.bytes));
  for (std::size_t i = 0; i < kParts; ++i) {
    SURETY_TRY(read_part(line, i, measured.parts[i]));
  }
  const Sums whole = measured.whole();
  SURETY_TRY(check_derived(line, 3, "metric", whole.mean()));
  SURETY_TRY(check_derived(line, 4, "metric_se", whole.mean_se()));
  SURETY_TRY(check_derived(line, 5, "accuracy", whole.accuracy()));
  return as_written(std::move(measured));
}

Result<Point> read_halves(const Line& line) {
  Point point;
  Result<void> read;
  std::size_t at = 0;
  const auto take = [&](const auto& column) {
    if (read) read = line.read(at, column.name, point.*column.member);
    ++at;
  };
  std::apply([&](const auto&... columns) { (take(columns), ...); }, kHalvesColumns);
  SURETY_TRY(read);
  if (!Path::parse(point.path)) {
    return line.unexpected("path", point.path, "a path like full*2/prune:0.5*1");
  }
  return point;
}

std::string halves_header() {
  return std::apply([](const auto&... columns) { return plan::header_of(columns...); },
                    kHalvesColumns);
}

std::string header_of_parts() {
  std::string header = kColumnsOfWhole;
  for (std::size_t i = 1; i <= kParts; ++i) {
    header += fmt::format(",p{0}_samples,p{0}_loss,p{0}_loss_square,p{0}_correct", i);
  }
  return header;
}

Result<Recording> read_first_line(std::string_view file, std::string_view line) {
  Recording recording;
  if (line.starts_with(kMark)) {
    SURETY_TRY(recording.provenance,
               Provenance::parse(fmt::format("{}:1", file), line.substr(kMark.size())));
    return recording;
  }
  recording.is_older = true;
  if (line.starts_with("# ")) {
    recording.described = line.substr(2);
    return recording;
  }
  return fail(ErrorCode::kInvalidInput, "{}:1: found '{}', expected '{}network=...'", file, line,
              kMark);
}

}  // namespace

void Sums::add(const Sums& more) {
  samples += more.samples;
  loss += more.loss;
  loss_square += more.loss_square;
  correct += more.correct;
}

double Sums::mean_se() const {
  const double variance = std::max(0.0, loss_square / samples - mean() * mean());
  return std::sqrt(variance / samples);
}

Sums Measured::whole() const {
  Sums whole;
  for (const Sums& part : parts) whole.add(part);
  return whole;
}

std::string_view whole_lines(std::string_view text) {
  text = text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0.
  const bool is_head = text.find('\n') + 1 == text.size();
  return is_head && text.starts_with(kMark) ? text.substr(0, 0) : text;
}

Result<Recording> read_recording(std::string_view file, std::string_view text) {
  const std::vector<std::string_view> lines = plan::split_lines(text);
  SURETY_TRY(Recording recording, read_first_line(file, lines.empty() ? "" : lines[0]));
  const std::string header = recording.is_older ? halves_header() : header_of_parts();
  if (lines.size() < 2 || lines[1] != header) {
    return fail(ErrorCode::kInvalidInput, "{}:2: header: found '{}', expected '{}'", file,
                lines.size() < 2 ? "" : lines[1], header);
  }
  const std::size_t columns =
      recording.is_older ? std::tuple_size_v<decltype(kHalvesColumns)> : kColumns;
  std::set<std::pair<std::uint32_t, std::string>> known;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const Line line{file, i + 1, plan::split(lines[i], ',')};
    if (line.fields.size() != columns) {
      return fail(ErrorCode::kInvalidInput, "{}:{}: found {} columns, expected {}", file, i + 1,
                  line.fields.size(), columns);
    }
    std::pair<std::uint32_t, std::string> key;
    if (recording.is_older) {
      SURETY_TRY(Point point, read_halves(line));
      key = {point.seed, point.path};
      recording.halves.push_back(std::move(point));
    } else {
      SURETY_TRY(Measured measured, read_measured(line));
      key = {measured.seed, measured.path};
      recording.measured.push_back(std::move(measured));
    }
    if (known.insert(key).second) continue;
    return line.unexpected("path", key.second, fmt::format("one line for seed {}", key.first));
  }
  return recording;
}

std::string head_of(const Provenance& provenance) {
  return fmt::format("{}{}\n{}\n", kMark, provenance.text(), header_of_parts());
}

std::string line_of(const Measured& measured) {
  const Sums whole = measured.whole();
  const std::optional<Path> path = Path::parse(measured.path);
  SURETY_CHECK(path.has_value());
  std::string line = fmt::format("{},{},{},{:.5g},{:.5g},{:.5g},{:.5g},{}", measured.seed,
                                 measured.path, path->passes(), whole.mean(), whole.mean_se(),
                                 whole.accuracy(), measured.cpu_s, measured.bytes);
  for (const Sums& part : measured.parts) {
    line += fmt::format(",{},{},{},{}", part.samples, sum_text(part.loss),
                        sum_text(part.loss_square), part.correct);
  }
  return line + "\n";
}

Measured as_written(Measured measured) {
  measured.cpu_s = rounded(measured.cpu_s, "{:.5g}");
  for (Sums& part : measured.parts) {
    part.loss = rounded(part.loss, "{:.9g}");
    part.loss_square = rounded(part.loss_square, "{:.9g}");
  }
  return measured;
}

}  // namespace surety::bench
