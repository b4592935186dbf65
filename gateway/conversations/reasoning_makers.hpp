// Remembers which target made a piece of reasoning that only its provider can read, and which provider rejected it. Any
// thread may use it. The reasoning itself is not stored: a keyed hash identifies a piece, and only the caller that
// received the piece can find it.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "gateway/config/config.hpp"
#include "gateway/conversations/item_store.hpp"
#include "proxy/failures/secret.hpp"
#include "proxy/json/keyed_hash.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_budget.hpp"
#include "proxy/providers/base_url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

struct reasoning_maker {
  target_name target;
  std::uint64_t account = 0;  // hash of the provider's base URL and key; 0 if it is unknown

  bool operator==(const reasoning_maker&) const = default;
};

// The limits of the memory for makers. An entry needs some 350 bytes. If a conversation continues after a night, the
// makers of its reasoning are no longer stored.
inline constexpr item_store_limits maker_limits{
    .bytes = 16u << 20, .share = 64, .items = 50'000, .longest = 512, .lifetime = std::chrono::hours(24)};

class reasoning_makers {
 public:
  // The secret `salt` prevents callers from making texts with equal hashes. Entries count in `memory`.
  reasoning_makers(proxy::memory_budget& memory, std::uint64_t salt, item_store_limits limits = maker_limits);

  // Returns the same id for the same text. Only the length of the text and its ends are hashed, so a long text takes no
  // more time.
  std::uint64_t id_of(std::string_view opaque) const;
  // Returns the number of an account. Two providers of the configuration may be the same account: the same key at the
  // same base URL.
  std::uint64_t account_of(const proxy::base_url& place, const proxy::secret& key) const;

  // Stores the maker of a text. If another target made the same text before, no maker is returned for the text from
  // then on.
  void note(const digest& owner, proxy::memory_budget::account account, std::uint64_t id,
            const reasoning_maker& made_by, proxy::instant now);
  std::optional<reasoning_maker> find(const digest& owner, std::uint64_t id, proxy::instant now);

  // Stores that a provider rejected a text. `provider` is the provider's name in the configuration.
  void note_refusal(const digest& owner, proxy::memory_budget::account account, std::uint64_t id,
                    std::string_view provider, proxy::instant now);
  bool is_refused(const digest& owner, std::uint64_t id, std::string_view provider, proxy::instant now);

  bool is_empty() const { return kept_.is_empty(); }  // without a lock
  std::size_t size() const { return kept_.size(); }

 private:
  const proxy::hash_key key_;
  item_store kept_;
};

}  // namespace photofinish::gateway
