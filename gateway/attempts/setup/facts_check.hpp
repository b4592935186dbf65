// Checks that a target has the properties that its route requires, and that the request does not exceed the target's
// limits. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "proxy/providers/target_facts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

class facts_check {
 public:
  // The arguments must outlive this object. `required` is null if the route requires no properties.
  facts_check(const parsed_request& asked, const proxy::required_facts* required);

  // Returns the name of the first property that does not meet the route's requirements, as a string literal. Returns an
  // empty text if all requirements are met.
  std::string_view unmet(const race_candidate& each) const;

  // Returns the name of the configured limit of the target that the request exceeds. Returns an empty text if the
  // request exceeds no limit.
  std::string_view too_long(const race_candidate& each);

 private:
  const parsed_request& asked_;
  const proxy::required_facts* required_;
  // The estimated number of prompt tokens. It is computed when the prompt first seems too long for a target.
  std::optional<std::uint64_t> tokens_;
};

}  // namespace photofinish::gateway
