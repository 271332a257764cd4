#include "plan/plan_text.h"

#include <fmt/format.h>

namespace surety::plan {

std::string nodes_text(std::uint32_t nodes, const std::vector<NodeCount>& counts) {
  const bool named = counts.size() > 1 || (counts.size() == 1 && counts[0].type != "local");
  if (!named) return fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
  std::string text;
  for (const NodeCount& count : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count.count, count.type);
  }
  return text;
}

std::string block_text(const Block& block) {
  if (!block.nodes && block.counts.empty()) return block.version;
  std::uint32_t nodes = 0;
  for (const NodeCount& count : block.counts) nodes += count.count;
  return block.version + " on " + nodes_text(block.nodes.value_or(nodes), block.counts);
}

}  // namespace surety::plan
