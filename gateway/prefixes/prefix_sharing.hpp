// Shares the cached prefixes between gateways through a store. The store contains only keyed hashes, and their secret
// key. [pure] Each gateway has a field in the store with its last two batches of entries, which it replaces once per
// second. It reads the fields of the other gateways. The numbers of the batches show which batches are new without a
// comparison of clocks. A field is read only after it has changed, because the field of a stopped gateway stays in the
// store. The bytes in a store are untrusted: number, size, times and lives are limited, and a wrong entry only causes a
// wrong prediction.
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
  static constexpr std::size_t longest_post = 40u << 10;  // size limit of one gateway's field, in bytes
  // The largest number of gateways. The fields of more gateways do not fit into one answer of the store.
  static constexpr std::size_t most_gateways = 100;
  static constexpr std::size_t most_heard = 20'000;       // limit of entries that are read per round, from all gateways
  static constexpr int silent_rounds = 120;  // rounds after which the field of a silent gateway is removed

  // `run` is this gateway's name in the store. All names in the store begin with `prefix`.
  prefix_sharing(std::string run, std::string prefix) : run_(std::move(run)), prefix_(std::move(prefix)) {}

  // Returns the store commands of a round. `key` is stored if the store has no key. The entries `written` are sent in
  // this round and in the next round.
  std::vector<store_command> round(const proxy::hash_key& key, std::vector<racing::prefix_entry> written,
                                   racing::prefix_seconds now);

  struct news {
    // The common key of all gateways, with which the entries were hashed. Empty if the store has not sent the key.
    std::optional<proxy::hash_key> key;
    std::vector<racing::prefix_entry> entries;  // entries that other gateways have written
    std::uint64_t refused = 0;                  // number of fields and keys that were rejected
  };
  // Reads `said`, the replies to the last round's commands.
  news heard(const std::vector<store_reply>& said, racing::prefix_seconds now);

  // Returns the commands that remove this gateway's entries from the store.
  std::vector<store_command> leave() const;

 private:
  struct peer {
    std::uint64_t read = 0;  // number of the last batch that this gateway has read from the other gateway
    std::uint64_t last = 0;  // number of the newest batch in the other gateway's field
    int silent = 0;          // number of rounds in which the other gateway sent no new batch
  };

  std::string posts() const { return prefix_ + ":stats:prefixes"; }
  std::string key_name() const { return prefix_ + ":stats:prefixes:key"; }
  void take_post(const std::string& gateway, const std::string& bytes, racing::prefix_seconds now, news& into);

  std::string run_, prefix_;
  racing::prefix_post post_;
  bool is_posted_empty_ = true;
  std::size_t list_at_ = 0;  // index of the reply that lists all fields
  std::map<std::string, peer> peers_;
};

}  // namespace photofinish::gateway
