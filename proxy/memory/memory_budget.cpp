#include "proxy/memory/memory_budget.hpp"

#include "proxy/json/keyed_hash.hpp"

#include <chrono>

namespace photofinish::proxy {
namespace {

// The time for which a caller counts as waiting after it was refused memory. The gateway asks the caller to retry after
// one second. Two more seconds allow for delays.
constexpr std::chrono::milliseconds waits_for{3'000};

std::int64_t milliseconds_of(instant now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

}  // namespace

memory_budget::account memory_budget::account_of(std::string_view caller_name) const {
  return static_cast<account>(keyed_hash(caller_name, {salt_, ~salt_}) % accounts);
}

bool memory_budget::fits(std::size_t mine, std::size_t all, memory_use use, bool has_rivals) const {
  const std::size_t sixteenth = limit() / 16, quarter = limit() / 4;
  const bool is_running = use == memory_use::running;
  if (mine <= quarter) return all <= limit() && all + mine <= sixteenth * (is_running ? 17 : 15);
  return !has_rivals && all <= sixteenth * (is_running ? 12 : 10);
}

bool memory_budget::take(account who, std::size_t bytes, memory_use use, instant now) {
  const std::size_t mine = held_[who].fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool has_rivals = has_waiting_rival(who, now);
  std::size_t before = used_.load(std::memory_order_relaxed);
  while (fits(mine, before + bytes, use, has_rivals))
    if (used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed)) return true;
  held_[who].fetch_sub(bytes, std::memory_order_relaxed);
  note_refusal(who, now);
  return false;
}

void memory_budget::give_back(account who, std::size_t bytes) {
  held_[who].fetch_sub(bytes, std::memory_order_relaxed);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

void memory_budget::move(std::size_t bytes, account from, account to) {
  held_[to].fetch_add(bytes, std::memory_order_relaxed);
  held_[from].fetch_sub(bytes, std::memory_order_relaxed);
}

bool memory_budget::must_yield(account who, instant now) const {
  return held_[who].load(std::memory_order_relaxed) > limit() / 4 && has_waiting_rival(who, now);
}

bool memory_budget::has_waiting_rival(account who, instant now) const {
  for (const refusal_note& each : waiting_) {
    const std::int64_t at = each.at_ms.load(std::memory_order_relaxed);
    const bool is_waiting = at != never && milliseconds_of(now) - at <= waits_for.count();
    if (is_waiting && each.who.load(std::memory_order_relaxed) != who) return true;
  }
  return false;
}

// Records which caller was refused memory. If two threads write at the same time, one of the records may be lost or
// mixed up. The next refusal corrects it.
void memory_budget::note_refusal(account who, instant now) {
  refusals_.fetch_add(1, std::memory_order_relaxed);
  refusal_note& last = waiting_[0];
  refusal_note& other = waiting_[1];
  const account last_who = last.who.load(std::memory_order_relaxed);
  if (last_who != who) {
    other.who.store(last_who, std::memory_order_relaxed);
    other.at_ms.store(last.at_ms.load(std::memory_order_relaxed), std::memory_order_relaxed);
    last.who.store(who, std::memory_order_relaxed);
  }
  last.at_ms.store(milliseconds_of(now), std::memory_order_relaxed);
}

}  // namespace photofinish::proxy
