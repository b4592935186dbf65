// What the APIs share that answer in one piece: their requests are JSON that passes on, but for the model. [pure]
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
  std::span<const std::string_view> single;  // members that may be there once
  std::string_view prompt;                   // the member that estimates are made from; it must be there
  std::string_view model = {};               // where the client names none; empty: it must
  std::size_t most_values = max_body_values;
};

// The request's answer is whole, whatever the body says of a stream.
std::variant<parsed_request, api_error> read_whole_request(std::string text, const whole_request& expected,
                                                           proxy::tolerant_parser& parser);

// A string that says something, or an array that holds something; none: an error that names `member`.
std::optional<api_error> check_input(const proxy::client_body& body, std::string_view member);

}  // namespace photofinish::gateway
