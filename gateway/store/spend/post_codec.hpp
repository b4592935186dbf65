// Encodes a file that preserves a gateway's spending when the gateway restarts. The file contains the amounts that the
// store has not confirmed, and the last known total spending of each budget. [pure]
#pragma once

#include "gateway/store/spend/spend_ledger.hpp"
#include "gateway/store/store_scripts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

struct kept_spend {
  std::vector<spend_post> posts;
  std::vector<known_spend> sums = {};

  bool operator==(const kept_spend&) const = default;
};

std::string encode_spend(const kept_spend& kept);
// Decodes the text of the file. Returns nothing if the text is invalid. If the file contains more amounts or totals
// than a ledger may have, the rest is dropped. Gateways of older versions write no totals, and ignore totals in the
// file.
std::optional<kept_spend> decode_spend(std::string_view text);

}  // namespace photofinish::gateway
