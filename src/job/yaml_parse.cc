#include "job/yaml_parse.h"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>

#include "base/text.h"

namespace surety::job::yaml {
namespace {

// A job file has some kilobytes, so a larger file is a wrong one.
constexpr std::size_t kTextBytesMax = 1 << 20;

Place place_of(const YAML::Mark& mark) { return Place{.line = mark.line + 1}; }

// Turns yaml-cpp's events into a tree. A refusal names the place of what is refused.
//
// An event handler cannot fail, so the first refusal is kept, and later events are ignored.
class Builder final : public YAML::EventHandler {
 public:
  [[nodiscard]] Node& root() { return root_; }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] const Place& refused_at() const { return refused_at_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_anchor(mark, anchor);
    add(Node{.kind = Kind::kNull, .text = {}, .keys = {}, .children = {}, .place = place_of(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(place_of(mark), "found an alias (*name), expected the value itself");
    add(Node{});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_anchor(mark, anchor);
    check_tag(mark, tag);
    add(scalar(value, place_of(mark)));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_anchor(mark, anchor);
    open(mark, tag, Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_anchor(mark, anchor);
    open(mark, tag, Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    bool has_key = false;  // kMap: the last of node.keys waits for its value.
    Place key_place;
  };

  void refuse(Place place, std::string why) {
    if (!refusal_.empty()) return;
    refusal_ = std::move(why);
    refused_at_ = std::move(place);
  }

  void check_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    refuse(place_of(mark), "found an anchor (&name), expected the value alone");
  }

  // "?" and "!" are what yaml-cpp calls untagged plain and quoted scalars.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(place_of(mark),
           fmt::format("found the tag {}, expected a value without a tag", excerpt(tag)));
  }

  void open(const YAML::Mark& mark, const std::string& tag, Kind kind) {
    check_tag(mark, tag);
    open_.emplace_back();
    open_.back().node.kind = kind;
    open_.back().node.place = place_of(mark);
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add_key(Open& map, const Node& key) {
    if (key.kind != Kind::kScalar) refuse(key.place, "found " + found(key) + " as a key");
    for (const std::string& before : map.node.keys) {
      if (before == key.text) {
        refuse(key.place,
               fmt::format("{}: found twice in one mapping, expected once", excerpt(key.text)));
      }
    }
    map.node.keys.push_back(key.text);
    map.key_place = key.place;
    map.has_key = true;
  }

  void add(Node node) {
    if (!refusal_.empty()) return;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Kind::kMap && !parent.has_key) return add_key(parent, node);
    if (parent.node.kind == Kind::kMap) node.place = parent.key_place;
    parent.has_key = false;
    parent.node.children.push_back(std::move(node));
  }

  Node root_;
  std::vector<Open> open_;  // Outermost first; open() adds, close() removes.
  std::string refusal_;
  Place refused_at_;
};

// The first line up to `last` that is indented with a tab.
std::optional<int> tab_indented_line(std::string_view text, int last) {
  for (int line = 1; line <= last; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), end);
    if (text.substr(0, indent).find('\t') != std::string_view::npos) return line;
    if (end == text.size()) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

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
        excerpt(key), excerpt(step), list.children.size(), list.children.size());
  }
  if (index == list.children.size()) list.children.emplace_back();
  return &list.children[index];
}

Result<Node*> step_into(Node& node, const std::string& step, std::string_view key) {
  if (node.kind == Kind::kList) return list_step(node, step, key);
  if (node.kind == Kind::kScalar) {
    return fail(ErrorCode::kInvalidInput,
                "--set {}: found the value \"{}\", expected a mapping that contains \"{}\"",
                excerpt(key), excerpt(node.text), excerpt(step));
  }
  node.kind = Kind::kMap;
  if (node.find(step) == nullptr) node.put(step, Node{});
  return node.find(step);
}

}  // namespace

Result<Node> parse(std::string_view file, std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} bytes, expected a job file of at most {}",
                file, text.size(), kTextBytesMax);
  }
  if (const auto byte = first_byte_not_utf8(text)) {
    const auto before = text.substr(0, *byte);
    return fail(ErrorCode::kInvalidInput, "{}: found the byte 0x{:02x}, expected UTF-8 text",
                where(Place{.line = 1 + static_cast<int>(std::ranges::count(before, '\n'))}, file),
                static_cast<std::uint8_t>(text[*byte]));
  }
  std::istringstream stream{std::string(text)};
  Builder builder;
  Builder second;
  bool more = false;
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) more = parser.HandleNextDocument(second);
  } catch (const YAML::DeepRecursion& error) {
    return fail(ErrorCode::kInvalidInput, "{}: not YAML that a job needs: it is nested too deeply",
                where(place_of(error.mark), file));
  } catch (const YAML::Exception& error) {
    if (const std::optional<int> line = tab_indented_line(text, error.mark.line + 1)) {
      return fail(ErrorCode::kInvalidInput,
                  "{}: found a tab before the first word, expected spaces: YAML is indented by "
                  "spaces only",
                  where(Place{.line = line}, file));
    }
    return fail(ErrorCode::kInvalidInput, "{}: not YAML: {}", where(place_of(error.mark), file),
                error.msg);
  }
  if (!builder.refusal().empty()) {
    return fail(ErrorCode::kInvalidInput, "{}: {}", where(builder.refused_at(), file),
                builder.refusal());
  }
  if (more) {
    return fail(ErrorCode::kInvalidInput, "{}: found a second document (---), expected one",
                where(second.root().place, file));
  }
  return std::move(builder.root());
}

Result<void> set(Node& root, std::string_view path, std::string_view key, std::string_view value) {
  SURETY_TRY(Node parsed, parse(fmt::format("--set {}", excerpt(key)), value));
  Node* node = &root;
  for (const std::string& step : split(path)) {
    if (step.empty()) {
      return fail(ErrorCode::kInvalidInput,
                  "--set {}: found an empty part, expected a dotted key such as promise.target",
                  excerpt(key));
    }
    SURETY_TRY(node, step_into(*node, step, key));
  }
  *node = std::move(parsed);
  mark_overridden(*node, std::string(key));
  return {};
}

}  // namespace surety::job::yaml
