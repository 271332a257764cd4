// Limits the size of classes: a class with many functions or fields combines several concepts.
//
// Classes that were above the limits when the rule was made are listed with their numbers, so that
// they become smaller and never larger.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lint/source/source_tree.h"

namespace surety::lint {

inline constexpr const char* kClassList = "src/lint/class_limits.txt";

struct ClassLimits {
  std::size_t methods = 20;
  std::size_t fields = 15;
};

struct ClassSize {
  std::string file;
  std::size_t line = 0;
  std::string name;  // Qualified, without "surety::".
  // Member functions that it declares, static ones too. Constructors, destructors, operators and
  // deleted functions do not count.
  std::size_t methods = 0;
  std::size_t fields = 0;  // Data members of each object.
};

// The classes and structs of a file in the order of their first members. Members of a class within
// a class count for the inner one only.
[[nodiscard]] std::vector<ClassSize> measure_classes(const SourceFile& file);

// Reports a class above the limits, unless the list allows at least its number. Also reports an
// entry that allows more than any class needs. A struct without functions is a record, like the row
// of a table, and may have any number of fields. Tests may have classes of any size.
[[nodiscard]] std::vector<Finding> check_classes(const SourceTree& tree, const ClassLimits& limits);

}  // namespace surety::lint
