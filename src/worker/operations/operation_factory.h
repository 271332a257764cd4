// Makes the operation that carries out a command.
#pragma once

#include <memory>

#include "worker/operations/operation.h"

namespace surety::worker {

// The operation of a command. Null if the command is of no known kind.
[[nodiscard]] std::unique_ptr<Operation> make_operation(OperationContext context);

}  // namespace surety::worker
