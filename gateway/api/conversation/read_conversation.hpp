// Reads a request in a format other than that of the chat API. The result includes the conversation, which can then be
// written in the format of any other API. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/parsed_request.hpp"
#include "proxy/conversation/request_readers.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// The properties of an API other than the chat API.
struct conversation_api {
  proxy::wire_format format = proxy::wire_format::none;
  proxy::read_conversation (*read)(const proxy::client_body&) = nullptr;
  // Request members that may occur only once (see json_body.hpp).
  std::span<const std::string_view> single_members = {};
  std::string_view prompt = {};                           // the request member that contains the conversation
};

std::variant<parsed_request, api_error> read_conversation_request(const conversation_api& api, std::string body,
                                                                  proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway
