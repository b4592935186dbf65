// The warm prefixes that gateways share through a store: only keyed hashes, and their secret key. [pure]
// Each gateway has a field with its last two batches, which it replaces once per second, and reads the fields of the
// other gateways. Numbers of batches show which are new, so no clocks are compared. A field is read only after it has
// changed, because a stopped gateway leaves its field. A store's bytes are untrusted: number, size, times and lives are
// bounded, and a wrong entry only causes a wrong prediction.
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
  static constexpr std::size_t longest_post = 40u << 10;  // bytes of one gateway's field
  // The replies of more gateways do not fit into one answer of the store.
  static constexpr std::size_t most_gateways = 100;
  static constexpr std::size_t most_heard = 20'000;       // entries read per round, of all gateways
  static constexpr int silent_rounds = 120;  // after this number of rounds the field of a silent gateway is removed

  // `run`: this gateway's name in the store. `prefix`: the prefix of all names in the store.
  prefix_sharing(std::string run, std::string prefix) : run_(std::move(run)), prefix_(std::move(prefix)) {}

  // The commands of a round. `key` is stored if the store has none. `written` is posted in this round and the next.
  std::vector<store_command> round(const proxy::hash_key& key, std::vector<racing::prefix_entry> written,
                                   racing::prefix_seconds now);

  struct news {
    // The fleet's key, to which the entries belong. Empty if the store has not sent it.
    std::optional<proxy::hash_key> key;
    std::vector<racing::prefix_entry> entries;  // entries of other gateways
    std::uint64_t refused = 0;                  // fields and keys that were rejected
  };
  // `said`: the replies to the last round's commands.
  news heard(const std::vector<store_reply>& said, racing::prefix_seconds now);

  // The commands that remove this gateway's posts.
  std::vector<store_command> leave() const;

 private:
  struct peer {
    std::uint64_t read = 0;  // batches up to this number were read
    std::uint64_t last = 0;  // the number of the last batch when the field was seen
    int silent = 0;          // rounds without a new batch
  };

  std::string posts() const { return prefix_ + ":stats:prefixes"; }
  std::string key_name() const { return prefix_ + ":stats:prefixes:key"; }
  void take_post(const std::string& gateway, const std::string& bytes, racing::prefix_seconds now, news& into);

  std::string run_, prefix_;
  racing::prefix_post post_;
  bool is_posted_empty_ = true;
  std::size_t list_at_ = 0;  // the index of the reply with all fields
  std::map<std::string, peer> peers_;
};

}  // namespace photofinish::gateway
