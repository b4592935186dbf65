#include "gateway/http/request_guard.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/words/parse_number.hpp"

#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::body_kind;
using proxy::equals_ignoring_case;
using proxy::http_version;
using refusal_or_none = std::optional<refusal>;  // the refusal of the request; empty if the request is accepted

refusal refuse(int status, std::string message) { return {status, std::move(message), {}}; }

constexpr proxy::character_set hex_digits("0123456789abcdefABCDEF");

// True if the text contains only characters that RFC 3986 allows in a path and a query, and each % begins a valid
// escape. Escaped NUL bytes are rejected.
bool is_origin_form(std::string_view target) {
  static constexpr proxy::character_set allowed(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%[]");
  if (!target.starts_with('/') || !allowed.holds_all(target)) return false;
  for (std::size_t at = target.find('%'); at != std::string_view::npos; at = target.find('%', at + 1)) {
    const std::string_view escape = target.substr(at + 1, 2);
    if (escape.size() != 2 || !hex_digits.holds_all(escape) || escape == "00") return false;
  }
  return true;
}

bool is_version_shaped(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && proxy::decimal_digits.holds(text[5]) && text[6] == '.' &&
         proxy::decimal_digits.holds(text[7]);
}

refusal_or_none read_request_line(std::string_view line, guarded_request& request) {
  const auto [method, target, version] = proxy::split_start_line(line);
  if (!proxy::is_token(method) || target.empty() || !is_version_shaped(version))
    return refuse(400, "the request line is not `METHOD /path HTTP/1.1`");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse(505, "only HTTP/1.0 and HTTP/1.1 are supported");
  if (method == "CONNECT") return refuse(501, "CONNECT is not supported: this is not a forward proxy");
  if (target == "*" ? method != "OPTIONS" : !is_origin_form(target))
    return refuse(400, "the request target is not a path such as /v1/chat/completions");
  request.method = method;
  request.target = target;
  request.version = version == "HTTP/1.1" ? http_version::v1_1 : http_version::v1_0;
  return {};
}

refusal_or_none read_host(guarded_request& request) {
  const std::size_t count = proxy::count_fields(request.fields, "host");
  if (count > 1) return refuse(400, "the request has more than one Host");
  if (count == 0 && request.version == http_version::v1_0) return {};
  if (count == 0) return refuse(400, "the request has no Host");
  request.host = proxy::find_field(request.fields, "host");
  if (!is_authority(request.host)) return refuse(400, "the request's Host is not `host` or `host:port`");
  return {};
}

// True for a transfer coding that is valid but not supported, such as "gzip, chunked". False for invalid codings.
bool is_unknown_coding(std::string_view encoding) {
  const std::size_t comma = encoding.rfind(',');
  return comma != std::string_view::npos &&
         equals_ignoring_case(proxy::trim_space(encoding.substr(comma + 1)), "chunked");
}

refusal_or_none read_framing(const guard_limits& limits, guarded_request& request) {
  request.framing = proxy::request_framing(request.fields, request.version);
  const proxy::framing_fault fault = request.framing.fault;
  if (fault != proxy::framing_fault::none) {
    const std::string_view encoding = proxy::find_field(request.fields, "transfer-encoding");
    const bool is_coding =
        fault == proxy::framing_fault::bad_transfer_encoding && is_unknown_coding(encoding);
    return refuse(is_coding ? 501 : 400, "the request has " + std::string(proxy::to_string(fault)));
  }
  if (request.framing.length > limits.max_body)
    return refuse(413, "the body is larger than " + std::to_string(limits.max_body) + " bytes");
  return {};
}

// Reads the Expect header. It is ignored in HTTP/1.0 requests, because HTTP/1.0 does not define the status 100 (RFC
// 9110, section 10.1.1).
refusal_or_none read_expectation(guarded_request& request) {
  if (request.version == http_version::v1_0) return {};
  for (const auto& [name, value] : request.fields) {
    if (!equals_ignoring_case(name, "expect")) continue;
    if (!equals_ignoring_case(value, "100-continue"))
      return refuse(417, "the only supported expectation is 100-continue");
    request.expects_continue = request.framing.kind == body_kind::chunked || request.framing.length > 0;
  }
  return {};
}

refusal head_refusal(proxy::head_fault fault) {
  const bool is_limit = fault == proxy::head_fault::too_large || fault == proxy::head_fault::too_many_fields;
  return refuse(is_limit ? 431 : 400, "the request has " + std::string(proxy::to_string(fault)));
}

bool is_port(std::string_view text) {
  if (text.empty()) return true;  // an empty port, as in "host:", is valid
  return proxy::decimal_digits.holds_all(text) && proxy::parse_number<std::uint16_t>(text);
}

}  // namespace

bool is_authority(std::string_view text) {
  static constexpr proxy::character_set name_characters(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_");
  static constexpr proxy::character_set ipv6_characters("0123456789abcdefABCDEF:.");
  const bool is_bracketed = text.starts_with('[');
  const std::size_t end = is_bracketed ? text.find(']') : text.find(':');
  if (is_bracketed && end == std::string_view::npos) return false;
  const std::string_view host = text.substr(is_bracketed ? 1 : 0, is_bracketed ? end - 1 : end);
  if (host.empty()) return false;
  if (!(is_bracketed ? ipv6_characters : name_characters).holds_all(host)) return false;
  const std::string_view rest =
      end == std::string_view::npos ? "" : text.substr(end + (is_bracketed ? 1 : 0));
  return rest.empty() || (rest[0] == ':' && is_port(rest.substr(1)));
}

std::variant<guarded_request, refusal> guard_request(std::string_view head, const guard_limits& limits) {
  proxy::head_view scanned = proxy::scan_head(head, limits.head);
  if (!scanned) return head_refusal(scanned.fault);
  guarded_request request;
  request.fields = std::move(scanned.fields);
  if (refusal_or_none refused = read_request_line(scanned.start_line, request)) return *std::move(refused);
  if (refusal_or_none refused = read_host(request)) return *std::move(refused);
  if (refusal_or_none refused = read_framing(limits, request)) return *std::move(refused);
  if (refusal_or_none refused = read_expectation(request)) return *std::move(refused);
  request.keep_alive = proxy::keeps_alive(request.fields, request.version);
  return request;
}

}  // namespace photofinish::gateway
