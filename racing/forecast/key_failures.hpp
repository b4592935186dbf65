// Estimates the share of attempts that fail at each target, separately for each of the callers' own keys. If a provider
// rejects one key, this predicts nothing about other keys. To limit the memory, a key is stored only from its first
// failure until ten minutes after its last failure. [pure]
#pragma once

#include "racing/forecast/attempt_event.hpp"
#include "racing/forecast/failure_shares.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace photofinish::racing {

class key_failures {
 public:
  static constexpr std::size_t most = 1'024;

  void failed(std::uint64_t key_at_target, instant at);
  void answered(std::uint64_t key_at_target, instant at);

  std::unordered_map<std::uint64_t, double> read(instant now);

 private:
  struct entry {
    failure_shares shares;
    instant failed_at{};
  };
  void forget_old(instant now);

  std::unordered_map<std::uint64_t, entry> entries_;
};

}  // namespace photofinish::racing
