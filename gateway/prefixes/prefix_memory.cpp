#include "gateway/prefixes/prefix_memory.hpp"

#include "proxy/json/keyed_hash.hpp"
#include "racing/prefixes/prefix_codec.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

namespace photofinish::gateway {

using racing::prefix_entry;

prefix_memory::prefix_memory(std::size_t slots, const proxy::hash_key& key) : table_(slots), key_{key[0], key[1]} {}

// Reads the key. If another thread changes the key during the read, the result matches no entry, so that look-ups find
// nothing.
proxy::hash_key prefix_memory::key() const {
  return {key_[0].load(std::memory_order_relaxed), key_[1].load(std::memory_order_relaxed)};
}

racing::prefix_holder prefix_memory::holder_of(std::string_view target, std::string_view credential) const {
  return std::max<racing::prefix_holder>(static_cast<racing::prefix_holder>(print_of(target, credential)), 1);
}

racing::prefix_caller prefix_memory::caller_of(std::string_view caller) const {
  return static_cast<racing::prefix_caller>(proxy::keyed_hash(caller, key()));
}

std::uint64_t prefix_memory::scope_of(std::string_view route, std::string_view provider_keys) const {
  return print_of(route, provider_keys);
}

std::uint64_t prefix_memory::print_of(std::string_view name, std::string_view secret) const {
  std::string both(name);
  both.push_back('\0');
  both.append(secret);
  return proxy::keyed_hash(both, key());
}

void prefix_memory::note(const prefix_entry& entry, racing::prefix_seconds now) {
  if (entry.holder == 0) return;
  table_.note(entry, now);
  if (is_shared_.load(std::memory_order_relaxed)) written_.push(entry);
}

void prefix_memory::adopt(const proxy::hash_key& key) {
  if (key == this->key()) return;
  for (std::size_t word = 0; word < key.size(); ++word) key_[word].store(key[word], std::memory_order_relaxed);
  table_.clear();
  while (written_.pop()) {}
}

std::string prefix_memory::saved(racing::prefix_seconds now) const {
  return racing::encode_prefixes({key(), table_.entries(now)});
}

std::string prefix_memory::restore(std::string_view file, racing::prefix_seconds now) {
  auto decoded = racing::decode_prefixes(file, table_.capacity() * racing::prefix_table::holders_of_prefix);
  if (auto* problem = std::get_if<std::string>(&decoded)) return std::move(*problem);
  const auto& kept = std::get<racing::kept_prefixes>(decoded);
  adopt(kept.key);
  for (const prefix_entry& each : kept.entries) table_.note(each, now);
  return {};
}

std::vector<prefix_entry> prefix_memory::take_written(std::size_t most) {
  std::vector<prefix_entry> all;
  while (auto entry = written_.pop()) all.push_back(*entry);
  const auto place = [](const prefix_entry& each) {
    return std::tuple(each.prefix.hash.low, each.prefix.hash.high, each.holder);
  };
  // Reverses the order of the entries, because only the first of several equal entries is kept. The newest entry must
  // therefore come first.
  std::reverse(all.begin(), all.end());
  const auto is_before = [&](const auto& one, const auto& other) { return place(one) < place(other); };
  std::stable_sort(all.begin(), all.end(), is_before);
  const auto is_same = [&](const auto& one, const auto& other) { return place(one) == place(other); };
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.used > other.used; });
  if (all.size() > most) all.resize(most);
  return all;
}

void prefix_memory::note_of_replica(const prefix_entry& entry, racing::prefix_seconds now) {
  table_.note(entry, now, racing::prefix_table::source::replica);
}

}  // namespace photofinish::gateway
