// The results of a run that has ended: the digests of its files, and the record that explains the
// files. The owner signs the results, so that a replaced file is found.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/crypto/digest.h"
#include "base/result.h"
#include "record/merkle_tree.h"

namespace surety::record {

struct Results {
  std::string origin;                           // The name of the record (record/checkpoint.h).
  TreeHead head{};                              // The whole record.
  std::map<std::string, crypto::Digest> files;  // Key: the name of the file in the run's folder.
  bool operator==(const Results&) const = default;
};

// The text that is signed. REQUIRES: the origin is a line that is not empty; names consist of
// letters, digits, '-', '_' and '.', which is not the first.
[[nodiscard]] std::string to_text(const Results& results);
// Corrupt: to_text() does not write this text.
[[nodiscard]] Result<Results> parse_results(std::string_view text);

}  // namespace surety::record
