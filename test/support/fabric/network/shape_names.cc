#include "test/support/fabric/network/shape_names.h"

namespace surety::fabric {

const char* name_of(PlanShape shape) {
  switch (shape) {
    case PlanShape::kDirect:
      return "direct";
    case PlanShape::kFlat:
      return "flat";
    case PlanShape::kRack:
      return "rack";
    case PlanShape::kRackTwice:
      return "rack twice";
  }
  return "?";
}

}  // namespace surety::fabric
