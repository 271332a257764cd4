#include "plan/files/profile_io.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "plan/files/csv.h"

namespace surety::plan {
namespace {

constexpr const char* kCurves = "curves.csv";
constexpr const char* kSwitches = "switches.csv";
constexpr const char* kNodes = "nodes.csv";
constexpr const char* kLinks = "links.csv";
constexpr const char* kStarts = "starts.csv";
constexpr std::array kFiles{kCurves, kSwitches, kNodes, kLinks, kStarts};

constexpr std::tuple kCurveColumns{
    Column{"version", &CurvePoint::version},
    Column{"seed", &CurvePoint::seed},
    Column{"data_fraction", &CurvePoint::data_fraction},
    Column{"pass", &CurvePoint::pass},
    Column{"metric", &CurvePoint::metric},
    Column{"metric_se", &CurvePoint::metric_se},
    Column{"seconds", &CurvePoint::seconds},
    Column{"eval_seconds", &CurvePoint::eval_seconds},
    Column{"workers", &CurvePoint::workers},
};
constexpr std::tuple kSwitchColumns{
    Column{"from", &SwitchPoint::from},
    Column{"to", &SwitchPoint::to},
    Column{"seed", &SwitchPoint::seed},
    Column{"pass", &SwitchPoint::pass},
    Column{"metric_before", &SwitchPoint::metric_before},
    Column{"metric_after", &SwitchPoint::metric_after},
    Column{"seconds", &SwitchPoint::seconds},
    Column{"passes_after", &SwitchPoint::passes_after},
};
constexpr std::tuple kNodeColumns{
    Column{"worker", &NodeSpeed::worker},
    Column{"type", &NodeSpeed::type},
    Column{"version", &NodeSpeed::version},
    Column{"samples_per_s", &NodeSpeed::samples_per_s},
};
constexpr std::tuple kLinkColumns{
    Column{"from", &LinkRate::from},
    Column{"to", &LinkRate::to},
    Column{"bytes_per_s", &LinkRate::bytes_per_s},
};
constexpr std::tuple kStartColumns{
    Column{"seconds", &StartTime::seconds},
    Column{"workers", &StartTime::workers},
    Column{"paid_seconds", &StartTime::paid_seconds},
};

template <typename Row, typename Columns>
std::string write(const std::vector<Row>& rows, const Columns& columns) {
  return std::apply([&](const auto&... c) { return write_csv(rows, c...); }, columns);
}

template <typename Row, typename Columns>
Result<void> read(const std::map<std::string, std::string>& files, const char* name,
                  const Columns& columns, std::vector<Row>& rows) {
  const auto file = files.find(name);
  if (file == files.end()) return {};
  SURETY_TRY(rows, std::apply([&](const auto&... c) { return read_csv(name, file->second, c...); },
                              columns));
  return {};
}

}  // namespace

std::map<std::string, std::string> to_files(const Profile& profile) {
  return {{kCurves, write(profile.curves, kCurveColumns)},
          {kSwitches, write(profile.switches, kSwitchColumns)},
          {kNodes, write(profile.nodes, kNodeColumns)},
          {kLinks, write(profile.links, kLinkColumns)},
          {kStarts, write(profile.starts, kStartColumns)}};
}

Result<Profile> profile_from_files(const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    if (std::ranges::find(kFiles, name) == kFiles.end()) {
      return fail(ErrorCode::kInvalidInput, "profile: found file {}, expected {} only", name,
                  fmt::join(kFiles, ", "));
    }
  }
  if (!files.contains(kCurves)) {
    return fail(ErrorCode::kInvalidInput, "profile: {} is missing", kCurves);
  }
  Profile profile;
  SURETY_TRY(read(files, kCurves, kCurveColumns, profile.curves));
  SURETY_TRY(read(files, kSwitches, kSwitchColumns, profile.switches));
  SURETY_TRY(read(files, kNodes, kNodeColumns, profile.nodes));
  SURETY_TRY(read(files, kLinks, kLinkColumns, profile.links));
  SURETY_TRY(read(files, kStarts, kStartColumns, profile.starts));
  return profile;
}

}  // namespace surety::plan
