#include "proxy/http2/http2_headers.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 8> of_one_connection{
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te", "host", "content-length"};
constexpr std::array<std::string_view, 4> same_in_every_request{"accept", "accept-encoding", "content-type",
                                                                "user-agent"};

std::vector<std::string> named_by_connection(const request_head& head) {
  std::vector<std::string> names;
  for (const auto& [name, value] : head.fields) {
    if (!equals_ignoring_case(name, "connection")) continue;
    std::string_view list = value, member;
    while (next_list_member(list, member)) names.push_back(lower_case(member));
  }
  return names;
}

}  // namespace

std::vector<http2_field> http2_request_fields(const request_head& head, std::string_view scheme,
                                              std::size_t body_bytes) {
  using enum may_be_indexed;
  const std::vector<std::string> hop_by_hop = named_by_connection(head);
  std::vector<http2_field> fields;
  fields.reserve(head.fields.size() + 5);
  fields.push_back({":method", std::string(head.method), yes});
  fields.push_back({":scheme", std::string(scheme), yes});
  fields.push_back({":authority", head.host, yes});
  fields.push_back({":path", head.path, yes});
  for (const auto& [name, value] : head.fields) {
    std::string lower_name = lower_case(name);
    if (contains(of_one_connection, lower_name) || contains(hop_by_hop, lower_name)) continue;
    const auto indexed = contains(same_in_every_request, lower_name) ? yes : no;
    fields.push_back({std::move(lower_name), value, indexed});
  }
  fields.push_back({"content-length", std::to_string(body_bytes), no});
  return fields;
}

bool response_field_guard::accepts(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + 4;  // the size includes ": " and a line end for each field, as in HTTP/1.1
  if (bytes_ > head_limits{}.max_bytes || ++fields_ > head_limits{}.max_fields) return false;
  const auto is_control = [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  };
  return is_token(name) && std::none_of(value.begin(), value.end(), is_control);
}

std::string_view http2_error_name(unsigned code) {
  constexpr std::array<std::string_view, 14> names{
      "NO_ERROR",         "PROTOCOL_ERROR",    "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED",    "FRAME_SIZE_ERROR",  "REFUSED_STREAM", "CANCEL",             "COMPRESSION_ERROR",
      "CONNECT_ERROR",    "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"};
  return code < names.size() ? names[code] : "an unknown error";
}

}  // namespace photofinish::proxy
