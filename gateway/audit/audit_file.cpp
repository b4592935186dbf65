#include "gateway/audit/audit_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {

void audit_file::append(std::string lines) {
  const std::size_t bytes = lines.size();
  const auto count = static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
  writer_.append({path_, [lines = std::move(lines)] { return lines; }, bytes, count});
}

}  // namespace photofinish::gateway
