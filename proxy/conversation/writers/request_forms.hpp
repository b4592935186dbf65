// One request in the formats of its targets. Each form is written once, when first needed. [pure]
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
  std::shared_ptr<const client_body> body;  // null if something is unsupported
  std::vector<std::string> dropped;
  std::string unsupported;  // empty: nothing is unsupported
};

// Belongs to one request, and is used by one thread at a time.
class request_forms {
 public:
  using reader = read_conversation (*)(const client_body&);

  // `said` was read from `body`.
  request_forms(std::shared_ptr<const client_body> body, conversation said)
      : body_(std::move(body)), said_(std::make_unique<conversation>(std::move(said))) {}

  // For an API whose own format most targets accept: the body is read only if a target needs another format. If the
  // request is invalid, such targets report the error as unsupported.
  request_forms(std::shared_ptr<const client_body> body, reader read) : body_(std::move(body)), read_(read) {}

  // Restores reasoning that the client dropped: immediately, or when the body is read. Call this before in().
  void restore(reasoning_lookup find);

  // Null if the body was not read.
  const conversation* said() const { return said_.get(); }

  // Reads the body if it was not read before. Null if the body is invalid.
  const conversation* read_now();

  // Null if no writer exists for this format. The result lives as long as this object.
  const translated_request* in(wire_format format);

  // Memory in addition to the client's body.
  std::size_t held_bytes() const;

 private:
  translated_request write(translated_text (*form)(const conversation&));

  std::shared_ptr<const client_body> body_;
  reader read_ = nullptr;  // used if the body is not read yet
  std::unique_ptr<conversation> said_;
  reasoning_lookup find_;  // used if the body is not read yet; null: nothing is stored
  std::string fault_;  // the error if the body could not be read
  std::map<wire_format, translated_request> made_;
};

}  // namespace photofinish::proxy
