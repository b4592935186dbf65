// Decides whether this gateway has lost its connection to the providers, and whether other gateways still have theirs
// (docs/decisions/0072). [pure]
// 1. A loss is suspected after several attempts in a row failed by DNS, connect or TLS, during several ticks.
// 2. The gateway then tries to connect to the providers until one connection succeeds. If all of them fail, the
//    connection is lost.
// 3. The gateway then asks the other gateways through the store. If one of them connects to one of its providers, only
//    this gateway has lost its connection.
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

// The messages about egress that other gateways have written to the store.
struct egress_signs {
  bool is_asked = false;  // true if a gateway has lost its connection to the providers and asks the others
  // The name of the gateway that answered last, with an increasing number; empty if no gateway has answered.
  std::string answer;
};

class egress_watch {
 public:
  using instant = std::chrono::steady_clock::time_point;

  static constexpr std::size_t enough_failures = 3;
  static constexpr int enough_ticks = 3;     // a loss is suspected if the failures began at least this many ticks ago
  // A loss is suspected only if the last failure is at most this many ticks old. Older failures prove nothing
  // about the present.
  static constexpr int recent_ticks = 30;
  static constexpr int answer_ticks = 3;     // ticks between two checks on behalf of another gateway
  static constexpr int asked_ticks = 5;      // ticks for which a question to other gateways is open
  static constexpr int believed_ticks = 9;   // ticks for which another gateway's answer is valid: three checks

  // `gateway` is the name of this run in the store.
  egress_watch(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Records the end of an attempt. `failed` is empty if the attempt got its answer.
  void note(std::optional<proxy::failure_kind> failed, instant now);

  // True if the gateway must now try to connect to the providers. The caller passes the result to checked().
  bool is_check_due(instant now) const;
  void checked(bool is_reached, instant now);

  bool asks() const { return lost_since_.has_value(); }
  // Returns this gateway's answer for the other gateways once per check. Otherwise returns an empty string.
  std::string take_answer() { return std::exchange(answer_, {}); }
  void heard(const egress_signs& signs, instant now);
  void forget_others();  // call forget_others() if the store changes or is removed

  egress_state state(instant now) const;
  std::optional<instant> lost_since() const { return lost_since_; }
  std::size_t failures() const { return failures_; }  // the number of failures since the last successful attempt

 private:
  bool is_suspected(instant now) const;
  void begin_again();

  const std::string gateway_;
  const std::chrono::milliseconds tick_;
  std::size_t failures_ = 0;
  instant first_failure_{}, last_failure_{}, next_check_{}, asked_until_{}, others_until_{};
  std::optional<instant> lost_since_;
  // The last answer that this gateway has read since the loss. The first answer may be older than the loss.
  std::optional<std::string> last_answer_;
  std::string answer_;
  std::uint64_t answers_ = 0;
};

}  // namespace photofinish::gateway
