// Code that is shared by the APIs that answer in one piece. Their JSON requests pass unchanged except for the model.
// [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/api/parsed_request.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

struct whole_request {
  proxy::wire_format format;
  std::span<const std::string_view> single;  // request members that may occur only once
  std::string_view prompt;                   // the required member whose size is used to estimate the request's tokens
  std::string_view model = {};               // the default model; empty if the client must name one
  std::size_t most_values = max_body_values;
};

// Reads a request. The answer is not streamed even if the body has `stream: true`.
std::variant<parsed_request, api_error> read_whole_request(std::string text, const whole_request& expected,
                                                           proxy::tolerant_parser& parser);

// Checks that the value of a request member is a non-empty string
// or array. Otherwise returns an error that names `member`.
std::optional<api_error> check_input(const proxy::client_body& body, std::string_view member);

}  // namespace photofinish::gateway
