// Makes a race's plan from a request: the targets, their keys, and their order. [pure] The gateway's endpoint and the
// command `race` use it.
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

// The caller and the request. They are borrowed for the call. `settings` are kept as long as the setup.
struct race_request {
  const parsed_request& asked;
  const config& settings;
  const presented_keys& keys;
  caller who;
  racing::plan_overrides overrides;
  const racing::scoreboard& board;
  racing::instant now;
  std::uint64_t fingerprint_salt = 0;  // the salt for fingerprints of callers, and of their own keys in candidate ids
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  // Returns true if the provider's limit of attempts is reached. An empty function means that there is no limit.
  std::function<bool(const proxy::provider&)> is_full = {};
  const target_name* only = nullptr;  // the target with the data of an earlier request; null if any target may answer
  const speed_source* speed = nullptr;  // the known speeds of targets; null if nothing is known
  const request_marks& marks = no_marks;
  // The name of the route's rule that applies, or an empty name for no rule. If it is null, the first rule that matches
  // applies.
  const std::string* settled_rule = nullptr;
  // Returns true if a limit of the caller or of the route counts the request's tokens. An empty function means that no
  // limit does.
  std::function<bool(std::string_view route)> counts_tokens = {};
  price_test has_price = {};  // tests if a target has a price; if empty, targets without a price may run
};

struct race_setup {
  std::string route = "_none";  // the route's label in metrics
  std::string rule;      // the route's rule that matches the request; empty if there is none
  std::string compared;  // the owner of the figures and the budget: the route, or a rule with its own targets
  racing::race_settings settings;
  std::vector<race_candidate> candidates;  // all requested targets
  racing::planned_race planned;
  std::unique_ptr<forecast_setup> speed;  // the input of the plan, if it was made by speed
  // The prompt's prefixes, only for a conversation whose race follows prompt caches.
  std::unique_ptr<prefix_setup> prefixes;
  // True if the body has no `store` member and is sent unchanged. stored_answers::by_default explains this case.
  bool is_store_unsaid = false;
  bool is_kept_unsaid = false;   // true if `is_store_unsaid` is set and a target stores the answer
  bool is_lowered_by_store = false;  // true if attempts run one at a time, although the route's policy starts more
  std::optional<api_error> error;  // the error if no target can run; the members before it have the known data

  // Returns the target of the attempt with this index.
  const race_candidate& attempt(std::size_t index) const { return candidates[planned.chosen[index]]; }
};

race_setup set_up_race(const race_request& wanted);

// Runs the slow parts of set_up_race() on another thread if the request is long. It converts the request to each format
// that a target of its model speaks, and looks for duplicate members.
void read_ahead(parsed_request& asked, const config& settings, caller who,
                std::span<const proxy::named_dialect> dialects);

}  // namespace photofinish::gateway
