// The versions of a network in training: the full one, and pruned ones that are cut from it.
//
// A pruned Model keeps in `parent` the full parameters at the time of the cut. Which channels the
// model has is derived from that vector alone (model/prune.h ranks them by magnitude). So the map
// between the two is never stored, and every worker finds the same map. Pure functions; no
// libtorch.
#pragma once

#include <string>

#include "base/result.h"
#include "learn/task.h"
#include "model/net_spec.h"
#include "model/prune.h"

namespace surety::learn {

// The network of a version. InvalidInput if `version` is not the name of a version.
[[nodiscard]] Result<model::NetSpec> spec_of_version(const model::NetSpec& full,
                                                     const std::string& version);

// InvalidInput if the version, the parameters or the parent of `model` do not fit the network.
[[nodiscard]] Result<void> check_network_model(const model::NetSpec& full, const Model& model);

// The same model in another version:
//   full -> prune:F       the channels of the smallest magnitude are removed;
//   prune:F -> full       kept channels have their trained values, the others those of `parent`,
//                         and the kept ones do not read the others yet: the scores do not change;
//   prune:F -> prune:G fuller (G < F): the same, with the channels that `parent` ranks next;
//   to fewer channels     as if by way of full, with the trained and the frozen channels.
//
// To a fuller version, parameters and average change in the same way, and the scores of both stay.
// To fewer channels, the model that is evaluated and kept is cut: the average if there is one. The
// result becomes both parameters and average, and `parent` is the model before the cut. The scores
// change; a compensation needs data (learn/torch/compensation.h).
//
// A switch to the model's own version only removes the outer momentum, as every switch does.
// InvalidInput: `version` is not the name of a version, or check_network_model() refuses `model`.
// ENSURES: the name is canonical ("prune:0.5"); equal arguments give equal bytes.
// O(parameters of the full model).
[[nodiscard]] Result<Model> switch_network_version(const model::NetSpec& full, const Model& model,
                                                   const std::string& version);

// Whether the model was made by a switch to fewer channels and has not learned since: each value is
// equal to that of `parent`. REQUIRES: check_network_model(full, model). O(1) for nearly every
// model that has learned, otherwise O(parameters of the full model).
[[nodiscard]] bool is_unchanged_since_cut(const model::NetSpec& full, const Model& model);

// The channels that a pruned model has. REQUIRES: check_network_model(full, model); a pruned
// version.
[[nodiscard]] model::ChannelMap channels_of(const model::NetSpec& full, const Model& model);

}  // namespace surety::learn
