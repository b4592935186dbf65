// Decides whether a request may run at a target whose price is unknown. [pure]
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
  // The arguments must outlive this object. If `has_price` is empty, every target may run. See refuses_unpriced() for
  // the meaning of `is_strict`.
  price_check(const parsed_request& asked, const price_test& has_price, bool is_strict)
      : asked_(asked), has_price_(has_price), is_strict_(has_price && is_strict) {}

  // If the target must not run, returns the requested price tier, for which the target has no known price. The result
  // is a string literal. Returns an empty text if the target may run.
  std::string_view missing_tier(const race_candidate& each) const;

 private:
  const parsed_request& asked_;
  const price_test& has_price_;
  bool is_strict_;
};

// Returns true if a target without a known price must not run. The gateway, the caller's key, its team and the route
// each have a setting for this. The strictest setting applies. `from` is null if the request names its targets itself.
bool refuses_unpriced(const config& settings, const caller& who, const route* from);

struct unpriced_target {
  const target_name& target;
  std::string tier;
};

// Returns the error for a request whose targets must not run because their prices are unknown.
api_error price_unknown(std::string_view model, const std::vector<unpriced_target>& targets);

}  // namespace photofinish::gateway
