#include "gateway/api/unstreamed/whole_writer.hpp"

#include "gateway/api/passed_event.hpp"
#include "proxy/memory/long_text.hpp"

#include <utility>

namespace photofinish::gateway {

proxy::result<void> whole_writer::add(const proxy::stream_event& event, outgoing&) {
  if (event.json.empty()) return {};
  if (event.spoken != format_) return proxy::bad_stream("the provider's answer is in the format of another API");
  json_ = take_answer(event);
  return {};
}

void whole_writer::end(outgoing& to) { to.put(proxy::long_text(std::move(json_))); }

void whole_writer::fail(const api_error& error, outgoing& to) { to.put(proxy::long_text(to_json(error))); }

}  // namespace photofinish::gateway
