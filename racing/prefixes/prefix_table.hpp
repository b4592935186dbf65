// Stores which prefixes of conversations are in which targets' prompt caches. Only keyed hashes are stored
// (docs/decisions/0085). Each process has one table, which all threads use without locks. If a thread reads a slot
// while another thread writes it, the reader retries a few times and then reports that it found nothing. [pure]
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
using prefix_seconds = std::uint32_t;  // seconds since 1970; wall-clock time, because entries outlive the process
using prefix_holder = std::uint32_t;   // number of a pair of a target and a key; 0 means none
using prefix_caller = std::uint16_t;   // number of the caller to whom the entry belongs

// A position in a request at which a prefix ends. The first boundary in the list of a request is the root, which is the
// part before all messages.
struct prefix_boundary {
  prefix_hash hash;
  std::uint32_t tokens = 0;  // estimated number of tokens in the prefix
};

// A prefix that a target has probably cached.
struct prefix_entry {
  prefix_boundary prefix;
  prefix_holder holder = 0;
  prefix_caller caller = 0;
  prefix_seconds used = 0;
  // The lifetime of the entry after its last use. It is rounded down to one of 15 values. The largest value is five
  // days.
  std::chrono::minutes life{0};
};

struct held_prefix {
  std::uint32_t tokens = 0;  // 0: none
  std::chrono::seconds age{0}, life{0};

  bool is_found() const { return tokens > 0; }
};

// `warm` is the longest prefix that the target should still have cached. `expired` is a longer prefix whose lifetime
// has ended.
struct prefix_finding {
  held_prefix warm, expired;
};

class prefix_table {
 public:
  // A lookup tries at most this number of boundaries, which are the last boundaries of the request. It also tries the
  // root.
  static constexpr std::size_t boundaries_tried = 64;
  static constexpr std::size_t holders_of_prefix = 4;
  static constexpr std::size_t slots_of_set = 4;

  enum class source : std::uint8_t { here, replica };

  // Reserves 64 bytes of address space for each slot. A slot occupies memory only after it was written. If there are 0
  // slots, the table stores nothing.
  explicit prefix_table(std::size_t slots);
  ~prefix_table();
  prefix_table(const prefix_table&) = delete;
  prefix_table& operator=(const prefix_table&) = delete;

  // Stores or renews the entry. If the set is full, replaces an expired slot. If no slot has expired, replaces the
  // least recently used slot of the same caller or of callers with more slots. An entry that another gateway sent never
  // replaces an entry of this gateway. Returns false if the entry was not stored.
  bool note(const prefix_entry& entry, prefix_seconds now, source from = source::here);

  // Finds the cached prefixes of a request, for each target in `asked`. `chain` contains the positions in the request
  // at which prefixes end, from the shortest prefix to the longest.
  void find(std::span<const prefix_boundary> chain, std::span<const prefix_holder> asked, prefix_seconds now,
            std::span<prefix_finding> findings) const;

  // Returns all entries that have not expired.
  std::vector<prefix_entry> entries(prefix_seconds now) const;
  void clear();

  std::size_t capacity() const { return sets_ * slots_of_set; }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }  // number of slots in use
  // The number of entries that were not stored because no slot was free.
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
