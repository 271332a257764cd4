// Slurm's lists of hosts, as SLURM_JOB_NODELIST and squeue print them: "login,n[01-03,07]-ib[1-2]".
//
// A bracket holds numbers and ranges; leading zeros fix the width. Several brackets in one name
// mean every combination, the last varying fastest (Slurm's hostlist(3)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::orchestrator {

// The names one by one, in the list's order. InvalidInput, with found and expected, if the text is
// not such a list, or has more than 65,536 names. An empty list has no names. O(names * length).
[[nodiscard]] Result<std::vector<std::string>> expand_hosts(std::string_view list);

}  // namespace surety::orchestrator
