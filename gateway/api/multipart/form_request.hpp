// Code that is shared by the APIs whose requests are multipart forms. A form passes unchanged, except that the gateway
// may replace its model. [pure]
#pragma once

#include "gateway/api/api.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// The base class of APIs whose requests are multipart forms. read_form() reads these forms.
class form_api : public api {
 public:
  bool takes_forms() const final { return true; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const final;
  // Returns a writer for an answer in one piece. Derived classes may override this function.
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

// Reads a form's fields into a request. `single` lists the fields that the caller reads, including `model`. The caller
// sets the request's format and form.
std::variant<parsed_request, api_error> read_form_request(sent_form sent, std::span<const std::string_view> single);

// Returns an error if the form has no field with this name, with
// or without brackets after the name (`image` or `image[]`).
std::optional<api_error> check_field(const proxy::client_body& form, std::string_view name);

// Reads the field `stream`, which may occur only once. Returns false if the form has no such field.
std::variant<bool, api_error> read_stream(const proxy::client_body& form);

}  // namespace photofinish::gateway
