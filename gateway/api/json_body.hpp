// The JSON body of a request, whatever API it came by: checked once, and then known by its members. [pure]
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

// Values and members of a body, at all depths. The longest honest ones are agents' with some thousand messages and some
// hundred tools, whose schemas have a hundred values each: about a hundred thousand. Long bodies are long because of
// their strings. Each value costs 16 bytes and some ten nanoseconds while it is parsed, whatever its source.
constexpr std::size_t max_body_values = 250'000;

// Members of the body itself; the largest API has about forty. They are looked through for each target.
constexpr std::size_t max_body_members = 1'000;

struct json_body {
  std::shared_ptr<const proxy::client_body> text;
  // All that it makes a model read is in its bytes: no pictures, files, stored conversations or a provider's own tools.
  bool is_text_alone = false;
};
using read_json = std::variant<json_body, api_error>;

// `body` is whatever the client sent. `single` are the members that this gateway or a provider reads: two of one name
// are an error: it is not defined which of them counts.
read_json read_json_body(std::string body, std::span<const std::string_view> single, proxy::tolerant_parser& parser,
                         std::size_t most_values = max_body_values);

// The body with that model, whatever it names itself. One that is no JSON object stays as it is.
std::string with_model(std::string body, std::string_view model);

// `model`, unescaped.
std::variant<std::string, api_error> read_model(const proxy::client_body& body);

// True, false, null or absent: a provider may read "true" and 1 as true.
std::optional<api_error> check_flag(const proxy::client_body& body, std::string_view name);

// `stream`, the same way.
std::optional<api_error> check_stream(const proxy::client_body& body);

// The same body, which keeps the memory that it counts for as long as an attempt needs it.
std::shared_ptr<const proxy::client_body> counted_body(std::shared_ptr<const proxy::client_body> body,
                                                       proxy::memory_share memory);

}  // namespace photofinish::gateway
