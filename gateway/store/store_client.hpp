// The store as one asks it: connects where needed, by way of its sentinels where it has them, repeats what failed until
// the breaker is open, counts what it did.
// Single-threaded. One call at a time.
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
  // A missing right means that the store is away, or is the reply to that command alone.
  enum class denial_rule { away, reply };

  // All of it outlives this. `settings.url` is right. `meanwhile`: what holds while the store is away, for the log;
  // empty: that of limits.
  store_client(store_network& net, const store_settings& settings, metrics::store_facts& facts,
               std::string meanwhile = {});

  // The commands are sent once more where it is not known whether they arrived: they are such that this does no harm. A
  // reply may be an error of that command alone. None: the store is away.
  boost::asio::awaitable<std::optional<store_link::replies>> call(commands make,
                                                                  denial_rule denials = denial_rule::away);
  // The same for commands that need no script.
  boost::asio::awaitable<std::optional<store_link::replies>> call(std::vector<store_command> all,
                                                                  denial_rule denials = denial_rule::away) {
    return call(commands([all = std::move(all)](const script_names&) { return all; }), denials);
  }

  bool is_away() const { return breaker_.is_open(); }
  // Whether it refused a single command since then, as for a key of another type.
  bool has_refused_since(proxy::instant when) const { return refused_at_ && *refused_at_ > when; }
  // Why the last call failed, as "connect: refused". Empty: none did since it was away.
  const std::string& trouble() const { return shown_trouble_; }

  // What is awaited ends, and nothing is asked any more.
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
  std::unique_ptr<store_link> link_;  // to the store, or while that is looked for, to a sentinel
  std::size_t next_sentinel_ = 0;     // the last that knew the primary
  std::string shown_trouble_;  // the last that was logged
  std::set<std::string> shown_refusals_;  // keys that were logged, since
  proxy::instant away_since_{}, refusals_since_{};
  std::optional<proxy::instant> refused_at_;  // a single command
  bool is_shown_away_ = false, is_cancelled_ = false;
};

}  // namespace photofinish::gateway
