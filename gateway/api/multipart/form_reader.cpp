#include "gateway/api/multipart/form_reader.hpp"

#include "gateway/api/multipart/part_head.hpp"
#include "proxy/http/http_head.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::equals_ignoring_case;

constexpr std::size_t longest_boundary = 70;  // the maximum length of a form's boundary, as RFC 2046 defines it

// Finds a text in linear time, even in the worst case. string_view::find() does not guarantee linear time.
std::size_t find_in(std::string_view text, std::string_view what, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* const found = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool is_boundary(std::string_view text) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'()+_,-./:=? ";
  return !text.empty() && text.size() <= longest_boundary && text.back() != ' ' &&
         text.find_first_not_of(letters) == std::string_view::npos;
}

std::variant<std::string, api_error> read_boundary(std::string_view content_type) {
  const std::size_t end = std::min(content_type.find(';'), content_type.size());
  if (!equals_ignoring_case(proxy::trim_space(content_type.substr(0, end)), "multipart/form-data"))
    return bad_request("the body must be multipart/form-data, not " +
                       (content_type.empty() ? "without a content type" : in_quotes(content_type)));
  std::optional<std::string> boundary;
  for (std::string_view rest = content_type.substr(end); !rest.empty();) {
    auto taken = take_parameter(rest);
    const auto* parameter = std::get_if<header_parameter>(&taken);
    if (parameter == nullptr) return bad_request("the parameters of the content type cannot be parsed");
    if (!equals_ignoring_case(parameter->name, "boundary")) continue;
    if (boundary) return bad_request("the content type has two boundaries");
    boundary = parameter->value;
  }
  if (!boundary || !is_boundary(*boundary))
    return bad_request("the content type has no boundary that consists of 1 to 70 of the characters that RFC 2046 "
                       "allows");
  return std::move(*boundary);
}

class form_reader {
 public:
  form_reader(std::string_view text, std::string boundary, std::span<const std::string_view> single)
      : text_(text), delimiter_("\n--" + boundary), single_(single) {
    fields_.boundary = std::move(boundary);
  }

  std::optional<api_error> read() {
    const std::string_view first = std::string_view(delimiter_).substr(1);
    if (!text_.starts_with(first)) return bad_form("the form does not begin with its boundary");
    std::size_t from = 0;  // the position of the delimiter, without the line end before it
    while (true) {
      const std::size_t behind = from + first.size();
      if (text_.substr(behind, 2) == "--") return check_end(behind + 2);
      if (text_.substr(behind, 2) != part_line_end)
        return bad_form("a boundary line of the form has more text after the boundary; lines must end with CR LF");
      const std::size_t found = find_in(text_, delimiter_, behind);
      if (found == std::string_view::npos) return bad_form("the form's last boundary is missing: the form was cut off");
      // Rejects a line feed without a carriage return, because some readers do not accept it as a line end.
      if (text_[found - 1] != '\r') return bad_form("a boundary of the form has no CR LF before it");
      const std::size_t next = found - 1;
      if (fields_.all.size() == max_form_parts)
        return bad_form("the form has more than " + std::to_string(max_form_parts) + " parts");
      if (auto error = read_part(from, behind + part_line_end.size(), next)) return error;
      from = next + part_line_end.size();
    }
  }
  proxy::form_fields take() { return std::move(fields_); }

 private:
  static api_error bad_form(std::string message) { return bad_request(std::move(message)); }

  std::optional<api_error> check_end(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    if (!rest.empty() && rest != part_line_end) return bad_form("the form has text after its last boundary");
    if (fields_.all.empty()) return bad_form("the form has no parts");
    return std::nullopt;
  }

  // Reads one part of the form. `from` is the start of its delimiter, `head` is the start of the line after the
  // delimiter, and `next` is the line end before the next delimiter.
  std::optional<api_error> read_part(std::size_t from, std::size_t head, std::size_t next) {
    const std::string_view part = text_.substr(head, std::max(next, head) - head);
    if (part.starts_with(part_line_end)) return bad_form("a part of the form has no head");
    const std::size_t blank = find_in(part.substr(0, max_part_head + 4), "\r\n\r\n", 0);
    if (blank == std::string_view::npos) {
      const bool is_long = part.size() > max_part_head;
      return bad_form(is_long ? "the head of a form part is longer than " + std::to_string(max_part_head) +
                                    " bytes"
                              : "a part of the form has no empty line after its head");
    }
    auto read = read_part_head(part.substr(0, blank + part_line_end.size()));
    if (auto* fault = std::get_if<std::string>(&read)) return bad_form("a part of the form " + *fault);
    const part_head& found = std::get<part_head>(read);
    if (auto error = check_single(found)) return error;
    fields_.all.push_back({found.name, part.substr(blank + 4), text_.substr(from, next + part_line_end.size() - from)});
    return std::nullopt;
  }

  // Rejects repeated fields and unexpected files. If a field occurs twice, the provider may use a different value than
  // the gateway. The provider may also read a file as text.
  std::optional<api_error> check_single(const part_head& found) const {
    if (std::find(single_.begin(), single_.end(), found.name) == single_.end()) return std::nullopt;
    const std::string name(found.name);
    if (found.is_file) return bad_request("'" + name + "' must be text, but is a file", name);
    if (found.is_encoded) return bad_request("'" + name + "' has a Content-Transfer-Encoding, which is not "
                                                          "supported", name);
    const bool is_there = std::any_of(fields_.all.begin(), fields_.all.end(),
                                      [&found](const proxy::json_member& each) { return each.raw_key == found.name; });
    if (is_there) return bad_request("'" + name + "' is given twice", name);
    return std::nullopt;
  }

  std::string_view text_;
  std::string delimiter_;
  std::span<const std::string_view> single_;
  proxy::form_fields fields_;
};

}  // namespace

std::variant<proxy::form_fields, api_error> read_form_fields(std::string_view text, std::string_view content_type,
                                                             std::span<const std::string_view> single) {
  auto boundary = read_boundary(content_type);
  if (auto* error = std::get_if<api_error>(&boundary)) return std::move(*error);
  form_reader reader(text, std::get<std::string>(std::move(boundary)), single);
  if (auto error = reader.read()) return std::move(*error);
  return reader.take();
}

}  // namespace photofinish::gateway
