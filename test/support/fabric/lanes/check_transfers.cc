// Symbolic execution by ranges of elements. The vector is cut into ranges at every boundary of a
// transfer, so no transfer cuts a range. In each range we count inputs.
#include "test/support/fabric/lanes/check_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace surety::fabric {
namespace {

using Counts = std::map<WorkerId, int>;  // How often each source's input is in a sum.

// Runs the transfers over one range, in their order. A contribution adds the sender's own input to
// what the recipient has gathered. A result is the value that the sender has received or, if there
// is none, the value that it has gathered.
std::string run(const Operation& operation, std::uint64_t at,
                const std::vector<const Transfer*>& transfers) {
  std::map<WorkerId, Counts> gathered;
  std::map<WorkerId, Counts> given;
  for (const WorkerId source : operation.sources) gathered[source][source] = 1;
  std::set<WorkerId> has_sent;
  for (const Transfer* transfer : transfers) {
    if (transfer->kind == TransferKind::kContribution) {
      if (!std::binary_search(operation.sources.begin(), operation.sources.end(), transfer->from)) {
        return fmt::format("element {}: {} has nothing to contribute", at, transfer->from);
      }
      if (has_sent.contains(transfer->to)) {
        return fmt::format("element {}: {} receives from {} after it sent its sum", at,
                           transfer->to, transfer->from);
      }
      ++gathered[transfer->to][transfer->from];
      continue;
    }
    has_sent.insert(transfer->from);
    const auto passed_on = given.find(transfer->from);
    const Counts sum = passed_on == given.end() ? gathered[transfer->from] : passed_on->second;
    if (!given.emplace(transfer->to, sum).second) {
      return fmt::format("element {}: {} receives it twice", at, transfer->to);
    }
  }
  Counts all;
  for (const WorkerId source : operation.sources) all[source] = 1;
  for (const WorkerId sink : operation.sinks) {
    // A sink that receives no result must have gathered all inputs itself.
    const auto found = given.find(sink);
    if ((found == given.end() ? gathered[sink] : found->second) != all) {
      return fmt::format("element {}: {} does not receive each input once", at, sink);
    }
  }
  return {};
}

}  // namespace

std::string check_transfers(const Operation& operation, const std::vector<Transfer>& transfers) {
  std::set<std::uint64_t> cuts;
  if (operation.elements > 0) cuts.insert(0);
  for (const Transfer& transfer : transfers) {
    const Slice slice = transfer.slice;
    if (transfer.from == transfer.to) return fmt::format("{} sends to itself", transfer.from);
    if (slice.first + slice.count > operation.elements) {
      return fmt::format("{} elements at {} are outside the vector", slice.count, slice.first);
    }
    cuts.insert(slice.first);
    cuts.insert(slice.first + slice.count);
  }
  cuts.erase(operation.elements);
  for (const std::uint64_t at : cuts) {
    std::vector<const Transfer*> over;
    for (const Transfer& transfer : transfers) {
      const Slice slice = transfer.slice;
      if (slice.first <= at && at < slice.first + slice.count) over.push_back(&transfer);
    }
    if (auto wrong = run(operation, at, over); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace surety::fabric
