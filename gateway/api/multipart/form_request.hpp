// Shared code of the APIs whose requests are forms: a form passes unchanged except for the model. [pure]
#pragma once

#include "gateway/api/api.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// An API whose requests only read_form() reads.
class form_api : public api {
 public:
  bool takes_forms() const final { return true; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const final;
  // By default the answer comes in one piece.
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

// `single` lists the fields that the caller reads, including `model`. The caller sets the request's format and form.
std::variant<parsed_request, api_error> read_form_request(sent_form sent, std::span<const std::string_view> single);

// Returns an error if no field has that name, or that name with brackets after it: `image` and `image[]`.
std::optional<api_error> check_field(const proxy::client_body& form, std::string_view name);

// Reads `stream`, which may occur once; if it is absent, the result is false.
std::variant<bool, api_error> read_stream(const proxy::client_body& form);

}  // namespace photofinish::gateway
