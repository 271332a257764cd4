#include "learn/network/inputs.h"

#include "base/check.h"
#include "learn/order.h"
#include "learn/sample_check.h"

namespace surety::learn {
namespace {

void append_values(const data::Samples& samples, const data::Schema& schema, std::size_t row,
                   std::vector<float>& inputs) {
  const std::size_t begin = inputs.size();
  inputs.resize(begin + schema.features, 0.0f);
  float* out = inputs.data() + begin;
  switch (schema.layout) {
    case data::Layout::kDenseU8: {
      const std::uint8_t* in = samples.u8.data() + row * schema.features;
      for (std::size_t f = 0; f < schema.features; ++f) {
        out[f] = static_cast<float>(in[f]) * (2.0f / 255) - 1;
      }
      return;
    }
    case data::Layout::kDenseF32:
      std::copy_n(samples.f32.data() + row * schema.features, schema.features, out);
      return;
    case data::Layout::kSparse:
      for (std::uint64_t i = samples.row_begin[row]; i < samples.row_begin[row + 1]; ++i) {
        if (samples.index[i] < schema.features) out[samples.index[i]] = samples.f32[i];
      }
  }
}

}  // namespace

Result<void> append_sample(const data::Samples& samples, const data::Schema& schema,
                           std::size_t row, Batch& batch) {
  SURETY_CHECK(row < samples.size());
  const float label = samples.label[row];
  // Labels are checked as floats first, because a NaN or a huge label cannot be converted to an
  // integer.
  const bool known = label >= 0 && label < static_cast<float>(schema.classes) &&
                     static_cast<float>(static_cast<std::int64_t>(label)) == label;
  if (!known) {
    return fail(ErrorCode::kInvalidInput, "sample {}: label {}, expected a class from 0 to {}", row,
                label, std::int64_t{schema.classes} - 1);
  }
  batch.labels.push_back(static_cast<std::int64_t>(label));
  append_values(samples, schema, row, batch.inputs);
  return {};
}

Result<void> BatchReader::open_item() {
  const WorkItem& item = work_.items[item_];
  const auto chunk = chunks_.find(item.chunk);
  SURETY_CHECK(chunk != chunks_.end());
  const data::Samples& samples = chunk->second.samples;
  if (auto checked = check_samples(samples, options_.schema); !checked) {
    return fail_in(checked.error(), "chunk {}", item.chunk);
  }
  const auto count = static_cast<std::uint32_t>(samples.size());
  SURETY_CHECK(item.first <= count && item.count <= count - item.first);
  order_ = sample_order({options_.seed, work_.pass, item.chunk}, count);
  return {};
}

Result<void> BatchReader::next(Batch& batch) {
  batch.clear();
  while (batch.size() < options_.batch && item_ < work_.items.size()) {
    const WorkItem& item = work_.items[item_];
    if (done_ == item.count) {
      ++item_;
      done_ = 0;
      order_.clear();
      continue;
    }
    if (order_.empty()) SURETY_TRY(open_item());
    const std::uint32_t row = order_[item.first + done_++];
    const data::Samples& samples = chunks_.at(item.chunk).samples;
    if (auto added = append_sample(samples, options_.schema, row, batch); !added) {
      return fail_in(added.error(), "chunk {}", item.chunk);
    }
  }
  return {};
}

}  // namespace surety::learn
