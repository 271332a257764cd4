#include "runtime/worker/data_folder.h"

#include <algorithm>
#include <utility>

#include "data/url.h"

namespace surety::runtime {
namespace {

std::vector<std::string> files_of(const data::SourceInfo& source) {
  const auto url = data::parse_url(source.url);
  if (!url || url->path.empty()) return {};
  std::vector<std::string> files{url->path};
  const auto labels = url->options.find("labels");
  if (labels != url->options.end()) files.push_back(labels->second);
  return files;
}

// The path up to its last '/'.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The longest folder that both folders are or are in.
std::string common(const std::string& a, const std::string& b) {
  const auto differ = std::ranges::mismatch(a, b).in1;
  return folder_of(std::string(a.begin(), differ));
}

}  // namespace

std::string common_folder(const std::vector<data::SourceInfo>& sources) {
  std::string folder;
  bool is_first = true;
  for (const data::SourceInfo& source : sources) {
    for (const std::string& file : files_of(source)) {
      folder = is_first ? folder_of(file) : common(folder, folder_of(file));
      is_first = false;
    }
  }
  return folder;
}

data::OpenFile opened_in(data::OpenFile open, std::string folder, std::string own) {
  if (!own.ends_with('/')) own += '/';
  return [open = std::move(open), folder = std::move(folder),
          own = std::move(own)](const std::string& path) {
    return open(path.starts_with(folder) ? own + path.substr(folder.size()) : path);
  };
}

}  // namespace surety::runtime
