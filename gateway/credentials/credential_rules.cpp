#include "gateway/credentials/credential_rules.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::minutes usually_ahead{5}, look_every{5};
constexpr milliseconds first_pause{1'000}, longest_pause{60'000};
constexpr std::size_t most_doublings = 6;

milliseconds part(milliseconds of, double share) {
  return milliseconds(static_cast<milliseconds::rep>(static_cast<double>(of.count()) * share));
}

}  // namespace

milliseconds until_renewal(std::optional<std::chrono::seconds> lives, double chance) {
  const milliseconds life = lives.value_or(2 * look_every);
  const milliseconds ahead = std::min(life / 2, std::max<milliseconds>(usually_ahead, life / 10));
  return std::max(less_a_tenth(life - ahead, chance), first_pause);
}

milliseconds less_a_tenth(milliseconds pause, double chance) { return part(pause, 1 - chance / 10); }

milliseconds pause_after(std::size_t failures, double chance) {
  const std::size_t doublings = std::min(failures - std::min<std::size_t>(failures, 1), most_doublings);
  return part(std::min(first_pause * (1 << doublings), longest_pause), 0.75 + chance / 2);
}

}  // namespace photofinish::gateway
