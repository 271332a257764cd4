#include "protocol/greeting.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "proto/surety.pb.h"

namespace surety::protocol {
namespace {

constexpr std::size_t kVersionBytesMax = 64;  // A longer version is cut in error messages.

}  // namespace

Result<void> check_node_type(const GreetingRules& rules, const std::string& type) {
  if (type.empty() || std::ranges::find(rules.node_types, type) != rules.node_types.end()) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput, "the job has no node type {}; its types are {}",
              plain_text(type, kMessageBytesMax), fmt::join(rules.node_types, ", "));
}

Result<void> check_hello(const GreetingRules& rules, const proto::Hello& hello) {
  if (rules.data_secret && !hello.transport_address().empty() &&
      hello.data_secret() != *rules.data_secret) {
    return fail(ErrorCode::kInvalidInput,
                "the key of its data connections is not that of this run: was the file of the "
                "invitation changed?");
  }
  const std::string& version = hello.program_version();
  if (rules.version && version != *rules.version) {
    return fail(ErrorCode::kInvalidInput,
                "the worker's program is {}, and the coordinator's is {}; install the same one on "
                "both machines",
                version.empty() ? "of no known version" : plain_text(version, kVersionBytesMax),
                *rules.version);
  }
  return check_node_type(rules, hello.node_type());
}

Result<void> check_address(const std::string& address, const CallerFacts& facts) {
  if (facts.reach == Reach::kEveryMachine) return {};
  if (!facts.is_on_this_machine) {
    return unreachable(address, "only its own machine can, and the worker calls from another one");
  }
  if (facts.reach == Reach::kUnixOfOwnMachine && facts.others_may_join) {
    return fail(ErrorCode::kInvalidInput,
                "only its own machine reaches this worker, because it has joined by a loopback "
                "address, and workers of other machines may join this job; use --join with the "
                "address that the coordinator prints");
  }
  return {};
}

tl::unexpected<Error> unreachable(const std::string& address, const std::string& why) {
  return fail(ErrorCode::kInvalidInput,
              "other workers cannot reach this one at {}: {}; give an address at which they can: "
              "--listen IP:PORT, or --advertise IP",
              address, why);
}

}  // namespace surety::protocol
