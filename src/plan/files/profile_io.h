// A profile as text files that a person can read: curves.csv, switches.csv, nodes.csv, links.csv,
// each with a header line. No IO here: texts by file name in and out.
//
// Numbers are written with the fewest digits that give the same number back. Names must not hold a
// comma, a quote or a line break; there is no quoting.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "plan/profile.h"

namespace surety::plan {

// REQUIRES: names as above.
[[nodiscard]] std::map<std::string, std::string> to_files(const Profile& profile);

// ENSURES: profile_from_files(to_files(p)) == p, field by field. Strict: InvalidInput with
// "curves.csv:3: metric: found abc, expected a number" for a wrong header, a wrong number of
// columns, anything that is no number, an unknown file. A missing switches.csv, nodes.csv or
// links.csv is an empty table; curves.csv is required. Lines may end in CR LF; the last one need
// not end.
[[nodiscard]] Result<Profile> profile_from_files(const std::map<std::string, std::string>& files);

}  // namespace surety::plan
