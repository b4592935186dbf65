// One request in the formats that its targets speak: each made when it is first asked for, and once. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct translated_request {
  std::shared_ptr<const client_body> body;  // null where something is unsupported
  std::vector<std::string> dropped;
  std::string unsupported;  // empty: nothing
};

// Belongs to one request, and to one thread at a time.
class request_forms {
 public:
  // `body` is what `said` was read from.
  request_forms(std::shared_ptr<const client_body> body, conversation said)
      : body_(std::move(body)), said_(std::move(said)) {}

  const conversation& said() const { return said_; }

  // Null: nothing of ours writes that format.
  const translated_request* in(wire_format format);

  // What it holds beside the client's body.
  std::size_t held_bytes() const;

 private:
  std::shared_ptr<const client_body> body_;
  conversation said_;
  std::optional<translated_request> chat_;
};

}  // namespace photofinish::proxy
