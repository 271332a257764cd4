#include "text_files.h"

#include <fmt/format.h>

#include "base/posix/file.h"
#include "bench/elastic_sim/text_rows.h"

namespace surety::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kValidationRows = 100;

}  // namespace

TextFiles::TextFiles(fs::path folder, std::uint32_t rows, std::uint32_t features)
    : folder_(std::move(folder)) {
  const TextRows text = text_rows(rows, features, kSeed);
  for (std::uint32_t row = 0; row < text.rows(); ++row) {
    SparseRow& copy = rows_.emplace_back(SparseRow{.label = text.label[row], .values = {}});
    for (std::uint32_t i = text.begin[row]; i < text.begin[row + 1]; ++i) {
      copy.values.emplace_back(text.feature[i], text.value[i]);
    }
  }
}

Result<fs::path> TextFiles::write(const std::string& name, std::size_t first,
                                  std::size_t count) const {
  std::string text;
  for (std::size_t row = first; row < first + count; ++row) {
    text += fmt::format("{:+}", rows_[row].label);
    for (const auto& [feature, value] : rows_[row].values) {
      fmt::format_to(std::back_inserter(text), " {}:{}", feature + 1, static_cast<float>(value));
    }
    text += '\n';
  }
  SURETY_TRY(posix::replace_file(folder_ / name, text));
  return folder_ / name;
}

Result<std::string> TextFiles::sections(std::uint32_t files) {
  if (const auto known = written_.find(files); known != written_.end()) return known->second;
  std::string text = "data:\n";
  for (std::size_t i = 0; i < files; ++i) {
    const std::size_t first = rows_.size() * i / files;
    SURETY_TRY(const fs::path file, write(fmt::format("part-{}-of-{}", i, files), first,
                                          rows_.size() * (i + 1) / files - first));
    text += fmt::format("  - \"libsvm://{}\"\n", file.string());
  }
  SURETY_TRY(const fs::path few, write("validation", 0, kValidationRows));
  return written_[files] = text + fmt::format("validation: \"libsvm://{}\"\n", few.string());
}

}  // namespace surety::bench
