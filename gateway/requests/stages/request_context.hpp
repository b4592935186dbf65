// Holds the objects that every stage of one request may read: its caller, settings, client, record and memory. No
// member can be null. The context lives as long as the request.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/api/api.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/response.hpp"
#include "gateway/limits/limit_hold.hpp"
#include "gateway/records/request_record.hpp"
#include "gateway/relay/answer_tokens.hpp"
#include "gateway/requests/worker/worker_context.hpp"
#include "proxy/memory/memory_share.hpp"
#include "racing/race_plan.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// The length to which the gateway cuts model names, because a client may send a name of several megabytes. The log cuts
// model names to a shorter length.
inline constexpr std::size_t longest_noted_name = 256;

// Information for the headers of an answer: the targets that were skipped, and the parameters that were removed from
// requests.
struct header_notes {
  std::vector<std::pair<std::string, std::string>> skipped;  // pairs of a target that was skipped and the reason
  std::vector<std::pair<std::string, std::string>> dropped;  // pairs of a target and a parameter that was removed from
                                                             // its request
  bool is_lowered_by_store = false;  // true if the setting for stored answers makes the race run one attempt at a time
};

// A stage before the answer has one of three results: the next stage follows, the client has left, or the request is
// refused.
struct next_stage {};
struct departed {};  // the client has left, or the gateway has ended the request because it is shutting down
using stage_result = std::variant<next_stage, departed, api_error>;  // an api_error means that the request is refused

inline bool is_next(const stage_result& result) { return std::holds_alternative<next_stage>(result); }

struct request_context {
  worker_context& worker;
  client_connection& client;
  const api& called;                              // the API that the client calls
  const std::shared_ptr<const config> settings;  // the configuration from the start of the request, even after a reload
  const caller who;
  request_record& record;
  answer_tokens& tokens;
  limit_hold& hold;
  header_fields fields;  // the header fields of every answer; the stages for limits and the cache add fields
  response_style style;
  proxy::memory_share memory;  // the memory that the request uses in addition to its body

  racing::race_settings limits = {};  // the race settings of the route, set after the plan is made
  header_notes notes = {};
  race_observers observers = {};
  bool shows_cost = false;  // true if the client gets the cost in the answer's usage

  // Returns a function that checks whether the gateway knows a target's price in a given price tier. The function is
  // valid as long as the request.
  std::function<bool(const target_name&, proxy::price_tier)> known_prices() const {
    return [&prices = worker.prices, &of = settings](const target_name& target, proxy::price_tier tier) {
      return prices.all_of(of, target).exactly(tier) != nullptr;
    };
  }
};

}  // namespace photofinish::gateway
