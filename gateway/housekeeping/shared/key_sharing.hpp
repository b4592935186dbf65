// The access keys that gateways read from their store, on the housekeeper's thread: what has changed, each tick.
// What the store has forgotten stays as it was: a key ends by a newer revision, and never because nothing is there.
#pragma once

#include "gateway/config/access/stored_keys.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/store/stored_key_commands.hpp"

#include <boost/asio/awaitable.hpp>

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

  // Called with what is known, and with each change.
  void watch(publish on_change);

  // Another store, or none: what was known holds until that one has been read.
  void use(const store_settings& settings);

  // Reads what is new. One call at a time.
  boost::asio::awaitable<void> share(std::shared_ptr<store_client> client);

  std::size_t size() const { return shown_ ? shown_->all.size() : 0; }

 private:
  struct held {
    std::int64_t revision = 0;
    std::shared_ptr<const stored_key> key;
  };
  enum class progress { done, more, failed };

  boost::asio::awaitable<progress> read_page(std::shared_ptr<store_client> client, std::int64_t& after);
  boost::asio::awaitable<bool> read_entries(std::shared_ptr<store_client> client, std::vector<key_revision> which);
  std::vector<key_revision> new_among(std::vector<key_revision> changes);
  void take(const key_revision& which, const store_reply& entry);
  void show(stored_keys_state state);

  stored_key_commands commands_{""};
  bool is_wanted_ = false;
  std::uint64_t store_ = 0;  // which one: what an earlier one answers late is not taken
  std::map<std::string, held> held_;  // by id, of this store
  std::int64_t newest_ = 0;           // revision
  bool is_whole_ = false;             // this store has been read
  bool has_changed_ = false, is_full_ = false;
  std::shared_ptr<const stored_keys> shown_;  // null: nothing yet
  publish on_change_;
};

}  // namespace photofinish::gateway
