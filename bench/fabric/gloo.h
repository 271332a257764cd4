// Gloo's all-reduce (ring, chunked), by PyTorch's torch.distributed, in the hosts' namespaces.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace surety::bench {

// Float sums, checked; the second of two, the slowest host. REQUIRES: a ShapedNetwork of the hosts.
// Unavailable: there is no /usr/bin/python3 with torch.
[[nodiscard]] Result<double> gloo_all_reduce_s(std::uint32_t hosts, std::uint64_t elements);

}  // namespace surety::bench
