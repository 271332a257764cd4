// What a coordinator requires of a worker that calls, after the worker has proved that it may join:
// pure rules on its first message. The server of control streams (runtime/control) finds out the
// facts and refuses the worker with the error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::proto {
class Hello;
}  // namespace surety::proto

namespace surety::protocol {

struct GreetingRules {
  // Hello::data_secret that a worker must send if it has connections to others. If absent, any
  // secret is accepted.
  std::optional<std::uint64_t> data_secret{};
  // The version that a worker's program must have. If absent, any version is accepted.
  std::optional<std::string> version{};
  // Node types of the job. A worker that names none is accepted.
  std::vector<std::string> node_types{};
};

// InvalidInput: the job has no such node type. An empty type is accepted.
[[nodiscard]] Result<void> check_node_type(const GreetingRules& rules, const std::string& type);
// InvalidInput: the worker's key of data connections, its version or its node type is not that of
// the run.
[[nodiscard]] Result<void> check_hello(const GreetingRules& rules, const proto::Hello& hello);

// Where the address of a worker's data connections leads.
enum class Reach : std::uint8_t {
  kEveryMachine,
  kOwnMachine,        // It is a loopback address.
  kUnixOfOwnMachine,  // It is a Unix socket.
};
struct CallerFacts {
  Reach reach = Reach::kEveryMachine;
  bool is_on_this_machine = true;  // The worker calls from the coordinator's machine.
  bool others_may_join = false;    // Workers of other machines may join the job.
};
// InvalidInput: by these facts other workers cannot connect to `address`, and what to do about it.
[[nodiscard]] Result<void> check_address(const std::string& address, const CallerFacts& facts);
// InvalidInput: other workers cannot connect to `address`, because of `why`.
[[nodiscard]] tl::unexpected<Error> unreachable(const std::string& address, const std::string& why);

}  // namespace surety::protocol
