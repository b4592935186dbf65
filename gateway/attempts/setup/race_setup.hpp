// From a request to a race's plan: which targets, on whose keys, in which order. [pure]
// Serves the endpoint and the command line's `race` alike.
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

// Who asks, and what there is to ask. Borrowed for the call; `settings` for as long as the setup.
struct race_request {
  const parsed_request& asked;
  const config& settings;
  const presented_keys& keys;
  caller who;
  racing::plan_overrides overrides;
  const racing::scoreboard& board;
  racing::instant now;
  std::uint64_t fingerprint_salt = 0;  // of callers, and of their own keys in candidate ids
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  std::function<bool(const proxy::provider&)> is_full = {};  // as many attempts run there as may; none: never
  const target_name* only = nullptr;  // what was asked for before is there; null: any target may answer
  const speed_source* speed = nullptr;  // what is known of targets' speed; null: nothing
  const request_marks& marks = no_marks;
  // The route's rule that it runs by, by its name, empty: none. Null: the first that holds.
  const std::string* settled_rule = nullptr;
  // Whether a limit of its caller or of that route reads how many tokens the request may use; none: no limit does.
  std::function<bool(std::string_view route)> counts_tokens = {};
  price_test has_price = {};  // empty: targets without a price may run
};

struct race_setup {
  std::string route = "_none";  // the metrics' label
  std::string rule;      // of the route, that holds for the request; empty: none
  std::string compared;  // whose figures and budget it goes by: the route, or a rule with targets of its own
  racing::race_settings settings;
  std::vector<race_candidate> candidates;  // every target that was asked for
  racing::planned_race planned;
  std::unique_ptr<forecast_setup> speed;  // what the plan was made from, where it went by speed
  std::unique_ptr<prefix_setup> prefixes;  // of a conversation, if the race follows prompt caches
  bool is_store_unsaid = false;  // the body does not say `store`, and is sent so: see stored_answers::by_default
  bool is_kept_unsaid = false;   // then some target keeps the answer
  bool is_lowered_by_store = false;  // one attempt at a time, against the route's policy
  std::optional<api_error> error;  // no target can run; what is known by then stands above

  // The target of the attempt with that index.
  const race_candidate& attempt(std::size_t index) const { return candidates[planned.chosen[index]]; }
};

race_setup set_up_race(const race_request& wanted);

// Does on another thread what takes set_up_race() long if the request is long: writes it in each format that a target
// of its model speaks, and looks for a member that is given twice.
void read_ahead(parsed_request& asked, const config& settings, caller who,
                std::span<const proxy::named_dialect> dialects);

}  // namespace photofinish::gateway
