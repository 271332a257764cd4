// A profile as text files that a person can read: curves.csv, switches.csv, nodes.csv, links.csv
// and starts.csv, each with a header line. There is no IO here: the functions use texts by file
// name.
//
// Numbers are written with the fewest digits that give the same number when read. Names must not
// contain a comma, a quote or a line break; there is no quoting.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "plan/profile.h"

namespace surety::plan {

// REQUIRES: names as described above.
[[nodiscard]] std::map<std::string, std::string> to_files(const Profile& profile);

// ENSURES: profile_from_files(to_files(p)) == p, field by field. Strict. Errors: InvalidInput, such
// as "curves.csv:3: metric: found abc, expected a number", for a wrong header, a wrong number of
// columns, a value that is not a number, or an unknown file. A missing switches.csv, nodes.csv,
// links.csv or starts.csv is an empty table; curves.csv is required. Lines may end in CR LF, and
// the last line needs no line break.
[[nodiscard]] Result<Profile> profile_from_files(const std::map<std::string, std::string>& files);

}  // namespace surety::plan
