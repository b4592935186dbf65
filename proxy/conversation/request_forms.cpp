#include "proxy/conversation/request_forms.hpp"

#include "proxy/conversation/chat_form.hpp"

#include <utility>

namespace photofinish::proxy {
namespace {

translated_request translated(translated_text form) {
  translated_request made{nullptr, std::move(form.dropped), std::move(form.unsupported)};
  if (made.unsupported.empty()) made.body = std::make_shared<const client_body>(std::move(form.json));
  return made;
}

}  // namespace

const translated_request* request_forms::in(wire_format format) {
  if (format != wire_format::openai_chat) return nullptr;
  if (!chat_) chat_ = translated(write_chat(said_));
  return &*chat_;
}

std::size_t request_forms::held_bytes() const {
  const std::size_t blocks = said_.blocks.capacity() + said_.parts.capacity();
  const std::size_t chat = chat_ && chat_->body ? chat_->body->json().size() : 0;
  return blocks * sizeof(block) + said_.tools.capacity() * sizeof(tool) + chat;
}

}  // namespace photofinish::proxy
