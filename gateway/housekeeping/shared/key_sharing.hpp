// The access keys that gateways read from their store, on the housekeeper's thread: what has changed each tick, and
// once in sixty all ids and revisions. On a connection of its own: whatever is wrong with keys holds up neither limits
// nor budgets. What the store has forgotten stays as it was: a key ends by a newer revision, and never because nothing
// is there.
#pragma once

#include "gateway/config/access/stored_keys.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/store/stored_key_commands.hpp"
#include "gateway/threads/repeated_work.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

class key_sharing {
 public:
  using publish = std::function<void(std::shared_ptr<const stored_keys>)>;

  static constexpr std::size_t most_keys = 50'000;  // some 25 MB

  // `facts` outlives it: their number, and what of the store's errors it meets.
  key_sharing(boost::asio::io_context& loop, std::chrono::milliseconds tick, metrics::store_facts& facts);

  // Called with what is known, and with each change.
  void watch(publish on_change);

  // `net` outlives this; null: no store. What was known of another store holds until the new one has been read.
  void use(store_network* net, const store_settings& settings);

  // Afterwards nothing is asked any more. Call it before this is destroyed.
  boost::asio::awaitable<void> stop();

 private:
  struct held {
    std::int64_t revision = 0;
    std::shared_ptr<const stored_key> key;
    std::uint64_t seen_in = 0;  // which walk
    bool is_forgotten = false;  // the store has its id no more
  };
  // Through the ids, from a revision on. What is not done in one tick goes on in the next.
  struct walk {
    std::int64_t from = 0;
    std::size_t offset = 0;    // behind the last member that was met
    std::string last = {};     // that member
    std::size_t left_out = 0;  // members that are no ids, or have no revision
    int restarts = 0;
    bool is_whole = false, is_running = false;
  };

  boost::asio::awaitable<proxy::instant> read();
  boost::asio::awaitable<void> walk_on();
  boost::asio::awaitable<bool> read_page();
  boost::asio::awaitable<bool> read_entries(std::vector<key_revision> which);
  void begin_walk();
  bool restart_walk();
  void end_walk();
  std::vector<key_revision> new_among(std::vector<key_revision> changes);
  void take(const key_revision& which, const store_reply& entry);
  void show(stored_keys_state state);

  const std::chrono::milliseconds tick_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // of its own connection
  store_settings settings_;
  stored_key_commands commands_{""};
  std::shared_ptr<store_client> client_;  // shared with the call that runs; null: no store, or keys are not asked for
  std::map<std::string, held> held_;      // by id, of this store
  std::int64_t newest_ = 0;               // revision
  walk walk_;
  std::uint64_t walks_ = 0, ticks_ = 0;
  std::size_t in_store_ = 0;  // ids, as it said last
  std::size_t left_out_ = 0;  // as was logged last
  bool has_been_read_ = false, has_changed_ = false, is_full_ = false, has_lost_some_ = false;
  std::shared_ptr<const stored_keys> shown_;  // null: nothing yet
  publish on_change_;
  repeated_work readings_;
};

}  // namespace photofinish::gateway
