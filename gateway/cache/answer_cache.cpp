#include "gateway/cache/answer_cache.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// The memory of an entry in addition to the bytes of its answer: map nodes, list nodes, the digests.
constexpr std::size_t entry_bytes = 512;

// The maximum number of expired entries that one look-up removes. Removing more would make the look-up slow.
constexpr int most_at_once = 64;

}  // namespace

std::optional<answer_cache::found> answer_cache::find(const digest& question,
                                                      std::optional<std::chrono::seconds> most, proxy::instant now) {
  gone freed;
  const std::scoped_lock lock(guard_);
  const auto known = by_question_.find(question);
  if (known == by_question_.end()) return std::nullopt;
  const entry& each = *known->second;
  if (each.expires_at <= now) {
    drop_expired(*each.of, now, freed);
    return std::nullopt;
  }
  const auto age = std::chrono::floor<std::chrono::seconds>(now - each.stored_at);
  if (most && now - each.stored_at > *most) return std::nullopt;
  return found{each.answer, age};
}

void answer_cache::keep(const digest& question, const kept_by& by, std::shared_ptr<recorded_answer> answer,
                        proxy::instant now) {
  if (by.limits.ttl.count() == 0) return;
  const std::size_t bytes = answer->bytes() + entry_bytes;
  answer->charge(memory_.account_of("cached answers"));
  // Declared before the lock, so that an answer that is not stored is freed after the lock is released.
  gone freed{answer};
  const std::scoped_lock lock(guard_);
  pool& in = pools_.try_emplace(std::string(by.route)).first->second;
  drop_expired(in, now, freed);
  if (const auto before = by_question_.find(question); before != by_question_.end()) drop(before->second, freed);
  if (!make_room(in, by, bytes, freed)) return;
  // All allocations come before the first change. If an allocation fails, the entry is in none of the lists.
  entries made;
  made.push_back({question, by.owner, std::move(answer), bytes, now, now + by.limits.ttl, &in, {}});
  std::list<entry*> place{&made.front()};
  std::map<digest, entries::iterator> known;
  known.emplace(question, made.begin());
  owned& its = in.owners[by.owner];
  made.front().place = place.begin();
  its.oldest_first.splice(its.oldest_first.end(), place);
  in.oldest_first.splice(in.oldest_first.end(), made);
  by_question_.merge(known);
  its.bytes += bytes, in.bytes += bytes, bytes_ += bytes;
}

bool answer_cache::make_room(pool& in, const kept_by& by, std::size_t bytes, gone& into) {
  const std::size_t most = memory_.limit() / share_of_memory;
  if (bytes > most || bytes > by.limits.max_bytes) return false;
  const auto is_full = [&] {
    return in.bytes + bytes > by.limits.max_bytes || in.oldest_first.size() >= by.limits.max_entries;
  };
  while (is_full()) {
    const auto its = in.owners.find(by.owner);
    const bool has_half = its != in.owners.end() && (its->second.bytes >= by.limits.max_bytes / 2 ||
                                                     its->second.oldest_first.size() >= by.limits.max_entries / 2);
    if (has_half && !its->second.oldest_first.empty())
      drop(by_question_.at(its->second.oldest_first.front()->question), into);
    else drop(in.oldest_first.begin(), into);
  }
  while (bytes_ + bytes > most) drop(fullest().oldest_first.begin(), into);
  return true;
}

answer_cache::pool& answer_cache::fullest() {
  const auto has_less = [](const auto& one, const auto& other) { return one.second.bytes < other.second.bytes; };
  return std::max_element(pools_.begin(), pools_.end(), has_less)->second;
}

void answer_cache::drop(entries::iterator which, gone& into) {
  into.push_back(which->answer);  // push_back() must come first, because it may throw
  pool& of = *which->of;
  const auto its = of.owners.find(which->owner);
  its->second.oldest_first.erase(which->place);
  its->second.bytes -= which->bytes, of.bytes -= which->bytes, bytes_ -= which->bytes;
  if (its->second.oldest_first.empty()) of.owners.erase(its);
  by_question_.erase(which->question);
  of.oldest_first.erase(which);
}

// Removes the oldest entries first. After a reload has changed the ttl, an expired entry stays until it is looked up or
// its memory is needed.
void answer_cache::drop_expired(pool& of, proxy::instant now, gone& into) {
  for (int left = most_at_once; left > 0 && !of.oldest_first.empty(); --left) {
    if (of.oldest_first.front().expires_at > now) return;
    drop(of.oldest_first.begin(), into);
  }
}

void answer_cache::drop_expired(proxy::instant now) {
  gone freed;
  const std::scoped_lock lock(guard_);
  for (auto& [route, each] : pools_) drop_expired(each, now, freed);
  std::erase_if(pools_, [](const auto& each) { return each.second.oldest_first.empty(); });
}

std::size_t answer_cache::bytes() const {
  const std::scoped_lock lock(guard_);
  return bytes_;
}

std::size_t answer_cache::size() const {
  const std::scoped_lock lock(guard_);
  return by_question_.size();
}

bool answer_cache::lead(const digest& race, const std::shared_ptr<recorded_answer>& answer) {
  const std::scoped_lock lock(flights_guard_);
  return flights_.emplace(race, answer).second;
}

std::unique_ptr<answer_reader> answer_cache::follow(const digest& race,
                                                    const boost::asio::any_io_executor& of_reader) {
  const std::scoped_lock lock(flights_guard_);
  const auto known = flights_.find(race);
  if (known == flights_.end()) return nullptr;
  auto reader = recorded_answer::read(known->second, of_reader);
  if (!reader) flights_.erase(known);  // from now on, no more readers can join this answer
  return reader;
}

void answer_cache::landed(const digest& race, const recorded_answer* answer) {
  const std::scoped_lock lock(flights_guard_);
  const auto known = flights_.find(race);
  if (known != flights_.end() && known->second.get() == answer) flights_.erase(known);
}

led_answer::led_answer(answer_cache& cache, const digest& race, std::shared_ptr<recorded_answer> answer)
    : cache_(cache),
      race_(race),
      answer_(std::move(answer)),
      unled_(overloaded(metrics::overload_reason::shared_answer,
                        "this request waited for the answer to an equal request, but that request ended without an "
                        "answer: repeat this request")),
      leads_(cache.lead(race, answer_)) {}

led_answer::~led_answer() {
  if (!leads_) return;
  cache_.landed(race_, answer_.get());
  if (!answer_->abandon_unless_read()) answer_->fail(std::move(unled_));
}

}  // namespace photofinish::gateway
