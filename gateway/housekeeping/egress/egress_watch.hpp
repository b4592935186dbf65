// Decides whether this gateway, or only this gateway, has lost its connection to the providers (docs/decisions/0072).
// [pure]
//   1. A loss is suspected after some attempts in a row failed by DNS, connect or TLS, for some ticks.
//   2. The connection is lost if then no provider of the configuration accepts one. Connections are tried until one
//      succeeds.
//   3. Only this gateway has lost it if another gateway, asked through the store, then connects to one of its
// providers.
// Times are in ticks of the housekeeper.
#pragma once

#include "gateway/housekeeping/egress/egress_state.hpp"
#include "proxy/failures/failure.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {

// The messages of other gateways in the store.
struct egress_signs {
  bool is_asked = false;  // true if a gateway has lost its connection and asks the others
  std::string answer;     // the last answer: its gateway's name and an increasing number; empty: none
};

class egress_watch {
 public:
  using instant = std::chrono::steady_clock::time_point;

  static constexpr std::size_t enough_failures = 3;
  static constexpr int enough_ticks = 3;     // ticks since the first of these failures
  // Ticks since the last of these failures; older failures prove nothing about now.
  static constexpr int recent_ticks = 30;
  static constexpr int answer_ticks = 3;     // ticks between two checks on behalf of another gateway
  static constexpr int asked_ticks = 5;      // ticks for which a question is open
  static constexpr int believed_ticks = 9;   // ticks for which an answer counts: three checks

  // `gateway`: this run's name in the store.
  egress_watch(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Records the end of an attempt. Without a failure, the attempt got its answer.
  void note(std::optional<proxy::failure_kind> failed, instant now);

  // True if connections to the providers must be tried now. Pass the result to checked().
  bool is_check_due(instant now) const;
  void checked(bool is_reached, instant now);

  bool asks() const { return lost_since_.has_value(); }
  // Returns this gateway's answer to others, once per check, or an empty string.
  std::string take_answer() { return std::exchange(answer_, {}); }
  void heard(const egress_signs& signs, instant now);
  void forget_others();  // call this if the store changes or is removed

  egress_state state(instant now) const;
  std::optional<instant> lost_since() const { return lost_since_; }
  std::size_t failures() const { return failures_; }  // failures since the last successful attempt

 private:
  bool is_suspected(instant now) const;
  void begin_again();

  const std::string gateway_;
  const std::chrono::milliseconds tick_;
  std::size_t failures_ = 0;
  instant first_failure_{}, last_failure_{}, next_check_{}, asked_until_{}, others_until_{};
  std::optional<instant> lost_since_;
  // The last answer that was read since the loss; the first one may be older than the loss.
  std::optional<std::string> last_answer_;
  std::string answer_;
  std::uint64_t answers_ = 0;
};

}  // namespace photofinish::gateway
