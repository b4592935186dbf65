// Makes a race's plan from a request. The plan contains the targets, their keys, and their order. The gateway and the
// command `photofinish race` both use this plan. [pure]
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/attempts/setup/forecast_setup.hpp"
#include "gateway/attempts/setup/prefix_setup.hpp"
#include "gateway/attempts/setup/price_check.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "gateway/config/config.hpp"
#include "proxy/find_dialect.hpp"
#include "racing/planner.hpp"
#include "racing/scoreboard.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

inline const request_marks no_marks{};

// A caller and its request. The references are only valid during the call. `settings` must live as long as the setup.
struct race_request {
  const parsed_request& asked;
  const config& settings;
  const presented_keys& keys;
  caller who;
  racing::plan_overrides overrides;
  const racing::scoreboard& board;
  racing::instant now;
  std::uint64_t fingerprint_salt = 0;  // the salt for fingerprints of callers and of the keys that they send
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  // Returns true if the provider has reached its limit of running attempts. If the function is empty, there is no
  // limit.
  std::function<bool(const proxy::provider&)> is_full = {};
  // The target that stores the data of an earlier request; null if any target may answer.
  const target_name* only = nullptr;
  const speed_source* speed = nullptr;  // the measured speeds of targets; null if no speeds were measured
  const request_marks& marks = no_marks;
  // The name of the route's rule to apply, or an empty name to apply no rule. If the pointer is null, the first rule
  // that matches the request applies.
  const std::string* settled_rule = nullptr;
  // Returns true if a token limit of the caller or of the route applies to the request. If the function is empty, no
  // token limit applies.
  std::function<bool(std::string_view route)> counts_tokens = {};
  // Returns true if the target's price is known. If the function is empty, targets without a known price may run.
  price_test has_price = {};
};

struct race_setup {
  std::string route = "_none";  // the name of the route in metrics
  std::string rule;      // the name of the route's rule that applies; empty if no rule applies
  // The name under which speeds and the budget are recorded. It is the name of the route. If a rule with its own
  // targets applies, it is the name of the rule.
  std::string compared;
  racing::race_settings settings;
  std::vector<race_candidate> candidates;  // all targets of the request or of its route
  racing::planned_race planned;
  std::unique_ptr<forecast_setup> speed;  // the forecast; null if the plan does not use the speeds of targets
  // The prompt's prefixes. Null unless the request belongs to a conversation and the race considers prompt caches.
  std::unique_ptr<prefix_setup> prefixes;
  // True if the body has no member `store` and is sent unchanged. See stored_answers::by_default.
  bool is_store_unsaid = false;
  // True if the body has no member `store`, so that a target stores the answer by default.
  bool is_kept_unsaid = false;
  // True if the attempts run one after another although the route's policy would start several at once. The reason is
  // that targets store the answers.
  bool is_lowered_by_store = false;
  // The error if no target can run. In that case, the other members are only partly set.
  std::optional<api_error> error;

  // Returns the target of the attempt with this index.
  const race_candidate& attempt(std::size_t index) const { return candidates[planned.chosen[index]]; }
};

race_setup set_up_race(const race_request& wanted);

// Runs the slow parts of set_up_race() in advance, so that they can run on another thread for a long request. It
// translates the request into each format that the model's targets need, and searches for repeated members.
void read_ahead(parsed_request& asked, const config& settings, caller who,
                std::span<const proxy::named_dialect> dialects);

}  // namespace photofinish::gateway
