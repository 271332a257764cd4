// A worker's own folder of data: its machine has the files of the job in another folder than the
// coordinator's machine.
#pragma once

#include <string>
#include <vector>

#include "data/sources/source_info.h"

namespace surety::runtime {

// The deepest folder that contains all files of these sources, with a '/' at its end: "/data/". It
// is empty if the sources have no files.
[[nodiscard]] std::string common_folder(const std::vector<data::SourceInfo>& sources);

// Opens the files of `folder` in `own` instead: with "/data/" and "/scratch", "/data/a/x.csv" is
// "/scratch/a/x.csv". Files outside of the folder are opened where they are.
[[nodiscard]] data::OpenFile opened_in(data::OpenFile open, std::string folder, std::string own);

}  // namespace surety::runtime
