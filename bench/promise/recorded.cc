#include "recorded.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/posix/file.h"
#include "model/version.h"

namespace surety::bench {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

Result<RecordedStudy> read_recorded(const std::string& name, const std::filesystem::path& file,
                                    std::uint32_t passes) {
  SURETY_TRY(const std::string text, posix::read_file(file));
  std::map<std::string, std::map<std::uint32_t, std::map<std::uint32_t, Seen>>> found;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (++line_number <= 2 || line.empty()) continue;  // What it is of, and the names.
    const std::vector<std::string> fields = fields_of(line);
    const std::size_t star = fields.size() > 1 ? fields[1].find('*') : std::string::npos;
    if (fields.size() < 6 || star == std::string::npos) {
      return fail(ErrorCode::kInvalidInput, "{}:{}: found \"{}\", expected seed,path,metric,...",
                  file.string(), line_number, line);
    }
    if (fields[1].find('/') != std::string::npos) continue;
    const std::string version = fields[1].substr(0, star);
    if (!model::parse_version(version)) {
      return fail(ErrorCode::kInvalidInput, "{}:{}: found version \"{}\", expected full or prune:F",
                  file.string(), line_number, version);
    }
    const auto pass = static_cast<std::uint32_t>(std::atoi(fields[1].c_str() + star + 1));
    found[version][static_cast<std::uint32_t>(std::atoi(fields[0].c_str()))][pass] = {
        std::atof(fields[2].c_str()), std::atof(fields[3].c_str()), std::atof(fields[4].c_str())};
  }
  RecordedStudy study{name, {}, passes};
  for (auto& [version, seeds] : found) {
    RecordedVersion recorded{version, {}};
    for (auto& [seed, points] : seeds) {
      if (points.size() < passes + 1) continue;
      RecordedRun run;
      for (std::uint32_t pass = 0; pass <= passes; ++pass) {
        const Seen& seen = run.passes.emplace_back(points[pass]);
        if (pass > 0) run.split += (seen.certify - seen.decide) / seen.decide_se / passes;
      }
      recorded.runs.push_back(std::move(run));
    }
    study.versions.push_back(std::move(recorded));
  }
  if (study.versions.empty()) {
    return fail(ErrorCode::kInvalidInput, "{}: found no run", file.string());
  }
  return study;  // A map's order has "full" first.
}

}  // namespace surety::bench
