// Posts that were not answered, as a file keeps them between two runs. [pure]
#pragma once

#include "gateway/store/store_scripts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

std::string encode_posts(const std::vector<spend_post>& posts);
// None: it is no such text. More than a ledger takes are left out.
std::optional<std::vector<spend_post>> decode_posts(std::string_view text);

}  // namespace photofinish::gateway
