// Combines several lambdas into one visitor: std::visit(Overloaded{[](A) {...}, [](B) {...}},
// variant).
#pragma once

namespace surety {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
// clang 14 builds the fuzz targets, and does not deduce this for aggregates by itself.
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace surety
