#include "job/yaml.h"

#include <charconv>

#include "base/check.h"

namespace surety::job::yaml {
namespace {

void mark_overridden(Node& node, const std::string& key) {
  node.place = Place{.overridden = key};
  for (Node& child : node.children) mark_overridden(child, key);
}

std::vector<std::string> split(std::string_view key) {
  std::vector<std::string> steps;
  while (true) {
    const std::size_t dot = key.find('.');
    steps.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return steps;
    key.remove_prefix(dot + 1);
  }
}

// The child of a list at index `step`; created if it is the next free one.
Result<Node*> list_step(Node& list, const std::string& step, std::string_view key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size() || index > list.children.size()) {
    return fail(
        ErrorCode::kInvalidInput,
        "--set {}: found \"{}\" where the job has a list of {}, expected an index from 0 to {}",
        key, step, list.children.size(), list.children.size());
  }
  if (index == list.children.size()) list.children.emplace_back();
  return &list.children[index];
}

Result<Node*> step_into(Node& node, const std::string& step, std::string_view key) {
  if (node.kind == Kind::kList) return list_step(node, step, key);
  if (node.kind == Kind::kScalar) {
    return fail(ErrorCode::kInvalidInput,
                "--set {}: found the value \"{}\", expected a mapping that contains \"{}\"", key,
                node.text, step);
  }
  node.kind = Kind::kMap;
  if (node.find(step) == nullptr) node.put(step, Node{});
  return node.find(step);
}

std::string shortened(std::string text) {
  constexpr std::size_t kShownMax = 80;  // In characters: enough to recognise the text on one line.
  if (text.size() <= kShownMax) return text;
  text.resize(kShownMax);
  return text + "...";
}

// "[8, 16]", if the list has only scalars.
std::string found_list(const Node& list) {
  std::string text;
  for (const Node& child : list.children) {
    if (child.kind != Kind::kScalar) return "a list";
    text += (text.empty() ? "" : ", ") + child.text;
  }
  return shortened("[" + text + "]");
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &children[i];
  }
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

void Node::put(std::string key, Node value) {
  SURETY_CHECK(kind == Kind::kMap);
  if (Node* old = find(key)) {
    *old = std::move(value);
    return;
  }
  keys.push_back(std::move(key));
  children.push_back(std::move(value));
}

Node scalar(std::string text, Place place) {
  return Node{.kind = Kind::kScalar,
              .text = std::move(text),
              .keys = {},
              .children = {},
              .place = std::move(place)};
}

std::string where(const Place& place, std::string_view file) {
  if (place.overridden) return "--set " + *place.overridden;
  return place.line ? fmt::format("{}:{}", file, *place.line) : std::string(file);
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return found_list(node);
    case Kind::kMap:
      return "a mapping";
    case Kind::kScalar:
      break;
  }
  return node.text.empty() ? "an empty text" : shortened(node.text);
}

Result<void> set(Node& root, std::string_view path, std::string_view key, std::string_view value) {
  SURETY_TRY(Node parsed, parse(fmt::format("--set {}", key), value));
  Node* node = &root;
  for (const std::string& step : split(path)) {
    if (step.empty()) {
      return fail(ErrorCode::kInvalidInput,
                  "--set {}: found an empty part, expected a dotted key such as promise.target",
                  key);
    }
    SURETY_TRY(node, step_into(*node, step, key));
  }
  *node = std::move(parsed);
  mark_overridden(*node, std::string(key));
  return {};
}

}  // namespace surety::job::yaml
