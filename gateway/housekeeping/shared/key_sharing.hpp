// The access keys that gateways read from their store, on the housekeeper's thread. Each tick reads the changed
// keys, and every sixtieth tick reads all ids and revisions. This class has its own connection, so that problems
// with keys delay neither limits nor budgets. A key that the store has lost stays valid: only a newer revision ends
// a key, not a missing entry.
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

  static constexpr std::size_t most_keys = 50'000;  // limit for keys; they use about 25 MB

  // `facts` outlives this object. It gets the number of keys and the store's errors.
  key_sharing(boost::asio::io_context& loop, std::chrono::milliseconds tick, metrics::store_facts& facts);

  // Calls `on_change` with the known keys, and again after each change.
  void watch(publish on_change);

  // `net` outlives this object; null means that there is no store. Keys of the previous store stay valid until the new
  // store has been read.
  void use(store_network* net, const store_settings& settings);

  // This object asks no questions after stop(). Call stop() before the destructor.
  boost::asio::awaitable<void> stop();

 private:
  struct held {
    std::int64_t revision = 0;
    std::shared_ptr<const stored_key> key;
    std::uint64_t seen_in = 0;  // the number of the last walk that saw the key
    bool is_forgotten = false;  // true if the store no longer has the key's id
  };
  // A walk through the ids in the store, from a revision on. The next tick continues an unfinished walk.
  struct walk {
    std::int64_t from = 0;
    std::size_t offset = 0;    // the position after the last member that was read
    std::string last = {};     // the last member that was read
    std::size_t left_out = 0;  // the number of members that are not ids or have no revision
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
  metrics::store_facts facts_;  // the errors of this object's connection to the store
  store_settings settings_;
  stored_key_commands commands_{""};
  // The store's client, shared with the running call; null if there is no store or its keys are not used.
  std::shared_ptr<store_client> client_;
  std::map<std::string, held> held_;      // the keys of the current store, by id
  std::int64_t newest_ = 0;               // the newest revision that was read
  walk walk_;
  std::uint64_t walks_ = 0, ticks_ = 0;
  std::size_t in_store_ = 0;  // the number of ids that the store last reported
  std::size_t left_out_ = 0;  // the number of skipped members that was last logged
  bool has_been_read_ = false, has_changed_ = false, is_full_ = false, has_lost_some_ = false;
  std::shared_ptr<const stored_keys> shown_;  // the keys that workers have; null before the first keys are read
  publish on_change_;
  repeated_work readings_;
};

}  // namespace photofinish::gateway
