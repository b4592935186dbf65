// One bound on what all requests of this process hold: bodies, answers, held events, what clients do not take. [pure]
// Any thread. A buffer's owner asks when the buffer grows by a step, never for each event.
//
// Up to a quarter of the limit, a caller may have as much as is left beside all that is held (dynamic thresholds, as
// switches share a buffer among their ports: Choudhury and Hahne, 1998): of fifteen sixteenths for what is new, of
// seventeen for what runs, which never passes the limit either. So the more a caller holds, the sooner it ends, and
// several large ones leave room for those that hold little. Above a quarter a caller goes on only while no other one
// waits, until ten sixteenths of the limit are held with what is new, and twelve with what runs.
// A caller waits for a few seconds after a refusal. New requests are refused first, so that those that run can end.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class memory_use {
  arriving,  // a new request and its body: refused first
  running,   // what a request needs to end
};

class memory_budget {
 public:
  // One caller's account: callers are distinguished by a hash of their name. Two that share an account share a quarter.
  using account = std::uint16_t;

  // `salt` keeps others from aiming at a caller's account.
  explicit memory_budget(std::size_t limit, std::uint64_t salt = 0) : salt_(salt), limit_(limit) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  account account_of(std::string_view caller_name) const;

  // False: refused, and nothing is taken.
  bool take(account who, std::size_t bytes, memory_use use, instant now);
  void give_back(account who, std::size_t bytes);
  // The same bytes are another's from now on: who sent a request is known once its head is read.
  void move(std::size_t bytes, account from, account to);

  // Whether a caller holds more than its quarter although another one waits: it should let go of what does not run.
  bool must_yield(account who, instant now) const;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(std::size_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
  // What a caller alone may bring at most: a larger body would be refused again and again.
  std::size_t most_arriving() const { return limit() / 16 * 10; }

 private:
  static constexpr std::size_t accounts = 1024;

  // A caller and when it was refused, in milliseconds.
  struct refusal_note {
    std::atomic<std::uint16_t> who{0};
    std::atomic<std::int64_t> at_ms{never};
  };
  static constexpr std::int64_t never = -1;

  bool fits(std::size_t mine, std::size_t all, memory_use use, bool has_rivals) const;
  bool has_waiting_rival(account who, instant now) const;
  void note_refusal(account who, instant now);

  const std::uint64_t salt_;
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::array<std::atomic<std::size_t>, accounts> held_{};
  // The last two callers that were refused: at least one of them is another than the one that asks.
  std::array<refusal_note, 2> waiting_;
};

}  // namespace photofinish::proxy
