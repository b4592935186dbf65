#include "gateway/api/audio/passing_writer.hpp"

#include "gateway/api/passed_event.hpp"

namespace photofinish::gateway {

proxy::result<void> passing_writer::add(const proxy::stream_event& event, outgoing& to) {
  if (event.json.empty()) return {};
  if (event.spoken != format_) return proxy::bad_stream("the provider's answer is in the format of another API");
  if (event.keeper != nullptr && is_giant(event)) {
    to.put(proxy::long_text(event.keeper->take_json()));
    return {};
  }
  for (const std::string_view piece : event.json) to.put(piece);
  return {};
}

void passing_writer::fail(const api_error& error, outgoing& to) {
  if (form_ == answer_form::stream) to.put(as_event(to_json(error)));
}

}  // namespace photofinish::gateway
