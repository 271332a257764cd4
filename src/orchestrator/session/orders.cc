#include "orchestrator/session/orders.h"

#include "base/check.h"
#include "orchestrator/session/roster.h"
#include "protocol/messages.h"

namespace surety::orchestrator {

std::vector<Command> commands_of(const EvaluateOrder& order, const std::vector<WorkerId>& members) {
  SURETY_CHECK(!members.empty());
  std::vector<Command> commands;
  for (const WorkerId worker : members) {
    Command& command = commands.emplace_back(Command{worker, {}});
    command.message.mutable_evaluate()->set_duality(order.duality);
    command.message.mutable_evaluate()->set_split(static_cast<std::uint32_t>(order.split));
  }
  for (std::size_t i = 0; i < order.ranges.size(); ++i) {
    proto::ToWorker& message = commands[i % commands.size()].message;
    *message.mutable_evaluate()->add_ranges() = protocol::to_proto(order.ranges[i]);
  }
  return commands;
}

std::vector<Command> commands_of(const SwitchOrder& order, const std::vector<WorkerId>& members) {
  SURETY_CHECK(!members.empty());
  std::vector<Command> commands;
  for (const WorkerId worker : members) {
    Command& command = commands.emplace_back(Command{worker, {}});
    command.message.mutable_switch_()->set_version(order.version);
  }
  return commands;
}

std::vector<Command> commands_of(const SaveOrder& order, const std::vector<WorkerId>& members,
                                 bool chunk_state) {
  SURETY_CHECK(!members.empty());
  std::vector<Command> commands;
  for (const WorkerId worker : members) {
    Command& command = commands.emplace_back(Command{worker, {}});
    command.message.mutable_save()->set_folder(order.folder);
    command.message.mutable_save()->set_model(worker == members.front());
    command.message.mutable_save()->set_chunk_state(chunk_state);
  }
  return commands;
}

std::vector<Command> commands_of(const ProbeOrder& order, const Roster& present) {
  if (!present.contains(order.from) || !present.contains(order.to)) return {};
  std::vector<Command> commands;
  for (const WorkerId worker : {order.from, order.to}) {
    proto::Probe& probe = *commands.emplace_back(Command{worker, {}}).message.mutable_probe();
    *probe.mutable_from() = present.peer(order.from);
    *probe.mutable_to() = present.peer(order.to);
    probe.set_bytes(order.bytes);
  }
  return commands;
}

}  // namespace surety::orchestrator
