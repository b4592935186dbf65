// Writes the service tier of a request in the form that its provider expects. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/member_index.hpp"

#include <string_view>

namespace photofinish::proxy {

// The member of a request body that contains the name of the service tier.
struct tier_place {
  std::string_view name;
  bool is_object = false;  // true if the member is an object such as {"type": "flex"}
};
inline constexpr tier_place chat_tier{"service_tier"};
inline constexpr tier_place gemini_tier{"serviceTier"};
inline constexpr tier_place converse_tier{"serviceTier", true};

// Writes the service tier into the body and stores it in `prepared`. `place` describes the member that contains the
// tier. `member` is this member in the current body, or null if the body does not contain it.
void edit_tier(const attempt_request& request, const json_member* member, tier_place place, prepared_request& prepared);

}  // namespace photofinish::proxy
