// Opens a data source by its URL, in any of the formats and with any of the generators.
#pragma once

#include <memory>

#include "base/result.h"
#include "data/reader.h"
#include "data/url.h"

namespace surety::data {

// Makes a reader for the URL. Files that begin with the gzip magic are inflated while they are
// read.
//   idx:///images.gz?labels=/labels.gz      images and labels (labels= defaults to the images' name
//                                           with "images-idx3" replaced by "labels-idx1")
//   cifar10:///batch.bin.gz                 1 label byte + 3072 planar RGB bytes a record
//   libsvm:///a9a.gz                        "label index:value ...", indices from 1
//   csv:///table.csv.gz?label=COLUMN        a header line, then numbers
//   npy:///x.npy?labels=/y.npy              2-d array (or 3-d, 4-d uint8 images), labels 1-d
//   digits://?samples=8000&seed=1&noise=0.3 the generator of images (generators/digits.h)
//   synthetic://?samples=20000&features=5000 the generator of sparse rows (generators/synthetic.h)
// InvalidInput if a table lacks one of the wanted columns, or the labels that are needed.
// REQUIRES: url comes from parse_url().
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(const SourceUrl& url,
                                                          const OpenFile& open,
                                                          const ReadOptions& options = {});

}  // namespace surety::data
