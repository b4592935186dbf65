// Whether what is known of a target is what its route requires, and has room for the request. [pure]
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
  // Borrowed. `required` may be null: nothing is.
  facts_check(const parsed_request& asked, const proxy::required_facts* required);

  // The name of the first fact that is not as required; empty: none. Literals.
  std::string_view unmet(const race_candidate& each) const;

  // The name of the fact that the request exceeds, by what the configuration says of the target; empty: none.
  std::string_view too_long(const race_candidate& each);

 private:
  const parsed_request& asked_;
  const proxy::required_facts* required_;
  std::optional<std::uint64_t> tokens_;  // of the prompt, once a target may be too small for it
};

}  // namespace photofinish::gateway
