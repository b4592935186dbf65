// Implements the client of the store. The client connects when a call needs it, through sentinels if any are
// configured. It repeats failed calls until the breaker opens, and counts calls and failures. It is single-threaded and
// performs one call at a time.
#pragma once

#include "gateway/store/store_breaker.hpp"
#include "gateway/store/store_link.hpp"
#include "gateway/store/store_network.hpp"
#include "gateway/store/store_settings.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class store_client {
 public:
  using commands = std::function<std::vector<store_command>(const script_names&)>;
  // Says how to handle an error because of a missing right: the store counts as away, or only this command fails.
  enum class denial_rule { away, reply };

  // `net` and `facts` outlive this object. `settings.url` is valid. `meanwhile` is a text for the log: what gateways do
  // while the store is away. If it is empty, the log contains the text for limits.
  store_client(store_network& net, const store_settings& settings, metrics::store_facts& facts,
               std::string meanwhile = {});

  // Sends the commands to the store. Sends them again if it is unknown whether they arrived, so it must be harmless to
  // run them twice. A reply may be the error of one command. Returns nothing if the store is away.
  boost::asio::awaitable<std::optional<store_link::replies>> call(commands make,
                                                                  denial_rule denials = denial_rule::away);
  // Sends commands that use no script. Otherwise this function is the same as call() above.
  boost::asio::awaitable<std::optional<store_link::replies>> call(std::vector<store_command> all,
                                                                  denial_rule denials = denial_rule::away) {
    return call(commands([all = std::move(all)](const script_names&) { return all; }), denials);
  }

  bool is_away() const { return breaker_.is_open(); }
  // Returns true if the store has refused a single command since `when`, for example because a key has the wrong type.
  bool has_refused_since(proxy::instant when) const { return refused_at_ && *refused_at_ > when; }
  // Returns the reason for the last failure, such as "connect: refused". Returns an empty text if no call has failed
  // since the store was last away.
  const std::string& trouble() const { return shown_trouble_; }

  // Ends the pending call and prevents further calls.
  void cancel() noexcept;

 private:
  boost::asio::awaitable<store_link::answer> try_once(const commands& make, denial_rule denials);
  boost::asio::awaitable<std::optional<store_trouble>> connect();
  boost::asio::awaitable<std::optional<store_trouble>> find_primary(proxy::tls_context* tls, redis_place& into);
  boost::asio::awaitable<std::optional<store_trouble>> ask_sentinel(const redis_place& at, redis_place& into);
  std::string shown() const;
  void note(const store_trouble& trouble);
  void note_success();
  std::optional<store_trouble> trouble_of(const std::vector<store_command>& asked, const store_link::replies& all,
                                          denial_rule denials);
  void note_refusal(const store_command& asked, const store_trouble& trouble);

  store_network& net_;
  const store_settings settings_;
  const redis_place place_;
  metrics::store_facts& facts_;
  const std::string meanwhile_;
  store_breaker breaker_;
  std::unique_ptr<store_link> link_;  // the connection to the store, or to a sentinel during the search for the primary
  std::size_t next_sentinel_ = 0;     // the index of the sentinel that knew the primary last time
  std::string shown_trouble_;  // the last error of the store that was logged
  // The keys of refused commands that were logged since the time refusals_since_.
  std::set<std::string> shown_refusals_;
  proxy::instant away_since_{}, refusals_since_{};
  std::optional<proxy::instant> refused_at_;  // the last time when the store refused a single command
  bool is_shown_away_ = false, is_cancelled_ = false;
};

}  // namespace photofinish::gateway
