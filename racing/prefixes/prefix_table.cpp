#include "racing/prefixes/prefix_table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <new>

namespace photofinish::racing {
namespace {

constexpr std::size_t caller_count = std::size_t{1} << 16;
constexpr std::uint32_t caller_bits = 0xffff, replica_bit = 0x10000;
constexpr int most_tries = 4;           // number of tries to read or write a slot while other threads write it
constexpr std::size_t sets_ahead = 12;  // number of sets that a lookup prefetches before it reads them

// Functions for all accesses to the numbers in the table. The table's memory is zero at first and consists of plain
// numbers, so an unused table occupies no physical memory. Writes use release and reads use acquire. Fences are not
// used, because the thread sanitizer does not support them.
template <class Number>
Number load_word(Number& from) {
  return std::atomic_ref(from).load(std::memory_order_acquire);
}
template <class Number>
void store_word(Number& into, Number value) {
  std::atomic_ref(into).store(value, std::memory_order_release);
}

// A 32-bit number for the last use of an entry. It has 28 bits for the time, in steps of two seconds, and 4 bits for
// the entry's lifetime. The time overflows after 17 years.
constexpr std::uint32_t time_bits = 0x0fffffff;
constexpr int life_shift = 28;
constexpr std::uint32_t seconds_of_step = 2;
constexpr std::array<std::uint16_t, 16> minutes_of_life{0,   1,   2,   5,   10,  15,   30,   60,
                                                        120, 240, 480, 720, 1440, 2880, 4320, 7200};
constexpr std::uint32_t tokens_of_unit = 64;

std::uint32_t use_of(prefix_seconds when, std::chrono::minutes life) {
  const auto longer = std::find_if(minutes_of_life.begin(), minutes_of_life.end(),
                                   [life](std::uint16_t each) { return each > life.count(); });
  const auto life_class = static_cast<std::uint32_t>(longer - minutes_of_life.begin() - 1);
  return life_class << life_shift | (when / seconds_of_step & time_bits);
}

std::chrono::minutes life_of(std::uint32_t use) { return std::chrono::minutes(minutes_of_life[use >> life_shift]); }

// Returns how long ago an entry was last used. If the clock was set back, so that the use seems to be in the future,
// returns 0.
std::chrono::seconds age_of(std::uint32_t use, prefix_seconds now) {
  const std::uint32_t steps = (now / seconds_of_step - use) & time_bits;
  return std::chrono::seconds(steps > time_bits / 2 ? 0 : steps * seconds_of_step);
}

bool is_alive(std::uint32_t use, prefix_seconds now) { return age_of(use, now) < life_of(use); }

bool is_none(const prefix_hash& hash) { return hash == prefix_hash{}; }

}  // namespace

struct prefix_table::slot {
  std::uint32_t version;  // the version grows with each change, and is odd while a thread writes the slot
  std::uint32_t owner;    // the caller's number, with a flag that marks entries from another gateway
  std::uint32_t holders[holders_of_prefix];
  std::uint32_t uses[holders_of_prefix];
  std::uint16_t units[holders_of_prefix];  // lengths of the prefixes in units of 64 tokens

  bool lock() {
    const std::atomic_ref its(version);
    std::uint32_t now = its.load(std::memory_order_relaxed);
    return now % 2 == 0 && its.compare_exchange_strong(now, now + 1, std::memory_order_acq_rel);
  }
  void unlock() { store_word(version, load_word(version) + 1); }

  // Calls `each` with a copy of each target that the slot contains. Before that, calls `is_expected` to check that the
  // copied slot is the right one. Returns false if it is not, or if another thread keeps writing the slot.
  template <class Expected, class Each>
  bool read_holders(const Expected& is_expected, const Each& each) {
    for (int tries = 0; tries < most_tries; ++tries) {
      const std::uint32_t before = load_word(version);
      if (before % 2 != 0) continue;
      std::array<std::uint32_t, holders_of_prefix> its_holders, its_uses;
      std::array<std::uint16_t, holders_of_prefix> its_units;
      for (std::size_t at = 0; at < holders_of_prefix; ++at) {
        its_holders[at] = load_word(holders[at]);
        its_uses[at] = load_word(uses[at]);
        its_units[at] = load_word(units[at]);
      }
      const bool is_same = is_expected();
      if (std::atomic_ref(version).load(std::memory_order_relaxed) != before) continue;
      if (!is_same) return false;
      for (std::size_t at = 0; at < holders_of_prefix; ++at)
        if (its_holders[at] != 0) each(its_holders[at], its_uses[at], its_units[at] * tokens_of_unit);
      return true;
    }
    return false;
  }

  // Stores a target with its prefix in the slot. If the slot is full, replaces the least recently used target. The slot
  // must be locked.
  void put(const prefix_entry& entry, prefix_seconds now) {
    std::size_t place = 0;
    for (std::size_t at = 0; at < holders_of_prefix; ++at) {
      if (holders[at] == entry.holder) {
        place = at;
        break;
      }
      const bool is_free = holders[at] == 0, is_older = age_of(uses[at], now) > age_of(uses[place], now);
      if (holders[place] != 0 && (is_free || is_older)) place = at;
    }
    std::uint32_t use = use_of(std::min(entry.used, now), entry.life);
    if (holders[place] == entry.holder && is_alive(uses[place], now)) use = longer_of(use, uses[place], now);
    store_word(holders[place], entry.holder);
    store_word(uses[place], use);
    const std::uint32_t tokens = entry.prefix.tokens / tokens_of_unit;
    store_word(units[place], static_cast<std::uint16_t>(std::clamp<std::uint32_t>(tokens, 1, 0xffff)));
  }

  // Combines two uses of an entry: takes the later time and the longer lifetime. If an earlier use is reported late,
  // the entry does not become older.
  static std::uint32_t longer_of(std::uint32_t one, std::uint32_t other, prefix_seconds now) {
    const std::uint32_t newest = age_of(one, now) <= age_of(other, now) ? one : other;
    const std::uint32_t life = std::max(one >> life_shift, other >> life_shift);
    return life << life_shift | (newest & time_bits);
  }
};

// A set of slots in the table. A lookup that finds no match reads only the first 64 bytes of the set.
struct prefix_table::set {
  std::uint64_t low[slots_of_set], high[slots_of_set];
  slot slots[slots_of_set];

  bool holds(std::size_t at, const prefix_hash& hash) {
    return load_word(low[at]) == hash.low && load_word(high[at]) == hash.high;
  }
  prefix_hash hash_of(std::size_t at) { return {load_word(low[at]), load_word(high[at])}; }
};

void prefix_table::freer::operator()(void* memory) const { std::free(memory); }

prefix_table::prefix_table(std::size_t slots) : sets_((slots + slots_of_set - 1) / slots_of_set) {
  static_assert(sizeof(set) == 64 * slots_of_set && sizeof(slot) == 48);
  if (sets_ == 0) return;
  constexpr std::size_t line = 64;
  memory_.reset(std::calloc(sets_ + 1, sizeof(set)));
  held_.reset(static_cast<std::uint32_t*>(std::calloc(caller_count, sizeof(std::uint32_t))));
  if (!memory_ || !held_) throw std::bad_alloc();
  void* begin = memory_.get();
  std::size_t space = (sets_ + 1) * sizeof(set);
  first_ = static_cast<set*>(std::align(line, sets_ * sizeof(set), begin, space));
}

prefix_table::~prefix_table() = default;

prefix_table::set& prefix_table::set_of(const prefix_hash& hash) const {
  return first_[(hash.low >> 32) * sets_ >> 32];
}

bool prefix_table::may_replace(std::uint32_t owner, const prefix_entry& entry, source by) const {
  if (by == source::replica && (owner & replica_bit) == 0) return false;
  const std::uint32_t other = owner & caller_bits;
  return other == entry.caller || held_by(static_cast<prefix_caller>(other)) > held_by(entry.caller);
}

// Returns the slot of the prefix if it is in this set. Otherwise returns an empty slot, or the best slot to replace.
// Returns slots_of_set if no slot may be replaced.
std::size_t prefix_table::place_in(set& from, const prefix_entry& entry, prefix_seconds now, source by) const {
  std::size_t empty = slots_of_set, expired = slots_of_set, oldest = slots_of_set;
  std::chrono::seconds most{-1};
  for (std::size_t at = 0; at < slots_of_set; ++at) {
    const prefix_hash hash = from.hash_of(at);
    if (hash == entry.prefix.hash) return at;
    if (is_none(hash)) empty = at;
    bool lives = false;
    std::chrono::seconds age{time_bits};
    const bool is_read = from.slots[at].read_holders([] { return true; }, [&](prefix_holder, std::uint32_t use, auto) {
      lives = lives || is_alive(use, now);
      age = std::min(age, age_of(use, now));
    });
    if (!is_read) continue;
    if (!lives) expired = at;
    else if (age > most && may_replace(load_word(from.slots[at].owner), entry, by)) most = age, oldest = at;
  }
  return empty != slots_of_set ? empty : expired != slots_of_set ? expired : oldest;
}

// Assigns the slot to another caller, and updates the number of slots of both callers. The slot must be locked.
void prefix_table::change_owner(slot& its, const prefix_hash& before, const prefix_hash& after, std::uint32_t owner) {
  const auto held = [this](std::uint32_t of) { return std::atomic_ref(held_.get()[of & caller_bits]); };
  if (!is_none(before)) held(its.owner).fetch_sub(1, std::memory_order_relaxed);
  if (!is_none(after)) held(owner).fetch_add(1, std::memory_order_relaxed);
  if (is_none(before) && !is_none(after)) size_.fetch_add(1, std::memory_order_relaxed);
  if (!is_none(before) && is_none(after)) size_.fetch_sub(1, std::memory_order_relaxed);
  store_word(its.owner, owner);
  if (before == after) return;
  for (std::uint32_t& each : its.holders) store_word(each, std::uint32_t{0});
}

prefix_table::outcome prefix_table::try_note(const prefix_entry& entry, prefix_seconds now, source from) {
  set& its = set_of(entry.prefix.hash);
  const std::size_t at = place_in(its, entry, now, from);
  if (at == slots_of_set) return outcome::no_place;
  const prefix_hash before = its.hash_of(at);
  slot& place = its.slots[at];
  if (!place.lock()) return outcome::busy;
  const bool is_same = its.holds(at, before);
  const bool is_mine = before == entry.prefix.hash;
  if (is_same) {
    const bool is_now_here = from == source::here && (place.owner & replica_bit) != 0;
    if (!is_mine || is_now_here)
      change_owner(place, before, entry.prefix.hash, entry.caller | (from == source::replica ? replica_bit : 0));
    store_word(its.low[at], entry.prefix.hash.low);
    store_word(its.high[at], entry.prefix.hash.high);
    place.put(entry, now);
  }
  place.unlock();
  return is_same ? outcome::written : outcome::busy;
}

bool prefix_table::note(const prefix_entry& entry, prefix_seconds now, source from) {
  const bool is_kept = entry.holder != 0 && entry.prefix.tokens > 0 && entry.life.count() > 0;
  if (sets_ == 0 || !is_kept || is_none(entry.prefix.hash)) return true;
  outcome done = outcome::busy;
  for (int tries = 0; tries < most_tries && done == outcome::busy; ++tries) done = try_note(entry, now, from);
  if (done != outcome::written) dropped_.fetch_add(1, std::memory_order_relaxed);
  return done == outcome::written;
}

void prefix_table::find(std::span<const prefix_boundary> chain, std::span<const prefix_holder> asked,
                        prefix_seconds now, std::span<prefix_finding> findings) const {
  assert(findings.size() >= asked.size());
  std::fill_n(findings.begin(), asked.size(), prefix_finding{});
  if (sets_ == 0 || chain.empty()) return;
  std::size_t open = asked.size();
  const auto look_at = [&](const prefix_boundary& boundary) {
    set& its = set_of(boundary.hash);
    for (std::size_t at = 0; at < slots_of_set; ++at) {
      if (!its.holds(at, boundary.hash)) continue;
      const auto take = [&](prefix_holder holder, std::uint32_t use, std::uint32_t tokens) {
        const held_prefix match{std::max(boundary.tokens, tokens), age_of(use, now), life_of(use)};
        for (std::size_t each = 0; each < asked.size(); ++each) {
          if (asked[each] != holder || findings[each].warm.is_found()) continue;
          if (match.age < match.life) findings[each].warm = match, --open;
          else if (!findings[each].expired.is_found()) findings[each].expired = match;
        }
      };
      its.slots[at].read_holders([&] { return its.holds(at, boundary.hash); }, take);
    }
  };
  const std::size_t last = chain.size(), first = std::max<std::size_t>(1, last - std::min(last, boundaries_tried));
  __builtin_prefetch(&set_of(chain.front().hash));
  for (std::size_t at = last; at > first && at + sets_ahead > last; --at)
    __builtin_prefetch(&set_of(chain[at - 1].hash));
  for (std::size_t at = last; at > first && open > 0; --at) {
    if (at > first + sets_ahead) __builtin_prefetch(&set_of(chain[at - 1 - sets_ahead].hash));
    look_at(chain[at - 1]);
  }
  if (open > 0) look_at(chain.front());
}

std::vector<prefix_entry> prefix_table::entries(prefix_seconds now) const {
  std::vector<prefix_entry> all;
  for (std::size_t number = 0; number < capacity(); ++number) {
    set& its = first_[number / slots_of_set];
    const std::size_t at = number % slots_of_set;
    const prefix_hash hash = its.hash_of(at);
    if (is_none(hash)) continue;
    const auto caller = static_cast<prefix_caller>(load_word(its.slots[at].owner) & caller_bits);
    its.slots[at].read_holders([&] { return its.holds(at, hash); },
                               [&](prefix_holder holder, std::uint32_t use, std::uint32_t tokens) {
      if (!is_alive(use, now)) return;
      const auto age = static_cast<prefix_seconds>(age_of(use, now).count());
      all.push_back({{hash, tokens}, holder, caller, now - std::min(age, now), life_of(use)});
    });
  }
  return all;
}

void prefix_table::clear() {
  for (std::size_t number = 0; number < capacity(); ++number) {
    set& its = first_[number / slots_of_set];
    const std::size_t at = number % slots_of_set;
    slot& place = its.slots[at];
    if (is_none(its.hash_of(at)) || !place.lock()) continue;
    change_owner(place, its.hash_of(at), {}, 0);
    store_word(its.low[at], std::uint64_t{0});
    store_word(its.high[at], std::uint64_t{0});
    place.unlock();
  }
}

std::size_t prefix_table::held_by(prefix_caller caller) const {
  return held_ ? std::atomic_ref(held_.get()[caller]).load(std::memory_order_relaxed) : 0;
}

}  // namespace photofinish::racing
