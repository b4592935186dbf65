// Stores which prefixes of conversations are in which prompt cache, using only keyed hashes (docs/decisions/0085).
// [pure] A process has one table. Any thread may use it without locks: a reader that finds a slot during a write
// retries, then reports a miss.
#pragma once

#include "proxy/json/keyed_stream.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace photofinish::racing {

using prefix_hash = proxy::wide_hash;
using prefix_seconds = std::uint32_t;  // seconds since 1970 by the wall clock, because entries outlive the process
using prefix_holder = std::uint32_t;   // number of a target together with one credential; 0 if there is none
using prefix_caller = std::uint16_t;   // number of the caller for whom an entry is counted

// A position in a request at which a prefix ends. A chain of boundaries begins with the root: the part before all
// messages.
struct prefix_boundary {
  prefix_hash hash;
  std::uint32_t tokens = 0;  // estimated number of tokens in the prefix
};

// A prefix that a target has in its cache.
struct prefix_entry {
  prefix_boundary prefix;
  prefix_holder holder = 0;
  prefix_caller caller = 0;
  prefix_seconds used = 0;
  // The life of the entry after its last use. It is rounded down to one of 15 classes, which go up to five days.
  std::chrono::minutes life{0};
};

struct held_prefix {
  std::uint32_t tokens = 0;  // 0: none
  std::chrono::seconds age{0}, life{0};

  bool is_found() const { return tokens > 0; }
};

// The longest prefix that the holder should still have in its cache, and a longer prefix whose life has ended.
struct prefix_finding {
  held_prefix warm, expired;
};

class prefix_table {
 public:
  // The number of boundaries at the end of a chain that a look-up tries, in addition to the root.
  static constexpr std::size_t boundaries_tried = 64;
  static constexpr std::size_t holders_of_prefix = 4;
  static constexpr std::size_t slots_of_set = 4;

  enum class source : std::uint8_t { here, replica };

  // Reserves 64 bytes for each slot. The slots use no memory until they are written. With 0 slots the table stores
  // nothing.
  explicit prefix_table(std::size_t slots);
  ~prefix_table();
  prefix_table(const prefix_table&) = delete;
  prefix_table& operator=(const prefix_table&) = delete;

  // Stores or renews the entry. In a full set it replaces an expired slot, otherwise the least recently used slot of
  // the same caller or of a caller with more slots. An entry from a replica never replaces a slot that this gateway
  // wrote. Returns false if the entry was dropped.
  bool note(const prefix_entry& entry, prefix_seconds now, source from = source::here);

  // Finds the cached prefixes for each holder in the list `asked`. `chain` begins with the root.
  void find(std::span<const prefix_boundary> chain, std::span<const prefix_holder> asked, prefix_seconds now,
            std::span<prefix_finding> findings) const;

  // Returns all entries that have not expired.
  std::vector<prefix_entry> entries(prefix_seconds now) const;
  void clear();

  std::size_t capacity() const { return sets_ * slots_of_set; }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }  // number of slots in use
  // The number of entries that were dropped since the start because no slot was free.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  std::size_t held_by(prefix_caller caller) const;

 private:
  struct set;
  struct slot;
  struct freer {
    void operator()(void* memory) const;
  };
  enum class outcome : std::uint8_t { written, no_place, busy };

  set& set_of(const prefix_hash& hash) const;
  outcome try_note(const prefix_entry& entry, prefix_seconds now, source from);
  std::size_t place_in(set& from, const prefix_entry& entry, prefix_seconds now, source by) const;
  bool may_replace(std::uint32_t owner, const prefix_entry& entry, source by) const;
  void change_owner(slot& its, const prefix_hash& before, const prefix_hash& after, std::uint32_t owner);

  std::size_t sets_;
  std::unique_ptr<void, freer> memory_;
  set* first_ = nullptr;
  std::unique_ptr<std::uint32_t, freer> held_;  // number of slots per caller
  std::atomic<std::size_t> size_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace photofinish::racing
