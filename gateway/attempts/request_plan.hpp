// Holds the data that the attempts of one race need until the race is decided: the request, its keys and the plan.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/parsed_request.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/records/race_account.hpp"
#include "gateway/attempts/attempt_context.hpp"
#include "gateway/attempts/race_builder.hpp"
#include "gateway/attempts/retrying_upstream.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/upstream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Returns true if the provider's limit currently allows another attempt. The limit is checked again when the attempt
// starts.
bool has_room(attempt_context& by, const proxy::provider& provider);

// The plan of a race, which is held by a shared_ptr. The plan is destroyed when the race has a winner or has failed.
// Until then, an attempt can use it to repeat its request, for example if the target refuses to stream.
struct request_plan : std::enable_shared_from_this<request_plan> {
  client_request request;
  std::string path_model;  // the model in the path; empty if the body names the model
  presented_keys keys;
  parsed_request asked;
  request_marks marks;
  race_setup setup;
  // The only target that may answer. Set if the data of an earlier request is stored there.
  std::optional<target_name> only;
  bool is_continuation = false;  // true if the request asks another target to continue a broken answer
  bool has_restored = false;   // true if the gateway has added reasoning that the client did not send
  // Records which model wrote which reasoning. Null if this does not matter for the request.
  reasoning_makers* makers = nullptr;
  caller asked_by;                     // the client whose reasoning `makers` records
  proxy::memory_share forms;   // counts the memory of the request's translations into other API formats
  proxy::memory_share memory;  // an empty share of the memory limit, from which each attempt's share is made

  // Counts the memory of the request's translations in `room`, which must be an empty share. Returns false if the
  // memory limit is reached.
  bool hold_forms(proxy::memory_share room) {
    forms = std::move(room);
    return !asked.others || forms.grow_to(asked.others->held_bytes(), proxy::memory_use::arriving);
  }

  struct made {
    std::unique_ptr<proxy::upstream> upstream;
    // Pairs of a target and a parameter's name. The request to the target was sent without this parameter.
    std::vector<std::pair<std::string, std::string>> dropped;
  };
  // Makes the next attempt at a target of the race's plan. The attempt counts as running until it ends. It is refused
  // if its provider's limit is reached. Stores in `record` how many other attempts run at the target. `settings` are
  // the settings of the request. `by` and `record` must outlive the attempt.
  made make(std::size_t target, attempt_context& by, const std::shared_ptr<const config>& settings,
            race_account& record);

  // Returns the target of an attempt in the form that `among` uses to record which model made which reasoning.
  reasoning_maker maker_at(std::size_t index, const reasoning_makers& among) const;

 private:
  // The number of the key that an attempt uses if the key expires, or 0 if there is no key yet. The number is shared,
  // because an attempt that waits for a key stores the number only after the wait. Null if the key does not expire.
  using key_number = std::shared_ptr<std::uint64_t>;

  std::size_t begin_attempt(std::size_t target, race_account& record);
  bool may_be_refused();
  made_attempt build(std::size_t index, attempt_context& by, const std::shared_ptr<const config>& settings,
                     const race_account& record, attempt_manner how) const;
  retrying_upstream::made_again made_again(std::size_t index, attempt_context& by,
                                           const std::shared_ptr<const config>& settings, race_account& record,
                                           attempt_manner first, std::size_t left_out, key_number used) const;
  std::unique_ptr<proxy::upstream> with_key(std::size_t index, attempt_context& by,
                                            const std::shared_ptr<const config>& settings, const race_account& record,
                                            attempt_manner how, key_number used) const;
  bool may_have_newer_key(std::size_t index, attempt_context& by, std::uint64_t refused) const;

  mutable proxy::conversation_print print_;  // the fingerprint of the conversation to which the request belongs
  std::vector<std::size_t> begun_;  // the target of each attempt, as an index in the race's plan
  // True if the client's body may contain reasoning. Empty until an attempt has searched the body.
  std::optional<bool> brings_reasoning_;
};

}  // namespace photofinish::gateway
