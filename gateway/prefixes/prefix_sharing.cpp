#include "gateway/prefixes/prefix_sharing.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

constexpr std::size_t digits_of_word = 16;
constexpr std::size_t longest_run = 64;
constexpr const char* life_of_posts = "60";  // the store keeps a gateway's entries for 60 seconds

std::string hex_of(const proxy::hash_key& key) {
  std::string text;
  for (const std::uint64_t word : key) {
    char digits[digits_of_word + 1];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(word));
    text += digits;
  }
  return text;
}

std::optional<proxy::hash_key> key_in(std::string_view hex) {
  proxy::hash_key key{};
  if (hex.size() != key.size() * digits_of_word) return std::nullopt;
  for (std::size_t at = 0; at < key.size(); ++at) {
    const std::string_view digits = hex.substr(at * digits_of_word, digits_of_word);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), key[at], 16);
    if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  }
  return key;
}

}  // namespace

std::vector<store_command> prefix_sharing::round(const proxy::hash_key& key, std::vector<racing::prefix_entry> written,
                                                 racing::prefix_seconds now) {
  if (written.size() > racing::most_entries_of_batch) written.resize(racing::most_entries_of_batch);
  post_.batches.push_back(std::move(written));
  if (post_.batches.size() > racing::most_batches) post_.batches.erase(post_.batches.begin());
  ++post_.number;
  const bool is_empty = std::all_of(post_.batches.begin(), post_.batches.end(),
                                    [](const auto& batch) { return batch.empty(); });
  std::vector<store_command> all{{"SET", key_name(), hex_of(key), "NX"}, {"GET", key_name()}};
  if (!is_empty || !is_posted_empty_) {
    all.push_back({"HSET", posts(), run_, racing::encode_post(post_, now)});
    all.push_back({"EXPIRE", posts(), life_of_posts});
  }
  is_posted_empty_ = is_empty;
  list_at_ = all.size();
  all.push_back({"HGETALL", posts()});
  for (const auto& [gateway, its] : peers_)
    if (its.silent == silent_rounds) all.push_back({"HDEL", posts(), gateway});
  return all;
}

prefix_sharing::news prefix_sharing::heard(const std::vector<store_reply>& said, racing::prefix_seconds now) {
  news all;
  if (said.size() <= list_at_) return all;
  if (said[1].kind == reply_kind::text) all.key = key_in(said[1].text);
  const store_reply& posts = said[list_at_];
  if (!all.key || posts.kind != reply_kind::list) return ++all.refused, all;
  for (auto& [gateway, its] : peers_) ++its.silent;
  std::erase_if(peers_, [](const auto& each) { return each.second.silent > 2 * silent_rounds; });
  for (std::size_t at = 0; at + 1 < posts.list.size(); at += 2) {
    const std::string& gateway = posts.list[at].text;
    if (gateway == run_) continue;
    if (gateway.empty() || gateway.size() > longest_run) ++all.refused;
    else take_post(gateway, posts.list[at + 1].text, now, all);
  }
  return all;
}

void prefix_sharing::take_post(const std::string& gateway, const std::string& bytes, racing::prefix_seconds now,
                               news& into) {
  const auto known = peers_.find(gateway);
  const bool has_room = known != peers_.end() || peers_.size() < most_gateways;
  if (bytes.size() > longest_post || !has_room) return void(++into.refused);
  auto decoded = racing::decode_post(bytes, now);
  auto* post = std::get_if<racing::prefix_post>(&decoded);
  if (post == nullptr || post->number < post->batches.size()) return void(++into.refused);
  const std::uint64_t before = post->number - post->batches.size();
  if (known == peers_.end()) return void(peers_[gateway] = {before, post->number});
  peer& its = known->second;
  if (its.last == post->number) return;
  for (std::size_t at = 0; at < post->batches.size(); ++at) {
    const auto& batch = post->batches[at];
    if (before + at < its.read || into.entries.size() + batch.size() > most_heard) continue;
    into.entries.insert(into.entries.end(), batch.begin(), batch.end());
  }
  its = {post->number, post->number};
}

std::vector<store_command> prefix_sharing::leave() const { return {{"HDEL", posts(), run_}}; }

}  // namespace photofinish::gateway
