#include "gateway/api/messages/call_input.hpp"

#include "proxy/conversation/argument_object.hpp"

#include <utility>

namespace photofinish::gateway {

std::string_view call_input::add(std::string_view more) {
  text_ += more;
  if (is_passing_) return more;
  const std::size_t first = text_.find_first_not_of(" \t\r\n");
  is_passing_ = first != std::string::npos && text_[first] == '{';
  return is_passing_ ? std::string_view(text_) : std::string_view{};
}

std::string call_input::finish() {
  const std::string text = std::exchange(text_, {});
  has_broken_call_ |= proxy::is_broken_object(text);
  if (std::exchange(is_passing_, false) || text.empty()) return {};
  return proxy::argument_object(text);
}

}  // namespace photofinish::gateway
