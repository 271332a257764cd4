// The versions of a network while it is trained: full, and pruned ones cut from it.
//
// A pruned Model keeps, in `parent`, the full parameters as they were when it was cut. Which
// channels it has is derived from that vector alone (model/prune.h ranks them by magnitude), so the
// map between the two is never stored and every worker finds the same one.
// Pure functions; no libtorch.
#pragma once

#include <string>

#include "base/result.h"
#include "learn/task.h"
#include "model/net_spec.h"
#include "model/prune.h"

namespace surety::learn {

// The network of a version. InvalidInput where `version` is no version's name.
[[nodiscard]] Result<model::NetSpec> spec_of_version(const model::NetSpec& full,
                                                     const std::string& version);

// InvalidInput where `model` does not fit the network: its version, parameters or parent.
[[nodiscard]] Result<void> check_network_model(const model::NetSpec& full, const Model& model);

// The same model in another version:
//   full -> prune:F       the channels of the smallest magnitude are cut off;
//   prune:F -> full       kept channels have their trained values, the others those of `parent`,
//                         and the kept ones do not read the others yet: the scores are the same;
//   prune:F -> prune:G    fuller (G < F): likewise, with the channels that `parent` ranks next;
//                         smaller: as by way of full, of all channels, trained ones or not.
// Towards fuller versions, parameters and average go the same way: the scores of both stay.
// Towards smaller ones, what is evaluated and kept is cut, the average where there is one: it is
// parameters and average then, and `parent` is that model before the cut. The scores change;
// compensating for that takes data (torch/compensation.h).
// To the version it has: unchanged, but for the outer momentum, which is left out in any case.
// ENSURES: the name is canonical ("prune:0.5"); same bytes in, same bytes out. O(parameters of the
// full model).
[[nodiscard]] Result<Model> switch_network_version(const model::NetSpec& full, const Model& model,
                                                   const std::string& version);

// Whether a switch to fewer channels made the model, and nothing was learned since: each value is
// that of `parent`. REQUIRES: check_network_model(full, model). O(1) for nearly every model that
// has learned, else O(parameters of the full model).
[[nodiscard]] bool is_as_cut(const model::NetSpec& full, const Model& model);

// Which channels a pruned model has. REQUIRES: check_network_model(full, model); a pruned version.
[[nodiscard]] model::ChannelMap channels_of(const model::NetSpec& full, const Model& model);

}  // namespace surety::learn
