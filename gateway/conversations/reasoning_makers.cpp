#include "gateway/conversations/reasoning_makers.hpp"

#include <charconv>
#include <cstring>
#include <string>

namespace photofinish::gateway {
namespace {

// The number of bytes that are hashed at each end of an encrypted text. Such texts begin with a version and a random
// part, and end with an authentication tag.
constexpr std::size_t hashed_at_each_end = 256;

// The salt and this constant together give the second half of the hash key. The constant need not be secret, because
// the salt is secret.
constexpr std::uint64_t second_half = 0x9e3779b97f4a7c15ull;

std::string key_of_piece(std::uint64_t id) {
  std::string key(sizeof id, '\0');
  std::memcpy(key.data(), &id, sizeof id);
  return key;
}

// The value that is stored if several targets made the same text. Some servers put the same constant text into every
// answer. Such a text does not show which target made it.
constexpr std::string_view made_by_several;

// Writes a target as "ACCOUNT PROVIDER/MODEL".
std::string to_text(const reasoning_maker& each) { return std::to_string(each.account) + " " + each.target.text(); }

std::optional<reasoning_maker> read_maker(std::string_view text) {
  const std::size_t space = text.find(' '), slash = text.find('/');
  if (space == std::string_view::npos || slash == std::string_view::npos || slash < space) return std::nullopt;
  reasoning_maker read;
  std::from_chars(text.data(), text.data() + space, read.account);
  read.target = {std::string(text.substr(space + 1, slash - space - 1)), std::string(text.substr(slash + 1))};
  return read;
}

}  // namespace

reasoning_makers::reasoning_makers(proxy::memory_budget& memory, std::uint64_t salt, item_store_limits limits)
    : key_{salt, salt ^ second_half}, kept_(memory, limits) {}

std::uint64_t reasoning_makers::id_of(std::string_view opaque) const {
  if (opaque.size() <= 2 * hashed_at_each_end) return proxy::keyed_hash(opaque, key_);
  std::string ends(opaque.substr(0, hashed_at_each_end));
  ends.append(opaque.substr(opaque.size() - hashed_at_each_end)).append(std::to_string(opaque.size()));
  return proxy::keyed_hash(ends, key_);
}

std::uint64_t reasoning_makers::account_of(const proxy::base_url& place, const proxy::secret& key) const {
  if (key.empty()) return 0;
  return proxy::keyed_hash(place.host + ":" + std::to_string(place.port) + " " + key.reveal(), key_);
}

void reasoning_makers::note(const digest& owner, proxy::memory_budget::account account, std::uint64_t id,
                            const reasoning_maker& made_by, proxy::instant now) {
  const std::string key = key_of_piece(id), text = to_text(made_by);
  const auto before = kept_.find(owner, key, now);
  const bool is_its_own = !before || *before == text;
  kept_.put(owner, account, key, is_its_own ? std::string_view(text) : made_by_several, now);
}

std::optional<reasoning_maker> reasoning_makers::find(const digest& owner, std::uint64_t id, proxy::instant now) {
  const auto kept = kept_.find(owner, key_of_piece(id), now);
  return kept ? read_maker(*kept) : std::nullopt;
}

void reasoning_makers::note_refusal(const digest& owner, proxy::memory_budget::account account, std::uint64_t id,
                                    std::string_view provider, proxy::instant now) {
  kept_.put(owner, account, key_of_piece(id).append(provider), {}, now);
}

bool reasoning_makers::is_refused(const digest& owner, std::uint64_t id, std::string_view provider,
                                  proxy::instant now) {
  return kept_.find(owner, key_of_piece(id).append(provider), now).has_value();
}

}  // namespace photofinish::gateway
