#include "job/job_data.h"

#include "data/url.h"
#include "job/job_section.h"

namespace surety::job {
namespace {

using yaml::Kind;
using yaml::Node;

constexpr std::string_view kWorkingFolder = "$PWD";

Node list_of(Node node) {
  Node list;
  list.kind = Kind::kList;
  list.place = node.place;
  list.children.push_back(std::move(node));
  return list;
}

Node map_of(std::string key, Node value) {
  Node map;
  map.kind = Kind::kMap;
  map.place = value.place;
  map.put(std::move(key), std::move(value));
  return map;
}

std::string folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string_view::npos) return {};
  return std::string(file.substr(0, slash == 0 ? 1 : slash));
}

std::string join(const std::string& folder, std::string_view path) {
  if (folder.empty() || path.empty() || path[0] == '/') return std::string(path);
  return fmt::format("{}{}{}", folder, folder.back() == '/' ? "" : "/", path);
}

// REQUIRES: a URL with "://". Options are "key=value" joined by '&'.
std::string resolved_url(const std::string& folder, std::string_view url) {
  const std::size_t path_at = url.find("://") + 3;
  const std::size_t question = std::min(url.find('?'), url.size());
  std::string out(url.substr(0, path_at));
  out += join(folder, url.substr(path_at, question - path_at));
  std::string_view options = url.substr(question);
  while (!options.empty()) {
    const std::size_t end = std::min(options.find('&', 1), options.size());
    const std::string_view option = options.substr(1, end - 1);
    constexpr std::string_view kLabels = "labels=";
    out += options[0];
    out += option.starts_with(kLabels)
               ? fmt::format("{}{}", kLabels, join(folder, option.substr(kLabels.size())))
               : std::string(option);
    options.remove_prefix(end);
  }
  return out;
}

Result<std::string> root_folder(std::string_view file, const Node& data) {
  const std::string folder = folder_of(file);
  const Node* root = data.find("root");
  std::string from = folder;
  if (root != nullptr) {
    std::string text;
    if (auto read = read_text(*root, text); !read) {
      return refuse_value(At{file, "data"}, *root, "root", "a folder", read.error());
    }
    from = root->place.overridden ? text : join(folder, text);
    if (auto below = below_working_folder(text)) from = std::move(*below);
  }
  if (from.find_first_of("?&") != std::string::npos) {
    return refuse_value(
        At{file, "data"}, yaml::scalar(from, root == nullptr ? data.place : root->place), "root",
        "a folder without ? and & in its name, which have a special meaning in a source");
  }
  return from;
}

// A text that is not a source is refused later, with the text as it was written.
void resolve(const std::string& folder, Node* source) {
  if (source == nullptr || !data::parse_url(source->text)) return;
  source->text = resolved_url(folder, source->text);
}

void erase(Node& map, std::string_view key) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i] != key) continue;
    map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(i));
    map.children.erase(map.children.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace

void normalise_data(Node& tree) {
  Node* data = tree.find("data");
  if (data == nullptr) return;
  if (data->kind == Kind::kScalar) *data = list_of(std::move(*data));
  if (data->kind == Kind::kList) *data = map_of("sets", std::move(*data));
  Node* sets = data->find("sets");
  if (sets == nullptr) return;
  if (sets->kind == Kind::kScalar) *sets = list_of(std::move(*sets));
  if (sets->kind != Kind::kList) return;
  for (Node& set : sets->children) {
    if (set.kind == Kind::kScalar) set = map_of("source", std::move(set));
  }
}

std::optional<std::string> below_working_folder(std::string_view root) {
  if (root == kWorkingFolder) return "";
  if (!root.starts_with(fmt::format("{}/", kWorkingFolder))) return std::nullopt;
  return std::string(root.substr(kWorkingFolder.size() + 1));
}

Result<void> resolve_paths(std::string_view file, Node& tree) {
  Node* data = tree.find("data");
  if (data == nullptr) return {};
  SURETY_TRY(const std::string folder, root_folder(file, *data));
  resolve(folder, tree.find("validation"));
  if (Node* sets = data->find("sets")) {
    for (Node& set : sets->children) resolve(folder, set.find("source"));
  }
  if (data->kind == Kind::kMap) {
    erase(*data, "root");
    data->put("root", yaml::scalar(std::string(kWorkingFolder)));
  }
  return {};
}

}  // namespace surety::job
