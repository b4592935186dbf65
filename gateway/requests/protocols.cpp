#include "gateway/requests/protocols.hpp"

#include "gateway/api/chat/chat_api.hpp"

#include <array>

namespace photofinish::gateway {

std::span<const api* const> all_apis() {
  static const chat_api chat;
  static const std::array<const api*, 1> all{&chat};
  return all;
}

}  // namespace photofinish::gateway
