#include "racing/statistics/survival.hpp"

#include <algorithm>

namespace photofinish::racing {

std::optional<survival_quantile> survival_quantile_of(const survival_times& times, double share) {
  if (times.empty()) return std::nullopt;
  const auto seen = times.seen.bins(), censored = times.censored.bins();
  double at_risk = static_cast<double>(times.seen.count() + times.censored.count());
  double surviving = 1;
  std::int16_t last = 0;
  for (std::size_t s = 0, c = 0; s < seen.size() || c < censored.size();) {
    const bool has_both = s < seen.size() && c < censored.size();
    last = has_both ? std::min(seen[s].index, censored[c].index)
                    : s < seen.size() ? seen[s].index : censored[c].index;
    if (s < seen.size() && seen[s].index == last) {
      const double events = seen[s++].count;
      surviving *= 1 - events / at_risk;
      at_risk -= events;
      constexpr double rounding = 1e-12;  // tolerance; also accepts a share that is too small only because of rounding
                                          // errors in 1 - 1/2 - …
      if (1 - surviving >= share - rounding) return survival_quantile{sketch::value_of(last), bound::exact};
    }
    if (c < censored.size() && censored[c].index == last) at_risk -= censored[c++].count;
  }
  return survival_quantile{sketch::value_of(last), bound::at_least};
}

}  // namespace photofinish::racing
