// Limits the memory that all requests of this process hold together: bodies, answers, stored events, unsent output. Any
// thread may use it. The owner of a buffer asks for more memory when the buffer grows by a step, and never for a single
// event. [pure]
//
// The more memory a caller holds, the sooner its requests for more memory are refused. Several large callers therefore
// leave space for small ones. This is the method of dynamic thresholds, with which switches share a buffer among their
// ports (Choudhury and Hahne, 1998). New requests are refused before running requests, so that running requests can
// end.
//
// A caller that holds at most 1/4 of the limit gets memory if a sum stays below a bound. The sum is the memory of all
// callers plus the memory of this caller. The bound is 15/16 of the limit for a new request, and 17/16 for a running
// request. The memory of all callers never exceeds the limit itself.
//
// A caller that holds more than 1/4 of the limit gets memory only while no other caller waits. In addition, the memory
// of all callers may be at most 10/16 of the limit for a new request, and 12/16 for a running request. A caller counts
// as waiting for a few seconds after it was refused memory.
#pragma once

#include "proxy/loop/alarms.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

enum class memory_use {
  arriving,  // memory for a new request and its body; it is refused earlier than memory for running requests
  running,   // memory that a running request needs in order to finish
};

class memory_budget {
 public:
  // The account of one caller: a hash of the caller's name. Two callers with the same hash share one account, and
  // therefore a quarter of the limit.
  using account = std::uint16_t;

  // `salt` is secret, so that no client can choose a name that shares the account of another caller.
  explicit memory_budget(std::size_t limit, std::uint64_t salt = 0) : salt_(salt), limit_(limit) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  account account_of(std::string_view caller_name) const;

  // Adds memory to the account. If the limits do not allow it, adds nothing and returns false.
  bool take(account who, std::size_t bytes, memory_use use, instant now);
  void give_back(account who, std::size_t bytes);
  // Moves bytes to another account. At first a request uses a common account, because the gateway knows the caller only
  // after it has read the request's head.
  void move(std::size_t bytes, account from, account to);

  // True if the caller holds more than a quarter of the limit while another caller waits. The caller should then
  // release memory that no running request needs.
  bool must_yield(account who, instant now) const;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(std::size_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
  // The maximum size of a body. A larger body would always be refused, even if no other caller used any memory.
  std::size_t most_arriving() const { return limit() / 16 * 10; }

 private:
  static constexpr std::size_t accounts = 1024;

  // A caller, and the time when it was refused memory, in milliseconds.
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
  // The last two callers that were refused memory. They are different, so at least one of them is not the caller that
  // now asks for memory.
  std::array<refusal_note, 2> waiting_;
};

}  // namespace photofinish::proxy
