#include "racing/prefixes/prefix_codec.hpp"

#include "racing/statistics/byte_codec.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr file_kind prefix_file{"photofinish prefixes ", "photofinish prefixes 1\n", "prefixes"};
constexpr file_kind posted_prefixes{"photofinish prefix post ", "photofinish prefix post 1\n", "prefixes"};

constexpr std::uint64_t most_of_32_bits = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_life = 128 * 60;  // minutes

// Appends an entry. `time` is the time when the entry was last used, or the number of seconds since then.
void add_entry(byte_writer& into, const prefix_entry& entry, std::uint64_t time) {
  into.number(entry.prefix.hash.low);
  into.number(entry.prefix.hash.high);
  into.number(entry.prefix.tokens);
  into.number(entry.holder);
  into.number(entry.caller);
  into.number(time);
  into.number(static_cast<std::uint64_t>(entry.life.count()));
}

struct read_entry {
  prefix_entry entry;
  std::uint32_t time = 0;
};

read_entry entry_in(byte_reader& from) {
  read_entry its;
  its.entry.prefix.hash.low = from.number();
  its.entry.prefix.hash.high = from.number();
  its.entry.prefix.tokens = static_cast<std::uint32_t>(from.number(most_of_32_bits));
  its.entry.holder = static_cast<prefix_holder>(from.number(most_of_32_bits));
  its.entry.caller = static_cast<prefix_caller>(from.number(std::numeric_limits<prefix_caller>::max()));
  its.time = static_cast<std::uint32_t>(from.number(most_of_32_bits));
  its.entry.life = std::chrono::minutes(from.number(most_life));
  return its;
}

}  // namespace

std::string encode_prefixes(const kept_prefixes& kept) {
  byte_writer out;
  out.text(prefix_file.magic);
  for (const std::uint64_t word : kept.key) out.number(word);
  out.number(kept.entries.size());
  for (const prefix_entry& each : kept.entries) add_entry(out, each, each.used);
  return std::move(out).finish();
}

std::variant<kept_prefixes, std::string> decode_prefixes(std::string_view bytes, std::size_t most) {
  const file_body body = open_file(bytes, prefix_file);
  if (body.problem) return *body.problem;
  byte_reader from(body.bytes);
  kept_prefixes kept;
  for (std::uint64_t& word : kept.key) word = from.number();
  const std::uint64_t count = from.number();
  for (std::uint64_t each = 0; each < count && from.is_fine(); ++each) {
    auto [entry, used] = entry_in(from);
    entry.used = used;
    if (from.is_fine() && kept.entries.size() < most) kept.entries.push_back(entry);
  }
  if (!from.is_fine() || !from.is_at_end()) return std::string("is damaged: its size does not match its entries");
  return kept;
}

std::string encode_post(const prefix_post& post, prefix_seconds now) {
  byte_writer out;
  out.text(posted_prefixes.magic);
  out.number(post.number);
  out.number(post.batches.size());
  for (const std::vector<prefix_entry>& batch : post.batches) {
    out.number(batch.size());
    for (const prefix_entry& each : batch) add_entry(out, each, now - std::min(each.used, now));
  }
  return std::move(out).finish();
}

std::variant<prefix_post, std::string> decode_post(std::string_view bytes, prefix_seconds now) {
  const file_body body = open_file(bytes, posted_prefixes);
  if (body.problem) return *body.problem;
  byte_reader from(body.bytes);
  prefix_post post;
  post.number = from.number();
  post.batches.resize(from.number(most_batches));
  for (std::vector<prefix_entry>& batch : post.batches) {
    const std::uint64_t count = from.number(most_entries_of_batch);
    for (std::uint64_t each = 0; each < count && from.is_fine(); ++each) {
      auto [entry, age] = entry_in(from);
      entry.used = now - std::min(age, now);
      batch.push_back(entry);
    }
  }
  if (!from.is_fine() || !from.is_at_end()) return std::string("is damaged: its size does not match its entries");
  return post;
}

}  // namespace photofinish::racing
