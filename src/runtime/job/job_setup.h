// Makes everything that a run needs for its start from a job file: it reads data sources and cuts
// chunks. Every error that can be found before the start is found here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sources/source_info.h"
#include "job/job_file.h"
#include "orchestrator/job/job_machine.h"

namespace surety::runtime {

// Reads and checks the job file. `now_unix_s`: the time from which a deadline counts that was given
// as a point in time; none means this machine's clock. Errors: those of posix::read_file(), and
// InvalidInput if the job or one of `sets` is not valid.
[[nodiscard]] Result<job::Job> read_job(const std::filesystem::path& file,
                                        const std::vector<std::string>& sets,
                                        std::optional<double> now_unix_s = {});

// Receives the name of a data set and the number of samples that were read from it so far.
using DataWatch = std::function<void(const std::string& data_set, std::uint64_t samples)>;

// Opens and reads a data source once. InvalidInput if it is missing or malformed.
[[nodiscard]] Result<data::SourceInfo> inspect_data(const std::string& name, const std::string& url,
                                                    const DataWatch& watch = {});

// Fills in the memory that a node needs at least for each version, and the multiplications. Batches
// and samples need more memory in addition, so a node that is refused for this could not train the
// version. Linear models are small enough to skip. InvalidInput if the network cannot read such
// samples.
[[nodiscard]] Result<void> weigh_versions(job::Job& job, const data::Schema& schema);

// Opens and reads every data source once. InvalidInput for a missing or malformed file, for sources
// that do not fit together, for labels that the model cannot learn (job/job_labels.h), and
// for too few validation samples to decide and certify with. `chunks_for_workers`: number of
// workers that the data is cut into chunks for; none means the job's own number. A run that is
// resumed with other nodes keeps its chunks, because the solver's state of samples was saved by
// chunk.
[[nodiscard]] Result<orchestrator::JobConfig> set_up(
    const job::Job& job, std::optional<std::uint32_t> chunks_for_workers = {},
    const DataWatch& watch = {});

}  // namespace surety::runtime
