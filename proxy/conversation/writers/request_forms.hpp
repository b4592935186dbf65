// One request in the formats of its targets. [pure] Each form is written when a target first needs it, and only once.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/translated_text.hpp"
#include "proxy/conversation/kept_reasoning.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy {

struct translated_request {
  std::shared_ptr<const client_body> body;  // the translated body; null if something is unsupported
  std::vector<std::string> dropped;
  std::string unsupported;  // the unsupported feature; empty if there is none
};

// The forms belong to one request and are used by one thread at a time.
class request_forms {
 public:
  using reader = read_conversation (*)(const client_body&);

  // `said` must have been read from `body`.
  request_forms(std::shared_ptr<const client_body> body, conversation said)
      : body_(std::move(body)), said_(std::make_unique<conversation>(std::move(said))) {}

  // Delays reading the body until a target needs another format than the client's, because most targets accept the
  // client's own format. If the request is then invalid, the target reports the error as an unsupported feature.
  request_forms(std::shared_ptr<const client_body> body, reader read) : body_(std::move(body)), read_(read) {}

  // Restores reasoning that the client dropped, immediately or when the body is read. Must be called before in().
  void restore(reasoning_lookup find);

  // Returns null if the body was not read.
  const conversation* said() const { return said_.get(); }

  // Reads the body if it was not read before. Returns null if the body is invalid.
  const conversation* read_now();

  // Returns the request in this format, or null if no writer exists for it. The result lives as long as this object.
  const translated_request* in(wire_format format);

  // Returns the memory that the forms use in addition to the client's body.
  std::size_t held_bytes() const;

 private:
  translated_request write(translated_text (*form)(const conversation&));

  std::shared_ptr<const client_body> body_;
  reader read_ = nullptr;  // used if the body is not read yet
  std::unique_ptr<conversation> said_;
  reasoning_lookup find_;  // used if the body is not read yet; null if no reasoning is stored
  std::string fault_;  // the error that made the body unreadable
  std::map<wire_format, translated_request> made_;
};

}  // namespace photofinish::proxy
