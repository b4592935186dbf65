// Shared code of the APIs whose requests are forms. A form passes unchanged, except that its model may
// be replaced. [pure]
#pragma once

#include "gateway/api/api.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

// Base class of APIs whose requests are forms, read by read_form().
class form_api : public api {
 public:
  bool takes_forms() const final { return true; }
  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const final;
  // Returns a writer for an answer in one piece, unless a derived class overrides this.
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

// `single` lists the fields that the caller reads, including `model`. The caller sets the request's format and form.
std::variant<parsed_request, api_error> read_form_request(sent_form sent, std::span<const std::string_view> single);

// Returns an error if the form has neither a field of that name nor one with brackets after it (`image` or `image[]`).
std::optional<api_error> check_field(const proxy::client_body& form, std::string_view name);

// Reads `stream`, which may occur once. Returns false if it is absent.
std::variant<bool, api_error> read_stream(const proxy::client_body& form);

}  // namespace photofinish::gateway
