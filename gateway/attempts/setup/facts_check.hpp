// Checks that the known facts about a target meet its route's requirements, and that the request fits its limits.
// [pure]
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
  // The arguments are borrowed. `required` is null if the route has no requirements.
  facts_check(const parsed_request& asked, const proxy::required_facts* required);

  // Returns the name of the first fact that does not meet the requirement, as a string literal. Empty if all facts meet
  // it.
  std::string_view unmet(const race_candidate& each) const;

  // Returns the name of the configured fact that the request exceeds. Empty if there is none.
  std::string_view too_long(const race_candidate& each);

 private:
  const parsed_request& asked_;
  const proxy::required_facts* required_;
  std::optional<std::uint64_t> tokens_;  // the tokens of the prompt; set after a target seems too small for the prompt
};

}  // namespace photofinish::gateway
