// The JSON body of a request of any API: checked once, then accessed by its members. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// Limit of values and members of a body, at all depths. The longest real requests come from agents, with some thousand
// messages and some hundred tools, whose schemas have a hundred values each: about a hundred thousand in all. Long
// bodies are long because of their strings. Each value costs 16 bytes and some ten nanoseconds during parsing, whatever
// its source.
constexpr std::size_t max_body_values = 250'000;

// Limit of the body's own members; the largest API has about forty. The gateway searches them for each target.
constexpr std::size_t max_body_members = 1'000;

struct json_body {
  std::shared_ptr<const proxy::client_body> text;
  // True if the body contains all input of the model: it refers to no pictures, files, stored conversations or
  // provider's tools.
  bool is_text_alone = false;
};
using read_json = std::variant<json_body, api_error>;

// `body` is unchecked. `single` lists the members that this gateway or a provider reads. If one of them occurs twice,
// the request is an error, because it is not defined which one counts.
read_json read_json_body(std::string body, std::span<const std::string_view> single, proxy::tolerant_parser& parser,
                         std::size_t most_values = max_body_values);

// Replaces the body's model, or adds it. A body that is not a JSON object stays as it is.
std::string with_model(std::string body, std::string_view model);

// Reads `model`, unescaped.
std::variant<std::string, api_error> read_model(const proxy::client_body& body);

// Accepts true, false, null or an absent member, because a provider may read "true" and 1 as true.
std::optional<api_error> check_flag(const proxy::client_body& body, std::string_view name);

// Checks `stream` in the same way.
std::optional<api_error> check_stream(const proxy::client_body& body);

// Returns the same body, which holds its counted memory for as long as an attempt needs it.
std::shared_ptr<const proxy::client_body> counted_body(std::shared_ptr<const proxy::client_body> body,
                                                       proxy::memory_share memory);

}  // namespace photofinish::gateway
