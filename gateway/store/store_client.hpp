// Implements the client of the shared store. The client connects when a call needs a connection, and uses sentinels if
// they are configured. It repeats failed calls until the circuit breaker opens, and counts calls and failures. It runs
// on one thread and performs one call at a time.
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
  // Selects the reaction if the store refuses a command because of missing permissions. Either the store counts as
  // unreachable, or only this command fails.
  enum class denial_rule { away, reply };

  // `net` and `facts` must outlive this object. `settings.url` must be valid. The text `meanwhile` appears in the log
  // if the store is unreachable. It describes what gateways do in the meantime. If it is empty, the log contains the
  // usual text about limits.
  store_client(store_network& net, const store_settings& settings, metrics::store_facts& facts,
               std::string meanwhile = {});

  // Sends the commands to the store. If it is unknown whether the commands arrived, sends them again. Therefore it must
  // be harmless to run each command twice. A reply may be the error of a single command. Returns nothing if the store
  // is unreachable.
  boost::asio::awaitable<std::optional<store_link::replies>> call(commands make,
                                                                  denial_rule denials = denial_rule::away);
  // Sends commands that use no script. In all other respects, this function works like the other call().
  boost::asio::awaitable<std::optional<store_link::replies>> call(std::vector<store_command> all,
                                                                  denial_rule denials = denial_rule::away) {
    return call(commands([all = std::move(all)](const script_names&) { return all; }), denials);
  }

  bool is_away() const { return breaker_.is_open(); }
  // Returns true if the store has refused a single command since `when`. The store does this, for example, if a key has
  // the wrong type.
  bool has_refused_since(proxy::instant when) const { return refused_at_ && *refused_at_ > when; }
  // Returns the reason for the last failure, such as "connect: refused". Returns an empty text if no call has failed
  // since the store became reachable again.
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
  // The connection to the store, or to a sentinel while the client searches for the primary.
  std::unique_ptr<store_link> link_;
  std::size_t next_sentinel_ = 0;     // the index of the sentinel that should be asked first
  std::string shown_trouble_;  // the error of the store that was logged last
  // The keys of refused commands that were logged since the time in refusals_since_.
  std::set<std::string> shown_refusals_;
  proxy::instant away_since_{}, refusals_since_{};
  std::optional<proxy::instant> refused_at_;  // the time when the store last refused a single command
  bool is_shown_away_ = false, is_cancelled_ = false;
};

}  // namespace photofinish::gateway
