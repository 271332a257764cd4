#include "job/yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace surety::job::yaml {
namespace {

// "[8, 16]", if the list has only scalars.
std::string found_list(const Node& list) {
  std::string text;
  for (const Node& child : list.children) {
    if (child.kind != Kind::kScalar) return "a list";
    text += (text.empty() ? "" : ", ") + child.text;
  }
  return excerpt("[" + text + "]");
}

// Writes YAML in block style, with lists of scalars on one line. Every scalar is in double quotes
// unless it is plainly a word or a number, so that no YAML rule about special texts can change it.

bool is_plain(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
  };
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return false;
  if (!letter(text[0]) && !(text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), inner);
}

std::string quoted(const std::string& text) {
  if (is_plain(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

bool holds_scalars_only(const Node& node) {
  return std::all_of(node.children.begin(), node.children.end(),
                     [](const Node& child) { return child.kind == Kind::kScalar; });
}

void write_value(const Node& node, std::size_t indent, std::string& out);

void write_map(const Node& map, std::size_t indent, std::string& out) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    if (i > 0) out += std::string(indent, ' ');
    out += quoted(map.keys[i]) + ":";
    const Node& value = map.children[i];
    const bool block =
        !value.children.empty() && (value.kind == Kind::kMap || !holds_scalars_only(value));
    out += block ? "\n" + std::string(indent + 2, ' ') : " ";
    write_value(value, indent + 2, out);
  }
}

void write_list(const Node& list, std::size_t indent, std::string& out) {
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    if (i > 0) out += std::string(indent, ' ');
    out += "- ";
    write_value(list.children[i], indent + 2, out);
  }
}

void write_flow(const Node& list, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    out += (i > 0 ? ", " : "") + quoted(list.children[i].text);
  }
  out += "]\n";
}

// The caller has written the indentation of the first line.
void write_value(const Node& node, std::size_t indent, std::string& out) {
  switch (node.kind) {
    case Kind::kNull:
      out += "null\n";
      return;
    case Kind::kScalar:
      out += quoted(node.text) + "\n";
      return;
    case Kind::kList:
      if (holds_scalars_only(node)) return write_flow(node, out);
      return write_list(node, indent, out);
    case Kind::kMap:
      if (node.children.empty()) out += "{}\n";
      return write_map(node, indent, out);
  }
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
  if (place.overridden) return "--set " + excerpt(*place.overridden);
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
  return node.text.empty() ? "an empty text" : excerpt(node.text);
}

std::string write(const Node& node) {
  std::string out;
  write_value(node, 0, out);
  return out;
}

}  // namespace surety::job::yaml
