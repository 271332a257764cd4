// Gloo's all-reduce (ring, chunked) through PyTorch's torch.distributed, in the hosts' namespaces.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace surety::bench {

// Sums floats twice and checks the sums. Returns the seconds of the second time on the slowest
// host. REQUIRES: a ShapedNetwork of the hosts. Unavailable if there is no /usr/bin/python3 with
// torch.
[[nodiscard]] Result<double> gloo_all_reduce_s(std::uint32_t hosts, std::uint64_t elements);

}  // namespace surety::bench
