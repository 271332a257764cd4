#include "protocol/messages.h"

#include "proto/surety.pb.h"

namespace surety::protocol {

proto::ChunkRange to_proto(const data::ChunkRange& range) {
  proto::ChunkRange out;
  out.set_id(range.id.value);
  out.set_source(range.source);
  out.set_first(range.first);
  out.set_count(range.count);
  out.set_bytes(range.bytes);
  if (range.content) out.set_content(*range.content);
  return out;
}

data::ChunkRange from_proto(const proto::ChunkRange& range) {
  return {.id = ChunkId{range.id()},
          .source = range.source(),
          .first = range.first(),
          .count = range.count(),
          .bytes = range.bytes(),
          .content = range.has_content() ? std::optional(range.content()) : std::nullopt};
}

proto::Schema to_proto(const data::Schema& schema) {
  proto::Schema out;
  out.set_layout(static_cast<std::uint32_t>(schema.layout));
  out.set_channels(schema.channels);
  out.set_height(schema.height);
  out.set_width(schema.width);
  out.set_features(schema.features);
  out.set_classes(schema.classes);
  return out;
}

data::Schema from_proto(const proto::Schema& schema) {
  return {.layout = static_cast<data::Layout>(schema.layout()),
          .channels = schema.channels(),
          .height = schema.height(),
          .width = schema.width(),
          .features = schema.features(),
          .classes = schema.classes()};
}

proto::Source to_proto(const data::SourceInfo& source) {
  proto::Source out;
  out.set_name(source.name);
  out.set_url(source.url);
  *out.mutable_schema() = to_proto(source.schema);
  out.set_samples(source.samples);
  out.set_bytes(source.bytes);
  if (source.content) out.set_content(*source.content);
  return out;
}

data::SourceInfo from_proto(const proto::Source& source) {
  data::SourceInfo out;
  out.name = source.name();
  out.url = source.url();
  out.schema = from_proto(source.schema());
  out.samples = source.samples();
  out.bytes = source.bytes();
  if (source.has_content()) out.content = source.content();
  return out;
}

proto::Peer peer_proto(WorkerId worker, const std::string& address) {
  proto::Peer out;
  out.set_worker(worker.value);
  out.set_address(address);
  return out;
}

proto::Fault fault_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kInfeasible:
      return proto::FAULT_INPUT;
    case ErrorCode::kDiverged:
      return proto::FAULT_TRAINING;
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
      return proto::FAULT_MACHINE;
    case ErrorCode::kCorrupt:
      return proto::FAULT_DAMAGE;
    case ErrorCode::kDefect:
      break;
  }
  return proto::FAULT_PROGRAM;
}

ErrorCode code_of(proto::Fault fault) {
  switch (fault) {
    case proto::FAULT_INPUT:
      return ErrorCode::kInvalidInput;
    case proto::FAULT_TRAINING:
      return ErrorCode::kDiverged;
    case proto::FAULT_MACHINE:
      return ErrorCode::kUnavailable;
    case proto::FAULT_DAMAGE:
      return ErrorCode::kCorrupt;
    default:
      return ErrorCode::kDefect;
  }
}

void add_to(proto::Sums& total, const proto::Sums& part) {
  total.set_samples(total.samples() + part.samples());
  total.set_loss_sum(total.loss_sum() + part.loss_sum());
  total.set_loss_square_sum(total.loss_square_sum() + part.loss_square_sum());
  if (part.has_correct()) total.set_correct(total.correct() + part.correct());
  total.set_gap_sum(total.gap_sum() + part.gap_sum());
  total.set_penalty(part.penalty());
  total.set_penalty_gap(part.penalty_gap());
}

}  // namespace surety::protocol
