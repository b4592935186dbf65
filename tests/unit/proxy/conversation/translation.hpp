// Reads a request in the format of one API and writes it in the format of another, for tests.
#pragma once

#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace photofinish::proxy::testing {

using nlohmann::json;
using reader = read_conversation (*)(const client_body&);

struct translation {
  translated_text form;
  request_fault fault;  // the error in the request; empty if the request can be read
  json chat() const { return json::parse(form.json); }
  json messages() const { return chat().at("messages"); }
};

inline translation translate(reader read, const json& request, translated_text (*write)(const conversation&) = write_chat) {
  const client_body body(request.dump());
  read_conversation said = read(body);
  if (auto* fault = std::get_if<request_fault>(&said)) return {{}, std::move(*fault)};
  return {write(std::get<conversation>(said)), {}};
}

}  // namespace photofinish::proxy::testing
