// Decides if a request may run at a target whose price is unknown. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// Returns true if the price of a target is known for the tier.
using price_test = std::function<bool(const target_name&, proxy::price_tier)>;

class price_check {
 public:
  // The constructor borrows its arguments. If `has_price` is empty, each target may run. The comment on
  // refuses_unpriced() explains `is_strict`.
  price_check(const parsed_request& asked, const price_test& has_price, bool is_strict)
      : asked_(asked), has_price_(has_price), is_strict_(has_price && is_strict) {}

  // Returns the requested tier for which the target has no known price, as a string literal. Empty if the target may
  // run.
  std::string_view missing_tier(const race_candidate& each) const;

 private:
  const parsed_request& asked_;
  const price_test& has_price_;
  bool is_strict_;
};

// Returns true if a target without a price must not run. The gateway, the caller's key or team, and the route have
// settings for this, and the strictest setting applies. `from` is null if the request itself names targets.
bool refuses_unpriced(const config& settings, const caller& who, const route* from);

struct unpriced_target {
  const target_name& target;
  std::string tier;
};

// Returns the error for a request whose targets must not run because their prices are unknown.
api_error price_unknown(std::string_view model, const std::vector<unpriced_target>& targets);

}  // namespace photofinish::gateway
