#include "gateway/relay/answer_prefix.hpp"

#include "proxy/json/json_text.hpp"

#include <string_view>

namespace photofinish::gateway {

void answer_prefix::see(const proxy::stream_event& event) {
  if (!is_plain_) return;
  if (!has_chunk_ && event.spoken == proxy::wire_format::openai_chat && !event.json.empty()) {
    std::string chunk;
    for (const std::string_view piece : event.json) chunk += piece;
    const auto member = [&chunk](std::string_view key) {
      return std::string(proxy::json_find(chunk, key).value_or(std::string_view{}));
    };
    chunks_ = {member("id"), member("created"), member("model")};
    has_chunk_ = true;
  }
  for (const proxy::delta& each : event.deltas) see_delta(each);
}

void answer_prefix::see_delta(const proxy::delta& each) {
  if (each.kind != proxy::delta_kind::text || each.choice != 0) return give_up();
  const std::size_t size = text_.size() + each.text.size();
  if (!is_plain_ || size > longest || !memory_.grow_to(size, proxy::memory_use::running)) return give_up();
  text_ += each.text;
}

void answer_prefix::give_up() {
  is_plain_ = false;
  std::string().swap(text_);
  memory_.shrink_to(0);
}

}  // namespace photofinish::gateway
