// Shares entries about cached prefixes between gateways through a store. The store contains only keyed hashes, and
// their secret key. [pure] Each gateway has a field in the store with its last two batches of entries. The gateway
// replaces this field once per second, and reads the fields of the other gateways. Batches have numbers, which show
// whether a batch is new. Therefore the gateways' clocks need not agree. A field is read only if it has changed,
// because the field of a stopped gateway stays in the store. The data in a store is not trusted: the size, the number
// of entries, and all times are limited. A wrong entry only causes a wrong prediction.
#pragma once

#include "gateway/store/store_reply.hpp"
#include "proxy/json/sip_state.hpp"
#include "racing/prefixes/prefix_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class prefix_sharing {
 public:
  static constexpr std::size_t longest_post = 40u << 10;  // the maximum size of one gateway's field, in bytes
  // The maximum number of gateways. The fields of more gateways do not fit into one reply of the store.
  static constexpr std::size_t most_gateways = 100;
  static constexpr std::size_t most_heard = 20'000;       // the maximum number of entries that are read in one exchange
                                                          // with the store
  static constexpr int silent_rounds = 120;  // a gateway's field is removed from the store after this many exchanges
                                             // without new entries

  // `run` is the unique name of this gateway in the store. `prefix` is the beginning of all names in the store.
  prefix_sharing(std::string run, std::string prefix) : run_(std::move(run)), prefix_(std::move(prefix)) {}

  // Returns the commands for the next exchange of data with the store. The store keeps `key` if it has no key yet. The
  // entries `written` are sent in this exchange and again in the next one.
  std::vector<store_command> round(const proxy::hash_key& key, std::vector<racing::prefix_entry> written,
                                   racing::prefix_seconds now);

  struct news {
    // The key that all gateways use for hashes. Empty if the store has not returned it yet.
    std::optional<proxy::hash_key> key;
    std::vector<racing::prefix_entry> entries;  // the entries that other gateways have shared
    std::uint64_t refused = 0;                  // the number of invalid fields and keys in the store's replies
  };
  // Reads `said`, the store's replies to the commands of the last round.
  news heard(const std::vector<store_reply>& said, racing::prefix_seconds now);

  // Returns the commands that remove this gateway's entries from the store.
  std::vector<store_command> leave() const;

 private:
  struct peer {
    std::uint64_t read = 0;  // the number of the last batch of entries that this gateway has read from the other
                             // gateway
    std::uint64_t last = 0;  // the number of the newest batch that the other gateway has written to the store
    int silent = 0;          // the number of exchanges with the store since the last new batch from the other gateway
  };

  std::string posts() const { return prefix_ + ":stats:prefixes"; }
  std::string key_name() const { return prefix_ + ":stats:prefixes:key"; }
  void take_post(const std::string& gateway, const std::string& bytes, racing::prefix_seconds now, news& into);

  std::string run_, prefix_;
  racing::prefix_post post_;
  bool is_posted_empty_ = true;
  std::size_t list_at_ = 0;  // the index of the store's reply that contains the fields of all gateways
  std::map<std::string, peer> peers_;
};

}  // namespace photofinish::gateway
