// Encodes the file that keeps a gateway's spending between two runs. It contains the amounts that the store has not
// confirmed, and the last known sums of budgets. [pure]
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
// Decodes the file's text. Returns nothing for any other text. Leaves out amounts beyond the limit of a ledger. An
// older version of the gateway writes no sums, and ignores sums in the file.
std::optional<kept_spend> decode_spend(std::string_view text);

}  // namespace photofinish::gateway
