#include "gateway/api/conversation/lost_names.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t most_lost_names = 32;
constexpr std::size_t longest_lost_name = 64;

}  // namespace

void lost_names::note(std::string_view name) {
  std::string clean = proxy::clean_text(name, longest_lost_name);
  const bool is_known = proxy::contains(names_, clean);
  if (is_known || clean.empty() || names_.size() == most_lost_names) return;
  held_ += clean.size() + sizeof(std::string);
  names_.push_back(std::move(clean));
}

std::string lost_names::member() const {
  if (names_.empty()) return {};
  std::string list;
  for (const std::string& each : names_) list.append(list.empty() ? "" : ",").append(proxy::json_quote(each));
  return R"(,"x_race_dropped":[)" + list + "]";
}

std::string lost_names::take_member() { return std::exchange(is_taken_, true) ? std::string() : member(); }

}  // namespace photofinish::gateway
