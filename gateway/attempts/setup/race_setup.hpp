// Makes a race's plan from a request: the targets, their keys, and their order. [pure] Both the gateway and the command
// `photofinish race` use it.
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

// A caller and its request. Both are borrowed for the call. `settings` are kept as long as the setup.
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
  // Returns true if the provider's limit of attempts is reached. If the function is empty, there is no limit.
  std::function<bool(const proxy::provider&)> is_full = {};
  const target_name* only = nullptr;  // the target with the data of an earlier request; null if any target may answer
  const speed_source* speed = nullptr;  // the known speeds of targets; null if nothing is known
  const request_marks& marks = no_marks;
  // The name of the route's rule that applies, or an empty name if no rule applies. If the pointer is null, the first
  // rule that matches applies.
  const std::string* settled_rule = nullptr;
  // Returns true if the tokens of the request count against a limit of the caller or of the route. If the function is
  // empty, no limit counts tokens.
  std::function<bool(std::string_view route)> counts_tokens = {};
  // Tests if the price of a target is known; if empty, targets without a known price may run.
  price_test has_price = {};
};

struct race_setup {
  std::string route = "_none";  // the route's label in metrics
  std::string rule;      // the route's rule that matches the request; empty if there is none
  // The name under which speeds and the budget are recorded: the name of the route, or of a rule that has its own
  // targets.
  std::string compared;
  racing::race_settings settings;
  std::vector<race_candidate> candidates;  // all targets that the request or its route names
  racing::planned_race planned;
  std::unique_ptr<forecast_setup> speed;  // the forecast for the plan; null if the plan was not made by speed
  // The prompt's prefixes, only for a conversation whose race follows prompt caches.
  std::unique_ptr<prefix_setup> prefixes;
  // True if the body has no `store` member and is sent unchanged. The comment on stored_answers::by_default explains
  // this case.
  bool is_store_unsaid = false;
  bool is_kept_unsaid = false;   // true if `is_store_unsaid` is set and a target stores the answer
  // True if attempts run one at a time because of stored answers, although the route's policy starts more.
  bool is_lowered_by_store = false;
  // The error if no target can run. In that case the other members contain the known data.
  std::optional<api_error> error;

  // Returns the target of the attempt with this index.
  const race_candidate& attempt(std::size_t index) const { return candidates[planned.chosen[index]]; }
};

race_setup set_up_race(const race_request& wanted);

// Runs the slow parts of set_up_race() on another thread if the request is long. It translates the request into each
// format that targets of its model use, and searches for repeated members.
void read_ahead(parsed_request& asked, const config& settings, caller who,
                std::span<const proxy::named_dialect> dialects);

}  // namespace photofinish::gateway
