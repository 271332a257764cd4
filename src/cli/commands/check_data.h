// Whether the data of a run are still those that it began with, and what they were warned about.
#pragma once

#include <vector>

#include "cli/commands/check.h"
#include "cli/run/read_run.h"

namespace surety::cli {

// Adds two checks: one compares the samples with those of the journal, and one compares the
// warnings of the journal with those that follow from the job and the data. Reads each data set
// that is present once. Missing data are not compared. The first check still fails if present data
// differ.
void check_data(const ReadRun& run, std::vector<Check>& checks);

}  // namespace surety::cli
