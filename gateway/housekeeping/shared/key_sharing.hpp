// Reads the access keys that gateways share from their store, on the housekeeper's thread. Each tick reads the changed
// keys, and every sixtieth tick reads all ids and revisions. This class has its own connection, so that problems with
// keys delay neither limits nor budgets. If the store loses a key, the key stays valid. Only a newer revision can make
// it invalid.
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

  static constexpr std::size_t most_keys = 50'000;  // the maximum number of keys; this many keys use about 25 MB

  // `facts` must outlive this object, which writes the number of keys and the store's errors to `facts`.
  key_sharing(boost::asio::io_context& loop, std::chrono::milliseconds tick, metrics::store_facts& facts);

  // Calls `on_change` with the keys that were read so far, and again after each change of the keys.
  void watch(publish on_change);

  // `net` must outlive this object; null means that there is no store. Keys from the previous store stay valid until
  // the keys of the new store have been read.
  void use(store_network* net, const store_settings& settings);

  // After stop(), this object sends no more commands to the store. Call stop() before destroying the object.
  boost::asio::awaitable<void> stop();

 private:
  struct held {
    std::int64_t revision = 0;
    std::shared_ptr<const stored_key> key;
    std::uint64_t seen_in = 0;  // the number of the last pass over the store's keys that found this key
    bool is_forgotten = false;  // true if the store no longer contains the key's id
  };
  // A pass over the store's list of keys, which is sorted by revision. The pass begins at a given revision. If it is
  // not complete after a tick, the next tick continues it.
  struct walk {
    std::int64_t from = 0;
    std::size_t offset = 0;    // the position after the last key that was read from the store's list of keys
    std::string last = {};     // the id of the last key that was read
    // The number of members in the store's list of keys that have no valid id or no valid revision.
    std::size_t left_out = 0;
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
  metrics::store_facts facts_;  // counts the errors of this object's connection to the store
  store_settings settings_;
  stored_key_commands commands_{""};
  // The client for commands to the store, shared with the running call. Null if there is no store or if its keys are
  // not used.
  std::shared_ptr<store_client> client_;
  std::map<std::string, held> held_;      // the keys of the current store, by id
  std::int64_t newest_ = 0;               // the newest revision of all keys that were read so far
  walk walk_;
  std::uint64_t walks_ = 0, ticks_ = 0;
  std::size_t in_store_ = 0;  // the number of key ids in the store, according to its last reply
  std::size_t left_out_ = 0;  // the number of invalid keys that the last log line reported
  bool has_been_read_ = false, has_changed_ = false, is_full_ = false, has_lost_some_ = false;
  // The keys that workers currently use; null before the first keys are read.
  std::shared_ptr<const stored_keys> shown_;
  publish on_change_;
  repeated_work readings_;
};

}  // namespace photofinish::gateway
