// Builds races and their attempts for requests, for continuations of broken answers, for `photofinish race`, and for
// probes. Combines the plan that racing makes with the exchanges and dialects of proxy.
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
  // The request parameters that this provider does not accept and the attempt leaves out.
  std::vector<std::string> dropped;
  // The number of reasoning parts that the attempt leaves out. The comment on prepared_request explains them.
  std::size_t reasoning_left_out = 0;
  proxy::price_tier tier = proxy::price_tier::standard;  // the price tier that the attempt requests
  // The number of the attempt's key if the key expires. 0 if the key does not expire, or if there is no key.
  std::uint64_t credential = 0;
};

// Says how an attempt sends the client's request.
struct attempt_manner {
  proxy::answer_shape shape = proxy::answer_shape::streamed;  // the shape of the answer if the request allows a stream
  proxy::reasoning_items reasoning = proxy::reasoning_items::kept;
  bool is_continued = false;  // true if the attempt continues the text of another target
  // Records which models made the reasoning in the request; null if this is unknown.
  std::shared_ptr<target_reasoning> known = nullptr;
};

// The request that a race's attempts send. All references are borrowed for the call, except `memory`.
struct attempt_question {
  const parsed_request& asked;
  const std::string& answer_id;  // the id of the answer if the provider gives it no id
  std::span<const std::pair<std::string, std::string>> forwarded = {};  // the client's headers that the provider gets
  proxy::memory_share memory = {};
  // The fingerprint of the request's conversation. If it is null, the attempt sends no hint for a prompt cache.
  proxy::conversation_print* print = nullptr;
};

class race_builder {
 public:
  // `over` and `credentials` outlive the attempts. The builder removes `secrets` from the error texts of providers.
  race_builder(proxy::outbound& over, credential_view& credentials, std::shared_ptr<const proxy::redactor> secrets,
               std::span<const proxy::named_dialect> dialects = proxy::all_dialects())
      : over_(over), credentials_(credentials), secrets_(std::move(secrets)), dialects_(dialects) {}

  // Makes the race. `setup`, `alarms` and `executor` outlive the race. After the decision, the race does not read
  // `setup`.
  static racing::race_run race(const race_setup& setup, racing::race_run::upstream_factory make_upstream,
                               proxy::alarms& alarms, const boost::asio::any_io_executor& executor,
                               proxy::memory_share memory = {});
  static racing::race_run race(const race_setup&, racing::race_run::upstream_factory, proxy::alarms&,
                               boost::asio::any_io_executor&&, proxy::memory_share = {}) = delete;

  // Returns the attempts of the plan in the form in which the account of the race records them.
  static std::vector<planned_attempt> planned(const race_setup& setup);
  static planned_attempt planned_at(const race_setup& setup, std::size_t index);

  const proxy::dialect& dialect_of(const race_candidate& target) const {
    return *proxy::find_dialect(target.provider->dialect, dialects_);
  }

  // Returns true if the target's key expires.
  static bool has_expiring_key(const race_candidate& target) {
    return target.key.source == key_source::configured && target.key.key.empty() && target.provider->key.credentials;
  }

  // Returns true if the target's key expires and is not known yet.
  bool lacks_key(const race_candidate& target) const { return has_expiring_key(target) && !known_key(target); }

  // Makes an attempt at a target. The target's provider outlives the attempt. If the target's key expires, the attempt
  // uses the currently known key, which may be empty.
  made_attempt attempt(const race_candidate& target, attempt_question question, attempt_manner how) const;

  // Makes an attempt that waits for a newer key than key number `refused`, or for any key if `refused` is 0. After the
  // wait, it runs the attempt that `make` returns.
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
