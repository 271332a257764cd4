#include "test/support/fabric/scheduler/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overloaded.h"

namespace surety::fabric {
namespace {

std::string name_update(const UpdateId& update) {
  return fmt::format("{}.{}", update.worker, update.number);
}

std::string describe_shares(const std::vector<Share>& shares) {
  std::string text;
  for (const Share& share : shares) text += fmt::format(" {}:{}", share.worker, share.fraction);
  return text;
}

std::string describe_round(const Grant& grant) {
  const char* what = grant.direction == Direction::kPush ? "push" : "pull";
  return fmt::format("{} {} block {} members {} direct {}{}", what, grant.round, grant.block,
                     fmt::join(grant.members, ","), grant.plan.direct,
                     describe_shares(grant.plan.shares));
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{
          [](const Grant& grant) { return describe_round(grant); },
          [](const DropUpdate& drop) {
            return fmt::format("drop {} blocks {:x}", name_update(drop.update), drop.blocks);
          },
          [](const UpdateDone& done) { return fmt::format("done {}", name_update(done.update)); },
          [](const ModelReady& ready) { return fmt::format("model of {}", ready.worker); },
          [](const PlaceOwners& place) {
            return fmt::format("owners of placement {}{}", place.placement,
                               describe_shares(place.owners));
          },
          [](const MoveBlock& move) {
            return fmt::format("move {} block {} from placement {} to {}", move.round, move.block,
                               move.from_placement, move.placement);
          },
      },
      action);
}

}  // namespace surety::fabric
