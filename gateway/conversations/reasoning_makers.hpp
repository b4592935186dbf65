// Stores which target made a piece of reasoning that only its provider can read, and which provider rejected the piece.
// Any thread may use it. The reasoning itself is not stored, only a keyed hash. Only the caller that received the piece
// can find the entry.
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
  std::uint64_t account = 0;  // a hash of the provider's base URL and key; 0 if unknown

  bool operator==(const reasoning_maker&) const = default;
};

// The limits for entries about reasoning. An entry needs about 350 bytes. By the time a conversation continues on the
// next day, its entries have expired.
inline constexpr item_store_limits maker_limits{
    .bytes = 16u << 20, .share = 64, .items = 50'000, .longest = 512, .lifetime = std::chrono::hours(24)};

class reasoning_makers {
 public:
  // `salt` must be secret, so that callers cannot construct texts with equal hashes. Entries count in `memory`.
  reasoning_makers(proxy::memory_budget& memory, std::uint64_t salt, item_store_limits limits = maker_limits);

  // Returns an id for the text. Equal texts have equal ids. Only the length and both ends of the text are hashed, so
  // that long texts take no more time.
  std::uint64_t id_of(std::string_view opaque) const;
  // Returns a number for an account. Two configured providers have the same account if their base URL and their key are
  // equal.
  std::uint64_t account_of(const proxy::base_url& place, const proxy::secret& key) const;

  // Stores which target made a text. If different targets made the same text, later look-ups return no target for it.
  void note(const digest& owner, proxy::memory_budget::account account, std::uint64_t id,
            const reasoning_maker& made_by, proxy::instant now);
  std::optional<reasoning_maker> find(const digest& owner, std::uint64_t id, proxy::instant now);

  // Stores that a provider has rejected a text. `provider` is its name in the configuration.
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
