// Conversions between Surety's own types and the protocol's: fields are copied, nothing is decided.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "data/sources/source_info.h"

namespace surety::proto {
class ChunkRange;
class Peer;
class Schema;
class Source;
class Sums;
enum Fault : int;
}  // namespace surety::proto

namespace surety::protocol {

[[nodiscard]] proto::ChunkRange to_proto(const data::ChunkRange& range);
[[nodiscard]] data::ChunkRange from_proto(const proto::ChunkRange& range);
[[nodiscard]] proto::Schema to_proto(const data::Schema& schema);
[[nodiscard]] data::Schema from_proto(const proto::Schema& schema);
[[nodiscard]] proto::Source to_proto(const data::SourceInfo& source);
[[nodiscard]] data::SourceInfo from_proto(const proto::Source& source);
[[nodiscard]] proto::Peer peer_proto(WorkerId worker, const std::string& address);

// The cause of an error, as sent over the network, and how the other side reacts to it.
[[nodiscard]] proto::Fault fault_of(ErrorCode code);
[[nodiscard]] ErrorCode code_of(proto::Fault fault);

// Adds the sums of one worker; the model's norm is the same from each worker, so it is not added.
void add_to(proto::Sums& total, const proto::Sums& part);

}  // namespace surety::protocol
