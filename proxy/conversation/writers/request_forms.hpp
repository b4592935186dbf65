// One request in the formats that its targets speak: each made when it is first asked for, and once. [pure]
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
  std::shared_ptr<const client_body> body;  // null where something is unsupported
  std::vector<std::string> dropped;
  std::string unsupported;  // empty: nothing
};

// Belongs to one request, and to one thread at a time.
class request_forms {
 public:
  using reader = read_conversation (*)(const client_body&);

  // `body` is what `said` was read from.
  request_forms(std::shared_ptr<const client_body> body, conversation said)
      : body_(std::move(body)), said_(std::make_unique<conversation>(std::move(said))) {}

  // Of an API whose own format most targets take: it is read where one does not. What is wrong with the request is then
  // what such targets do not support.
  request_forms(std::shared_ptr<const client_body> body, reader read) : body_(std::move(body)), read_(read) {}

  // Its calls get back what the client has dropped of their reasoning: at once, or when it is read. Before in().
  void restore(reasoning_lookup find);

  // Null: it was not read.
  const conversation* said() const { return said_.get(); }

  // The same, and read now if it was not. Null: something is wrong with it.
  const conversation* read_now();

  // Null: nothing of ours writes that format. Lives as long as this does.
  const translated_request* in(wire_format format);

  // What it holds beside the client's body.
  std::size_t held_bytes() const;

 private:
  translated_request write(translated_text (*form)(const conversation&));

  std::shared_ptr<const client_body> body_;
  reader read_ = nullptr;  // where it has not been read
  std::unique_ptr<conversation> said_;
  reasoning_lookup find_;  // where it has not been read; null: nothing is kept
  std::string fault_;  // where it could not be
  std::map<wire_format, translated_request> made_;
};

}  // namespace photofinish::proxy
