// Decides if this gateway has lost its connection to the providers, and if other gateways can still reach theirs
// (docs/decisions/0072).
// 1. The gateway suspects a loss after several consecutive attempts, over several ticks, have failed to resolve a name,
// connect, or set up TLS.
// 2. It then tries to connect to all providers until one connection succeeds. If all of them fail, the connection is
// lost.
// 3. It then asks the other gateways through the store. If another gateway can connect to one of its providers, only
// this gateway has lost its connection.
// Times are given in ticks. A tick is the housekeeper's interval. [pure]
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

// The messages about lost connections that other gateways have written to the store.
struct egress_signs {
  // True if another gateway has lost its connection to the providers, and asks whether this gateway can reach a
  // provider.
  bool is_asked = false;
  // The latest message in which another gateway reports that it can reach a provider. It consists of the gateway's name
  // and an increasing number. Empty if there is no such message.
  std::string answer;
};

class egress_watch {
 public:
  using instant = std::chrono::steady_clock::time_point;

  static constexpr std::size_t enough_failures = 3;
  // The gateway suspects a lost connection only if the first failed attempt was at least this many ticks ago.
  static constexpr int enough_ticks = 3;
  // The gateway suspects a lost connection only if the last failed attempt was at most this many ticks ago. Older
  // failures do not show the current state.
  static constexpr int recent_ticks = 30;
  // The minimum number of ticks between two connection checks whose results are sent to other gateways.
  static constexpr int answer_ticks = 3;
  // The number of ticks for which this gateway sends answers after another gateway has asked for them.
  static constexpr int asked_ticks = 5;
  // An answer from another gateway is valid for this number of ticks, which is three times the interval between checks.
  static constexpr int believed_ticks = 9;

  // `gateway` is the name of this process in the store.
  egress_watch(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Records the end of an attempt. `failed` is empty if the attempt succeeded.
  void note(std::optional<proxy::failure_kind> failed, instant now);

  // True if the gateway must try to connect to the providers now. The caller reports the result with checked().
  bool is_check_due(instant now) const;
  void checked(bool is_reached, instant now);

  bool asks() const { return lost_since_.has_value(); }
  // Returns the answer to send to other gateways, once after each successful check. Otherwise returns an empty string.
  std::string take_answer() { return std::exchange(answer_, {}); }
  void heard(const egress_signs& signs, instant now);
  void forget_others();  // must be called if the gateway gets another store or no store

  egress_state state(instant now) const;
  std::optional<instant> lost_since() const { return lost_since_; }
  std::size_t failures() const { return failures_; }  // the number of failed attempts since the last successful attempt

 private:
  bool is_suspected(instant now) const;
  void begin_again();

  const std::string gateway_;
  const std::chrono::milliseconds tick_;
  std::size_t failures_ = 0;
  instant first_failure_{}, last_failure_{}, next_check_{}, asked_until_{}, others_until_{};
  std::optional<instant> lost_since_;
  // The last answer from another gateway that this gateway has read since it lost its connection to the providers. The
  // first answer is ignored, because it may have been sent before the connection was lost.
  std::optional<std::string> last_answer_;
  std::string answer_;
  std::uint64_t answers_ = 0;
};

}  // namespace photofinish::gateway
