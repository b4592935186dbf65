#include "gateway/api/multipart/form_request.hpp"

#include "gateway/api/multipart/form_reader.hpp"
#include "gateway/api/multipart/part_head.hpp"
#include "gateway/api/unstreamed/whole_writer.hpp"
#include "proxy/http/http_head.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace photofinish::gateway {
namespace {

// True if the field's name has control characters. The name is copied into other forms, where control characters would
// split a line.
bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char each) { return static_cast<unsigned char>(each) < ' ' || each == '\x7f'; });
}

std::variant<std::string, api_error> model_of(const proxy::client_body& form, std::string_view path_model) {
  const std::string_view model = path_model.empty() ? form.value_of("model") : path_model;
  if (model.empty()) return bad_request("'model' is missing: name a route, provider/model, or a list of them", "model");
  if (has_control(model)) return bad_request("'model' contains control characters", "model");
  return std::string(model);
}

std::string_view longest_of(const proxy::client_body& form) {
  std::string_view longest;
  for (const proxy::json_member& each : form.members().members())
    if (each.value.size() > longest.size()) longest = each.value;
  return longest;
}

bool is_file(const proxy::json_member& part) {
  std::string_view head = part.whole.substr(0, static_cast<std::size_t>(part.value.data() - part.whole.data()));
  head.remove_prefix(std::min(head.find(part_line_end), head.size() - part_line_end.size()) + part_line_end.size());
  head.remove_suffix(std::min(part_line_end.size(), head.size()));
  const auto read = read_part_head(head);
  return std::holds_alternative<part_head>(read) && std::get<part_head>(read).is_file;
}

// Returns the name of a field that must not occur twice but does, or an empty text. Fields may repeat if their name
// ends in [], because they form a list. Files may also have the same name.
std::string repeated_field(std::span<const proxy::json_member> parts) {
  std::map<std::string_view, bool> are_files;  // maps the name of a field to true if the field is a file
  for (const proxy::json_member& each : parts) {
    if (each.raw_key.ends_with("[]")) continue;
    const bool is_a_file = is_file(each);
    const auto [known, is_new] = are_files.emplace(each.raw_key, is_a_file);
    if (!is_new && !(is_a_file && known->second)) return std::string(each.raw_key);
  }
  return {};
}

}  // namespace

std::variant<parsed_request, api_error> form_api::read(std::string, proxy::tolerant_parser&) const {
  return bad_request("the body must be multipart/form-data");
}

std::unique_ptr<answer_writer> form_api::writer(const parsed_request& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

std::variant<parsed_request, api_error> read_form_request(sent_form sent, std::span<const std::string_view> single) {
  auto fields = read_form_fields(sent.body, sent.content_type, single);
  if (auto* error = std::get_if<api_error>(&fields)) return std::move(*error);
  parsed_request request;
  request.body = std::make_shared<const proxy::client_body>(std::move(sent.body),
                                                            std::get<proxy::form_fields>(std::move(fields)));
  auto model = model_of(*request.body, sent.path_model);
  if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
  request.model = std::get<std::string>(std::move(model));
  request.prompt = request.body->value_of("prompt");
  request.longest_field = longest_of(*request.body);
  request.repeated = repeated_field(request.body->members().members());
  return request;
}

std::optional<api_error> check_field(const proxy::client_body& form, std::string_view name) {
  for (const proxy::json_member& each : form.members().members()) {
    const std::string_view rest = each.raw_key.starts_with(name) ? each.raw_key.substr(name.size()) : "-";
    if (rest.empty() || (rest.front() == '[' && rest.back() == ']')) return std::nullopt;
  }
  return bad_request("'" + std::string(name) + "' is missing", std::string(name));
}

std::variant<bool, api_error> read_stream(const proxy::client_body& form) {
  const std::string_view stream = form.value_of("stream");
  if (proxy::equals_ignoring_case(stream, "true") || stream == "1") return true;
  if (proxy::equals_ignoring_case(stream, "false") || stream == "0" || stream.empty()) return false;
  return bad_request("'stream' must be true or false", "stream");
}

}  // namespace photofinish::gateway
