// One description of a struct's fields is used both to write the struct as JSON and to read it
// strictly.
//
//   template <typename Io> void fields(Io& io, Block& block) { io("version", block.version); ... }
//
// An enum is written as a word:
//
//   constexpr std::array<Word<Shape>, 2> words_of(Shape) { return {{{Shape::kPower, "power"}, ...
#pragma once

#include "plan/files/json_reader.h"
#include "plan/files/json_writer.h"
