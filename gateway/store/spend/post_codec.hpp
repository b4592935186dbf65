// Encodes posts of spending that the store has not answered, and known sums of budgets. The file with this text keeps
// them until the next run of the gateway. [pure]
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
// Decodes the file's text. Returns nothing for any other text. Leaves out posts beyond a ledger's limit. An older
// version of the gateway writes no sums, and ignores sums in the file.
std::optional<kept_spend> decode_spend(std::string_view text);

}  // namespace photofinish::gateway
