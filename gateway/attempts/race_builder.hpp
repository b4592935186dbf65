// Builds races and their attempts. It serves requests, continuations of broken answers, probes, and the command
// `photofinish race`.
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/credential_upstream.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "gateway/conversations/target_reasoning.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/records/race_account.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/hints/conversation_print.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/outbound.hpp"
#include "proxy/upstream.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

struct made_attempt {
  std::unique_ptr<proxy::upstream> upstream;
  // The request parameters that the attempt leaves out, because this provider does not accept them.
  std::vector<std::string> dropped;
  // The number of reasoning blocks that the attempt leaves out of the request (see prepared_request).
  std::size_t reasoning_left_out = 0;
  proxy::price_tier tier = proxy::price_tier::standard;  // the price tier that the attempt requests
  // The number of the attempt's key if the key expires. It is 0 if the key does not expire, or if there is no key.
  std::uint64_t credential = 0;
};

// Describes how an attempt sends the client's request.
struct attempt_manner {
  // Determines whether the answer is streamed, if the request allows both forms.
  proxy::answer_shape shape = proxy::answer_shape::streamed;
  proxy::reasoning_items reasoning = proxy::reasoning_items::kept;
  bool is_continued = false;  // true if the attempt continues an answer that another target began
  // Records which models made the reasoning in the request; null if this is unknown.
  std::shared_ptr<target_reasoning> known = nullptr;
};

// The request that a race's attempts send. References need to be valid only during the call, except `memory`.
struct attempt_question {
  const parsed_request& asked;
  const std::string& answer_id;  // the answer's id, used if the provider sends no id
  std::span<const std::pair<std::string, std::string>> forwarded = {};  // the client's headers that the provider gets
  proxy::memory_share memory = {};
  // The fingerprint of the request's conversation. If it is null, the attempt sends no hint for prompt caches.
  proxy::conversation_print* print = nullptr;
};

class race_builder {
 public:
  // `over` sends the requests, and `credentials` supplies expiring keys. Both must outlive the attempts. The builder
  // removes `secrets` from the error texts of providers.
  race_builder(proxy::outbound& over, credential_view& credentials, std::shared_ptr<const proxy::redactor> secrets,
               std::span<const proxy::named_dialect> dialects = proxy::all_dialects())
      : over_(over), credentials_(credentials), secrets_(std::move(secrets)), dialects_(dialects) {}

  // Makes the race. `setup`, `alarms` and `executor` must outlive the race. The race no longer reads `setup` when its
  // winner is known or all attempts have failed.
  static racing::race_run race(const race_setup& setup, racing::race_run::upstream_factory make_upstream,
                               proxy::alarms& alarms, const boost::asio::any_io_executor& executor,
                               proxy::memory_share memory = {});
  static racing::race_run race(const race_setup&, racing::race_run::upstream_factory, proxy::alarms&,
                               boost::asio::any_io_executor&&, proxy::memory_share = {}) = delete;

  // Returns the planned attempts in the form that race_account needs.
  static std::vector<planned_attempt> planned(const race_setup& setup);
  static planned_attempt planned_at(const race_setup& setup, std::size_t index);

  const proxy::dialect& dialect_of(const race_candidate& target) const {
    return *proxy::find_dialect(target.provider->dialect, dialects_);
  }

  // Returns true if the target's key expires.
  static bool has_expiring_key(const race_candidate& target) {
    return target.key.source == key_source::configured && target.key.key.empty() && target.provider->key.credentials;
  }

  // Returns true if the target's key expires and the gateway does not have the key yet.
  bool lacks_key(const race_candidate& target) const { return has_expiring_key(target) && !known_key(target); }

  // Makes an attempt at a target. The target's provider must outlive the attempt. If the target's key expires, the
  // attempt uses the newest key. This key is empty if the gateway has none yet.
  made_attempt attempt(const race_candidate& target, attempt_question question, attempt_manner how) const;

  // Makes an attempt that first waits for a provider key. If `refused` is not 0, the key must be newer than key number
  // `refused`. After the wait, runs the attempt that the function `make` returns.
  std::unique_ptr<proxy::upstream> attempt_after_key(const proxy::provider& provider, std::uint64_t refused,
                                                     credential_upstream::make make) const;

 private:
  std::shared_ptr<const held_credential> known_key(const race_candidate& target) const;

  proxy::outbound& over_;
  credential_view& credentials_;
  std::shared_ptr<const proxy::redactor> secrets_;
  std::span<const proxy::named_dialect> dialects_;
};

}  // namespace photofinish::gateway
