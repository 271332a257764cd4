// The three data sets for measuring linear solvers. Each is a function of fixed seeds (text: of the
// source files on the machine). It is kept on disk, because drawing it takes longer than training
// on it.
//
//   text     lines of program sources as hashed uni- and bigrams: 131,072 features, about 23 of
//            them in a row, logarithms of counts. The label says whether the next line that is
//            not blank is indented deeper. If a machine has too few sources, lines of an invented
//            language with a Zipf vocabulary take their place.
//   sparse   50 topics over a Zipf vocabulary of 100,000 words (exponent 1.05), about 35 words a
//            row, weighted by inverse document frequency; labels of a random linear model, 7 % of
//            them flipped.
//   dense    1,000 features: 96 factors of strength 2 / sqrt(1 + k), noise of deviation 2; labels
//            of a random linear model with noise, 5 % of them flipped.
//
// All rows have unit length, all labels are -1 or +1.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/sample.h"

namespace surety::bench {

struct Dataset {
  std::string name;
  data::Schema schema;
  data::Samples samples;
};

// REQUIRES: rows >= 1.
[[nodiscard]] Dataset draw_sparse(std::uint32_t rows);
[[nodiscard]] Dataset draw_dense(std::uint32_t rows);
[[nodiscard]] Dataset draw_invented_text(std::uint32_t rows);

// At most `rows` lines of the sources below /usr/lib, /usr/share and /usr/include, in the order of
// their names. If they have fewer than half as many lines, invented text.
[[nodiscard]] Dataset read_text(std::uint32_t rows);

// The data set text, sparse or dense with this many rows. It is read from `folder` if it exists
// there; otherwise it is drawn and written there. InvalidInput for another name.
[[nodiscard]] Result<Dataset> dataset(const std::string& name, std::uint32_t rows,
                                      const std::string& folder);

}  // namespace surety::bench
