// The rows of bench/elastic_sim/text_rows.h as files, for jobs that read files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "objective.h"

namespace surety::bench {

class TextFiles {
 public:
  // The files are written to `folder`.
  TextFiles(std::filesystem::path folder, std::uint32_t rows, std::uint32_t features);

  // The data sections of a job, as YAML, with all rows in their order, and a few rows for
  // validation. There is one file for each chunk, because a moved chunk is read again. So only the
  // needed part of the data is read.
  [[nodiscard]] Result<std::string> sections(std::uint32_t files);
  [[nodiscard]] const std::vector<SparseRow>& rows() const { return rows_; }

 private:
  [[nodiscard]] Result<std::filesystem::path> write(const std::string& name, std::size_t first,
                                                    std::size_t count) const;

  std::filesystem::path folder_;
  std::vector<SparseRow> rows_;
  std::map<std::uint32_t, std::string> written_;  // Sections by the number of files.
};

}  // namespace surety::bench
