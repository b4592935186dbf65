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

// Returns true if the provider's limit allows another attempt, as far as this is known before the attempt starts.
bool has_room(attempt_context& by, const proxy::provider& provider);

// The plan of a race, held by a shared_ptr. If a target refuses a stream, the attempt can be made again from the plan,
// unless the race is decided and the plan is destroyed.
struct request_plan : std::enable_shared_from_this<request_plan> {
  client_request request;
  std::string path_model;  // the model in the path; empty if the body names the model
  presented_keys keys;
  parsed_request asked;
  request_marks marks;
  race_setup setup;
  std::optional<target_name> only;  // the only target that may answer, because it has the data of an earlier request
  bool is_continuation = false;  // true if the plan requests the rest of another winner's answer
  bool has_restored = false;   // true if the request contains reasoning that its client did not send
  // Records which models made the reasoning in requests. Null if this does not matter.
  reasoning_makers* makers = nullptr;
  caller asked_by;                     // the caller whose reasoning `makers` records
  proxy::memory_share forms;   // the memory of the request's translations into the formats of other APIs
  proxy::memory_share memory;  // an empty share of memory, from which attempts get their own shares

  // Uses the empty share `room` to count the memory of the request's translations. Returns false if the memory limit is
  // reached.
  bool hold_forms(proxy::memory_share room) {
    forms = std::move(room);
    return !asked.others || forms.grow_to(asked.others->held_bytes(), proxy::memory_use::arriving);
  }

  struct made {
    std::unique_ptr<proxy::upstream> upstream;
    // Pairs of a target and a parameter that its requests lack.
    std::vector<std::pair<std::string, std::string>> dropped;
  };
  // Makes the next attempt, at the given target of the race's plan. The attempt counts as running until it ends, and is
  // refused if its provider's limit is reached. Stores in `record` how many other attempts run at the target.
  // `settings` are the settings of the request. `by` and `record` outlive the attempt.
  made make(std::size_t target, attempt_context& by, const std::shared_ptr<const config>& settings,
            race_account& record);

  // Describes the target of an attempt for `among`, which records the makers of reasoning. The target may be a maker or
  // a receiver of reasoning.
  reasoning_maker maker_at(std::size_t index, const reasoning_makers& among) const;

 private:
  // The number of an attempt's key if the key expires, or 0 if there is no key yet. An attempt that waits for a key,
  // and its repetition with a newer key, share this number. Null if the key does not expire.
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

  mutable proxy::conversation_print print_;  // the fingerprint of the request's conversation
  std::vector<std::size_t> begun_;  // the target of each attempt, as an index in the race's plan
  // Says if the client's body may contain reasoning. Empty until the first attempt has scanned the body.
  std::optional<bool> brings_reasoning_;
};

}  // namespace photofinish::gateway
