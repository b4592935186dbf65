// Checks that a target's known facts meet the requirements of its route, and that the request fits the target's limits.
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
  // The constructor borrows its arguments. `required` is null if the route has no requirements.
  facts_check(const parsed_request& asked, const proxy::required_facts* required);

  // Returns the name of the first fact that does not meet the route's requirement, as a string literal. Empty if all
  // facts meet their requirements.
  std::string_view unmet(const race_candidate& each) const;

  // Returns the name of the target's configured limit that the request exceeds. Empty if there is none.
  std::string_view too_long(const race_candidate& each);

 private:
  const parsed_request& asked_;
  const proxy::required_facts* required_;
  // The estimated tokens of the prompt; set when the prompt first seems too long for a target.
  std::optional<std::uint64_t> tokens_;
};

}  // namespace photofinish::gateway
