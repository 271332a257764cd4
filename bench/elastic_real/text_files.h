// The rows of bench/elastic_sim/text_rows.h in files, for jobs that read them.
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
  // Files go to `folder`.
  TextFiles(std::filesystem::path folder, std::uint32_t rows, std::uint32_t features);

  // What a job says of its data, as YAML: all rows in their order, in so many files, as chunks are
  // read again when they move, and no file is read for more than its part. And a few for
  // validation.
  [[nodiscard]] Result<std::string> sections(std::uint32_t files);
  [[nodiscard]] const std::vector<SparseRow>& rows() const { return rows_; }

 private:
  [[nodiscard]] Result<std::filesystem::path> write(const std::string& name, std::size_t first,
                                                    std::size_t count) const;

  std::filesystem::path folder_;
  std::vector<SparseRow> rows_;
  std::map<std::uint32_t, std::string> written_;  // Sections by number of files.
};

}  // namespace surety::bench
