// One client request and its translations to the formats of other APIs. [pure] Each translation is made only once, when
// the first target needs it.
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
  std::shared_ptr<const client_body> body;  // the translated body; null if `unsupported` is not empty
  std::vector<std::string> dropped;
  std::string unsupported;  // the feature that the format cannot express; empty if there is none
};

// The translations belong to one request. Only one thread at a time may use them.
class request_forms {
 public:
  using reader = read_conversation (*)(const client_body&);

  // The conversation `said` must have been read from `body`.
  request_forms(std::shared_ptr<const client_body> body, conversation said)
      : body_(std::move(body)), said_(std::make_unique<conversation>(std::move(said))) {}

  // The body is parsed only when a target needs a format that differs from the client's. Most targets accept the
  // client's own format. If the body is invalid, in() reports the error as an unsupported feature, so that the target
  // is not used.
  request_forms(std::shared_ptr<const client_body> body, reader read) : body_(std::move(body)), read_(read) {}

  // Restores reasoning that the client dropped. If the body is not read yet, the reasoning is restored as soon as the
  // body is read. Must be called before in().
  void restore(reasoning_lookup find);

  // Returns the conversation, or null if the body is invalid or is not read yet.
  const conversation* said() const { return said_.get(); }

  // Reads the body unless it was read before. Returns the conversation, or null if the body is invalid.
  const conversation* read_now();

  // Returns the request translated to this format, or null if no writer for the format exists. The result
  // lives as long as this object.
  const translated_request* in(wire_format format);

  // Returns the total size of all translations in bytes, without the size of the client's body.
  std::size_t held_bytes() const;

 private:
  translated_request write(translated_text (*form)(const conversation&));

  std::shared_ptr<const client_body> body_;
  reader read_ = nullptr;  // the function that reads the body; null after the body was read
  std::unique_ptr<conversation> said_;
  reasoning_lookup find_;  // a function that returns the stored reasoning of a call; may be null
  std::string fault_;  // the reason why the body is invalid; empty if the body is valid
  std::map<wire_format, translated_request> made_;
};

}  // namespace photofinish::proxy
