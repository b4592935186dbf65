#include "proxy/dialects/repairs/lost_parts.hpp"

#include "proxy/failures/sanitized_text.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::size_t most_names = 16;
constexpr std::size_t longest_name = 64;
constexpr std::string_view between_names = ", ";

bool holds_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = names.find(between_names);
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + between_names.size());
  }
  return false;
}

}  // namespace

bool lost_parts::note(std::string_view name) {
  if (count_ == most_names) return false;
  const std::string clean = clean_text(name, longest_name);
  if (clean.empty() || holds_name(names_, clean)) return false;
  names_.append(names_.empty() ? "" : between_names).append(clean);
  ++count_;
  return true;
}

std::optional<failure> lost_parts::failure_if_alone() const {
  if (count_ == 0 || has_visible_) return std::nullopt;
  return failure{.kind = failure_kind::server_error,
                 .detail = "the client's API cannot represent any part of the answer: " + names_,
                 .code = "unsupported_answer",
                 .scope = failure_scope::caller};
}

void lost_parts::clear() {
  names_.clear();
  count_ = 0;
  has_visible_ = false;
}

}  // namespace photofinish::proxy
