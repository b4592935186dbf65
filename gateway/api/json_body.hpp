// The JSON body of a request to any API. The body is checked once. After that, its members can be read one by one.
// [pure]
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

// The maximum number of values and members in a body, at all depths. The longest real requests come from agents and
// have about a hundred thousand values, mostly in messages and tool schemas. Other long bodies consist of long strings.
// During parsing, each value costs 16 bytes and about ten nanoseconds.
constexpr std::size_t max_body_values = 250'000;

// The maximum number of members at the top level of a body. There must be a maximum, because the gateway searches all
// these members for each target. No API defines more than about forty.
constexpr std::size_t max_body_members = 1'000;

struct json_body {
  std::shared_ptr<const proxy::client_body> text;
  // True if the body contains the complete input of the model, and does not refer to pictures, files, stored
  // conversations or a provider's tools.
  bool is_text_alone = false;
};
using read_json = std::variant<json_body, api_error>;

// Checks and reads a body. `single` lists the members that may occur only once, because this gateway or a provider
// reads them. JSON does not define which value counts if a member occurs twice.
read_json read_json_body(std::string body, std::span<const std::string_view> single, proxy::tolerant_parser& parser,
                         std::size_t most_values = max_body_values);

// Sets the `model` member of a body. A body that is not a JSON object stays unchanged.
std::string with_model(std::string body, std::string_view model);

// Returns the unescaped value of the member `model`.
std::variant<std::string, api_error> read_model(const proxy::client_body& body);

// Checks that a member is true, false, null or absent. Other values are errors, because some providers read "true" and
// 1 as true, and other providers do not.
std::optional<api_error> check_flag(const proxy::client_body& body, std::string_view name);

// Checks that the member `stream` is true, false, null or absent.
std::optional<api_error> check_stream(const proxy::client_body& body);

// Returns a pointer to the same body. The pointer keeps `memory` reserved as long as an attempt uses the body.
std::shared_ptr<const proxy::client_body> counted_body(std::shared_ptr<const proxy::client_body> body,
                                                       proxy::memory_share memory);

}  // namespace photofinish::gateway
